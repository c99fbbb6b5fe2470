"""Places with a name, at which a simulation may have a process die, a database fail or another process come first.

Nothing happens at them unless somebody armed them; the product never does.
"""

from __future__ import annotations

from collections.abc import Callable

NAMES = (
    "before_batch",  # the writer has taken waiting commands, and nothing is decided
    "before_swap",  # decided, outside of any transaction: another process may append first
    "before_lock",  # a transaction of its own is about to begin
    "after_swap",  # the heads are moved, the events not yet inserted
    "after_insert",  # the events are in, the transaction is open
    "before_commit",  # all rows are written
    "before_publish",  # committed, and nobody knows
    "before_ack",  # published in this process; the sender waits for his answer
    "before_hint",  # sockets of this process were woken; other processes know nothing
    "before_read",  # a room is about to read the log
)

_armed: Callable[[str], None] | None = None


def arm(reached: Callable[[str], None] | None) -> None:
    """Have a function called with the name of each failpoint that is reached; None: with none any more."""
    global _armed
    _armed = reached


def reach(name: str) -> None:
    """Be at a failpoint."""
    if _armed is not None:
        _armed(name)
