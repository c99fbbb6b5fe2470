"""What other apps, pages and sockets may ask about tables; nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import Case, Count, F, Q, QuerySet, Value, When

from games.models import Connection, Deal, Seat, SeatResult, Table


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


def seats_of(user_ids: Iterable[int]) -> dict[int, LiveSeat]:
    """Return the live seats of those of these people who have one, in one query."""
    found = Seat.objects.filter(user_id__in=list(user_ids)).exclude(table__status=Table.Status.CLOSED)
    rows = found.values_list("user_id", "table__code", "table_id", "index", "table__tier")
    return {user_id: LiveSeat(code, table, index, tier) for user_id, code, table, index, tier in rows}


def code_of_seat(user: Any) -> QuerySet[Any, Any]:
    """Return the code of the table of somebody's live seat, to be joined to a query about him."""
    found = Seat.objects.filter(user_id=user).exclude(table__status=Table.Status.CLOSED)
    return found.values("table__code")[:1]


def seats_of_banned() -> dict[int, LiveSeat]:
    """Return the live seats of people who may not play any more, in one query."""
    return seats_of(Seat.objects.filter(user__is_active=False).values_list("user_id", flat=True))


def people_present() -> QuerySet[Any, Any]:
    """Return the ids, to be joined to a query, of the people who sit at a table or look on."""
    looking = Connection.objects.filter(closed_ms__isnull=True)
    return Seat.objects.values("user_id").union(looking.values("user_id"))


def table_by_code(code: str) -> Table | None:
    """Return a table by its public code (upper or lower case), or None."""
    return Table.objects.filter(code=code.upper()).first()


def open_tables(tier: str, seats: int) -> list[OpenTable]:
    """Return the tables of a tier that have a free chair, the fullest and oldest first."""
    return free_chairs({tier: seats})[tier]


def free_chairs(seats: Mapping[str, int], most: int = 100) -> dict[str, list[OpenTable]]:
    """Return each tier's tables with a free chair (`seats`: chairs by tier), the fullest and oldest first."""
    if not seats:
        return {}
    full = Case(*(When(tier=tier, then=Value(chairs)) for tier, chairs in seats.items()), default=Value(0))
    found = (
        Table.objects.filter(tier__in=list(seats), status=Table.Status.OPEN)
        .annotate(taken=Count("seats"), chairs=full)
        .filter(taken__lt=F("chairs"))
        .order_by("-taken", "pk")[: most * len(seats)]
    )
    tables = list(found)
    names: dict[int, list[str | None]] = {table.pk: [None] * table.chairs for table in tables}
    sitting = Seat.objects.filter(table__in=tables).values_list("table_id", "index", "user__username")
    for table_id, index, name in sitting:
        names[table_id][index] = name
    by_tier: dict[str, list[OpenTable]] = {tier: [] for tier in seats}
    for table in tables:
        if len(by_tier[table.tier]) < most:
            by_tier[table.tier].append(OpenTable(table.code, table.pk, table.taken, tuple(names[table.pk])))
    return by_tier


def running_tables(tiers: Iterable[str], most: int = 8) -> dict[str, list[OpenTable]]:
    """Return, by tier, the newest tables at which a deal is running, at most so many each."""
    found = Table.objects.filter(tier__in=list(tiers), status=Table.Status.PLAYING).order_by("-pk")
    by_tier: dict[str, list[Table]] = {}
    for table in found[:400]:
        some = by_tier.setdefault(table.tier, [])
        if len(some) < most:
            some.append(table)
    shown = [table.pk for some in by_tier.values() for table in some]
    sitting = Seat.objects.filter(table__in=shown).order_by("table", "index")
    names: dict[int, list[str]] = {}
    for table_id, name in sitting.values_list("table_id", "user__username"):
        names.setdefault(table_id, []).append(name)
    return {
        tier: [
            OpenTable(table.code, table.pk, len(names.get(table.pk, ())), tuple(names.get(table.pk, ())))
            for table in some
        ]
        for tier, some in by_tier.items()
    }


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


def live_deal(table_id: int) -> Deal | None:
    """Return the deal that runs at a table, or None."""
    return Deal.objects.filter(table_id=table_id, closed_seq__isnull=True).order_by("-number").first()
