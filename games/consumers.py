"""The browser's end of a table: carries, never decides.

The receiving side only counts, parses (`games.incoming`) and enqueues; it never waits for the database. A task of the
socket's own lets the person in and then performs the commands one after another. Whatever a socket does wrong ends
in a typed refusal or in a documented close code (`protocol.Close`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from time import monotonic
from typing import Any, NamedTuple

import structlog
from channels.consumer import AsyncConsumer
from django.db import DatabaseError, InterfaceError

from accounts import restrictions
from games import hub as hubs
from games import metrics, protocol, selectors, watch, writer
from games.database import in_database
from games.errors import Draining, NewerFormat, TableError, TableGone
from games.hub import Hub
from games.incoming import Incoming
from games.outbox import Outbox, Send
from games.protocol import ClientMessage, Close, Hint, Pong, Resync, SeatMessage
from games.rooms import Viewer
from games.table import commands as cmd
from games.table.state import CLOSED, TableState

logger = structlog.get_logger(__name__)

_AGAIN_S = 1.0
_TRIES = 8  # of a command while the database is away, before the socket is told to come back


class Caller(NamedTuple):
    """Who opened a socket: the user, the session it came with, and the version of the user's access then."""

    user: int
    session: str | None
    version: int


class TableConsumer(AsyncConsumer):  # type: ignore[misc]
    """One socket at one table."""

    channel_layer_alias = None  # hears of commits through the hub, not through the layer
    hub: Hub
    viewer: Viewer | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:
        """Take messages as they come; Channels' own loop makes two tasks and a thread hop for each."""
        self.scope = scope
        self.outbox = Outbox(send)
        self._inbox: deque[ClientMessage] = deque()
        self._worker: asyncio.Task[None] | None = None
        incoming = Incoming(self.outbox)
        try:
            while (message := await receive())["type"] != "websocket.disconnect":
                if message["type"] == "websocket.receive":
                    said = incoming.read(message.get("text"))
                    if said is not None:
                        self._enqueue(said)
                elif message["type"] == "websocket.connect":
                    await send({"type": "websocket.accept"})
                    self._worker = asyncio.get_running_loop().create_task(self._enter())
        finally:
            self._leave()

    # ---- receiving: nothing here waits

    def _enqueue(self, message: ClientMessage) -> None:
        if len(self._inbox) >= protocol.MESSAGES:
            self.outbox.close(Close.ABUSE)
            return
        self._inbox.append(message)
        if self._worker is None:
            self._worker = asyncio.get_running_loop().create_task(self._work())

    def _leave(self) -> None:
        """End everything of this socket, however it ended."""
        self._inbox.clear()
        self.outbox.end()
        if self.viewer is not None:
            self.hub.leave(self.viewer)
        if self._worker is not None:
            self._worker.cancel()

    # ---- coming in

    async def _enter(self) -> None:
        """Let the person in, or close with the code that says why not; then take what was sent meanwhile."""
        code = Close.GOING_AWAY
        try:
            self.hub = hubs.here()
            entered = Close.GOING_AWAY if self.hub.draining else await self._let_in()
            if entered is None:
                await self._work()
                return
            code = entered
        except TableGone:
            code = Close.NOT_ALLOWED
        except NewerFormat:
            pass
        except Exception as error:
            logger.warning("socket_not_opened", error=type(error).__name__)
        self.outbox.close(code)

    async def _let_in(self) -> Close | None:
        """Join first, read second, so that nothing falls between; return why not, or None."""
        caller = caller_of(self.scope)
        if caller is None:
            return Close.SIGNED_OUT
        table = await in_database(selectors.table_by_code, self.scope["url_route"]["kwargs"]["code"])
        if table is None:
            return Close.NOT_ALLOWED
        room = self.hub.join(table.pk)
        viewer = self.viewer = Viewer(room, *caller, self.outbox)
        room.viewers.add(viewer)
        await self.hub.read(room)
        await self.hub.ranked(room)
        if not self.hub.greet(viewer):
            self.outbox.put(why_not(room.state))
            return Close.NOT_ALLOWED
        return None

    # ---- performing, one after another

    async def _work(self) -> None:
        try:
            while self._inbox and self.outbox.closed is None and not self.outbox.last_call:
                message = self._inbox.popleft()
                if isinstance(message, Resync):
                    self.hub.resync(self._seated(), message.seq)
                elif isinstance(message, Hint):
                    self.hub.hint(self._seated(), message.id)
                elif not isinstance(message, Pong):
                    await self._perform(self._seated(), message)
        except (TableGone, NewerFormat, Draining):
            self.outbox.close(Close.GOING_AWAY)
        except (DatabaseError, InterfaceError) as error:
            logger.warning("socket_without_database", error=type(error).__name__)
            self.outbox.close(Close.GOING_AWAY)
        except Exception:
            logger.exception("socket_failed")
            self.outbox.close(Close.GOING_AWAY)
        finally:
            self._worker = None

    def _seated(self) -> Viewer:
        assert self.viewer is not None  # commands are taken only after coming in
        return self.viewer

    async def _perform(self, viewer: Viewer, message: SeatMessage) -> None:
        """Have a command performed and answer it: `ack` before the view it led to, or `refused`."""
        began = monotonic()
        await watch.ensure_rights(self.hub)
        if self.outbox.closed is not None:
            return
        if viewer.seat is None:
            self.outbox.put(protocol.refused(message.id, "not_seated"))
            metrics.REFUSALS.labels("not_seated").inc()
            return
        if isinstance(message, protocol.Say) and (muted := await self._muted(viewer, message)):
            self.outbox.put(muted)
            metrics.REFUSALS.labels("muted").inc()
            return
        viewer.pending[message.id] = viewer.seat
        answer = await self._submit(viewer.room.table_id, command_of(message, viewer.seat, viewer.user))
        metrics.ACK.observe(monotonic() - began)
        if answer is None:
            self.outbox.close(
                Close.GOING_AWAY
            )  # it may have been taken: the browser asks again under the same id
        elif answer.refusal is None:
            viewer.answer(message.id, protocol.ack(message.id, answer.seq))
        else:
            metrics.REFUSALS.labels(answer.refusal.code).inc()
            viewer.answer(
                message.id, protocol.refused(message.id, answer.refusal.code, answer.refusal.detail)
            )

    async def _muted(self, viewer: Viewer, message: protocol.Say) -> str | None:
        """Return the refusal of a line whose speaker is muted, with the end of that ("": never); None: he may talk."""
        state = viewer.room.state
        if state is not None and viewer.seat is not None and state.accepted(viewer.seat, message.id):
            return None  # it was said before
        muted = await in_database(restrictions.under, "mute", [viewer.user])
        if viewer.user not in muted:
            return None
        until = muted[viewer.user]
        return protocol.refused(message.id, "muted", until.isoformat() if until is not None else "")

    async def _submit(self, table_id: int, command: cmd.Command) -> Any:
        """Perform a command; while the database is away ask again. None: it stayed away."""
        for _ in range(_TRIES):
            try:
                return await writer.writer().submit(table_id, command)
            except TableError as error:
                if error.code != "unavailable":
                    raise
                await asyncio.sleep(_AGAIN_S)
        return None


def caller_of(scope: dict[str, Any]) -> Caller | None:
    """Return who opened a socket, or None when nobody is signed in."""
    user = scope.get("user")
    if user is None or not user.is_authenticated or not user.is_active:
        return None
    return Caller(user.pk, scope["session"].session_key, user.access_version)


def why_not(state: TableState | None) -> str:
    """Return the notice that says why somebody without a seat may not look on."""
    if state is None or state.phase == CLOSED:
        return protocol.notice("table_closed")
    return protocol.notice("no_spectators", "anti_cheat" if state.terms.anti_cheat else "tier")


def command_of(message: SeatMessage, seat: int, player: int) -> cmd.Command:
    """Return the command for a browser's message; seat and player are the socket's own, never the message's."""
    match message:
        case protocol.Act(id, turn, action):
            return cmd.Act(seat, id, turn, action, player)
        case protocol.Ready(id, nonce):
            return cmd.Ready(seat, id, nonce, player)
        case protocol.Stand(id):
            return cmd.Stand(seat, id, player=player)
        case protocol.Trustee(id, on, deal):
            return cmd.Trustee(seat, id, on, player, deal)
        case protocol.Leave(id, deal):
            return cmd.Leave(seat, id, player, deal)
        case protocol.AskLeave(id, deal):
            return cmd.AskLeave(seat, id, player, deal)
        case protocol.AnswerLeave(id, agree, deal, by):
            return cmd.AnswerLeave(seat, id, agree, player, deal, by)
        case protocol.Say():
            return cmd.Say(seat, message.id, _given(message.text), _given(message.phrase), player)
    raise AssertionError(message)


def _given(value: object) -> str | None:
    return value if isinstance(value, str) else None
