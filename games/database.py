"""Database work of asynchronous code: in a few threads of its own; connections stay few and healthy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import ParamSpec, TypeVar

from django.db import DatabaseError, InterfaceError, connections

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 4
_pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sockets-db")


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that uses the database in one of the threads, and return what it returns."""
    return await asyncio.get_running_loop().run_in_executor(
        _pool, lambda: _guarded(function, *args, **kwargs)
    )


def _guarded(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return function(*args, **kwargs)
    except (DatabaseError, InterfaceError):
        drop_broken()
        raise


def drop_broken() -> None:
    """Close this thread's connections that no longer work, so that the next use opens new ones."""
    for connection in connections.all(initialized_only=True):
        connection.close_if_unusable_or_obsolete()


def close_all() -> None:
    """Close the connections of all threads (before a test database is dropped)."""
    together = Barrier(_THREADS)

    def close() -> None:
        together.wait(timeout=10)
        connections.close_all()

    for done in [_pool.submit(close) for _ in range(_THREADS)]:
        done.result()
