"""The desk's view of the machinery: server processes, their sockets, the service clock."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from games import service_time
from games.admin.moments import span, to_the_ms, until
from games.models import Connection, ServerProcess, ServiceClock
from wallet.desk import EMPTY, Facts, Panel, ReadOnlyAdmin, code, figure, mark, page_of

DEAD_MS = 30_000


@admin.register(ServerProcess)
class ServerProcessAdmin(ReadOnlyAdmin):
    """Who holds sockets, and whether he lives."""

    names = _("server process"), _("server processes")
    list_display = ("name", "state", "beat", "sockets")
    list_display_links = ("name",)
    ordering = ("-beat_ms",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ServerProcess]:
        found: QuerySet[ServerProcess] = super().get_queryset(request)
        standing = Count("connections", filter=Q(connections__closed_ms__isnull=True))
        return found.annotate(standing=standing)

    @admin.display(description=_("process"))
    def name(self, process: ServerProcess) -> SafeString:
        return code(process.pk)

    @admin.display(description=_("state"))
    def state(self, process: ServerProcess) -> SafeString:
        alive = service_time.now() - process.beat_ms < DEAD_MS
        return mark(_("alive"), "good") if alive else mark(_("gone"), "off")

    @admin.display(description=_("last beat"), ordering="beat_ms")
    def beat(self, process: ServerProcess) -> str:
        return until(process.beat_ms, service_time.now())

    @admin.display(description=_("open sockets"))
    def sockets(self, process: ServerProcess) -> str:
        return figure(getattr(process, "standing", None))

    def panels(self, request: HttpRequest, row: ServerProcess) -> Sequence[Panel]:
        return [
            Facts(
                _("Process"),
                [
                    (_("Number"), self.name(row)),
                    (_("State"), self.state(row)),
                    (_("Last beat"), self.beat(row)),
                    (_("Last beat, service time"), to_the_ms(row.beat_ms)),
                    (_("Open sockets"), self.sockets(row)),
                ],
            )
        ]


@admin.register(Connection)
class ConnectionAdmin(ReadOnlyAdmin):
    """Which sockets are open, and which ended lately."""

    names = _("socket"), _("sockets")
    list_display = ("who", "where", "state", "since", "process_link")
    list_display_links = ("since",)
    list_select_related = ("user", "table")
    list_filter = (("closed_ms", admin.EmptyFieldListFilter),)
    search_fields = ("user__username_key", "=table__code")
    search_help_text = _("Part of a player's name, or the code of a table.")
    ordering = ("-pk",)

    @admin.display(description=_("who"))
    def who(self, connection: Connection) -> SafeString | str:
        return page_of("accounts_user", connection.user_id, connection.user)

    @admin.display(description=_("table"))
    def where(self, connection: Connection) -> SafeString | str:
        return page_of("games_table", connection.table_id, connection.table.code)

    @admin.display(description=_("state"))
    def state(self, connection: Connection) -> SafeString:
        if connection.closed_ms is None:
            return mark(pgettext("socket", "open"), "live")
        return mark(pgettext("socket", "closed"), "off")

    @admin.display(description=_("since, service time"), ordering="opened_ms")
    def since(self, connection: Connection) -> str:
        return to_the_ms(connection.opened_ms)

    @admin.display(description=_("process"))
    def process_link(self, connection: Connection) -> SafeString | str:
        return page_of("games_serverprocess", connection.process_id, str(connection.process_id)[:8])

    def panels(self, request: HttpRequest, row: Connection) -> Sequence[Panel]:
        return [
            Facts(
                _("Socket"),
                [
                    (_("Who"), self.who(row)),
                    (_("Table"), self.where(row)),
                    (_("State"), self.state(row)),
                    (_("Opened, service time"), to_the_ms(row.opened_ms)),
                    (_("Closed, service time"), to_the_ms(row.closed_ms)),
                    (_("Process"), page_of("games_serverprocess", row.process_id, row.process_id)),
                ],
            )
        ]


@admin.register(ServiceClock)
class ServiceClockAdmin(ReadOnlyAdmin):
    """How far service time stands behind wall time: the sum of our outages."""

    names = _("service clock"), _("service clock")
    list_display = ("now", "offset", "beat")
    list_display_links = ("now",)

    @admin.display(description=_("service time now"))
    def now(self, clock: ServiceClock) -> str:
        return to_the_ms(service_time.now())

    @admin.display(description=_("behind wall time"))
    def offset(self, clock: ServiceClock) -> str:
        return span(clock.offset_ms)

    @admin.display(description=_("last sweep"))
    def beat(self, clock: ServiceClock) -> SafeString | str:
        return sweep_mark()

    def panels(self, request: HttpRequest, row: ServiceClock) -> Sequence[Panel]:
        return [
            Facts(
                _("Service clock"),
                [
                    (_("Service time now"), to_the_ms(service_time.now())),
                    (_("Wall time now"), to_the_ms(service_time.wall_ms())),
                    (_("Behind wall time (our outages)"), span(row.offset_ms)),
                    (_("Last sweep"), sweep_mark()),
                    (_("Last sweep, wall time"), to_the_ms(row.beat_ms)),
                ],
            )
        ]


def sweep_mark() -> SafeString | str:
    """Say when the last sweep was, and mark it red where it is too long ago for clocks to run."""
    age = service_time.sweep_age()
    if age is None:
        return EMPTY
    tone = "good" if age < 3 else "warn" if age < service_time.OUTAGE_MS / 1000 else "bad"
    return mark(_("%(span)s ago") % {"span": span(int(age * 1000))}, tone)
