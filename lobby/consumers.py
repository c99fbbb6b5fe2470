"""The browser's end of the live lobby: lets anybody look on, and takes nothing but pongs."""

from __future__ import annotations

from typing import Any

from channels.consumer import AsyncConsumer

from games.consumers import caller_of
from games.incoming import Incoming
from games.outbox import Outbox, Send
from games.protocol import BadMessage
from lobby import live
from lobby.live import Person, Viewer


class LobbyConsumer(AsyncConsumer):  # type: ignore[misc]
    """One socket in the lobby, of somebody signed in or not."""

    channel_layer_alias = None  # the lobby polls; a layer would tell it nothing

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:
        """Take messages as they come; nothing here waits for the database."""
        outbox = Outbox(send)
        incoming = Incoming(outbox)
        hall = live.here()
        caller = caller_of(scope)
        viewer = Viewer(Person(*caller) if caller is not None else None, outbox)
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                if message["type"] == "websocket.receive":
                    said = incoming.read(message.get("text"))
                    if said is not None:
                        incoming.refuse(BadMessage("the lobby takes pongs only", getattr(said, "id", "")))
                elif message["type"] == "websocket.connect":
                    await send({"type": "websocket.accept"})
                    hall.enter(viewer)
        finally:
            outbox.end()
            hall.leave(viewer)
