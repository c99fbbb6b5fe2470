"""Hints between processes: "table 17 is at event 41 now", over the channel layer, and nothing else.

A hint may be lost, doubled, late or wrong; whoever hears one reads the log. Publishing is off the path of
every answer, joins what has gathered meanwhile and waits a second at most; listening starts anew after any
failure. With the in-memory layer (one process) there is nobody to tell.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import structlog
from channels.layers import get_channel_layer
from django.conf import settings

logger = structlog.get_logger(__name__)

GROUP = "tables"
_PUBLISH_S = 1.0
_REJOIN_S = 1.0
_ANEW_S = 0.3

Heard = Callable[[dict[int, int]], None]


def wanted() -> bool:
    """Say whether there is a layer that reaches other processes."""
    layer = settings.CHANNEL_LAYERS.get("default")
    return layer is not None and not layer["BACKEND"].endswith("InMemoryChannelLayer")


class Publisher:
    """Tells the other processes, from a thread with a loop of its own; `tell` may be called anywhere."""

    def __init__(self) -> None:
        self._heads: dict[int, int] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._wake: Callable[[], object] | None = None
        self.sent = self.failed = 0  # counted since the start

    def tell(self, table_id: int, seq: int) -> None:
        """Have the others hear soon that a table is at `seq`."""
        with self._lock:
            is_first = not self._heads
            self._heads[table_id] = max(seq, self._heads.get(table_id, 0))
            if self._thread is None or not self._thread.is_alive():  # the first time, or after a fork
                self._wake = None
                self._thread = threading.Thread(target=self._work, name="hints", daemon=True)
                self._thread.start()
            elif is_first and self._wake is not None:
                self._wake()

    def _work(self) -> None:
        asyncio.run(self._publish_for_ever())

    async def _publish_for_ever(self) -> None:
        layer, some, loop = get_channel_layer(), asyncio.Event(), asyncio.get_running_loop()
        with self._lock:
            self._wake = lambda: loop.call_soon_threadsafe(some.set)
        trouble = Trouble("hints_not_sent")
        while True:
            with self._lock:
                heads, self._heads = self._heads, {}
            if not heads:
                await some.wait()
                some.clear()
                continue
            message = {"type": "hint", "heads": [[table, seq] for table, seq in heads.items()]}
            try:
                await asyncio.wait_for(layer.group_send(GROUP, message), _PUBLISH_S)
                self.sent += 1
                trouble.is_over()
            except Exception as error:
                self.failed += 1
                trouble.is_here(error)
                await asyncio.sleep(_ANEW_S)


class Trouble:
    """Says once that something began to fail, and once that it works again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lasts = False

    def is_here(self, error: Exception) -> None:
        """Take note of a failure."""
        if not self._lasts:
            logger.warning(self._name, error=type(error).__name__)
        self._lasts = True

    def is_over(self) -> None:
        """Take note of a success."""
        if self._lasts:
            logger.info(f"{self._name}_no_more")
        self._lasts = False


async def listen(heard: Heard) -> None:
    """Listen until cancelled; `heard` gets {table: seq}."""
    trouble = Trouble("hints_not_heard")
    while True:
        try:
            await _listen_once(heard, trouble)
        except Exception as error:
            trouble.is_here(error)
            await asyncio.sleep(_ANEW_S)


async def _listen_once(heard: Heard, trouble: Trouble) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    joining = asyncio.create_task(_stay_joined(layer, channel))
    try:
        while True:
            message = await layer.receive(channel)
            trouble.is_over()
            heard({int(table): int(seq) for table, seq in message["heads"]})
    finally:
        joining.cancel()


async def _stay_joined(layer: Any, channel: str) -> None:
    """Join again and again: a layer that was emptied has forgotten us."""
    while True:
        with suppress(Exception):
            await asyncio.wait_for(layer.group_add(GROUP, channel), _PUBLISH_S)
        await asyncio.sleep(_REJOIN_S)


publisher = Publisher()
