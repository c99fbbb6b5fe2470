"""What leaves through one socket: in order, never waiting for a slow reader, never without a bound."""

import asyncio
from time import monotonic
from typing import Any

import pytest

from games.outbox import Outbox
from games.protocol import UNREAD_BYTES, UNREAD_S, Close


class Line:
    """The server's side of a socket: takes messages while `open`, like one whose reader may stop reading."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            await self.open.wait()
        self.sent.append(message.get("text", message.get("code")))


@pytest.fixture
def line() -> Line:
    return Line()


async def test_frames_leave_in_order_and_the_close_after_them(line: Line) -> None:
    outbox = Outbox(line.send)
    for text in "abc":
        outbox.put(text, 1)
    outbox.close(Close.NOT_ALLOWED)
    outbox.put("late", 2)
    await outbox.flushed()
    assert line.sent == ["a", "b", "c", 4403]


async def test_the_first_close_code_stays(line: Line) -> None:
    outbox = Outbox(line.send)
    outbox.close(Close.REPLACED)
    outbox.close(Close.ABUSE)
    await outbox.flushed()
    assert line.sent == [4409]


async def test_more_than_256_kib_without_a_pong_closes(line: Line) -> None:
    outbox = Outbox(line.send)
    frame = "x" * (UNREAD_BYTES // 4)
    for seq in range(1, 5):
        outbox.put(frame, seq)
    assert outbox.closed is None
    outbox.put("x", 5)
    assert outbox.closed == Close.TOO_SLOW


async def test_a_pong_makes_room(line: Line) -> None:
    outbox = Outbox(line.send)
    frame = "x" * (UNREAD_BYTES // 4)
    for seq in range(1, 40):
        outbox.put(frame, seq)
        assert outbox.pong(seq)
    assert outbox.closed is None


async def test_a_pong_for_what_was_never_sent_makes_no_room(line: Line) -> None:
    outbox = Outbox(line.send)
    outbox.put("x", 7)
    assert not outbox.pong(8)
    assert outbox.overdue(monotonic() + UNREAD_S + 1)


async def test_thirty_seconds_behind_the_last_pong_is_overdue(line: Line) -> None:
    outbox = Outbox(line.send)
    assert not outbox.overdue(monotonic() + 1000)
    outbox.put("x", 7)
    assert not outbox.overdue(monotonic() + UNREAD_S - 1)
    assert outbox.overdue(monotonic() + UNREAD_S + 1)
    outbox.pong(7)
    assert not outbox.overdue(monotonic() + 1000)


async def test_who_does_not_read_holds_nobody_up_and_is_closed_in_the_middle_of_a_frame(line: Line) -> None:
    outbox = Outbox(line.send)
    line.open.clear()
    outbox.put("x", 1)
    await asyncio.sleep(0)
    outbox.put("y", 2)  # returns at once
    outbox.close(Close.TOO_SLOW)
    await outbox.flushed()
    assert line.sent == [1013]


async def test_a_line_that_is_gone_is_no_error(quiet: Any) -> None:
    async def gone(message: dict[str, Any]) -> None:
        raise ConnectionResetError

    outbox = Outbox(gone)
    outbox.put("x", 1)
    await outbox.flushed()
    assert outbox.closed == 1006
    outbox.end()
