"""The receiving side of a socket: counts, sizes and parses what a browser sends, and never waits.

Whatever is wrong with a message ends in a `refused` or in a documented close code (`protocol.Close`).
"""

from __future__ import annotations

from collections import deque
from time import monotonic

from games import metrics, protocol
from games.outbox import Outbox
from games.protocol import BadMessage, ClientMessage, Close, Pong


class Limit:
    """So many messages in so many seconds."""

    __slots__ = ("_times",)

    def __init__(self, messages: int) -> None:
        self._times: deque[float] = deque(maxlen=messages)

    def exceeded(self, now: float) -> bool:
        """Count a message; True when it is one too many."""
        times = self._times
        if len(times) == times.maxlen and now - times[0] < protocol.WINDOW_S:
            return True
        times.append(now)
        return False


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
