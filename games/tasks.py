"""The clock of the house: what must happen by itself, found in rows and done through the one door.

`sweep` runs each second, by Celery beat or by the single process's ticker; any number of sweepers at once have one
effect, because each part acts on the state it finds and appends by compare-and-swap. Nothing here remembers anything.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar
from uuid import UUID

import structlog
from celery import shared_task
from django.db.models import Count, Max, Q
from django.db.models.functions import Coalesce

from games import computers, log, selectors, service_time, tables
from games.database import drop_broken
from games.errors import TableError
from games.models import Connection, ServerProcess, Table
from games.table import commands as cmd

logger = structlog.get_logger(__name__)

GAP_MS = 3_000  # a connection may be away this long (a reload) before anybody is told
PROCESS_DEAD_MS = 30_000  # a process that has not beaten for this long has lost its connections
ABSENT_S = 3.0  # a sweeper that has not beaten for this long is stood in for by the web processes
FORGET_MS = 600_000  # rows of dead processes and closed connections are kept this long
_AT_ONCE = 500

T = TypeVar("T")


class Swept(NamedTuple):
    """What a sweep did: tables ticked, absences begun, tables that failed."""

    ticked: int
    lost: int
    failed: int


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Beat the service clock, then do what is due at every table."""
    sweep_once()


def sweep_once() -> Swept:
    """Do one sweep; a part or a table that fails is logged and does not stop the others."""
    _part("beat", service_time.beat)
    lost, failed_lost = _part("presence", mark_lost) or (0, 1)
    ticked, failed = _part("deadlines", tick_due) or (0, 1)
    _part("forget", forget_dead)
    return Swept(ticked, lost, failed + failed_lost)


def stand_in() -> bool:
    """Sweep in place of a sweeper that has not beaten for 3 s; say whether that was so."""
    age = service_time.sweep_age()
    absent = age is None or age > ABSENT_S
    if absent:
        sweep_once()
    return absent


def _part(name: str, work: Callable[[], T]) -> T | None:
    try:
        return work()
    except Exception:
        logger.exception("sweep_part_failed", part=name)
        drop_broken()
        return None


def tick_due() -> tuple[int, int]:
    """Tick every table whose deadline has come, then play for computer players; return (ticked, failed)."""
    due = Table.objects.filter(deadline__lte=service_time.now(fresh=True)).exclude(status=Table.Status.CLOSED)
    done = failed = 0
    table_ids = list(due.order_by("deadline").values_list("pk", flat=True)[:_AT_ONCE])
    for table_id in table_ids:
        if _tick(table_id):
            done += 1
        else:
            failed += 1
    _, unplayed = computers.play_due(table_ids)
    return done, failed + unplayed


def mark_lost() -> tuple[int, int]:
    """Begin the absence of every seated person without a live connection; return (begun, failed).

    A person is present while any of his sockets at the table is open in a process that lives; he is lost 3 s after
    the last sign of life, and lost since that sign. Of whom there is no sign at all (he never came, or the rows are
    gone) no more than these 3 s are counted.
    """
    now = service_time.now(fresh=True)
    alive = set(ServerProcess.objects.filter(beat_ms__gt=now - PROCESS_DEAD_MS).values_list("pk", flat=True))
    seats = selectors.live_seats()
    present, signs = _signs_of_life(alive)
    gone = []
    for table_id, seat, user_id, taken_ms in seats:
        key = (table_id, user_id)
        since = max(signs.get(key, now - GAP_MS), taken_ms)
        if key not in present and now - since >= GAP_MS:
            gone.append((table_id, cmd.Lost(seat, since, user_id)))
    heads = log.heads({table_id for table_id, _ in gone}) if gone else {}
    begun = [
        _guarded(table_id, partial(_lose, table_id, lost, heads.get(table_id))) for table_id, lost in gone
    ]
    return begun.count(True), begun.count(None)


def _lose(table_id: int, lost: cmd.Lost, head: int | None) -> bool:
    """Begin an absence unless it has begun, by the log as it is now: what this process remembers may be old."""
    state = tables.current(table_id).state
    if state.seq != head:
        state = tables.state_of(table_id)
    sitting = state.seats[lost.seat]
    if sitting is None or sitting.user != lost.player or sitting.lost_since is not None:
        return False
    tables.perform(table_id, lost)
    return True


def _signs_of_life(alive: set[UUID]) -> tuple[set[tuple[int, int]], dict[tuple[int, int], int]]:
    """Return who has a live connection where, and the last sign of life (service ms) of all others.

    Put together by the database: somebody whose line comes and goes leaves any number of rows behind.
    """
    present: set[tuple[int, int]] = set()
    signs: dict[tuple[int, int], int] = {}
    rows = Connection.objects.values_list("table_id", "user_id").annotate(
        live=Count("pk", filter=Q(closed_ms__isnull=True, process__in=alive)),
        sign=Max(Coalesce("closed_ms", "process__beat_ms")),
    )
    for table_id, user_id, live, sign in rows.order_by().iterator():
        if live:
            present.add((table_id, user_id))
        else:
            signs[table_id, user_id] = sign
    return present, signs


def forget_dead() -> None:
    """Delete processes and closed connections that nobody will ask about any more."""
    before = service_time.now() - FORGET_MS
    Connection.objects.filter(closed_ms__lt=before).delete()
    ServerProcess.objects.filter(beat_ms__lt=before).delete()


def _tick(table_id: int) -> bool:
    """Do what is due at a table as its log is now: what this process remembers of it may be old."""
    done = _guarded(table_id, lambda: (tables.state_of(table_id), tables.perform(table_id, cmd.Tick())))
    return done is not None


def _guarded(table_id: int, work: Callable[[], T]) -> T | None:
    """Do something at a table; a failure is logged (None) and does not stop the sweep."""
    try:
        return work()
    except TableError as error:
        logger.warning("sweep_table_failed", table=table_id, code=error.code)
    except Exception:
        logger.exception("sweep_table_failed", table=table_id)
        drop_broken()
    return None
