"""What the lobby's pages show."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import OuterRef, Subquery

from accounts import selectors as accounts
from games import selectors as games
from games.complaints import selectors as complaints
from games.engine import rulesets
from lobby.figures import Figures, figures
from lobby.models import QueueTicket, RoomTier
from lobby.wishes import Wish
from wallet import services as wallet

SHOWN_TABLES = 5


class Head(NamedTuple):
    """What the head of every page says of its reader beside his coins: the table of his live seat, unread notices."""

    seat: str | None
    unread: int


def head_of(user_id: int) -> Head:
    """Return what the head of every page says of somebody, in one query."""
    him = OuterRef("pk")
    row = accounts.row_of(user_id).values_list(
        Subquery(games.code_of_seat(him)), Subquery(complaints.unread_of(him))
    )
    seat, unread = row.first() or (None, None)
    return Head(seat, unread or 0)


def games_with_tiers(
    *, balance: int | None, newcomer: bool = False, now: Figures | None = None
) -> list[dict[str, Any]]:
    """Return every rule set with its tiers, in the registry's order; `balance` is None for one signed out.

    `picks`: there are rooms in which one picks a seat.
    """
    tier_figures = (now or figures()).tiers
    by_ruleset: dict[str, list[dict[str, Any]]] = {code: [] for code in rulesets.all_codes()}
    for tier in RoomTier.objects.all():
        if tier.ruleset in by_ruleset:
            by_ruleset[tier.ruleset].append(tier_row(tier, tier_figures.get(tier.code), balance))
    return [
        {
            "code": code,
            "tiers": tiers,
            "suggested": suggested(tiers, newcomer),
            "picks": any(tier["open"] and tier["seating"] == RoomTier.Seating.PICK for tier in tiers),
        }
        for code, tiers in by_ruleset.items()
        if tiers
    ]


def tier_row(tier: RoomTier, now: Mapping[str, Any] | None, balance: int | None) -> dict[str, Any]:
    """Return one tier as a page shows it; `locked_reason`: None, "closed", "entry_limit" (see `needed`)."""
    return {
        "code": tier.code,
        "ruleset": tier.ruleset,
        "name": tier.name,
        "base_stake": tier.base_stake,
        "cap": tier.cap,
        "entry": tier.entry,
        "needed": None if tier.entry is None else tier.entry + 1,
        "fee": tier.fee,
        "initial_multiplier": tier.initial_multiplier,
        "currency": tier.currency,
        "anti_cheat": tier.anti_cheat,
        "spectators": tier.spectators and not tier.anti_cheat,
        "practice": tier.practice,
        "seating": tier.seating,
        "seats": tier.seats,
        "open": tier.is_open,
        "players": now["players"] if now else 0,
        "tables": now["tables"] if now else 0,
        "waiting": now["waiting"] if now else 0,
        "locked_reason": _locked_reason(tier, balance),
    }


def suggested(tiers: list[dict[str, Any]], newcomer: bool) -> str:
    """Return the code of the tier whose button is filled: the dearest that is open to him.

    For a newcomer it is practice, without one the cheapest. Anti-cheat tiers are suggested only where there is
    nothing else: one waits there.
    """
    free = [tier for tier in tiers if not tier["locked_reason"]]
    practice = [tier for tier in free if tier["practice"]]
    played = [tier for tier in free if not tier["practice"]]
    plain = [tier for tier in played if not tier["anti_cheat"]] or played
    best = practice if practice and (newcomer or not plain) else plain
    return best[0 if newcomer else -1]["code"] if best else ""


def tiers_with_tables(*, balance: int | None, now: Figures | None = None) -> list[dict[str, Any]]:
    """Return the open tiers in which one picks a seat, each with its tables that have a free chair.

    `running`: its tables at which a deal is running, where one may look on.
    """
    now = now or figures()
    codes = list(rulesets.all_codes())
    found = RoomTier.objects.filter(is_open=True, seating=RoomTier.Seating.PICK, ruleset__in=codes)
    tiers = sorted(found, key=lambda tier: codes.index(tier.ruleset))
    running = games.running_tables(tier.code for tier in tiers if tier.spectators)
    return [
        {
            **tier_row(tier, now.tiers.get(tier.code), balance),
            "open_tables": [_table_row(found) for found in now.tables.get(tier.code, ())],
            "running": running.get(tier.code, []),
        }
        for tier in tiers
    ]


def fullest_tables(games: list[dict[str, Any]], now: Figures) -> list[dict[str, Any]]:
    """Return the tables that need the fewest people more, with their tiers, of the games a page shows."""
    tiers = {tier["code"]: tier for game in games for tier in game["tiers"]}
    found = [
        {**_table_row(table), "tier": tiers[code]}
        for code, tables in now.tables.items()
        if code in tiers
        for table in tables
    ]
    return sorted(found, key=lambda table: -int(table["taken"]))[:SHOWN_TABLES]


def _table_row(found: Mapping[str, Any]) -> dict[str, Any]:
    seats: list[str | None] = found["seats"]
    names = [name for name in seats if name is not None]
    return {
        "code": found["code"],
        "key": "|".join(
            [found["code"], *(name or "" for name in seats)]
        ),  # what the lobby's script knows it by
        "taken": len(names),
        "names": names,
        "seats": list(enumerate(seats)),
    }


def _locked_reason(tier: RoomTier, balance: int | None) -> str | None:
    if not tier.is_open:
        return "closed"
    if balance is not None and tier.entry is not None and balance <= tier.entry:
        return "entry_limit"
    return None


def cheapest_entry(games: list[dict[str, Any]]) -> int | None:
    """Return the lowest entry limit of the open coin tiers, None without one."""
    entries = [tier["entry"] for game in games for tier in game["tiers"] if tier["open"]]
    return min((entry for entry in entries if entry is not None), default=None)


def tier_of_wish(wish: Wish | None) -> RoomTier | None:
    """Return the tier in which somebody signed out wants to sit down, None without such a wish."""
    return RoomTier.objects.filter(code=wish.tier, is_open=True).first() if wish and wish.tier else None


def escape_of(results: Sequence[Any], *, read: str) -> dict[str, Any] | None:
    """Return what an escape has cost, if a player's newest deal ended so and is not the one he has `read` of."""
    if not results or results[0].outcome != "escaped" or results[0].deal_id == read:
        return None
    last = results[0]
    return {"deal": last.deal_id, "ruleset": last.deal.ruleset, "points": -last.points, "coins": -last.net}


def balance_of(user: Any) -> int | None:
    """Return the coins of somebody signed in, else None."""
    return wallet.balance(user.pk).total if user.is_authenticated else None


def ticket_of(user: Any) -> QueueTicket | None:
    """Return somebody's queue ticket, or None."""
    if not user.is_authenticated:
        return None
    return QueueTicket.objects.select_related("tier").filter(user_id=user.pk).first()


def waiting_in(tier: RoomTier) -> int:
    """Return how many wait for a match in a tier."""
    return QueueTicket.objects.filter(tier=tier, refusal="").count()
