"""What one socket is still to be sent, and what it was sent since its last pong.

Putting never waits: what cannot leave at once is sent by a task of the socket's own, so that a slow reader holds
nobody else up. Servers buffer what a browser does not read, without a limit of their own, so the bytes since the
last pong are counted here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from functools import partial
from time import monotonic
from types import coroutine
from typing import Any

from games.protocol import UNREAD_BYTES, UNREAD_S, Close

Send = Callable[[dict[str, Any]], Awaitable[None]]
_CLOSE_S = 2.0


class Outbox:
    """The outgoing side of one socket. Used on the event loop only."""

    __slots__ = (
        "_bytes",
        "_marks",
        "_ponged",
        "_queue",
        "_send",
        "_sending",
        "_task",
        "closed",
        "last_call",
        "last_put",
        "seq",
    )

    def __init__(self, send: Send) -> None:
        self._send = send
        self._queue: deque[str] = deque()
        self._task: asyncio.Task[None] | None = None
        self._bytes = 0  # ever put in
        self._ponged = 0  # of these, up to the last pong
        self._marks: deque[tuple[int, int, float]] = deque()  # (seq, bytes up to there, when) not yet ponged
        self._sending = False
        self.seq = 0  # of the newest view or head put in
        self.last_put = monotonic()
        self.last_call = False  # commands are not taken any more; what was taken is still answered
        self.closed: int | None = None

    def put(self, frame: str, seq: int | None = None) -> None:
        """Send a frame; `seq` says that a pong for it is due. A socket too far behind is closed instead."""
        if self.closed is not None:
            return
        self._bytes += len(frame)
        if seq is not None:
            self.seq, self.last_put = seq, monotonic()
            self._marks.append((seq, self._bytes, self.last_put))
        if self._bytes - self._ponged > UNREAD_BYTES:
            self.close(Close.TOO_SLOW)
            return
        self._queue.append(frame)
        if not self._sending:
            self._sending = True
            self._task = start_at_once(self._write())

    def pong(self, seq: int) -> bool:
        """Take note that the browser has taken in everything up to `seq`; False when that was never sent."""
        if seq > self.seq:
            return False
        while self._marks and self._marks[0][0] <= seq:
            self._ponged = self._marks.popleft()[1]
        return True

    def overdue(self, now: float) -> bool:
        """Say whether the oldest thing without a pong was sent too long ago."""
        return bool(self._marks) and now - self._marks[0][2] > UNREAD_S

    def close(self, code: Close) -> None:
        """Close the socket after what is queued; at once when it is too slow. The first code stays."""
        if self.closed is not None:
            return
        self.closed = code
        if code is Close.TOO_SLOW:
            self._queue.clear()
        running = self._task
        self._task = asyncio.get_running_loop().create_task(self._shut(code, running))

    def end(self) -> None:
        """Forget everything: the socket is gone."""
        self.closed = self.closed or 1006
        self._queue.clear()
        if self._task is not None:
            self._task.cancel()

    async def flushed(self) -> None:
        """Wait until nothing is being sent."""
        while (task := self._task) is not None and not task.done():
            await asyncio.wait([task])

    async def _write(self) -> None:
        try:
            while self._queue:
                await self._send({"type": "websocket.send", "text": self._queue.popleft()})
        except Exception:  # the server says in its own way that the line is gone; `disconnect` follows
            self.closed = self.closed or 1006
            self._queue.clear()
        finally:
            self._sending = False

    async def _shut(self, code: int, running: asyncio.Task[None] | None) -> None:
        if running is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(running, 0.0 if code == Close.TOO_SLOW else _CLOSE_S)
        with suppress(Exception):
            await asyncio.wait_for(self._send({"type": "websocket.close", "code": int(code)}), _CLOSE_S)


def start_at_once(begun: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Run a coroutine up to where it first waits; return a task for the rest, None when nothing is left.

    Most servers take a frame without waiting, and a task for each would cost more than the sending. What runs here
    must not ask for its current task.
    """
    try:
        waits_for = begun.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_go_on(begun, waits_for))


async def _go_on(begun: Coroutine[Any, Any, None], waits_for: Any) -> None:
    await _rest(begun, waits_for)


@coroutine
def _rest(begun: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, Any, None]:
    """Wait for what a begun coroutine waits for, and hand everything that comes of it back to it."""
    while True:
        try:
            came = yield waits_for
        except BaseException as error:
            step = partial(begun.throw, error)
        else:
            step = partial(begun.send, came)
        try:
            waits_for = step()
        except StopIteration:
            return
