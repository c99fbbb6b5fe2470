"""The desk's view of tables: their frozen terms, who sits there, and the log, laid out for reading.

A table is shown by its rows and its log. Its state is never folded here: that would take the cards of a live deal out
of their seal, and nobody at the desk may see them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from games import activity, log, naming, service_time
from games.admin import chronicle, wording
from games.admin.filters import DueFilter, RulesetFilter, TierFilter
from games.admin.moments import to_the_ms, until
from games.models import Connection, Deal, Seat, Table
from wallet.desk import (
    EMPTY,
    Facts,
    ReadOnlyAdmin,
    Sheet,
    code,
    figure,
    link,
    mark,
    moment,
    page_of,
)

MOST_DEALS = 20
_more: list[Callable[[HttpRequest, Table], Sequence[Any]]] = []
TONES = {Table.Status.OPEN: "", Table.Status.PLAYING: "live", Table.Status.CLOSED: "off"}


def add_panels(panels: Callable[[HttpRequest, Table], Sequence[Any]]) -> None:
    """Add panels to the page of a table, before its other ones: objects that name their `template`."""
    _more.append(panels)


@admin.register(Table)
class TableAdmin(ReadOnlyAdmin):
    """Every table there is or was."""

    list_display = ("name", "state", "game", "tier", "people", "head", "due", "opened")
    list_display_links = ("name",)
    list_filter = ("status", RulesetFilter, TierFilter, DueFilter)
    search_fields = ("code", "seats__user__username_key")
    search_help_text = _("The code of a table, or who sits there now.")
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Table]:
        found: QuerySet[Table] = super().get_queryset(request)
        return found.prefetch_related("seats__user")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Table], term: str
    ) -> tuple[QuerySet[Table], bool]:
        folded = term.strip().casefold()
        if not folded:
            return queryset, False
        theirs = Seat.objects.filter(user__username_key__startswith=folded).values("table")
        return queryset.filter(Q(code__startswith=term.strip().upper()) | Q(pk__in=theirs)), False

    @admin.display(description=_("table"), ordering="code")
    def name(self, table: Table) -> SafeString:
        return code(table.code)

    @admin.display(description=_("state"), ordering="status")
    def state(self, table: Table) -> SafeString:
        return state_of(table)

    @admin.display(description=_("rule set"), ordering="ruleset")
    def game(self, table: Table) -> str:
        return str(naming.game_words(table.ruleset).name)

    @admin.display(description=_("people"))
    def people(self, table: Table) -> str:
        seats = sorted(table.seats.all(), key=lambda seat: seat.index)
        return ", ".join(str(seat.user) for seat in seats) or EMPTY

    @admin.display(description=_("events"), ordering="seq")
    def head(self, table: Table) -> SafeString | str:
        return link(log_url(table), figure(table.seq))

    @admin.display(description=_("deadline"), ordering="deadline")
    def due(self, table: Table) -> SafeString | str:
        return _due(table)

    @admin.display(description=_("opened"), ordering="created")
    def opened(self, table: Table) -> str:
        return moment(table.created)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.log_view)
        return [path("<path:object_id>/log/", view, name="games_table_log"), *super().get_urls()]

    def panels(self, request: HttpRequest, row: Table) -> Sequence[Any]:
        live = row.deals.filter(closed_seq__isnull=True).order_by("-number").first()
        return [
            Facts(_("Now"), _now_rows(row, live)),
            *(panel for panels in _more for panel in panels(request, row)),
            Facts(_("Terms, frozen when the table opened"), wording.terms_rows(row.terms)),
            _seats(row),
            _deals(row),
        ]

    def log_view(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Show a page of the log, of the whole table or of one deal; `check=all` checks the whole chain."""
        table = self.row_to_show(request, object_id)
        if table is None:
            gone: HttpResponseBase = self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
            return gone
        deal = table.deals.filter(pk=request.GET.get("deal", "")).first()
        first, last = (deal.opened_seq, deal.closed_seq or table.seq) if deal else (1, table.seq)
        pages = max(1, -(-(last - first + 1) // chronicle.PAGE))
        page = _page_number(request, pages)
        begin = first + (page - 1) * chronicle.PAGE
        stretch = chronicle.read(table.pk, begin, min(last, begin + chronicle.PAGE - 1))
        faults = log.verify_chain(table.pk) if request.GET.get("check") == "all" else None
        return self.show(
            request,
            table,
            template="admin/games/table/log.html",
            stretch=stretch,
            deal=deal,
            page=page,
            pages=range(1, pages + 1),
            first=first,
            last=last,
            faults=faults,
            of_deal=f"&deal={deal.pk}" if deal else "",
        )


def _page_number(request: HttpRequest, pages: int) -> int:
    """Return the page asked for; the last one, where the news is, when none is."""
    asked = request.GET.get("page", "")
    return min(max(1, int(asked)), pages) if asked.isdecimal() and len(asked) < 9 else pages


def log_url(table: Table, deal: Deal | None = None) -> str:
    """Return where the log of a table is read, or the part of it that is one deal."""
    url = reverse("admin:games_table_log", args=[table.pk])
    return f"{url}?deal={deal.pk}&page=1" if deal else url


def computer(name: str) -> str:
    """Name a computer player, and say that it is one."""
    return gettext("%(name)s (computer)") % {"name": name}


def state_of(table: Table) -> SafeString:
    """Print the state of a table as a mark."""
    return mark(table.get_status_display(), TONES[Table.Status(table.status)])


def _due(table: Table) -> SafeString | str:
    if table.deadline is None or table.status == Table.Status.CLOSED:
        return EMPTY
    now = service_time.now()
    words = until(table.deadline, now)
    return mark(words, "bad") if table.deadline < now - activity.OVERDUE_MS else words


def _now_rows(table: Table, live: Deal | None) -> list[tuple[Any, object]]:
    running = (
        page_of("games_deal", live.pk, gettext("Deal %(number)s") % {"number": live.number})
        if live
        else EMPTY
    )
    return [
        (_("Code"), code(table.code)),
        (_("State"), state_of(table)),
        (_("Rule set"), naming.game_words(table.ruleset).name),
        (_("Live deal"), running),
        (
            _("Log"),
            link(log_url(table), gettext("Read the log (%(count)s events)") % {"count": figure(table.seq)}),
        ),
        (_("Deadline"), _due(table)),
        (_("Deadline, service time"), to_the_ms(table.deadline)),
        (_("Loading starts at"), figure(table.opening_seq)),
        (_("Format of events"), table.format),
        (_("Opened"), moment(table.created)),
    ]


def _seats(table: Table) -> Sheet:
    """Who sits where: people by the rows, computer players by the log, sockets by what the processes say."""
    people = {seat.index: seat for seat in table.seats.select_related("user")}
    sockets = dict(
        Connection.objects.filter(table=table, closed_ms__isnull=True)
        .values_list("user_id")
        .annotate(n=Count("pk"))
    )
    chairs = (
        chronicle.chairs(table.pk, table.opening_seq, table.seq)
        if table.status != Table.Status.CLOSED
        else {}
    )
    rows: list[Sequence[object]] = []
    for index in sorted({*people, *chairs}):
        seat = people.get(index)
        if seat is not None:
            name: object = page_of("accounts_user", seat.user_id, seat.user)
            rows.append((index + 1, name, to_the_ms(seat.taken_ms), figure(sockets.get(seat.user_id, 0))))
        else:
            rows.append(
                (
                    index + 1,
                    computer(chairs[index].name),
                    to_the_ms(chairs[index].at),
                    EMPTY,
                )
            )
    return Sheet(
        _("Seats"),
        (_("Seat"), _("Who"), _("Since, service time"), _("Open sockets")),
        rows,
        figures=(3,),
        empty=_("Nobody sits here."),
    )


def _deals(table: Table) -> Sheet:
    every = reverse("admin:games_deal_changelist") + f"?q={table.code}"
    return Sheet(
        _("Newest deals"),
        (_("Deal"), _("Ending"), _("Opened"), pgettext_lazy("moment", "Closed"), _("Events")),
        [
            (
                page_of("games_deal", deal.pk, gettext("Deal %(number)s") % {"number": deal.number}),
                mark(wording.HOWS[deal.how], wording.HOW_TONES.get(deal.how, "")),
                moment(deal.opened),
                moment(deal.closed),
                link(log_url(table, deal), f"{deal.opened_seq}–{deal.closed_seq or ''}"),
            )
            for deal in table.deals.order_by("-number")[:MOST_DEALS]
        ],
        empty=_("No deal yet."),
        more=link(every, gettext("All deals of this table")),
    )
