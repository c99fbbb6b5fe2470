"""The first page of the desk: what a shift leader wants to know before anything else.

Everything on it is counted when the page is asked for; a figure nobody keeps is not shown.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games import activity, naming, selectors, service_time
from games.admin.moments import span
from games.complaints import figures as complaints
from lobby.models import RoomTier
from wallet import figures
from wallet.desk import EMPTY, PURSES, figure

SWEEP_LATE_S = 3
LATE, VERY_LATE, A_DAY_AND_A_HALF = timedelta(hours=24), timedelta(hours=72), timedelta(hours=36)


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
    if user.has_perm("complaints.view_case"):
        context["complaints"] = _complaint_tiles(complaints.queue())
    if user.has_perm("games.view_table"):
        context["tiles"] = _table_tiles()
        context["tiers"] = tier_lines()
    if user.has_perm("wallet.view_wallet"):
        context["books"] = _book_tiles(figures.books())
        context["keeping"] = _keeping_tiles(figures.keeping())
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
    live, lag = activity.activity(), activity.deadline_lag()
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
        Tile(
            _("Oldest deadline past"),
            span(int(lag * 1000)),
            f"{tables}?due=overdue",
            tone="bad" if lag * 1000 > activity.OVERDUE_MS else "good",
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


def _complaint_tiles(queue: complaints.Queue) -> list[Tile]:
    cases = reverse("admin:complaints_case_changelist")
    age = None if queue.oldest is None else timezone.now() - queue.oldest
    tone = "" if age is None else "bad" if age > VERY_LATE else "warn" if age > LATE else "good"
    return [
        Tile(_("Cases nobody has"), figure(queue.open), f"{cases}?state=open"),
        Tile(_("Cases in hand"), figure(queue.taken), f"{cases}?state=taken"),
        Tile(_("Oldest waits for"), EMPTY if age is None else _long(age), cases, tone),
        Tile(
            _("For a second person"),
            figure(queue.proposed),
            f"{cases}?state=proposed",
            tone="warn" if queue.proposed else "",
        ),
        Tile(
            _("Appeals"),
            figure(queue.appealed),
            f"{cases}?state=appealed",
            tone="warn" if queue.appealed else "",
        ),
        Tile(
            _("Verdicts to carry out"),
            figure(queue.due),
            f"{cases}?state=all",
            tone="warn" if queue.due else "",
        ),
    ]


def _keeping_tiles(kept: figures.Keeping) -> list[Tile]:
    """Say how the books are kept: what is owed, what waits, when they were last audited and shared out."""
    now = timezone.now()
    audited = None if kept.audited is None else now - kept.audited
    wrong = bool(kept.breaches) or audited is None or audited > A_DAY_AND_A_HALF
    return [
        Tile(
            _("Open debts"),
            figure(kept.debts),
            reverse("admin:wallet_debt_changelist") + "?open=yes",
            note=_("%(coins)s coins owed") % {"coins": figure(kept.owed)} if kept.owed else "",
        ),
        Tile(
            _("Corrections that wait"),
            figure(kept.corrections),
            reverse("admin:wallet_adjustment_changelist") + "?status__exact=asked",
            tone="warn" if kept.corrections else "",
        ),
        Tile(
            _("Last audit"),
            str(_("never yet")) if audited is None else str(_("%(span)s ago") % {"span": _long(audited)}),
            reverse("admin:wallet_auditrun_changelist"),
            tone="bad" if wrong else "good",
            note=_audit_note(kept),
        ),
        Tile(
            _("Last split"),
            str(_("never yet"))
            if kept.split is None
            else str(_("%(span)s ago") % {"span": _long(now - kept.split)}),
            reverse("admin:wallet_transaction_changelist") + "?q=split",
            tone="warn" if kept.split is not None and now - kept.split > A_DAY_AND_A_HALF else "",
        ),
    ]


def _audit_note(kept: figures.Keeping) -> str | Promise:
    if kept.audited is None:
        return ""
    return _("%(count)s breaches") % {"count": kept.breaches} if kept.breaches else _("the books are right")


def _long(age: timedelta) -> str:
    """Print a length of time: days from two on."""
    if age >= timedelta(days=2):
        return str(_("%(days)s days") % {"days": age.days})
    return span(int(age.total_seconds() * 1000))


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
