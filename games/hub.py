"""The sockets of this process by table: who is to be sent what, and how they hear of it.

A socket is sent all events after the last one it was sent, in order, once, with the whole view its seat may
have. News comes from commits of this process (`wake`), from hints of others, and from comparing heads every
two seconds; all three lead to the same thing, and losing or doubling any of them changes nothing. A view is
encoded once for each audience.
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Sequence
from time import monotonic

import structlog

from games import failpoints, hints, history, log, protocol, service_time, tables, writer
from games.database import in_database
from games.errors import NewerFormat, TableError, TableGone
from games.presence import Presence
from games.protocol import Close
from games.rooms import Room, Viewer, may_watch, seats_of
from games.table.commands import Connected, Tick
from games.table.events import Event
from games.table.state import TableState
from games.table.views import Common, common_view, hint_view, seat_view

logger = structlog.get_logger(__name__)

_READINGS = 3
_ALARM_AFTER_S = 0.01
_ALARM_WITHIN_S = 60.0


class Hub:
    """The rooms of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.rooms: dict[int, Room] = {}
        self.presence = Presence()
        self.draining = False
        self.views = self.frames = self.catch_ups = self.alarms = 0  # counted since the start
        self._arrived: list[tuple[int, TableState, Sequence[tuple[int, Event]]]] = []
        self._lock = threading.Lock()
        self._clock = (0, 0.0)  # service ms, and when (monotonic s) it was read
        self.tasks: list[asyncio.Task[None]] = []  # kept by `watch`
        self.rights_at = monotonic()  # when rights were last looked up
        self.rights_lock = asyncio.Lock()

    # ---- coming and going

    def join(self, table_id: int) -> Room:
        """Return the room of a table, from now on kept up to date while it has viewers."""
        room = self.rooms.get(table_id)
        if room is None:
            room = self.rooms[table_id] = Room(table_id)
        return room

    async def read(self, room: Room) -> None:
        """Bring a room up to what is in the log now; raise TableGone, NewerFormat."""
        for _ in range(_READINGS):
            after = room.head
            state, events, self._clock = await in_database(_read, room.table_id, after)
            if after == 0 and 0 < room.head < state.seq:
                continue  # another reading was first: ours lacks the events after it
            if room.take(state, events):
                self._spread(room)
            if room.head >= room.wanted:
                return

    def greet(self, viewer: Viewer) -> bool:
        """Send a socket its first view, a snapshot; False when this person may not look on."""
        room, state = viewer.room, viewer.room.state
        assert state is not None
        viewer.seat = seats_of(state).get(viewer.user)
        if viewer.seat is None and not may_watch(state):
            return False
        for older in [v for v in room.viewers if v.user == viewer.user and v is not viewer]:
            older.outbox.put(protocol.notice("replaced"))
            older.outbox.close(Close.REPLACED)
        if room.alarm is None:
            self._set_alarm(room)
        viewer.mark = self.presence.begin(room.table_id, viewer.user)
        self._send_view(viewer, state, [])
        if not self.tell_watchers(room) and room.watchers:
            viewer.outbox.put(protocol.watchers(room.watchers))
        self.welcome_back(viewer)
        return True

    def leave(self, viewer: Viewer) -> None:
        """Forget a socket."""
        room = viewer.room
        room.viewers.discard(viewer)
        if not room.viewers and self.rooms.get(room.table_id) is room:
            del self.rooms[room.table_id]
            for task in (room.reading, room.ranking):
                if task is not None:
                    task.cancel()
            if room.alarm is not None:
                room.alarm.cancel()
        if viewer.mark is not None:
            self.presence.end(viewer.mark)
        if viewer.welcome is not None:
            viewer.welcome.cancel()
        self.tell_watchers(room)

    def tell_watchers(self, room: Room) -> bool:
        """Tell everybody at a table how many look on; False when it is as many as before."""
        now = room.count_watchers()
        if now == room.watchers:
            return False
        room.watchers = now
        frame = protocol.watchers(now)
        for viewer in room.viewers:
            if viewer.sent is not None:
                viewer.outbox.put(frame)
        return True

    def viewers(self) -> list[Viewer]:
        """Return every socket of this process."""
        return [viewer for room in self.rooms.values() for viewer in room.viewers]

    # ---- news

    def arrive(self, table_id: int, state: TableState, events: Sequence[tuple[int, Event]]) -> None:
        """Take news from any thread."""
        if table_id not in self.rooms:
            return
        with self._lock:
            self._arrived.append((table_id, state, events))
            if len(self._arrived) > 1:
                return
        try:
            self.loop.call_soon_threadsafe(self._take_arrived)
        except RuntimeError:  # the loop has ended
            self._arrived.clear()

    def _take_arrived(self) -> None:
        with self._lock:
            arrived, self._arrived = self._arrived, []
        changed: dict[int, Room] = {}
        for table_id, state, events in arrived:
            room = self.rooms.get(table_id)
            if room is None:
                continue
            if room.state is None or (events and events[0][0] > room.head + 1):
                self.hear({table_id: state.seq})  # a hole: another process wrote in between
            elif room.take(state, events):
                changed[table_id] = room
        for room in changed.values():
            self._spread(room)

    def hear(self, heads: dict[int, int]) -> None:
        """Take note of heads as others tell them; rooms that are behind read the log."""
        for table_id, seq in heads.items():
            room = self.rooms.get(table_id)
            if room is None or seq <= room.head:
                continue
            room.wanted = max(room.wanted, seq)
            if room.state is not None and room.reading is None:
                room.reading = self.loop.create_task(self._catch_up(room))

    async def _catch_up(self, room: Room) -> None:
        self.catch_ups += 1
        try:
            await self.read(room)
        except TableGone:
            self.dismiss(room, Close.NOT_ALLOWED)
        except NewerFormat:
            self.dismiss(room, Close.GOING_AWAY)
        except Exception as error:  # the next comparison of heads tries again
            logger.warning("table_not_read", table=room.table_id, error=type(error).__name__)
        finally:
            room.reading = None
            room.wanted = room.head

    def dismiss(self, room: Room, code: Close) -> None:
        """Close every socket of a room."""
        for viewer in room.viewers:
            viewer.outbox.close(code)

    # ---- views

    def now(self) -> int:
        """Return service time without asking the database: the last reading, carried on."""
        service, read_at = self._clock
        return service + int((monotonic() - read_at) * 1000)

    def set_clock(self, clock: tuple[int, float]) -> None:
        """Take a reading of service time (see `read_clock`)."""
        self._clock = clock

    def _spread(self, room: Room) -> None:
        """Send every socket of a room what it has not been sent; new faces and a closed deal are ranked first."""
        if room.ranking is None and room.state is not None and room.ranks.lack(room.state):
            room.ranking = self.loop.create_task(self._rank(room))
        if room.ranking is None:
            self._send_all(room)
        self._set_alarm(room)

    async def _rank(self, room: Room) -> None:
        """Read what the people at a table have come to, then send what waited for it; without it, if need be."""
        try:
            while room.state is not None and (lack := room.ranks.lack(room.state)):
                room.ranks.take(lack, await in_database(history.points_of, lack.users, lack.ruleset))
        except Exception as error:  # the next event tries again
            logger.warning("ranks_not_read", table=room.table_id, error=type(error).__name__)
        finally:
            room.ranking = None
        self._send_all(room)

    async def ranked(self, room: Room) -> None:
        """Wait until what the people at a table have come to is known, or cannot be."""
        if room.ranking is not None:
            await asyncio.wait({room.ranking})

    def _send_all(self, room: Room) -> None:
        """Send what is new; a failing room is closed, to come back."""
        try:
            self._send_news(room)
        except Exception:
            logger.exception("views_failed", table=room.table_id)
            self.dismiss(room, Close.GOING_AWAY)
        room.forget_old()

    def _send_news(self, room: Room) -> None:
        state = room.state
        assert state is not None
        seats = seats_of(state)
        frames: dict[tuple[int | None, int], str] = {}
        common = common_view(state, self.now())
        for viewer in list(room.viewers):
            since = viewer.sent
            if since is None or since >= state.seq:
                continue
            viewer.seat = seats.get(viewer.user)
            for id, seat in list(viewer.pending.items()):
                if (accepted := state.accepted(seat, id)) is not None:
                    viewer.answer(id, protocol.ack(id, accepted))
            key = (viewer.seat, since)
            if key not in frames:
                frames[key] = self._frame(room, state, viewer.seat, room.after(since), common)
            room.tell_why_stood(viewer)
            self._put(viewer, frames[key], state.seq)
            if viewer.seat is None and not may_watch(state):
                viewer.outbox.put(protocol.notice("no_seat"))
                viewer.outbox.close(Close.NOT_ALLOWED)
            self.welcome_back(viewer)
        self.tell_watchers(room)

    def resync(self, viewer: Viewer, seq: int) -> None:
        """Send a socket again what came after `seq`, or say that there is nothing newer."""
        state = viewer.room.state
        if state is None or seq >= state.seq:
            viewer.outbox.put(protocol.head(viewer.room.head), viewer.room.head)
        else:
            self._send_view(viewer, state, viewer.room.after(seq))

    def hint(self, viewer: Viewer, id: str) -> None:
        """Answer which plays are good for a socket's seat, at the table as it is known here."""
        state = viewer.room.state
        if viewer.seat is None or state is None:
            viewer.outbox.put(protocol.refused(id, "not_seated"))
        else:
            viewer.outbox.put(protocol.hint(id, state.turn, hint_view(state, viewer.seat)))

    def _send_view(self, viewer: Viewer, state: TableState, events: list[bytes]) -> None:
        common = common_view(state, self.now())
        self._put(viewer, self._frame(viewer.room, state, viewer.seat, events, common), state.seq)

    def _frame(
        self, room: Room, state: TableState, seat: int | None, events: list[bytes], common: Common
    ) -> str:
        self.views += 1
        people = room.ranks.people(state, seat)
        return protocol.view(state.seq, events, seat_view(state, seat, common), people)

    def _put(self, viewer: Viewer, frame: str, seq: int) -> None:
        self.frames += 1
        viewer.outbox.put(frame, seq)
        viewer.sent = seq

    def welcome_back(self, viewer: Viewer) -> None:
        """Have a seat that counts as lost connected again: its player is here. Asked again every two seconds."""
        state = viewer.room.state
        if (
            viewer.seat is None
            or viewer.welcome is not None
            or state is None
            or viewer.outbox.closed is not None
        ):
            return
        sitter = state.seats[viewer.seat]
        if sitter is not None and sitter.lost_since is not None:
            self.presence.doubt()
            viewer.welcome = self.loop.create_task(_connected(viewer, viewer.seat))

    # ---- deadlines

    def _set_alarm(self, room: Room) -> None:
        """Tick the table at its next deadline; the sweep does it too, only less to the point."""
        state = room.state
        deadline = None if state is None else state.deadline
        wait_s = max(0, deadline - self.now()) / 1000 + _ALARM_AFTER_S if deadline is not None else math.inf
        if room.alarm is not None:
            if room.alarm.when() <= self.loop.time() + wait_s:
                return  # it rings no later, and looks again
            room.alarm.cancel()
            room.alarm = None
        if wait_s < _ALARM_WITHIN_S:
            room.alarm = self.loop.call_later(wait_s, self._ring, room)

    def _ring(self, room: Room) -> None:
        room.alarm = None
        state = room.state
        if self.draining or state is None or state.deadline is None:
            return
        if self.now() < state.deadline:
            self._set_alarm(room)
            return
        self.alarms += 1
        ticking = writer.writer().submit(room.table_id, Tick())
        ticking.add_done_callback(_note_failure)


def _note_failure(done: asyncio.Future[tables.Answer]) -> None:
    """Take note of a tick that failed: the sweep comes to it again."""
    if not done.cancelled() and (error := done.exception()) is not None:
        logger.info("alarm_failed", error=type(error).__name__)


async def _connected(viewer: Viewer, seat: int) -> None:
    """Perform Connected for a seat, once everybody can see its player's socket."""
    try:
        if viewer.mark is not None:
            await viewer.mark.written.wait()
        await writer.writer().submit(viewer.room.table_id, Connected(seat, viewer.user))
    except TableError as error:
        logger.info("not_welcomed", table=viewer.room.table_id, code=error.code)
    finally:
        viewer.welcome = None


def read_clock() -> tuple[int, float]:
    """Read service time (in a database thread)."""
    return service_time.now(), monotonic()


def _read(table_id: int, after: int) -> tuple[TableState, Sequence[tuple[int, Event]], tuple[int, float]]:
    """Return a table's newest state and what happened after an event (nothing after 0: a first reading)."""
    failpoints.reach("before_read")
    state = tables.state_of(table_id)
    events = log.events_after(table_id, after) if 0 < after < state.seq else []
    return state, events, read_clock()


# ---- this process's hub

_hub: Hub | None = None


def here() -> Hub:
    """Return the hub of the running loop; the first call starts its tasks."""
    global _hub
    loop = asyncio.get_running_loop()
    if _hub is None or _hub.loop is not loop:
        from games import watch

        _hub = Hub(loop)
        watch.start(_hub)
    return _hub


def of_process() -> Hub | None:
    """Return the hub of this process, whatever thread asks: to look, not to touch."""
    return _hub


def opens_deals() -> bool:
    """Say whether this process may open a deal: not while it sends everybody away."""
    hub = _hub
    return hub is None or not hub.draining or hub.loop.is_closed()


def running() -> Hub | None:
    """Return the hub of the running loop, None before its first socket."""
    return _hub if _hub is not None and _hub.loop is asyncio.get_running_loop() else None


def wake(table_id: int, state: TableState, events: Sequence[tuple[int, Event]]) -> None:
    """Hear of a commit of this process; called in any thread right after it."""
    hub = _hub
    if hub is not None:
        hub.arrive(table_id, state, events)
    failpoints.reach("before_hint")
    if hints.wanted():
        hints.publisher.tell(table_id, state.seq)
