"""What the lobby's pages show."""

from collections.abc import Sequence
from typing import Any

from games import selectors as games
from games.engine import rulesets
from lobby.models import QueueTicket, RoomTier
from wallet import services as wallet


def games_with_tiers(*, balance: int | None) -> list[dict[str, Any]]:
    """Return every rule set with its tiers, in the registry's order; `balance` is None for one signed out."""
    counts = games.tier_counts()
    by_ruleset: dict[str, list[dict[str, Any]]] = {code: [] for code in rulesets.all_codes()}
    for tier in RoomTier.objects.all():
        if tier.ruleset in by_ruleset:
            by_ruleset[tier.ruleset].append(tier_row(tier, counts.get(tier.code), balance))
    return [{"code": code, "tiers": tiers} for code, tiers in by_ruleset.items() if tiers]


def tier_row(tier: RoomTier, count: games.TierCount | None, balance: int | None) -> dict[str, Any]:
    """Return one tier as a page shows it; `locked_reason`: None, "closed", "entry_limit" (see `needed`)."""
    return {
        "code": tier.code,
        "name": tier.name,
        "base_stake": tier.base_stake,
        "cap": tier.cap,
        "entry": tier.entry,
        "needed": None if tier.entry is None else tier.entry + 1,
        "fee": tier.fee,
        "initial_multiplier": tier.initial_multiplier,
        "currency": tier.currency,
        "anti_cheat": tier.anti_cheat,
        "practice": tier.practice,
        "seating": tier.seating,
        "seats": tier.seats,
        "open": tier.is_open,
        "players": count.players if count else 0,
        "tables": count.tables if count else 0,
        "locked_reason": _locked_reason(tier, balance),
    }


def tiers_with_tables(*, balance: int | None) -> list[dict[str, Any]]:
    """Return the open tiers in which one picks a seat, each with its tables that have a free chair."""
    counts = games.tier_counts()
    tiers = RoomTier.objects.filter(
        is_open=True, seating=RoomTier.Seating.PICK, ruleset__in=rulesets.all_codes()
    )
    return [
        {
            **tier_row(tier, counts.get(tier.code), balance),
            "ruleset": tier.ruleset,
            "open_tables": [_table_row(found) for found in games.open_tables(tier.code, tier.seats)],
        }
        for tier in tiers
    ]


def _table_row(found: games.OpenTable) -> dict[str, Any]:
    seats: Sequence[str | None] = found.names
    return {"code": found.code, "taken": found.taken, "seats": list(enumerate(seats))}


def _locked_reason(tier: RoomTier, balance: int | None) -> str | None:
    if not tier.is_open:
        return "closed"
    if balance is not None and tier.entry is not None and balance <= tier.entry:
        return "entry_limit"
    return None


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
