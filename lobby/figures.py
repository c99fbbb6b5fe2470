"""The lobby in figures: what everybody may see of the house now, and what is each one's own.

Each is a fixed number of queries, however many tiers, tables and people there are; pages and sockets show the same.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Count

from games import selectors as games
from games.engine import rulesets
from lobby.models import QueueTicket, RoomTier
from wallet import services as wallet

MOST_TABLES = 40
"""Of one tier that are named, the fullest first; there is always another chair."""


class Figures(NamedTuple):
    """What everybody may see: `tiers` and `tables` by tier code, `busy` for the whole house; all fit for JSON."""

    tiers: dict[str, dict[str, Any]]
    tables: dict[str, list[dict[str, Any]]]
    busy: dict[str, int]


class Mine(NamedTuple):
    """What is one person's own: coins, the table of his live seat, the tier he waits in, whether that was refused."""

    balance: int
    seat: str | None = None
    ticket: str | None = None
    refused: bool = False


def figures() -> Figures:
    """Return what everybody may see of the house now, in six queries."""
    tiers = list(RoomTier.objects.filter(ruleset__in=rulesets.all_codes()))
    counts, waiting = games.tier_counts(), waiting_counts()
    open_tables = games.free_chairs(
        {tier.code: tier.seats for tier in tiers if shows_tables(tier)}, MOST_TABLES
    )
    none = games.TierCount(0, 0)
    rows = {
        tier.code: {
            "players": counts.get(tier.code, none).players,
            "tables": counts.get(tier.code, none).tables,
            "waiting": waiting.get(tier.code, 0),
            "open": tier.is_open,
        }
        for tier in tiers
    }
    tables = {
        code: [{"code": found.code, "seats": list(found.names)} for found in some if found.taken]
        for code, some in open_tables.items()
    }
    return Figures(
        rows,
        {code: some for code, some in tables.items() if some},
        _busy(counts.values(), sum(waiting.values())),
    )


def _busy(counts: Collection[games.TierCount], waiting: int) -> dict[str, int]:
    """Sum up the house; `here`: whoever sits, looks on or waits, each once."""
    here = games.people_present().union(QueueTicket.objects.filter(refusal="").values("user_id"))
    return {
        "people": sum(count.players for count in counts),
        "tables": sum(count.tables for count in counts),
        "waiting": waiting,
        "here": here.count(),
    }


def waiting_counts() -> dict[str, int]:
    """Return how many wait for a match, by tier code."""
    rows = QueueTicket.objects.filter(refusal="").values("tier__code").annotate(waiting=Count("pk"))
    return {row["tier__code"]: row["waiting"] for row in rows}


def shows_tables(tier: RoomTier) -> bool:
    """Say whether a tier's tables are named: where one picks a seat, one looks who is there first."""
    return tier.is_open and tier.seating == RoomTier.Seating.PICK


def of_people(user_ids: Collection[int]) -> dict[int, Mine]:
    """Return what is each one's own of these people, in three queries."""
    if not user_ids:
        return {}
    balances, seats = wallet.balances(user_ids), games.seats_of(user_ids)
    found = QueueTicket.objects.filter(user_id__in=list(user_ids))
    tickets = {
        user: (code, refusal) for user, code, refusal in found.values_list("user_id", "tier__code", "refusal")
    }
    mine: dict[int, Mine] = {}
    for user_id in user_ids:
        seat, (tier, refusal) = seats.get(user_id), tickets.get(user_id, (None, ""))
        balance = balances[user_id].total if user_id in balances else 0
        mine[user_id] = Mine(balance, seat.table_code if seat else None, tier, bool(refusal))
    return mine
