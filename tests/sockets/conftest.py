"""Sockets in this process: people at the tables of `tests.games.stories`, without a server in between."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import ApplicationCommunicator
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections

from games import database, tables, watch, writer
from games import hub as hubs
from games.consumers import TableConsumer
from games.hub import Hub
from tests.games.conftest import empty_memory, story  # noqa: F401
from tests.games.stories import Story

Open = Callable[..., "Socket"]
WAIT_S = 30  # for what must come, on a machine however busy


class Socket:
    """One socket of a person, driven message by message."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self._line = ApplicationCommunicator(TableConsumer.as_asgi(), scope)
        self.session = scope["session"]

    async def open(self) -> "Socket":
        await sync_to_async(self.session.create)()
        await self.put({"type": "websocket.connect"})
        assert (await self._line.receive_output(WAIT_S))["type"] == "websocket.accept"
        return self

    async def put(self, message: dict[str, Any]) -> None:
        await self._line.send_input(message)

    async def say(self, type: str, **fields: Any) -> None:
        await self.put({"type": "websocket.receive", "text": json.dumps({"type": type, **fields})})

    async def hear(self, type: str | None = None) -> dict[str, Any]:
        """Return the next message, or the next of a type; a close is {"closed": code}."""
        while True:
            message = await self._line.receive_output(WAIT_S)
            heard = (
                json.loads(message["text"])
                if message["type"] == "websocket.send"
                else {"type": "closed", "code": message["code"]}
            )
            if type is None or heard["type"] == type:
                return heard
            assert heard["type"] != "closed", heard

    async def hears_nothing(self) -> bool:
        quiet: bool = await self._line.receive_nothing(0.1, 0.01)
        return quiet

    async def leave(self) -> None:
        await self.put({"type": "websocket.disconnect", "code": 1001})
        await self._line.wait(WAIT_S)

    def drop(self) -> None:
        """End the socket without a message, as a server does that is killed."""
        self._line.stop(exceptions=False)


@pytest.fixture
async def door(transactional_db: None, quiet: Any) -> AsyncIterator[Open]:
    """Make sockets: `door(story, 2)` is seat 2's person, `door(story, user)` anybody, None somebody unknown."""
    opened: list[Socket] = []

    def make(at: Story, who: Any, code: str | None = None) -> Socket:
        user = at.users[who] if isinstance(who, int) else who
        session = SessionStore()
        scope = {
            "type": "websocket",
            "user": user,
            "session": session,
            "url_route": {"kwargs": {"code": code or at.table.code}},
        }
        opened.append(Socket(scope))
        return opened[-1]

    yield make
    for socket in opened:
        with suppress(Exception, asyncio.CancelledError):
            await socket.leave()
    hub = hubs.here()
    await hub.presence.flushed()
    await watch.stop(hub)
    await asyncio.to_thread(writer.stop)
    await asyncio.to_thread(database.close_all)
    await sync_to_async(connections.close_all)()
    hubs._hub = None


@pytest.fixture
def hub() -> Callable[[], Hub]:
    """The hub of the running test."""
    return hubs.here


@pytest.fixture
def untold(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Commits that nobody hears of, as if another process had made them, until the test compares heads."""
    monkeypatch.setattr(watch, "PERIOD_S", 3600.0)
    heard, tables._listeners[:] = list(tables._listeners), []
    yield
    tables._listeners[:] = heard
