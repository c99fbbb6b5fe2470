"""The clock of the single process: runs each job over and over, in place of Celery's beat and worker.

A job never overlaps itself, a missed run is not made up, and a failure is logged and forgotten: the jobs are sweeps
that look at what is there.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence

from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.utils.module_loading import import_string

logger = logging.getLogger(__name__)

Job = Callable[[], object]


class Ticker:
    """Repeats jobs on the running asyncio loop, each in a thread of the loop's pool."""

    def __init__(self, jobs: Sequence[tuple[str, Job, float]]) -> None:
        self._jobs = jobs
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def of(cls, jobs: Sequence[tuple[str, float]]) -> "Ticker":
        """Return a ticker of TICKER_JOBS, (dotted path, seconds); a path that leads nowhere raises ImportError."""
        return cls([(path, import_string(path), period) for path, period in jobs])

    def start(self) -> None:
        """Begin; must be called on the running loop."""
        self._tasks = [asyncio.ensure_future(_repeat(*job)) for job in self._jobs]

    async def stop(self) -> None:
        """Start no job any more; one that runs in its thread is left to finish."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _repeat(name: str, job: Job, period: float) -> None:
    run = sync_to_async(_run, thread_sensitive=False)
    due = time.monotonic()
    while True:
        try:
            await run(job)
        except Exception:
            logger.exception("a job of the ticker failed: %s", name)
        now = time.monotonic()
        due = max(due + period, now)
        await asyncio.sleep(due - now)


def _run(job: Job) -> None:
    close_old_connections()
    try:
        job()
    finally:
        close_old_connections()
