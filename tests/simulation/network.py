"""The lines between pages and processes: in order, with a delay, until they are cut.

A line that is closed is heard of at both ends. One that is cut is heard of by nobody: what is sent on it is lost, until
the server finds that nothing was answered.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Protocol

from games.consumers import TableConsumer
from tests.simulation.processes import Process


class End(Protocol):
    """What holds the browser's end of a line."""

    def opened(self) -> None: ...
    def received(self, line: Line, text: str) -> None: ...
    def closed(self, line: Line, code: int) -> None: ...


class Line:
    """One socket between a page and a consumer of the product."""

    def __init__(self, process: Process, page: End, user: Any, code: str) -> None:
        self.process = process
        self.page = page
        self.clock = process.machine.clock
        self.dice = process.machine.dice
        self.is_cut = False
        self.is_closed = False
        self.task: asyncio.Task[None] | None = None
        self._inbox: deque[dict[str, Any]] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._up = self._down = 0  # nothing overtakes on a line
        self._scope = {
            "user": user,
            "session": SimpleNamespace(session_key=None),
            "url_route": {"kwargs": {"code": code}},
        }
        self._travel_up(self._begin)

    # ---- the page's end

    def say(self, text: str) -> None:
        """Send a frame to the server."""
        if not (self.is_cut or self.is_closed):
            self._travel_up(partial(self._put, {"type": "websocket.receive", "text": text}))

    def close(self) -> None:
        """Close the line, as a browser does that leaves the page."""
        if not (self.is_cut or self.is_closed):
            self.is_closed = True
            self._travel_up(partial(self._put, {"type": "websocket.disconnect", "code": 1001}))

    def cut(self) -> None:
        """Lose the line; nobody is told."""
        self.is_cut = True

    def process_died(self) -> None:
        """Hear of the end of the process, if the line still stands."""
        if not (self.is_cut or self.is_closed):
            self.is_closed = True
            self._travel_down(partial(self.page.closed, self, 1006))

    # ---- the server's end

    def _begin(self) -> None:
        if not self.process.alive:
            self.process_died()
            return
        self._inbox.append({"type": "websocket.connect"})
        self.process.machine.enter(self.process)
        consumer = TableConsumer()
        self.task = self.process.loop.create_task(consumer(self._scope, self._receive, self._send))

    def _put(self, message: dict[str, Any]) -> None:
        if self.process.alive:
            self._inbox.append(message)
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_result(None)

    async def _receive(self) -> dict[str, Any]:
        while not self._inbox:
            self._waiting = self.process.loop.create_future()
            await self._waiting
        return self._inbox.popleft()

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close":
            self._put({"type": "websocket.disconnect", "code": message["code"]})
            if not (self.is_cut or self.is_closed):
                self.is_closed = True
                self._travel_down(partial(self.page.closed, self, message["code"]))
        elif message["type"] == "websocket.send" and not (self.is_cut or self.is_closed):
            self._travel_down(partial(self._arrive, message["text"]))

    def _arrive(self, text: str) -> None:
        if not self.is_cut:
            self.page.received(self, text)

    def _travel_up(self, what: Callable[[], None]) -> None:
        self._up = max(self._up, self.clock.now + self.dice.randrange(2, 40)) + 1
        self.clock.after(self._up - self.clock.now, what)

    def _travel_down(self, what: Callable[[], None]) -> None:
        self._down = max(self._down, self.clock.now + self.dice.randrange(2, 40)) + 1
        self.clock.after(self._down - self.clock.now, what)
