"""SQLite for many threads of one process: writers wait in a queue, first come, first served.

SQLite's own wait polls and forgets who came first, so a busy writer can starve the others for seconds. Here every
transaction queues for its database file before `BEGIN IMMEDIATE`. The rule kept: a connection holds the file's
lock exactly while SQLite says it is in a transaction. Other processes still meet SQLite's own busy wait.
"""

import threading
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from config.sqlite.creation import DatabaseCreation

# How often a waiting writer looks whether the thread it waits for still lives.
LOOK_S = 0.25


class FairLock:
    """A lock that is handed over in the order of asking.

    A holder whose thread has died is thrown out: `abandon`, given with the claim, must end its transaction.
    """

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._waiting: deque[_Claim] = deque()
        self._holder: _Claim | None = None

    def acquire(self, *, abandon: Callable[[], None], timeout: float) -> "_Claim":
        """Wait for the turn, at most `timeout` seconds, and return the claim to release; else TimeoutError."""
        claim = _Claim(abandon)
        with self._mutex:
            if self._holder is None:
                self._holder = claim
                return claim
            self._waiting.append(claim)
        left = timeout
        while not claim.turn.wait(min(left, LOOK_S)):
            left -= LOOK_S
            self._throw_out_the_dead()
            if left <= 0 and self._withdraw(claim):
                raise TimeoutError
        return claim

    def release(self, claim: "_Claim") -> None:
        """Hand the lock to whoever has waited longest; a claim that does not hold it changes nothing."""
        with self._mutex:
            if self._holder is not claim:
                return
            self._holder = self._waiting.popleft() if self._waiting else None
            if self._holder is not None:
                self._holder.turn.set()

    def _withdraw(self, claim: "_Claim") -> bool:
        with self._mutex:
            if claim.turn.is_set():
                return False
            self._waiting.remove(claim)
            return True

    def _throw_out_the_dead(self) -> None:
        with self._mutex:
            holder = self._holder
            if holder is None or holder.abandoned or holder.thread.is_alive():
                return
            holder.abandoned = True
        try:
            holder.abandon()
        finally:
            self.release(holder)


class _Claim:
    """One thread's wish to write."""

    __slots__ = ("abandon", "abandoned", "thread", "turn")

    def __init__(self, abandon: Callable[[], None]) -> None:
        self.abandon = abandon
        self.abandoned = False
        self.thread = threading.current_thread()
        self.turn = threading.Event()


_locks: dict[str, FairLock] = {}
_locks_mutex = threading.Lock()


def lock_of(name: str | Path) -> FairLock:
    """Return this process's lock of a database file."""
    key = _key(str(name))
    with _locks_mutex:
        return _locks.setdefault(key, FairLock())


@lru_cache(maxsize=256)
def _key(name: str) -> str:
    """Return what a file is known by, whatever way leads to it; looked up once a name."""
    return name if name.startswith(("file:", ":memory:")) else str(Path(name).resolve())


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's SQLite connection, queueing before it begins a transaction."""

    creation_class = DatabaseCreation

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._claim: _Claim | None = None

    def _start_transaction_under_autocommit(self) -> None:
        if self._claim is None:
            self._queue()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        finally:
            self._give_back_when_idle()

    def _commit(self) -> None:
        try:
            super()._commit()  # type: ignore[misc]
        finally:
            self._give_back_when_idle()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_back_when_idle()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_back()

    def _queue(self) -> None:
        connection = self.connection
        options = self.settings_dict["OPTIONS"]
        try:
            self._claim = lock_of(self.settings_dict["NAME"]).acquire(
                abandon=connection.close, timeout=float(options.get("timeout", 5))
            )
        except TimeoutError:
            raise OperationalError("database is locked: its writers' queue did not move in time") from None

    def _give_back_when_idle(self) -> None:
        # A commit that fails leaves the transaction open for the rollback that follows; so does the lock.
        if self.connection is None or not self.connection.in_transaction:
            self._give_back()

    def _give_back(self) -> None:
        claim, self._claim = self._claim, None
        if claim is not None:
            lock_of(self.settings_dict["NAME"]).release(claim)
