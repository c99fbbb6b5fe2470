"""What goes on in the house at this moment, in counts, for those who look after it."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Min, Q

from games import service_time
from games.models import Connection, Deal, Seat, Table

OVERDUE_MS = (
    5_000  # the sweep comes each second; a table that waits longer waits for something that is broken
)


class Activity(NamedTuple):
    """People seated; tables where a deal runs, between deals, and past their deadline; live deals; open sockets."""

    people: int
    playing: int
    open: int
    overdue: int
    deals: int
    sockets: int


def overdue() -> Q:
    """Return the condition of tables that should have been ticked by now."""
    return Q(deadline__lt=service_time.now() - OVERDUE_MS) & ~Q(status=Table.Status.CLOSED)


def deadline_lag() -> float:
    """Return how many seconds ago the oldest deadline was that nothing came of yet; 0.0 when none is past."""
    first = Table.objects.exclude(status=Table.Status.CLOSED).aggregate(first=Min("deadline"))["first"]
    return 0.0 if first is None else max(0, service_time.now() - first) / 1000


def activity() -> Activity:
    """Count what goes on, in four queries."""
    tables = Table.objects.exclude(status=Table.Status.CLOSED).aggregate(
        playing=Count("pk", filter=Q(status=Table.Status.PLAYING)),
        open=Count("pk", filter=Q(status=Table.Status.OPEN)),
        overdue=Count("pk", filter=overdue()),
    )
    return Activity(
        people=Seat.objects.count(),
        deals=Deal.objects.filter(closed_seq__isnull=True).count(),
        sockets=Connection.objects.filter(closed_ms__isnull=True).count(),
        **tables,
    )
