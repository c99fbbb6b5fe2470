"""Players for the benchmark: at our tables they play whole deals, at the stock ones they pass a turn around."""

import asyncio
import time
from collections import deque
from typing import Any

import msgspec

from games.protocol import MESSAGES, WINDOW_S
from tests.benchmarks.live.client import Line, open_line


class _Clock(msgspec.Struct):
    seat: int


class _Sight(msgspec.Struct):
    hand: str | None = None


class _Deal(msgspec.Struct):
    turn_number: int
    state: _Sight
    clock: _Clock | None = None


class _Can(msgspec.Struct):
    acts: list[str]
    ready: bool
    plays: dict[str, list[str]] | None = None


class _View(msgspec.Struct):
    me: int | None
    can: _Can
    deal: _Deal | None = None


class _Message(msgspec.Struct):
    """What a player reads of a message; the rest is skipped."""

    type: str
    seq: int = 0
    id: str = ""
    code: str = ""
    turn: int = 0
    view: msgspec.Raw = msgspec.Raw(b"")


_message = msgspec.json.Decoder(_Message)
_view = msgspec.json.Decoder(_View)


class Tally:
    """What came of all commands."""

    def __init__(self) -> None:
        self.acked_acts = 0
        self.ack_ms: list[float] = []
        self.refused: dict[str, int] = {}
        self.views = 0
        self.view_bytes = 0
        self.stopping = False

    def begin(self) -> None:
        """Count latencies and views from here on."""
        self.ack_ms.clear()
        self.views = self.view_bytes = 0


class Bot:
    """One socket; keeps below the limit of messages a person has."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.line: Line
        self.pending: dict[str, tuple[bool, float]] = {}
        self._sent: deque[float] = deque(maxlen=MESSAGES - 1)
        self._n = 0
        self._ponged = 0.0
        self._acted = -1
        self._readied = False

    async def open(self, port: int, path: str, session: str = "") -> None:
        self.line = await open_line(port, path, self.hear, session=session)

    def hear(self, line: Line, frame: bytes) -> None:
        """Take a frame of the server."""
        self.line = line
        message = _message.decode(frame)
        if message.type == "view":
            self.tally.views += 1
            self.tally.view_bytes += len(frame)
            self.see(message)
        elif message.type in ("ack", "refused"):
            is_act, sent = self.pending.pop(message.id, (False, 0.0))
            if message.type == "refused":
                self.tally.refused[message.code] = self.tally.refused.get(message.code, 0) + 1
            elif is_act:
                self.tally.acked_acts += 1
                self.tally.ack_ms.append((time.perf_counter() - sent) * 1000)

    def see(self, message: _Message) -> None:
        """Pong, and act when it is my turn."""
        if time.monotonic() - self._ponged > 1:
            self._ponged = time.monotonic()
            self.line.say(f'{{"type":"pong","seq":{message.seq}}}')
        view = _view.decode(message.view)
        deal = view.deal
        if deal is None:
            if view.can.ready and not self._readied:
                self._readied = True
                self.ask("ready", "")
            return
        self._readied = False
        if deal.clock and deal.clock.seat == view.me and deal.turn_number != self._acted:
            self._acted = deal.turn_number
            self.ask("act", f',"turn":{deal.turn_number},"action":"{_action(view)}"')

    def ask(self, type: str, fields: str) -> None:
        """Send a command as soon as the limit lets it through."""
        if self.tally.stopping:
            return
        now = time.monotonic()
        wait = self._sent[0] + WINDOW_S + 0.05 - now if len(self._sent) == self._sent.maxlen else 0.0
        self._sent.append(now + max(wait, 0.0))
        if wait <= 0:
            self._say(type, fields)
        else:
            asyncio.get_running_loop().call_later(wait, self._say, type, fields)

    def _say(self, type: str, fields: str) -> None:
        if self.tally.stopping:
            return
        self._n += 1
        id = f"c{self._n}"
        self.pending[id] = (type == "act", time.perf_counter())
        self.line.say(f'{{"type":"{type}","id":"{id}"{fields}}}')


def _action(view: _View) -> str:
    """Return the first play offered, or the first act where there is none."""
    plays = view.can.plays or {}
    if plays and view.deal is not None:
        hand = (view.deal.state.hand or "").split()
        first = next(iter(plays.values()))[0]
        return "play " + " ".join(hand[int(digit, 36)] for digit in first)
    return view.can.acts[0]


class StockBot(Bot):
    """A socket of the stock consumer: moves whenever the turn has come round to its seat."""

    def __init__(self, tally: Tally, seat: int) -> None:
        super().__init__(tally)
        self.seat = seat

    def see(self, message: _Message) -> None:
        if message.turn % 4 == self.seat and message.turn != self._acted:
            self._acted = message.turn
            self.ask("act", f',"turn":{message.turn},"action":"play 3d 3h"')


async def settle(bots: list[Any], tally: Tally, patience: float = 20.0) -> None:
    """Stop asking and wait until every command has its answer."""
    tally.stopping = True
    until = time.monotonic() + patience
    while any(bot.pending for bot in bots) and time.monotonic() < until:
        await asyncio.sleep(0.05)
    for bot in bots:
        bot.line.end()
