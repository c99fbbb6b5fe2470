"""Service time: wall time minus our own outages, in whole milliseconds.

Each sweep beats one row by compare-and-swap. A gap between two beats of more than 10 s, either way (we were down, or
the machine's clock jumped), goes into the offset once, so that no player's clock runs while we do not. While the beat
is older than that, service time stands at it: nothing can expire before the sweep is back, and nothing that the next
beat would give back. The single process, without which nobody is served, gives back every gap when it starts.
Processes read the row at most once a second; whatever would expire reads it again in its own transaction.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from django.db import transaction

from games.models import ServiceClock

OUTAGE_MS = 10_000
_REREAD_S = 1.0


class Reading(NamedTuple):
    """One look at the clock: `offset` and `beat` (wall) in ms."""

    offset: int
    beat: int

    def at(self, wall: int) -> int:
        """Return the service time of a wall moment: that of the beat itself when the beat is over 10 s away."""
        return (self.beat if abs(wall - self.beat) > OUTAGE_MS else wall) - self.offset


def wall_ms() -> int:
    """Return wall time in whole milliseconds since 1970."""
    return time.time_ns() // 1_000_000


_lock = threading.Lock()
_reading: Reading | None = None
_read_at = 0.0
_pin: int | None = None


def read() -> Reading:
    """Read the clock's row now; the first reader of a new database starts it."""
    global _reading, _read_at
    row = ServiceClock.objects.filter(pk=1).values_list("offset_ms", "beat_ms").first()
    if row is None:
        ServiceClock.objects.get_or_create(pk=1, defaults={"beat_ms": wall_ms()})
        row = ServiceClock.objects.filter(pk=1).values_list("offset_ms", "beat_ms").get()
    with _lock:
        _reading, _read_at = Reading(*row), time.monotonic()
        return _reading


def now(*, fresh: bool = False) -> int:
    """Return the service time; `fresh` reads the row again, as whatever would expire must."""
    if _pin is not None:
        return _pin
    reading = _reading
    if fresh or reading is None or time.monotonic() - _read_at > _REREAD_S:
        reading = read()
    return reading.at(wall_ms())


def beat() -> bool:
    """Beat the clock once; say whether this process was the one that did.

    Called by each sweep. Of many sweepers at once one moves the row; a beat never goes backwards by less than an
    outage, so two machines a little apart do not fight.
    """
    return _beat(OUTAGE_MS)


def resume() -> bool:
    """Beat the clock where nobody was served since the last beat: all of that time is given back."""
    return _beat(0)


def _beat(outage_ms: int) -> bool:
    """Move the row to the present; a gap of more than `outage_ms` was none of the players' time."""
    if _pin is not None:
        return True
    reading = read()
    wall = wall_ms()
    gap = wall - reading.beat
    if -OUTAGE_MS <= gap <= 0:
        return False
    jump = gap if abs(gap) > outage_ms else 0
    with transaction.atomic():
        moved = ServiceClock.objects.filter(pk=1, beat_ms=reading.beat).update(
            beat_ms=wall, offset_ms=reading.offset + jump
        )
    read()
    return bool(moved)


def sweep_age() -> float | None:
    """Return how many seconds ago the last sweep beat the clock; None before the first."""
    if _pin is not None:
        return 0.0
    beat = ServiceClock.objects.filter(pk=1).values_list("beat_ms", flat=True).first()
    return None if not beat else (wall_ms() - beat) / 1000


@contextmanager
def pinned(moment: int) -> Iterator[None]:
    """Hold service time at one moment in this process (tests and simulations move it by hand)."""
    global _pin
    before, _pin = _pin, moment
    try:
        yield
    finally:
        _pin = before


def move_pin(moment: int) -> None:
    """Move a pinned clock; refuse where service time runs by itself."""
    global _pin
    if _pin is None:
        raise RuntimeError("service time is not pinned")
    _pin = moment


def forget() -> None:
    """Drop what this process remembers of the clock (after the database changed under it)."""
    global _reading
    with _lock:
        _reading = None
