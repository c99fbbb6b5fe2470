"""Players for the benchmark: whole deals at our tables, the other games as far as they go; each checks what it sees."""

import asyncio
import random
import time
from collections import deque
from typing import Any

import msgspec

from games.protocol import MESSAGES, WINDOW_S
from tests.benchmarks.live.client import Line, open_line


class _Clock(msgspec.Struct):
    seat: int


class _Sight(msgspec.Struct):
    turn: int | None
    hand: str | None
    counts: list[int]
    hands: list[str] | None
    unseen: str


class _Deal(msgspec.Struct):
    id: str
    turn_number: int
    state: _Sight
    clock: _Clock | None = None


class _Can(msgspec.Struct):
    acts: list[str]
    ready: bool
    plays: dict[str, list[str]] | None = None


class _View(msgspec.Struct):
    me: int | None
    seq: int
    can: _Can
    deal: _Deal | None = None


class _Event(msgspec.Struct):
    seq: int
    kind: str
    seat: int | None = None
    action: str = ""


class _Message(msgspec.Struct):
    """What a player reads of a message; the rest is skipped."""

    type: str
    seq: int = 0
    id: str = ""
    code: str = ""
    turn: int = 0
    events: list[_Event] = []
    view: msgspec.Raw = msgspec.Raw(b"")


_message = msgspec.json.Decoder(_Message)
_view = msgspec.json.Decoder(_View)


class Tally:
    """What came of all commands, and what was wrong with what was seen."""

    def __init__(self) -> None:
        self.acked_acts = 0
        self.ack_ms: list[float] = []
        self.refused: dict[str, int] = {}
        self.views = 0
        self.view_bytes = 0
        self.checked = 0
        self.wrong: list[str] = []
        self.stopping = False

    def begin(self) -> None:
        """Count latencies and views from here on."""
        self.ack_ms.clear()
        self.views = self.view_bytes = 0

    def saw(self, size: int) -> None:
        """Count a view of so many bytes."""
        self.views += 1
        self.view_bytes += size

    def acknowledge(self, sent: float) -> None:
        """Count a move that its player knows to be taken; `sent` by perf_counter."""
        self.acked_acts += 1
        self.ack_ms.append((time.perf_counter() - sent) * 1000)


class Bot:
    """One socket; keeps below the limit of messages a person has. `think` bounds the seconds before an act."""

    def __init__(self, tally: Tally, think: tuple[float, float] = (0.0, 0.0), *, idle: bool = False) -> None:
        self.tally = tally
        self.think = think
        self.idle = idle
        self.line: Line
        self.seen: asyncio.Event = asyncio.Event()
        self.pending: dict[str, tuple[bool, float]] = {}
        self._sent: deque[float] = deque(maxlen=MESSAGES - 1)
        self._n = 0
        self._ponged = 0.0
        self._acted = ("", -1)
        self._readied = False
        self._before: tuple[int, int | None, str, frozenset[str]] | None = None  # seq, me, deal, hand

    async def open(self, port: int, path: str, session: str = "") -> None:
        self._before = None
        self.seen.clear()
        self.line = await open_line(port, path, self.hear, session=session)

    def hear(self, line: Line, frame: bytes) -> None:
        """Take a frame of the server."""
        self.line = line
        message = _message.decode(frame)
        if message.type == "view":
            self.tally.saw(len(frame))
            self.see(message)
            self.seen.set()
        elif message.type in ("ack", "refused"):
            is_act, sent = self.pending.pop(message.id, (False, 0.0))
            if message.type == "refused":
                self.tally.refused[message.code] = self.tally.refused.get(message.code, 0) + 1
            elif is_act:
                self.tally.acknowledge(sent)

    def see(self, message: _Message) -> None:
        """Check a view, pong, and act when it is my turn."""
        view = _view.decode(message.view)
        self._check(message, view)
        if time.monotonic() - self._ponged > 1:
            self._ponged = time.monotonic()
            self.line.say(f'{{"type":"pong","seq":{message.seq}}}')
        deal = view.deal
        if self.idle:
            return
        if deal is None:
            if view.can.ready and not self._readied:
                self._readied = True
                self.ask("ready", "")
            return
        self._readied = False
        if deal.clock and deal.clock.seat == view.me and (deal.id, deal.turn_number) != self._acted:
            self._acted = (deal.id, deal.turn_number)
            fields = f',"turn":{deal.turn_number},"action":"{_action(view)}"'
            if self.think[1]:
                asyncio.get_running_loop().call_later(random.uniform(*self.think), self.ask, "act", fields)
            else:
                self.ask("act", fields)

    def _check(self, message: _Message, view: _View) -> None:
        """Note what a view says that cannot be: a hole before it, a card too many, another's card, another seat."""
        deal, before = view.deal, self._before
        sight = None if deal is None else deal.state
        hand = frozenset((sight.hand or "").split()) if sight else frozenset[str]()
        faults = []
        if message.seq != view.seq or view.me is None:
            faults.append("another number or no seat")
        if before is not None:
            expected = range(before[0] + 1, message.seq + 1)
            if [event.seq for event in message.events] != list(expected):
                faults.append(f"after {before[0]} came {[event.seq for event in message.events]}")
            if view.me != before[1]:
                faults.append("another seat")
            if deal is not None and deal.id == before[2] and hand != before[3] - _played(message, view.me):
                faults.append("another hand than was left")
        if sight is not None and view.me is not None and sight.turn is not None:
            unseen = frozenset(sight.unseen.split())
            theirs = sum(sight.counts) - sight.counts[view.me]
            if sight.hands is not None or len(hand) != sight.counts[view.me]:
                faults.append("open hands or a wrong count")
            if len(unseen) != theirs or unseen & hand:
                faults.append("the unseen cards are not the others'")
        self._before = (message.seq, view.me, deal.id if deal else "", hand)
        self.tally.checked += 1
        self.tally.wrong += faults

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


def _played(message: _Message, me: int | None) -> frozenset[str]:
    """Return the cards that left my hand in the events of a message."""
    plays = [event.action for event in message.events if event.kind == "acted" and event.seat == me]
    return frozenset(card for action in plays if action.startswith("play ") for card in action.split()[1:])


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
        self._turn = -1

    def see(self, message: _Message) -> None:
        self.tally.checked += 1
        if message.turn <= self._turn:
            self.tally.wrong.append(f"turn {message.turn} after {self._turn}")
        self._turn = message.turn
        if message.turn % 4 == self.seat:
            self.ask("act", f',"turn":{message.turn},"action":"play 3d 3h"')


async def settle(bots: list[Any], tally: Tally, patience: float = 20.0) -> None:
    """Stop asking and wait until every command has its answer."""
    tally.stopping = True
    until = time.monotonic() + patience
    while any(bot.pending for bot in bots) and time.monotonic() < until:
        await asyncio.sleep(0.05)
    for bot in bots:
        bot.line.end()
