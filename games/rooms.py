"""What a process knows of the tables somebody here looks at, and of the sockets that do."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence

from games import protocol
from games.outbox import Outbox
from games.presence import Mark
from games.ranks import Ranks
from games.table.events import Event, Stood
from games.table.state import TableState
from games.table.views import OWN_REASONS, event_view

KEPT_EVENTS = 64  # a resync from further behind is a snapshot


class Viewer:
    """One socket at a table: whose it is, what it was sent, and which of its commands wait for an answer."""

    __slots__ = ("mark", "outbox", "pending", "room", "seat", "sent", "session", "user", "version", "welcome")

    def __init__(self, room: Room, user: int, session: str | None, version: int, outbox: Outbox) -> None:
        self.room = room
        self.user = user
        self.session = session
        self.version = version  # of the user's access when the socket was opened
        self.outbox = outbox
        self.seat: int | None = None
        self.sent: int | None = None  # None: not greeted yet
        self.pending: dict[str, int] = {}  # command id → seat it was given for
        self.mark: Mark | None = None
        self.welcome: asyncio.Task[None] | None = None

    def answer(self, id: str, frame: str) -> None:
        """Send the answer to a command, unless it went out before a view already."""
        if self.pending.pop(id, None) is not None:
            self.outbox.put(frame)


class Room:
    """What this process knows of a table somebody here looks at."""

    __slots__ = (
        "alarm",
        "elsewhere",
        "events",
        "ranking",
        "ranks",
        "reading",
        "state",
        "stood",
        "table_id",
        "viewers",
        "wanted",
        "watchers",
    )

    def __init__(self, table_id: int) -> None:
        self.table_id = table_id
        self.viewers: set[Viewer] = set()
        self.elsewhere: frozenset[int] = (
            frozenset()
        )  # people whose sockets other processes hold, as read last
        self.watchers = 0  # how many people look on, as told last
        self.state: TableState | None = None
        self.stood: dict[
            int, str
        ] = {}  # why people had to stand up, for each of them alone, until he is told
        self.events: deque[tuple[int, bytes]] = deque()  # encoded, without holes, up to the head
        self.wanted = 0  # somebody told us of this event
        self.reading: asyncio.Task[None] | None = None
        self.alarm: asyncio.TimerHandle | None = None
        self.ranks = Ranks()
        self.ranking: asyncio.Task[None] | None = None  # while the ranks are read, views wait for them

    @property
    def head(self) -> int:
        """The newest event known here; 0 before the first reading."""
        return self.state.seq if self.state is not None else 0

    def take(self, state: TableState, events: Sequence[tuple[int, Event]]) -> bool:
        """Go on to a newer state; events that do not join what is here leave just the state. False: old."""
        if state.seq <= self.head:
            return False
        fresh = [(seq, event) for seq, event in events if self.head < seq <= state.seq]
        if len(fresh) != state.seq - self.head:
            self.events.clear()
        else:
            self._note_stood(event for _, event in fresh)
            self.events.extend(
                (seq, protocol.encode_json({"seq": seq, **event_view(event)})) for seq, event in fresh
            )
        self.state = state
        return True

    def _note_stood(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Stood) and event.reason in OWN_REASONS and self.state is not None:
                sitter = self.state.seats[event.seat]
                if sitter is not None and sitter.user is not None:
                    self.stood[sitter.user] = event.reason

    def tell_why_stood(self, viewer: Viewer) -> None:
        """Tell a viewer without a seat, before the view that says so, why he alone had to stand up."""
        if viewer.seat is None and viewer.user in self.stood:
            viewer.outbox.put(protocol.notice("stood", self.stood[viewer.user]))

    def count_watchers(self) -> int:
        """Return how many people without a seat look on, here and in other processes."""
        here = {viewer.user for viewer in self.viewers if viewer.sent is not None}
        return len((here | self.elsewhere) - seats_of(self.state).keys()) if self.state is not None else 0

    def forget_old(self) -> None:
        """Drop what everybody has been sent, but for the events a resync may ask for."""
        self.stood.clear()
        while len(self.events) > KEPT_EVENTS:
            self.events.popleft()

    def after(self, seq: int) -> list[bytes]:
        """Return the encoded events after `seq`, or none when they are not all here."""
        if not self.events or self.events[0][0] > seq + 1:
            return []
        return [self.events[at][1] for at in range(seq - self.events[-1][0], 0)]


def seats_of(state: TableState) -> dict[int, int]:
    """Return {user: seat} of the people at a table."""
    return {
        sitter.user: index for index, sitter in enumerate(state.seats) if sitter and sitter.user is not None
    }


def may_watch(state: TableState) -> bool:
    """Say whether people without a seat may look on."""
    return not state.terms.anti_cheat and bool(state.terms.raw.get("spectators", True))
