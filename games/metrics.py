"""What a process counts of its tables as it goes, for whoever watches it (`/metrics`, config/metrics.py).

Counting costs a microsecond and never fails a command. What can be looked up when asked (sockets, queue, the age of
the last sweep) is not counted here.
"""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import Counter, Histogram

from games.table.events import Event, kind_of
from games.table.state import TableState

EVENTS = Counter("paishe_events_total", "Events this process appended, by kind.", ["kind"])
MOVES = Counter(
    "paishe_moves_total", "Bids, plays and passes this process appended, of people and computers."
)
ACK = Histogram(
    "paishe_ack_seconds",
    "From taking up a command of a socket to its answer, commit included.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
BATCH = Histogram(
    "paishe_commit_batch_size",
    "Commands the writer took together.",
    buckets=(1, 2, 4, 8, 16, 32, 64, 128),
)
REFUSALS = Counter("paishe_refusals_total", "Commands of sockets that were refused, by code.", ["code"])
HINTS_LOST = Counter(
    "paishe_hints_lost_total", "Tables found ahead by the comparison of heads, of which no hint had come."
)
SETTLEMENT_FAILURES = Counter(
    "paishe_settlement_failures_total",
    "Settlements that raised; a deadlock is tried again and counts each time.",
)


def heard(table_id: int, state: TableState, events: Sequence[tuple[int, Event]]) -> None:
    """Count a commit of this process (a listener of `tables`)."""
    for _, event in events:
        kind = kind_of(event)
        EVENTS.labels(kind).inc()
        if kind == "acted":
            MOVES.inc()
