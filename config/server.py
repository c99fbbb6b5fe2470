"""The web server: daphne with our limits, and the single process that is all of Paishe on one machine.

`python -m config.server` prepares the database, serves pages and sockets and ticks; `daphne config.asgi:application`
gets the same limits (config.asgi installs them) and leaves the ticking to Celery. Limits of a socket:

- a message over 8 KiB, or in more than 64 frames, closes it with 1009 before it is read into memory (autobahn's own
  limit would bound what we send as well);
- more than 64 messages that its consumer has not taken close it with 1008;
- while 64 KiB wait to be sent it is not read; 256 KiB more close it with 1013.

On SIGTERM no new connection is taken and no deal opened; sockets are closed with 1012 ("come back") one after another
over DRAIN_S seconds, each once its commands are answered; requests get five seconds to finish.
"""

# daphne.server comes first: it decides which event loop Twisted, and so the whole process, runs on.
import daphne.server  # isort: skip

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from daphne.cli import CommandLineInterface
from daphne.endpoints import build_endpoint_description_strings
from daphne.ws_protocol import WebSocketProtocol
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.python.failure import Failure
from zope.interface import implementer

logger = logging.getLogger(__name__)

MESSAGE_BYTES = 8 * 1024
MESSAGE_FRAMES = 64
INBOX_MESSAGES = 64
UNSENT_BYTES = 256 * 1024
GRACE_S, REQUEST_GRACE_S = 1.0, 5.0

ABUSE, TOO_BIG, RESTART, TOO_SLOW = 1008, 1009, 1012, 1013


class Inbox(asyncio.Queue[dict[str, Any]]):
    """What a socket sent and its consumer has not yet taken; a flood is dropped and closes the socket."""

    def __init__(self, socket: "Socket") -> None:
        super().__init__()
        self._socket = socket
        self._flooded = False

    def put_nowait(self, item: dict[str, Any]) -> None:
        if item["type"] == "websocket.receive":
            if self._flooded:
                return
            if self.qsize() >= INBOX_MESSAGES:
                self._flooded = True
                self._socket.serverClose(ABUSE)
                return
        super().put_nowait(item)


@implementer(IPushProducer)
class Socket(WebSocketProtocol):  # type: ignore[misc]
    """daphne's WebSocket with back-pressure: it is its transport's producer, and told when that is full."""

    _unsent: int | None = None
    _frames = 0

    def onOpen(self) -> None:
        super().onOpen()
        # The HTTP request this socket came from was the producer until now.
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)

    def onMessageBegin(self, isBinary: bool) -> None:
        self._frames = 0
        super().onMessageBegin(isBinary)

    def onMessageFrameBegin(self, length: int) -> None:
        super().onMessageFrameBegin(length)
        self._frames += 1
        too_big = self.message_data_total_length > MESSAGE_BYTES or self._frames > MESSAGE_FRAMES
        if too_big and not self.failedByMe:
            self._fail_connection(TOO_BIG, "message too big")

    def pauseProducing(self) -> None:
        # Called again at each write while the transport is full.
        if self._unsent is None:
            self._unsent = 0
        self.transport.pauseProducing()

    def resumeProducing(self) -> None:
        self._unsent = None
        self.transport.resumeProducing()

    def stopProducing(self) -> None:
        """Do nothing: the connection is gone, and onClose tells the application."""

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        if self.state in (self.STATE_CLOSING, self.STATE_CLOSED):
            return
        super().serverSend(content, binary)
        if self._unsent is not None:
            self._unsent += len(content)
            if self._unsent > UNSENT_BYTES:
                self.serverClose(TOO_SLOW)

    def serverClose(self, code: int | None = None) -> None:
        """Close with any code; autobahn's own `sendClose` refuses 1008 to 1013, which are a server's to send."""
        self.sendCloseFrame(code=code or 1000)


class Server(daphne.server.Server):  # type: ignore[misc]
    """daphne with bounded sockets and a stop that says good-bye."""

    failed = False

    def __init__(self, application: Any, **options: Any) -> None:
        self._ready = options.pop("ready_callable", None)
        super().__init__(application, ready_callable=self._bound_sockets, **options)

    def _bound_sockets(self) -> None:
        self.ws_factory.protocol = Socket
        # Close with a code the browser can read, instead of dropping the line.
        self.ws_factory.setProtocolOptions(failByDrop=False, closeHandshakeTimeout=1)
        if self._ready:
            self._ready()

    def create_application(
        self, protocol: Any, scope: dict[str, Any]
    ) -> asyncio.Queue[dict[str, Any]] | None:
        """Start the application for a connection and return the queue of what it is to receive."""
        inbox = Inbox(protocol) if scope["type"] == "websocket" else asyncio.Queue()
        scope.setdefault("asgi", {"version": "3.0"})

        async def send(message: dict[str, Any]) -> None:
            await self.handle_reply(protocol, message)

        if protocol not in self.connections:
            return None
        running = asyncio.ensure_future(self.application(scope, inbox.get, send))
        self.connections[protocol]["application_instance"] = running
        return inbox

    def listen_success(self, port: Any) -> None:
        address = port.getHost()
        self.listening_addresses.append((address.host, address.port))
        logger.info("Listening on TCP address %s:%s", address.host, address.port)

    def listen_error(self, failure: Failure) -> None:
        self.failed = True
        super().listen_error(failure)

    def kill_all_applications(self) -> "Deferred[None]":
        """End every connection before the reactor stops; replaces daphne's abrupt cancelling."""
        return _deferred(self._say_good_bye)()

    async def _say_good_bye(self) -> None:
        for listener in self.listeners:
            listener.addCallback(lambda port: port.stopListening())
        await asyncio.gather(*(sockets.drain(spread) for sockets, spread in _drained()))
        for protocol in list(self.connections):
            if isinstance(protocol, Socket) and protocol.state == Socket.STATE_OPEN:
                protocol.serverClose(RESTART)
        running = {
            details["application_instance"]: isinstance(protocol, Socket)
            for protocol, details in self.connections.items()
            if "application_instance" in details and not details["application_instance"].done()
        }
        if not running:
            return
        _done, late = await asyncio.wait(running, timeout=GRACE_S)
        if requests := [application for application in late if not running[application]]:
            await asyncio.wait(requests, timeout=REQUEST_GRACE_S - GRACE_S)
        for application in late:
            application.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _drained() -> list[tuple[Any, float]]:
    """Return the modules whose sockets are to be sent away, each with the seconds over which; none without Django."""
    loaded = [sys.modules[name] for name in ("lobby.live", "games.watch") if name in sys.modules]
    if not loaded:
        return []
    from django.conf import settings

    return [(sockets, settings.DRAIN_S) for sockets in loaded]


def _deferred(work: Callable[[], Coroutine[Any, Any, None]]) -> "Callable[[], Deferred[None]]":
    """Return the coroutine function as Twisted wants it."""
    return lambda: Deferred.fromFuture(asyncio.ensure_future(work()))


def install() -> None:
    """Make the `daphne` command use our Server."""
    CommandLineInterface.server_class = Server


def main() -> int:
    """Serve on HOST and PORT until stopped; return the process's exit status."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    from django.conf import settings

    from config.asgi import application  # sets Django up
    from config.prepare import prepare
    from config.ticker import Ticker

    prepare()
    ticker = Ticker.of(settings.TICKER_JOBS)
    server = Server(
        application,
        endpoints=build_endpoint_description_strings(host=settings.HOST, port=settings.PORT),
        http_timeout=60,
        ping_interval=20,
        ping_timeout=30,
        application_close_timeout=5,
    )
    reactor.callWhenRunning(ticker.start)
    reactor.addSystemEventTrigger("before", "shutdown", _deferred(ticker.stop))  # type: ignore[arg-type]
    print(f"Paishe: http://{settings.HOST}:{settings.PORT}/  (Ctrl+C stops it)", flush=True)
    server.run()
    return 1 if server.failed else 0


if __name__ == "__main__":
    sys.exit(main())
