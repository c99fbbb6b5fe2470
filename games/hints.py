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
        self._some = threading.Event()
        self._thread: threading.Thread | None = None
        self.sent = self.failed = 0

    def tell(self, table_id: int, seq: int) -> None:
        """Have the others hear soon that a table is at `seq`."""
        with self._lock:
            self._heads[table_id] = max(seq, self._heads.get(table_id, 0))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="hints", daemon=True)
                self._thread.start()
        self._some.set()

    def _work(self) -> None:
        asyncio.run(self._publish_for_ever())

    async def _publish_for_ever(self) -> None:
        layer = get_channel_layer()
        while True:
            await asyncio.to_thread(self._some.wait)
            self._some.clear()
            with self._lock:
                heads, self._heads = self._heads, {}
            message = {"type": "hint", "heads": [[table, seq] for table, seq in heads.items()]}
            try:
                await asyncio.wait_for(layer.group_send(GROUP, message), _PUBLISH_S)
                self.sent += 1
            except Exception as error:
                self.failed += 1
                logger.info("hint_not_sent", error=type(error).__name__)
                await asyncio.sleep(_ANEW_S)


async def listen(heard: Heard) -> None:
    """Listen until cancelled; `heard` gets {table: seq}."""
    while True:
        try:
            await _listen_once(heard)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            logger.info("hints_start_anew", error=type(error).__name__)
            await asyncio.sleep(_ANEW_S)


async def _listen_once(heard: Heard) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    joining = asyncio.create_task(_stay_joined(layer, channel))
    try:
        while True:
            message = await layer.receive(channel)
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
