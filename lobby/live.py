"""The live lobby: one poller for all of this process's lobby sockets.

Once a second, while somebody looks on, it reads the figures of the house and what is each viewer's own, with the same
few queries for one socket as for thousands, and sends what has changed. Nobody signals anything here: a lost channel
layer, a match made by another process and a change by the staff's desk all look the same. The words:

    {"type":"lobby","seq","tiers":{code:{"players","tables","waiting","open"}},"tables":{code:[{"code","seats":[name or
        null]}]},"busy":{"people","tables","waiting","here"}}   the first one whole, then only tiers, lists and figures
        that changed; a tier without an open table has an empty list
    {"type":"you","seq","balance","seat","ticket","refused"}    to its owner alone: coins, table of the live seat, tier
        waited in, and whether that was refused
    {"type":"match","table"}    to who waited: a match was found, there is your seat
    {"type":"head","seq"}       a sign of life, every 15 s

A browser only answers `{"type":"pong","seq"}`. Limits and close codes are those of `games.protocol`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

import structlog

from games import protocol, watch
from games.database import in_database
from games.hints import Trouble
from games.outbox import Outbox
from games.protocol import HEARTBEAT_S, Close
from games.watch import Rights
from lobby import figures, services
from lobby.figures import Figures, Mine

logger = structlog.get_logger(__name__)

PERIOD_S = 1.0
RIGHTS_EVERY = 3  # looks
LIFE_EVERY = 10  # looks; a ticket without a sign of life is dropped after 30 s


class Person(NamedTuple):
    """Whose socket it is: what rights are looked up by (`games.watch.Visitor`)."""

    user: int
    session: str | None
    version: int


class Viewer:
    """One socket: whose it is (None: somebody signed out), and what it was told last."""

    __slots__ = ("greeted", "mine", "outbox", "person")

    def __init__(self, person: Person | None, outbox: Outbox) -> None:
        self.person = person
        self.outbox = outbox
        self.greeted = False
        self.mine: Mine | None = None


class Look(NamedTuple):
    """What one look at the database saw; `mine` and `rights` of those it was asked for."""

    figures: Figures
    mine: dict[int, Mine]
    rights: Rights | None


def look(users: Collection[int], sessions: Collection[str] | None, waiting: Collection[int]) -> Look:
    """Read everything once (in a database thread); rights only when sessions are given.

    `waiting`: whose tickets are to be kept alive.
    """
    if waiting:
        services.keep_waiting(user_ids=waiting)
    rights = None if sessions is None else watch.rights_of(users, sessions)
    return Look(figures.figures(), figures.of_people(users), rights)


class Hall:
    """The lobby's sockets of one event loop, and their poller."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.viewers: set[Viewer] = set()
        self.draining = False
        self.looks = 0  # counted since the start; the number of the last one is the `seq` of what it led to
        self._figures: Figures | None = None
        self._whole: str | None = None  # the frame of `_figures`
        self._poller: asyncio.Task[None] | None = None
        self._trouble = Trouble("lobby_not_read")

    # ---- coming and going

    def enter(self, viewer: Viewer) -> None:
        """Take a socket in: it is told what is known at once, and from then on what changes."""
        if self.draining:
            viewer.outbox.close(Close.GOING_AWAY)
            return
        self.viewers.add(viewer)
        if self._poller is None:
            self._poller = self.loop.create_task(self._poll_for_ever())
        elif self._figures is not None:
            self._greet(viewer)

    def leave(self, viewer: Viewer) -> None:
        """Forget a socket; with the last one the polling ends."""
        self.viewers.discard(viewer)
        if not self.viewers:
            self._stop_polling()

    def _stop_polling(self) -> None:
        if self._poller is not None:
            self._poller.cancel()
        self._poller = self._figures = self._whole = None

    async def drain(self, spread_s: float, wait_s: float) -> None:
        """Send everybody away to come back elsewhere."""
        self.draining = True
        leaving = list(self.viewers)
        for viewer in leaving:
            await asyncio.sleep(spread_s / len(leaving))
            viewer.outbox.close(Close.GOING_AWAY)
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(viewer.outbox.flushed() for viewer in leaving)), wait_s)
        self._stop_polling()

    # ---- looking

    async def _poll_for_ever(self) -> None:
        due = self.loop.time()
        while True:
            try:
                await self.poll()
                self._trouble.is_over()
            except Exception as error:
                self._trouble.is_here(error)
            self._feel_pulse()
            due = max(due + PERIOD_S, self.loop.time())
            await asyncio.sleep(due - self.loop.time())

    async def poll(self) -> None:
        """Look once, and tell everybody what is new to him."""
        people = {viewer.person for viewer in self.viewers if viewer.person is not None}
        users = {person.user for person in people}
        sessions = {person.session for person in people if person.session is not None}
        seen = await in_database(
            look,
            users,
            sessions if self.looks % RIGHTS_EVERY == 0 else None,
            self._who_waits() if self.looks % LIFE_EVERY == 0 else (),
        )
        self.looks += 1
        self._tell_figures(seen.figures)
        for viewer in list(self.viewers):
            if viewer.person is None:
                continue
            if seen.rights is not None and viewer.person in people:
                self._check_rights(viewer, viewer.person, seen.rights)
            if viewer.person.user in seen.mine:
                self._tell_mine(viewer, seen.mine[viewer.person.user])

    def _who_waits(self) -> set[int]:
        told = ((viewer.person, viewer.mine) for viewer in self.viewers)
        return {person.user for person, mine in told if person and mine and mine.ticket and not mine.refused}

    # ---- telling

    def _tell_figures(self, now: Figures) -> None:
        before, self._figures = self._figures, now
        news = changes(before, now) if before is not None else None
        if news is not None:
            self._whole = None
        frame = lobby_frame(self.looks, news) if news is not None else None
        for viewer in list(self.viewers):
            if not viewer.greeted:
                self._greet(viewer)
            elif frame is not None:
                viewer.outbox.put(frame, self.looks)

    def _greet(self, viewer: Viewer) -> None:
        assert self._figures is not None
        if self._whole is None:
            self._whole = lobby_frame(self.looks, self._figures)
        viewer.greeted = True
        viewer.outbox.put(self._whole, self.looks)

    def _tell_mine(self, viewer: Viewer, mine: Mine) -> None:
        before, viewer.mine = viewer.mine, mine
        if mine == before:
            return
        viewer.outbox.put(you_frame(self.looks, mine), self.looks)
        if before is not None and before.ticket and mine.seat and not mine.ticket:
            viewer.outbox.put(match_frame(mine.seat))

    def _check_rights(self, viewer: Viewer, person: Person, rights: Rights) -> None:
        if (code := watch.verdict(person, rights)) is not None:
            viewer.outbox.close(code)

    def _feel_pulse(self) -> None:
        """Close sockets that read nothing, say "still here" to idle ones."""
        now, head = monotonic(), protocol.head(self.looks)
        for viewer in list(self.viewers):
            if viewer.outbox.overdue(now):
                viewer.outbox.close(Close.TOO_SLOW)
            elif now - viewer.outbox.last_put >= HEARTBEAT_S:
                viewer.outbox.put(head, self.looks)


# ---- what changed, and the frames of it


def changes(before: Figures, now: Figures) -> Figures | None:
    """Return what of the figures is not as it was, None when everything is."""
    tiers = {code: tier for code, tier in now.tiers.items() if before.tiers.get(code) != tier}
    tables = {
        code: now.tables.get(code, [])
        for code in {**before.tables, **now.tables}
        if before.tables.get(code) != now.tables.get(code)
    }
    busy = {name: figure for name, figure in now.busy.items() if before.busy.get(name) != figure}
    return Figures(tiers, tables, busy) if tiers or tables or busy else None


def lobby_frame(seq: int, news: Figures) -> str:
    """Return the frame of figures, whole or changed; what is empty is left out."""
    parts = {name: part for name, part in news._asdict().items() if part}
    return protocol.encode_json({"type": "lobby", "seq": seq, **parts}).decode()


def you_frame(seq: int, mine: Mine) -> str:
    """Return the frame of what is somebody's own."""
    return protocol.encode_json({"type": "you", "seq": seq, **mine._asdict()}).decode()


def match_frame(table_code: str) -> str:
    """Return the frame that says: your match was found."""
    return protocol.encode_json({"type": "match", "table": table_code}).decode()


# ---- this process's hall

_hall: Hall | None = None


def of_process() -> Hall | None:
    """Return the hall of this process, whatever thread asks: to look, not to touch."""
    return _hall


def here() -> Hall:
    """Return the hall of the running loop."""
    global _hall
    loop = asyncio.get_running_loop()
    if _hall is None or _hall.loop is not loop:
        _hall = Hall(loop)
    return _hall


async def drain(spread_s: float = 0.0, wait_s: float = 1.0) -> None:
    """Send this process's lobby sockets away to come back elsewhere, spread over `spread_s` seconds."""
    if _hall is not None and _hall.loop is asyncio.get_running_loop():
        await _hall.drain(spread_s, wait_s)
