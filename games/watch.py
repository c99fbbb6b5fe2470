"""What each process does by itself for its sockets, every two seconds: compare heads, rights and signs of
life, and stand in for a sweeper that is not there.

Nothing else is a guarantee; commits and hints only make it faster.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection
from time import monotonic
from typing import NamedTuple, Protocol

import structlog
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts import selectors as accounts
from accounts.selectors import Access
from games import computers, hints, log, metrics, presence, protocol, writer
from games import hub as hubs
from games.database import in_database
from games.hub import Hub, read_clock
from games.protocol import HEARTBEAT_S, Close
from games.rooms import Viewer

logger = structlog.get_logger(__name__)

PERIOD_S = 2.0
RIGHTS_S = 5.0  # rights are never older when a command is taken
_AT_ONCE = 500


class Rights(NamedTuple):
    """Which of the asked people and sessions there are now."""

    access: dict[int, Access]
    sessions: set[str]


class Visitor(Protocol):
    """Whose socket it is: as much as rights are looked up by. `version`: of the access it was opened under."""

    @property
    def user(self) -> int: ...
    @property
    def session(self) -> str | None: ...
    @property
    def version(self) -> int: ...


_chores: list[Callable[[], object]] = []


def also(chore: Callable[[], object]) -> None:
    """Have a function run every two seconds, in a database thread of each process with sockets."""
    if chore not in _chores:
        _chores.append(chore)


def start(hub: Hub) -> None:
    """Start the tasks of a hub; they run as long as its loop."""
    jobs: list[Callable[[Hub], Awaitable[None]]] = [compare_heads, check_rights, feel_pulse, do_chores]
    hub.tasks = [hub.loop.create_task(_repeat(job, hub)) for job in jobs]
    computers.start(hub.loop)
    if hints.wanted():
        hub.tasks.append(hub.loop.create_task(hints.listen(hub.hear)))


async def stop(hub: Hub) -> None:
    """End the tasks of a hub."""
    computers.stop()
    for task in hub.tasks:
        task.cancel()
    await asyncio.gather(*hub.tasks, return_exceptions=True)


async def _repeat(job: Callable[[Hub], Awaitable[None]], hub: Hub) -> None:
    while True:
        await asyncio.sleep(PERIOD_S)
        try:
            await job(hub)
        except Exception as error:
            logger.warning(
                "socket_watch_failed", job=getattr(job, "__name__", ""), error=type(error).__name__
            )


async def compare_heads(hub: Hub) -> None:
    """Read the tables whose log went on without our hearing of it."""
    table_ids = list(hub.rooms)
    for start in range(0, len(table_ids), _AT_ONCE):
        heads = await in_database(log.heads, table_ids[start : start + _AT_ONCE])
        rooms = [(hub.rooms[table], head) for table, head in heads.items() if table in hub.rooms]
        metrics.HINTS_LOST.inc(
            sum(room.head > 0 and max(room.head, room.wanted) < head for room, head in rooms)
        )
        hub.hear(heads)
    hub.set_clock(await in_database(read_clock))


async def do_chores(hub: Hub) -> None:
    """Do what other modules asked for."""
    for chore in _chores:
        await in_database(chore)


async def check_rights(hub: Hub) -> None:
    """Close the sockets of people who signed out or may not play any more."""
    async with hub.rights_lock:
        asked_at, viewers = monotonic(), hub.viewers()
        for start in range(0, len(viewers), _AT_ONCE):
            some = viewers[start : start + _AT_ONCE]
            users = {viewer.user for viewer in some}
            sessions = {viewer.session for viewer in some if viewer.session is not None}
            rights = await in_database(rights_of, users, sessions)
            for viewer in some:
                if (code := verdict(viewer, rights)) is not None:
                    viewer.outbox.close(code)
        hub.rights_at = asked_at


async def ensure_rights(hub: Hub) -> None:
    """Look rights up again unless they are young enough to take a command on."""
    if monotonic() - hub.rights_at > RIGHTS_S:
        await check_rights(hub)


def rights_of(users: Collection[int], sessions: Collection[str]) -> Rights:
    """Return the rights of people and sessions now, in one query each."""
    living = Session.objects.filter(session_key__in=sessions, expire_date__gt=timezone.now())
    return Rights(accounts.access(users), set(living.values_list("session_key", flat=True)))


def verdict(viewer: Visitor, rights: Rights) -> Close | None:
    """Return the code to close a socket with: signed out, barred, or to come back under changed access."""
    access = rights.access.get(viewer.user)
    if access is None or (viewer.session is not None and viewer.session not in rights.sessions):
        return Close.SIGNED_OUT
    if not access.may_play:
        return Close.NOT_ALLOWED
    return Close.GOING_AWAY if access.version != viewer.version else None


async def feel_pulse(hub: Hub) -> None:
    """Close sockets that read nothing, say "still here" to idle ones, renew our own sign of life.

    Whoever counts as lost while his socket is open is welcomed again: the first time may have failed, or have come
    just before the sweep found him lost.
    """
    now = monotonic()
    for viewer in hub.viewers():
        outbox = viewer.outbox
        if outbox.overdue(now):
            outbox.close(Close.TOO_SLOW)
        elif viewer.sent is not None and now - outbox.last_put >= HEARTBEAT_S:
            outbox.put(protocol.head(viewer.room.head), viewer.sent)
        hub.welcome_back(viewer)
    await hub.presence.beat(now)
    await _step_back(hub)


async def _step_back(hub: Hub) -> None:
    """Close sockets whose player opened a newer one at the same table in another process; count who looks on there."""
    marked = {
        (v.room.table_id, v.user): v for v in hub.viewers() if v.mark is not None and v.mark.pk is not None
    }
    table_ids = list({table_id for table_id, _ in marked})
    for start in range(0, len(table_ids), _AT_ONCE):
        some = table_ids[start : start + _AT_ONCE]
        newest = await in_database(presence.newest_elsewhere, hub.presence.process, some)
        for room in [hub.rooms[table_id] for table_id in some if table_id in hub.rooms]:
            room.elsewhere = frozenset(user for table_id, user in newest if table_id == room.table_id)
            hub.tell_watchers(room)
        for key, pk in newest.items():
            viewer = marked.get(key)
            if viewer is not None and viewer.mark is not None and (viewer.mark.pk or pk) < pk:
                viewer.outbox.put(protocol.notice("replaced"))
                viewer.outbox.close(Close.REPLACED)


async def drain(spread_s: float = 0.0, wait_s: float = 5.0) -> None:
    """Send everybody of this process away to come back elsewhere, spread over `spread_s` seconds.

    Until his moment each plays on; but no deal is opened here any more. What was taken is answered before its socket
    is closed, what waits for the writer is committed, and that they left is written down; all that within `wait_s`.
    """
    hub = hubs.running()
    if hub is None:
        return
    hub.draining = True
    computers.stop()
    leaving = hub.viewers()
    random.shuffle(leaving)
    step = spread_s / max(1, len(leaving))
    moments = [step * (place + random.random()) for place in range(len(leaving))]
    await asyncio.gather(*(_send_away(hub, *one, wait_s) for one in zip(leaving, moments, strict=True)))
    for viewer in hub.viewers():  # who was on the way in
        viewer.outbox.close(Close.GOING_AWAY)
    try:
        async with asyncio.timeout(wait_s):
            await asyncio.gather(*(viewer.outbox.flushed() for viewer in leaving), hub.presence.flushed())
            await asyncio.to_thread(writer.stop)
    except TimeoutError:
        logger.warning("drained_late", sockets=len(leaving))
    await stop(hub)


async def _send_away(hub: Hub, viewer: Viewer, after_s: float, wait_s: float) -> None:
    """Close one socket after so long, once the commands it gave are answered."""
    await asyncio.sleep(after_s)
    outbox = viewer.outbox
    outbox.last_call = True
    deadline = monotonic() + wait_s
    while viewer.pending and outbox.closed is None and monotonic() < deadline:
        await asyncio.sleep(0.01)
    outbox.close(Close.GOING_AWAY)
    if viewer.mark is not None:
        hub.presence.end(viewer.mark)
