"""Time without waiting: one queue of what is to happen, and event loops for asyncio that live on it.

Wall time and monotonic time are numbers that move to the next thing in the queue. What is to happen at the same moment
happens in an order that is drawn.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from contextvars import Context
from heapq import heappop, heappush
from typing import Any

START_MS = 1_760_000_000_000


class Clockwork:
    """The queue of everything that is to happen. Moments are milliseconds since the story began."""

    def __init__(self, dice: random.Random) -> None:
        self.now = 0
        self.steps = 0
        self.dice = dice
        self.jump = 0  # how far the machine's wall clock was set since
        self._queue: list[tuple[int, float, int, Callable[[], None]]] = []
        self._number = 0

    def wall(self) -> int:
        """Return wall time in ms, for service time."""
        return START_MS + self.now + self.jump

    def monotonic(self) -> float:
        """Return seconds on a clock that is never set."""
        return 1_000.0 + self.now / 1000

    def after(self, ms: float, what: Callable[[], None]) -> None:
        """Have something happen so many milliseconds from now."""
        self._number += 1
        heappush(self._queue, (self.now + max(0, round(ms)), self.dice.random(), self._number, what))

    def step(self) -> None:
        """Have the next thing happen."""
        at, _, _, what = heappop(self._queue)
        self.now = max(self.now, at)
        self.steps += 1
        what()


class Loop(asyncio.AbstractEventLoop):
    """The event loop of one process. Its threads are jobs in the queue; one iteration runs all that is ready.

    `enter` is called before any of its code runs, and says whether there is still a process to run it in.
    """

    def __init__(self, clockwork: Clockwork, enter: Callable[[], bool]) -> None:
        self._clockwork = clockwork
        self._enter = enter
        self._ready: deque[asyncio.Handle] = deque()
        self._pumping = False
        self.failures: list[dict[str, Any]] = []

    # ---- what asyncio asks for

    def time(self) -> float:
        return self._clockwork.monotonic()

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        if not self._pumping:
            self._pumping = True
            self._clockwork.after(0, self.iterate)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)

        def ring() -> None:
            if not timer.cancelled():
                self._ready.append(timer)
                self.iterate()

        self._clockwork.after((when - self.time()) * 1000 + 0.5, ring)
        return timer

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Any = None) -> asyncio.Task[Any]:
        return asyncio.Task(coro, loop=self, name=name, context=context)

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.failures.append(context)

    # ---- running

    def iterate(self) -> None:
        """Run all that is ready now, as one iteration of a loop does."""
        self._pumping = False
        if not self._enter():
            self._ready.clear()
            return
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self)
        try:
            for _ in range(len(self._ready)):
                if not self._ready:
                    break
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            asyncio._set_running_loop(before)
        if self._ready and not self._pumping:
            self._pumping = True
            self._clockwork.after(0, self.iterate)
