"""The arithmetic of the table's clocks, on plain numbers (milliseconds of service time).

A thing is due at its moment: what arrives at that very millisecond comes too late.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

GRACE_MS = 1_000  # a move is taken until this long after the turn clock's zero (RULES §5)
PACE_MS = 1_000  # how long the autoplay of a trustee or away seat waits at its turn
COMPUTER_MS = (800, 2_000)  # how long a computer player thinks, from … to …
ABSENCE_MS = 180_000  # each absence of a seat
ABSENCES_MS = 360_000  # all absences of a seat in one deal
START_MS = 30_000  # the start clock, once all seats are taken
OPEN_MS = 60_000  # how long a complete table waits for the deal it asked for
VOTE_MS = 15_000  # a request to leave by consent
TURN_MS = 20_000
SAID, SAID_MS = 5, 10_000  # so many lines may a seat say in so long
TIME_OUTS = 3  # at so many in one deal a seat escapes or leaves
IDLE_MS = 600_000  # a table between deals where nothing happens
DESERTED_MS = 3_000  # a table between deals where only computer players are left


class Clock(NamedTuple):
    """The turn clock: running (`end`) or stopped (`left`), and the moment the autoplay acts for the seat, if
    it does.

    `turn` is the number a move must name; `end` is the clock's zero, the grace comes on top.
    """

    seat: int
    turn: int
    began: int
    end: int | None
    left: int | None
    auto: int | None

    @property
    def due(self) -> int | None:
        """Tell the moment something happens by itself, the grace included; None while the clock stands."""
        if self.auto is not None:
            return self.auto
        return None if self.end is None else self.end + GRACE_MS

    def remaining(self, now: int) -> int:
        """Tell the milliseconds to the clock's zero, never below 0."""
        left = self.left if self.end is None else self.end - now
        return max(0, left or 0)


def fresh(seat: int, turn: int, *, now: int, length: int, auto: int | None, stands: bool) -> Clock:
    """Start the clock of a new turn, at which the autoplay acts after `auto` if it does; it `stands` from
    the first while the table waits for a lost seat."""
    if auto is not None:
        return Clock(seat, turn, now, now + length, None, now + auto)
    if stands:
        return Clock(seat, turn, now, None, length, None)
    return Clock(seat, turn, now, now + length, None, None)


def adjust(clock: Clock, *, now: int, auto: bool, stands: bool, since: int | None = None) -> Clock:
    """Follow a change at the seat to act: autoplay on or off, the clock stopped (at `since`) or running
    again."""
    seat, turn, began, end, left, due = clock
    if stands and not auto:
        if left is None:
            stop = now if since is None else max(began, since)
            end, left = None, (end or stop) - stop
    elif end is None:
        began, end, left = now, now + (left or 0), None
    due = (now + PACE_MS if due is None else due) if auto else None
    return Clock(seat, turn, began, end, left, due)


def thinks(deal: str, turn: int, bounds: tuple[int, int] = COMPUTER_MS) -> int:
    """Tell how long a computer player thinks about a turn: as long in every process."""
    shortest, longest = bounds
    return shortest + crc32(f"{deal} {turn}".encode()) % (longest - shortest + 1)


def absence_due(since: int, budget_from: int, used: int, *, each: int, total: int | None) -> int:
    """Tell when an absence ends badly: after its own time, or when the seat's sum of the deal is used up.

    What lay before the deal began (`budget_from`) is not counted against it.
    """
    begin = max(since, budget_from)
    return begin + (each if total is None else min(each, total - used))
