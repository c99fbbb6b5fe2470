"""Sockets that misbehave on purpose, served by `daphne tests.config.stubborn:application` to test our limits.

/deaf/ never reads; /talks/ sends 64 KiB messages for ever; /echo/ answers with the length of what it got.
"""

import asyncio
import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")

from config import server

server.install()


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Serve one connection."""
    if scope["type"] != "websocket":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"here"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    if scope["path"] == "/deaf/":
        await asyncio.Event().wait()
    while scope["path"] == "/talks/":
        await send({"type": "websocket.send", "bytes": b"x" * 65536})
        await asyncio.sleep(0)
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            print("disconnected", message["code"], flush=True)
            return
        await send({"type": "websocket.send", "text": str(len(message.get("text") or ""))})
