"""A player at a socket, as a page would be one: sends by what its view allows, and keeps every byte it received.

It checks what every socket is promised: the first message is a whole view, events come in order, once and without a
hole, each command gets one answer, and a view at or after an `ack` follows it.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from games.protocol import MESSAGES, WINDOW_S

View = dict[str, Any]
Policy = Callable[[View], str | None]
PATIENCE_S = 60.0


def cards_of(view: View, play: str) -> str:
    """Return the cards a play of `can.plays` names, as text."""
    hand = view["deal"]["state"]["hand"].split()
    return " ".join(hand[int(digit, 36)] for digit in play)


def actions_of(view: View) -> list[str]:
    """Return every action the view offers, as text."""
    plays = view["can"]["plays"] or {}
    acts: list[str] = view["can"]["acts"]
    return acts + [f"play {cards_of(view, play)}" for group in plays.values() for play in group]


def at_random(seed: int) -> Policy:
    """Choose among all that is offered."""
    dice = random.Random(seed)

    def choose(view: View) -> str | None:
        offered = actions_of(view)
        return dice.choice(offered) if offered else None

    return choose


def eagerly(view: View) -> str | None:
    """Play the first play offered, pass only when there is none: deals end soon."""
    offered = actions_of(view)
    plays = [action for action in offered if action.startswith("play")]
    return next(iter(plays or offered), None)


class Player:
    """One socket of one person."""

    def __init__(self, url: str, code: str, session: str, *, policy: Policy = eagerly, seed: int = 0) -> None:
        self.uri = f"{url.replace('http', 'ws', 1)}/ws/table/{code}/"
        self.origin = url.replace("ws", "http", 1)
        self.session = session
        self.policy = policy
        self.frames: list[str] = []
        self.view: View = {}
        self.seq = 0
        self.events: list[dict[str, Any]] = []
        self.answers: dict[str, dict[str, Any]] = {}
        self.notices: list[str] = []
        self.ack_ms: list[float] = []
        self.closed: int | None = None
        self.heads = 0
        self._ids = random.Random(seed or None)
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._asked_at: dict[str, float] = {}
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self._ponged = 0.0
        self._sent_at: deque[float] = deque(maxlen=MESSAGES - 1)
        self._snapshot_due = True
        self._acked = 0

    async def __aenter__(self) -> Player:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    # ---- the line

    async def connect(self) -> Player:
        """Open the socket; returns once the first view is here, or the server has closed."""
        self._snapshot_due, self.closed, self.seq = True, None, 0
        self._socket = await connect(
            self.uri,
            origin=self.origin,  # type: ignore[arg-type]
            additional_headers={"Cookie": f"sessionid={self.session}"},
            compression=None,
            max_size=1 << 20,
            ping_interval=None,
        )
        self._reader = asyncio.create_task(self._read())
        await self.until(lambda: self.seq > 0 or self.closed is not None)
        return self

    async def leave(self) -> None:
        """Close the socket as a browser does that leaves the page."""
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await self._reader

    def cut(self) -> None:
        """Lose the line without a good-bye."""
        assert self._socket is not None
        self._socket.transport.abort()

    async def until(self, told: Callable[[], bool], patience: float = PATIENCE_S) -> None:
        """Wait until something holds of what was received."""
        async with self._news:
            await asyncio.wait_for(self._news.wait_for(told), patience)

    async def _read(self) -> None:
        assert self._socket is not None
        try:
            async for frame in self._socket:
                await self._take(str(frame))
        except ConnectionClosed:
            pass
        self.closed = self._socket.close_code or 1006
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError(f"closed with {self.closed}"))
        self._waiting.clear()
        async with self._news:
            self._news.notify_all()

    async def _take(self, frame: str) -> None:
        self.frames.append(frame)
        message = json.loads(frame)
        match message["type"]:
            case "view":
                self._take_view(message)
            case "head":
                self.heads += 1
            case "notice":
                self.notices.append(message["code"])
            case "ack" | "refused":
                self._take_answer(message)
        if message["type"] in ("view", "head") and time.monotonic() - self._ponged > 1:
            self._ponged = time.monotonic()
            await self.send({"type": "pong", "seq": message["seq"]})
        async with self._news:
            self._news.notify_all()

    def _take_view(self, message: dict[str, Any]) -> None:
        seq, events = message["seq"], message["events"]
        assert message["view"]["seq"] == seq
        if self._snapshot_due:
            assert not events, "the first message is a snapshot"
            self._snapshot_due = False
        else:
            numbers = [event["seq"] for event in events]
            assert numbers == list(range(self.seq + 1, seq + 1)), f"a hole after {self.seq}: {numbers}"
        self.seq, self.view = seq, message["view"]
        self.events += events

    def _take_answer(self, message: dict[str, Any]) -> None:
        id = message["id"]
        if id in self._asked_at:
            self.ack_ms.append((time.perf_counter() - self._asked_at.pop(id)) * 1000)
        if message["type"] == "ack":
            self._acked = max(self._acked, message["seq"])
        self.answers[id] = message
        future = self._waiting.pop(id, None)
        if future is not None and not future.done():
            future.set_result(message)

    # ---- saying things

    async def send(self, message: Any) -> None:
        """Send a message as it is: an object as JSON, text and bytes as they stand."""
        assert self._socket is not None
        with suppress(ConnectionClosed):
            await self._socket.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def ask(self, type: str, *, id: str | None = None, **fields: Any) -> dict[str, Any]:
        """Send a command and return its answer."""
        id = id or f"{self._ids.getrandbits(64):x}"
        await self._slow_down()
        future = self._waiting[id] = asyncio.get_running_loop().create_future()
        self._asked_at[id] = time.perf_counter()
        await self.send({"type": type, "id": id, **fields})
        return await asyncio.wait_for(future, PATIENCE_S)

    async def _slow_down(self) -> None:
        """Stay below the limit of messages, as a person does."""
        if len(self._sent_at) == self._sent_at.maxlen:
            await asyncio.sleep(max(0.0, self._sent_at[0] + WINDOW_S + 0.1 - time.monotonic()))
        self._sent_at.append(time.monotonic())

    async def ready(self, nonce: str = "") -> dict[str, Any]:
        """Press start."""
        return await self.ask("ready", nonce=nonce)

    async def act(self, action: str) -> dict[str, Any]:
        """Act for the turn the view shows."""
        return await self.ask("act", turn=self.view["deal"]["turn_number"], action=action)

    @property
    def my_turn(self) -> bool:
        deal = self.view.get("deal")
        return bool(deal and deal["clock"] and deal["clock"]["seat"] == self.view["me"])

    # ---- playing by itself

    async def play(self, deals: int = 1, *, pace: float = 0.0, say_ready: bool = True) -> None:
        """Press start and play by the policy until so many more deals are over; `pace` seconds between acts."""
        begun = self._deals_over()
        pressed_at = -1
        while self._deals_over() - begun < deals and self.closed is None:
            seq = self.seq
            if self.my_turn and (action := self.policy(self.view)) is not None:
                await self._paced(pace)
                answer = await self.act(action)
                assert answer["type"] == "ack", answer
                await self.until(lambda: self.seq >= self._acked or self.closed is not None)
            elif self.view["can"]["ready"] and say_ready and pressed_at != self.view["seq"]:
                pressed_at = self.view["seq"]
                await self.ready()
            elif self.seq == seq:
                await self.until(lambda seen=seq: self.seq > seen or self.closed is not None, 60)

    async def _paced(self, pace: float) -> None:
        if pace:
            await asyncio.sleep(pace)

    def _deals_over(self) -> int:
        return sum(1 for event in self.events if event["kind"] == "deal_closed")


async def play_table(players: list[Player], deals: int = 1, **how: Any) -> None:
    """Have all players of a table play so many deals."""
    await asyncio.gather(*(player.play(deals, **how) for player in players))
