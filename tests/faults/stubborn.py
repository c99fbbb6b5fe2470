"""A player who goes on whatever happens to the server: comes back, asks again under the same id, keeps every answer."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from websockets.exceptions import WebSocketException

from tests.sockets.player import Player, Policy, eagerly

_AGAIN_S = 0.1


async def everybody_plays(players: Sequence[Stubborn], patience: float) -> float:
    """Wait until each player's next command was taken; return the seconds that took, TimeoutError after `patience`."""
    began = time.monotonic()
    before = [len(player.acked) for player in players]
    async with asyncio.timeout(patience):
        while any(len(player.acked) == had for player, had in zip(players, before, strict=True)):
            await asyncio.sleep(0.02)
    return time.monotonic() - began


class Stubborn:
    """One person who plays by the policy until told to stop, over any number of sockets.

    `where` gives the address to go to now. A command is kept until it is answered, over lost lines too.
    """

    def __init__(self, where: Callable[[], str], code: str, session: str, policy: Policy = eagerly) -> None:
        self._where, self._code, self._session, self._policy = where, code, session, policy
        self._pending: tuple[str, str, dict[str, Any]] | None = None
        self._made, self._mark = 0, secrets.token_hex(4)
        self._line: Player | None = None
        self.acked: dict[str, int] = {}
        self.refused: list[dict[str, Any]] = []
        self.deals: set[str] = set()
        self.lines = 0
        self.stop = asyncio.Event()

    async def play(self) -> Stubborn:
        """Play until `stop` is set and nothing is pending."""
        while not self._finished:
            player = Player(self._where(), self._code, self._session)
            try:
                await asyncio.wait_for(player.connect(), 5)
                self.lines += 1
                self._line = player
                await self._at(player)
            except (OSError, TimeoutError, EOFError, WebSocketException):
                pass
            finally:
                if player._socket is not None:
                    player.cut()
            await asyncio.sleep(_AGAIN_S)
        return self

    def cut(self) -> None:
        """Lose the line just now, without a good-bye."""
        if self._line is not None:
            self._line.cut()

    @property
    def _finished(self) -> bool:
        return self.stop.is_set() and self._pending is None

    async def _at(self, player: Player) -> None:
        """Play at one socket, until it is closed."""
        while player.closed is None and not self._finished:
            self._look(player.view)
            self._pending = self._pending or self._wish(player)
            if self._pending is not None:
                await self._ask(player)
            else:
                seen = player.seq
                with suppress(TimeoutError):
                    await player.until(lambda seen=seen: player.seq > seen or player.closed is not None, 0.5)

    def _look(self, view: dict[str, Any]) -> None:
        if view["result"] is not None:
            self.deals.add(view["result"]["deal"])

    def _wish(self, player: Player) -> tuple[str, str, dict[str, Any]] | None:
        """Return what this person does next by the view: type, id and fields."""
        if self.stop.is_set():
            return None
        self._made += 1
        id = f"{self._mark}-{self._made}"
        if player.my_turn and (action := self._policy(player.view)) is not None:
            return "act", id, {"turn": player.view["deal"]["turn_number"], "action": action}
        if player.view["can"]["ready"]:
            return "ready", id, {"nonce": ""}
        return None

    async def _ask(self, player: Player) -> None:
        assert self._pending is not None
        type, id, fields = self._pending
        asking = asyncio.create_task(player.ask(type, id=id, **fields))
        gone = asyncio.create_task(player.until(lambda: player.closed is not None, 60))
        await asyncio.wait({asking, gone}, return_when=asyncio.FIRST_COMPLETED)
        gone.cancel()
        if not asking.done():
            asking.cancel()
            raise ConnectionError("the line was lost before an answer")
        answer = asking.result()
        self._pending = None
        if answer["type"] == "ack":
            self.acked[id] = answer["seq"]
            await player.until(lambda: player.seq >= answer["seq"] or player.closed is not None)
        else:
            self.refused.append(answer)
