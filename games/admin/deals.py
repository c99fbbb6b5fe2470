"""The desk's view of deals: of a closed one everything, of a live one what anybody at the table may know.

A live deal is shown from its opening event, which holds no card; the hands of a closed one from its closing event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RangeDateFilter

from games import finished, log, naming
from games.admin import receipt, wording
from games.admin.filters import DealTierFilter, HowFilter, RulesetFilter
from games.admin.moments import span
from games.admin.tables import computer, log_url
from games.engine.errors import EngineError
from games.errors import TableError
from games.finished import Finished
from games.models import Deal, SeatResult
from games.table.errors import FormatError
from games.table.events import DealOpened
from wallet import desk, lookup
from wallet.desk import (
    EMPTY,
    Facts,
    Panel,
    ReadOnlyAdmin,
    Sheet,
    change,
    code,
    figure,
    link,
    mark,
    moment,
    page_of,
    purse,
)


def deal_url(rest: str) -> str | None:
    """Return the page of a deal from what stands behind "deal:" in a reference (with or without a seat)."""
    deal_id = rest.partition(":")[0]
    return reverse("admin:games_deal_change", args=[deal_id]) if deal_id else None


desk.register_reference("deal", deal_url)
desk.register_lines({name: words for name, (words, _icon) in naming.LINES.items()})


@admin.register(Deal)
class DealAdmin(ReadOnlyAdmin):
    """Every deal there is or was."""

    list_display = ("name", "where", "ending", "game", "tier", "people", "opened_at", "lasted")
    list_display_links = ("name",)
    list_filter = (HowFilter, RulesetFilter, DealTierFilter, ("opened", RangeDateFilter))
    list_filter_submit = True
    list_select_related = ("table",)
    search_fields = ("id", "table__code", "results__user__username_key")
    search_help_text = _("The number of a deal, the code of its table, or a player's name.")
    ordering = ("-opened", "-number")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Deal]:
        found: QuerySet[Deal] = super().get_queryset(request)
        return found.prefetch_related("results__user", "table__seats__user")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Deal], term: str
    ) -> tuple[QuerySet[Deal], bool]:
        term = term.strip()
        if not term:
            return queryset, False
        theirs = SeatResult.objects.filter(user__username_key__startswith=term.casefold()).values("deal")
        wanted = Q(pk__startswith=term) | Q(table__code=term.upper()) | Q(pk__in=theirs)
        return queryset.filter(wanted), False

    @admin.display(description=_("deal"), ordering="number")
    def name(self, deal: Deal) -> SafeString:
        return code(deal.pk)

    @admin.display(description=_("table"), ordering="table__code")
    def where(self, deal: Deal) -> SafeString:
        table = page_of("games_table", deal.table_id, deal.table.code)
        return format_html("{} № {}", table, deal.number)

    @admin.display(description=_("ending"), ordering="how")
    def ending(self, deal: Deal) -> SafeString:
        return ending_of(deal)

    @admin.display(description=_("rule set"), ordering="ruleset")
    def game(self, deal: Deal) -> str:
        return str(naming.game_words(deal.ruleset).name)

    @admin.display(description=_("tier"), ordering="table__tier")
    def tier(self, deal: Deal) -> str:
        return deal.table.tier

    @admin.display(description=_("people"))
    def people(self, deal: Deal) -> str:
        if deal.closed_seq is None:
            seats = sorted(deal.table.seats.all(), key=lambda seat: seat.index)
            return ", ".join(str(seat.user) for seat in seats)
        results = sorted(deal.results.all(), key=lambda result: result.seat)
        return ", ".join(str(result.user) for result in results if result.user) or EMPTY

    @admin.display(description=_("opened"), ordering="opened")
    def opened_at(self, deal: Deal) -> str:
        return moment(deal.opened)

    @admin.display(description=_("lasted"))
    def lasted(self, deal: Deal) -> str:
        return EMPTY if deal.closed is None else span(int((deal.closed - deal.opened).total_seconds() * 1000))

    def panels(self, request: HttpRequest, row: Deal) -> Sequence[Panel]:
        """Return the panels of a deal; of one that is not over, only those with public facts."""
        if row.closed_seq is None:
            return live_panels(row)
        found = finished.finished_deal(row.pk, request.user)
        return [] if found is None else closed_panels(found)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        """Show a deal; say so where its log cannot be read."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except (TableError, FormatError, AssertionError) as error:
            row = self.get_object(request, object_id)
            words = gettext("The log of this deal cannot be read: %(error)s") % {"error": error}
            notice = {"tone": "bad", "text": words}
            return self.show(request, row, panels=[Facts(_("Deal"), _deal_rows(row))], notice=notice)


def ending_of(deal: Deal) -> SafeString:
    """Print how a deal ended as a mark."""
    return mark(wording.HOWS[deal.how], wording.HOW_TONES.get(deal.how, ""))


def live_panels(deal: Deal) -> list[Panel]:
    """Return what is public of a deal that runs: what its opening event says."""
    ((_seq, body),) = log.bodies(deal.table_id, deal.opened_seq, deal.opened_seq)
    opened = log.parse(body)
    assert isinstance(opened, DealOpened)
    note = _("While a deal lives nobody sees its cards here. What was played stands in the log.")
    return [Facts(_("Deal"), _deal_rows(deal), note), _opening_seats(opened), _fairness(opened, None)]


def closed_panels(found: Finished) -> list[Panel]:
    """Return all there is to know of a closed deal."""
    deal = found.deal
    panels: list[Panel] = [Facts(_("Deal"), _deal_rows(deal))]
    if found.closed.how != Deal.How.REDEAL:
        panels += [_results(found), receipt.reckoning(found), _hands(found), _ledger(deal), _checks(found)]
    else:
        panels.append(_opening_seats(found.opened))
    return [*panels, _fairness(found.opened, found.closed.seed)]


def _deal_rows(deal: Deal) -> list[tuple[Any, object]]:
    number = gettext("Deal %(number)s") % {"number": deal.number}
    table = page_of("games_table", deal.table_id, deal.table.code)
    last = deal.closed_seq or deal.table.seq
    events = gettext("Events %(first)s to %(last)s") % {"first": deal.opened_seq, "last": last}
    rows: list[tuple[Any, object]] = [
        (_("Number"), code(deal.pk)),
        (_("Table"), format_html("{}, {}", table, number)),
        (_("Ending"), ending_of(deal)),
        (_("Rule set"), f"{naming.game_words(deal.ruleset).name} ({deal.ruleset}, v{deal.rules_version})"),
        (_("Tier"), deal.table.tier),
        (_("Log"), link(log_url(deal.table, deal), events)),
        (_("Opened"), moment(deal.opened)),
        (pgettext_lazy("moment", "Closed"), moment(deal.closed)),
    ]
    if deal.closed_seq is not None:
        page = reverse("games:deal", args=[deal.pk])
        record = reverse("games:record", args=[deal.pk])
        rows.append((_("Players' page"), link(page, page)))
        rows.append((_("Record"), link(record, gettext("Download"))))
    return rows


def _person(seat: Any) -> object:
    name = str(seat["name"])
    if seat.get("user") is None:
        return computer(name) if seat.get("computer") else name
    return page_of("accounts_user", seat["user"], name)


def _opening_seats(opened: DealOpened) -> Sheet:
    balances = opened.balances or (None,) * len(opened.seats)
    return Sheet(
        _("Seats"),
        (_("Seat"), _("Who"), _("Could spend at the start")),
        [(number + 1, _person(seat), figure(balances[number])) for number, seat in enumerate(opened.seats)],
        figures=(2,),
    )


def _results(found: Finished) -> Sheet:
    """Return who sat where and what it came to."""
    settlement = found.closed.settlement
    seats = range(len(found.opened.seats))
    nothing = dict.fromkeys(("points", "gross", "fees", "penalties", "net"), (0,) * len(seats))
    sums: Any = settlement or nothing
    results = {result.seat: result for result in found.deal.results.filter(reversal_of__isnull=True)}
    turned = Counter(
        found.deal.results.filter(reversal_of__isnull=False).values_list("reversal_of__seat", flat=True)
    )
    back = mark(_("taken back"), "warn")
    rows = []
    for seat in seats:
        outcome = results[seat].outcome if seat in results else ""
        words = receipt.OUTCOMES.get(outcome, EMPTY)
        rows.append(
            (
                seat + 1,
                _person(found.opened.seats[seat]),
                format_html("{} {}", words, back) if turned[seat] % 2 else words,
                change(sums["points"][seat]),
                change(sums["gross"][seat]),
                change(-sums["fees"][seat]),
                change(-sums["penalties"][seat]),
                change(sums["net"][seat]),
            )
        )
    head = (_("Seat"), _("Who"), _("Outcome"), _("Points"), _("Gross"), _("Fee"), _("Fine"), _("Net"))
    return Sheet(_("Result"), head, rows, figures=(3, 4, 5, 6, 7))


def _hands(found: Finished) -> Sheet:
    return Sheet(
        _("Hands at the end"),
        (_("Seat"), _("Who"), _("Cards left")),
        [
            (seat + 1, name, wording.cards(found.closed.hands[seat]) or gettext("went out"))
            for seat, name in enumerate(found.names)
        ],
    )


def _ledger(deal: Deal) -> Sheet:
    """Return what the ledger moved for a deal, and where to read it."""
    reference = f"deal:{deal.pk}"
    legs = lookup.legs_of([reference]).get(reference, [])
    names = {seat["user"]: seat["name"] for seat in _opened(deal).seats if seat.get("user") is not None}
    find = reverse("admin:wallet_transaction_changelist") + f"?q={reference}"
    total = sum(leg.amount for leg in legs)
    return Sheet(
        _("Ledger"),
        (_("Wallet"), _("Amount")),
        [
            (
                page_of("accounts_user", leg.wallet, names.get(leg.wallet, leg.wallet))
                if isinstance(leg.wallet, int)
                else purse(leg.wallet),
                change(leg.amount),
            )
            for leg in legs
        ],
        figures=(1,),
        foot=(_("Sum"), figure(total)) if legs else (),
        empty=_("No coins moved."),
        more=link(find, gettext("The transaction and its holds")) if legs else "",
    )


def _opened(deal: Deal) -> DealOpened:
    opened = log.parse(log.bodies(deal.table_id, deal.opened_seq, deal.opened_seq)[0][1])
    assert isinstance(opened, DealOpened)
    return opened


def _checks(found: Finished) -> Sheet:
    """Return what the verifier says, and what it says when it cannot even begin."""
    try:
        checks = finished.checks_of(found)
    except EngineError as error:
        rows: list[Sequence[object]] = [
            (gettext("The record cannot be read"), mark(error.code, "bad"), error.detail)
        ]
    else:
        rows = [(naming.CHECKS.get(c.name, c.name), _verdict(c.holds), c.finding) for c in checks]
    return Sheet(_("Verification"), (_("Check"), pgettext_lazy("check", "Verdict"), _("Finding")), rows)


def _verdict(holds: bool | None) -> SafeString:
    if holds is None:
        return mark(_("nothing to compare it with"))
    return mark(_("holds"), "good") if holds else mark(_("does not hold"), "bad")


def _fairness(opened: DealOpened, seed: str | None) -> Facts:
    hidden = gettext("sealed until the deal is over")
    rows: list[tuple[Any, object]] = [
        (_("Commitment"), code(opened.commitment)),
        (_("Seed"), code(seed) if seed else hidden),
    ]
    for number, nonce in enumerate(opened.nonces):
        label = gettext("Nonce of seat %(number)s") % {"number": number + 1}
        rows.append((label, code(nonce) if nonce else EMPTY))
    return Facts(_("Shuffle"), rows)
