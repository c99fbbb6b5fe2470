"""The first page of the desk: what a shift leader wants to know before anything else.

Everything on it is counted when the page is asked for; a figure nobody keeps is not shown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games import activity, naming, selectors, service_time
from lobby.models import RoomTier
from wallet import figures
from wallet.desk import PURSES, figure

SWEEP_LATE_S = 3


class Tile(NamedTuple):
    """One figure of the house, and where it comes from."""

    name: str | Promise
    value: str
    url: str
    tone: str = ""
    note: str | Promise = ""


class TierLine(NamedTuple):
    """One tier: who plays and waits there now."""

    tier: RoomTier
    game: object
    name: object
    url: str
    tables_url: str
    players: int
    tables: int
    waiting: int
    refused: int


def index(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add to the first page what the one who looks at it may see."""
    user: Any = request.user
    context["title"] = _("Overview")
    if user.has_perm("games.view_table"):
        context["tiles"] = _table_tiles()
        context["tiers"] = tier_lines()
    if user.has_perm("wallet.view_wallet"):
        context["books"] = _book_tiles(figures.books())
    return context


def tier_lines() -> list[TierLine]:
    """Return every tier with its people, tables and queue, in three queries."""
    counts = selectors.tier_counts()
    queued = Count("tickets", filter=Q(tickets__refusal=""))
    refused = Count("tickets", filter=~Q(tickets__refusal=""))
    none = selectors.TierCount(0, 0)
    tables = reverse("admin:games_table_changelist")
    return [
        TierLine(
            tier=tier,
            game=naming.game_words(tier.ruleset).name,
            name=naming.tier_name(tier.code, tier.name),
            url=reverse("admin:lobby_roomtier_change", args=[tier.pk]),
            tables_url=f"{tables}?tier={tier.code}",
            players=counts.get(tier.code, none).players,
            tables=counts.get(tier.code, none).tables,
            waiting=tier.desk_waiting,
            refused=tier.desk_refused,
        )
        for tier in RoomTier.objects.annotate(desk_waiting=queued, desk_refused=refused)
    ]


def _table_tiles() -> list[Tile]:
    live = activity.activity()
    tables = reverse("admin:games_table_changelist")
    deals = reverse("admin:games_deal_changelist")
    return [
        _sweep_tile(),
        Tile(_("People seated"), figure(live.people), f"{tables}?status__exact=playing"),
        Tile(_("Live deals"), figure(live.deals), f"{deals}?how=live"),
        Tile(_("Tables between deals"), figure(live.open), f"{tables}?status__exact=open"),
        Tile(
            _("Tables past their deadline"),
            figure(live.overdue),
            f"{tables}?due=overdue",
            tone="bad" if live.overdue else "",
        ),
        Tile(_("Open sockets"), figure(live.sockets), reverse("admin:games_connection_changelist")),
    ]


def _sweep_tile() -> Tile:
    """Say how old the last sweep is: while it is old, no clock of any table runs out."""
    age = service_time.sweep_age()
    url = reverse("admin:games_serviceclock_changelist")
    if age is None:
        return Tile(_("Last sweep"), "–", url, "warn", _("never yet"))
    tone = "good" if age < SWEEP_LATE_S else "warn" if age < service_time.OUTAGE_MS / 1000 else "bad"
    note = _("nothing expires until the sweep is back") if tone == "bad" else ""
    return Tile(_("Last sweep"), str(_("%(seconds)s s ago")) % {"seconds": f"{age:.1f}"}, url, tone, note)


def _book_tiles(books: figures.Books) -> list[Tile]:
    wallets = reverse("admin:wallet_wallet_changelist")
    house = f"{wallets}?owner=house"
    missing = books.issued - books.players - sum(books.house.values())
    return [
        Tile(
            _("Coins in circulation"),
            figure(books.issued),
            house,
            tone="bad" if missing else "",
            note=_("%(coins)s are nowhere") % {"coins": figure(missing)} if missing else "",
        ),
        Tile(_("With players"), figure(books.players), f"{wallets}?owner=players"),
        Tile(
            _("Open holds"),
            figure(books.open_holds),
            reverse("admin:wallet_hold_changelist") + "?open=yes",
            note=_("%(coins)s coins held") % {"coins": figure(books.held)},
        ),
        *(Tile(PURSES[name], figure(coins), house) for name, coins in books.house.items()),
    ]
