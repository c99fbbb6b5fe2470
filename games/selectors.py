"""What other apps, pages and sockets may ask about tables; nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Count, F, Q

from games.models import Seat, SeatResult, Table


class LiveSeat(NamedTuple):
    """The one seat a user may hold."""

    table_code: str
    table_id: int
    seat: int
    tier: str


class OpenTable(NamedTuple):
    """A table with room: `taken` of `seats` chairs, by whom."""

    code: str
    table_id: int
    taken: int
    names: tuple[str | None, ...]


class TierCount(NamedTuple):
    """How many people sit at how many tables of a tier."""

    players: int
    tables: int


def seat_of(user: Any) -> LiveSeat | None:
    """Return the live seat of a user, or None."""
    if not user.is_authenticated:
        return None
    found = (
        Seat.objects.filter(user_id=user.pk)
        .exclude(table__status=Table.Status.CLOSED)
        .values_list("table__code", "table_id", "index", "table__tier")
        .first()
    )
    return LiveSeat(*found) if found else None


def table_by_code(code: str) -> Table | None:
    """Return a table by its public code (upper or lower case), or None."""
    return Table.objects.filter(code=code.upper()).first()


def open_tables(tier: str, seats: int) -> list[OpenTable]:
    """Return the tables of a tier that have a free chair, the fullest and oldest first."""
    found = (
        Table.objects.filter(tier=tier, status=Table.Status.OPEN)
        .annotate(taken=Count("seats"))
        .filter(taken__lt=seats)
        .order_by("-taken", "pk")[:100]
    )
    tables = list(found)
    names: dict[int, list[str | None]] = {table.pk: [None] * seats for table in tables}
    sitting = Seat.objects.filter(table__in=tables).values_list("table_id", "index", "user__username")
    for table_id, index, name in sitting:
        names[table_id][index] = name
    return [OpenTable(table.code, table.pk, table.taken, tuple(names[table.pk])) for table in tables]


def tier_counts() -> dict[str, TierCount]:
    """Return {tier code: people and tables}, of tables somebody sits at."""
    rows = Seat.objects.values("table__tier").annotate(
        players=Count("id"), tables=Count("table", distinct=True)
    )
    return {row["table__tier"]: TierCount(row["players"], row["tables"]) for row in rows}


def results_of(user: Any, limit: int = 20) -> list[SeatResult]:
    """Return a user's newest seat results with their deals, newest first."""
    found = SeatResult.objects.filter(user_id=user.pk, reversal_of__isnull=True)
    return list(found.select_related("deal", "deal__table").order_by("-pk")[:limit])


def live_seats(table_ids: Iterable[int] | None = None) -> list[tuple[int, int, int, int]]:
    """Return (table id, seat, user id, taken_ms) of the seats of people at tables that are not closed."""
    found = Seat.objects.filter(~Q(table__status=Table.Status.CLOSED))
    if table_ids is not None:
        found = found.filter(table_id__in=list(table_ids))
    return list(
        found.values_list("table_id", "index", "user_id", "taken_ms").order_by(F("table_id"), "index")
    )


def table_of_deal(deal_id: str) -> str | None:
    """Return the code of the table at which a deal was dealt, or None."""
    return Table.objects.filter(deals__pk=deal_id).values_list("code", flat=True).first()
