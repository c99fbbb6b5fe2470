"""The receiving side of a socket: counts, sizes and parses what a browser sends, and never waits.

Whatever is wrong with a message ends in a `refused` or in a documented close code (`protocol.Close`).
"""

from __future__ import annotations

from collections import deque
from time import monotonic
from typing import Generic, TypeVar

from games import metrics, protocol
from games.outbox import Outbox
from games.protocol import BadMessage, ClientMessage, Close, Pong

Key = TypeVar("Key", int, str)


class Limit:
    """So many of something in so many seconds."""

    __slots__ = ("_times", "_window")

    def __init__(self, most: int, window_s: float = protocol.WINDOW_S) -> None:
        self._times: deque[float] = deque(maxlen=most)
        self._window = window_s

    def exceeded(self, now: float) -> bool:
        """Count one; True when it is one too many, and then it is not counted."""
        times = self._times
        if len(times) == times.maxlen and now - times[0] < self._window:
            return True
        times.append(now)
        return False

    def idle(self, now: float) -> bool:
        """Say whether nothing was counted within the window."""
        return not self._times or now - self._times[-1] >= self._window


class Limits(Generic[Key]):
    """A limit for each of many, kept only as long as it says something."""

    __slots__ = ("_each", "_most", "_swept", "_window")

    def __init__(self, most: int, window_s: float) -> None:
        self._most, self._window = most, window_s
        self._each: dict[Key, Limit] = {}
        self._swept = float("-inf")

    def __len__(self) -> int:
        return len(self._each)

    def exceeded(self, key: Key, now: float) -> bool:
        """Count one for a key; True when it is one too many."""
        if now - self._swept >= self._window:
            self._swept = now
            self._each = {key: limit for key, limit in self._each.items() if not limit.idle(now)}
        limit = self._each.get(key)
        if limit is None:
            limit = self._each[key] = Limit(self._most, self._window)
        return limit.exceeded(now)


class Incoming:
    """What one socket may send, and how often."""

    __slots__ = ("_bad", "_commands", "_outbox", "_pongs")

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._commands, self._pongs, self._bad = Limit(protocol.MESSAGES), Limit(protocol.PONGS), 0

    def read(self, text: str | None) -> ClientMessage | None:
        """Return the message of a frame (None: a binary one), or None when it was a pong or was turned away."""
        if self._outbox.closed is not None:
            return None
        if text is not None and _size(text) > protocol.MESSAGE_BYTES:
            self._outbox.close(Close.TOO_BIG)
            return None
        try:
            if text is None:
                raise BadMessage("binary")
            message = protocol.decode(text)
            if type(message) is Pong and not self._outbox.pong(message.seq):
                raise BadMessage("a pong for what was never sent")
        except BadMessage as error:
            self.refuse(error)
            return None
        is_pong = type(message) is Pong
        if (self._pongs if is_pong else self._commands).exceeded(monotonic()):
            self._outbox.close(Close.ABUSE)
            return None
        return None if is_pong else message

    def refuse(self, error: BadMessage) -> None:
        """Answer a message that has no place here; the fifth of them closes the socket."""
        self._bad += 1
        metrics.REFUSALS.labels(error.code).inc()
        self._outbox.put(protocol.refused(error.id, error.code, error.detail))
        if self._bad >= protocol.BAD_MESSAGES or self._commands.exceeded(monotonic()):
            self._outbox.close(Close.ABUSE)


def _size(text: str) -> int:
    """Return how many bytes a message took, near enough below the limit."""
    return (
        len(text) if len(text) * 4 <= protocol.MESSAGE_BYTES else len(text.encode("utf-8", "surrogatepass"))
    )
