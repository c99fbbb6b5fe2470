"""Presence as rows: which process lives, and which sockets of whom it holds at which table.

The process writes what has gathered, openings and endings alike, in one transaction, and renews its beat
every 10 s. If its rows are gone (it slept so long that it was taken for dead), it writes all of them again.
Who is lost, and since when, is for the sweep to say.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from time import monotonic

import structlog
from django.db import transaction

from games import service_time
from games.database import in_database
from games.models import Connection, ServerProcess

logger = structlog.get_logger(__name__)

BEAT_S = 10.0
_AGAIN_S = 1.0


class Mark:
    """One socket's row: `pk` once it is written, `ended` when the socket is gone."""

    __slots__ = ("ended", "pk", "table_id", "user_id", "written")

    def __init__(self, table_id: int, user_id: int) -> None:
        self.table_id = table_id
        self.user_id = user_id
        self.pk: int | None = None
        self.ended = False
        self.written: asyncio.Event = asyncio.Event()


class Presence:
    """The rows of this process. Used on its event loop only."""

    def __init__(self) -> None:
        self.process = uuid.uuid4()
        self._live: set[Mark] = set()
        self._changed: list[Mark] = []
        self._task: asyncio.Task[None] | None = None
        self._beaten: float | None = None  # None: no row of ours yet
        self._unsure = False  # a writing failed, and may have been done all the same

    def begin(self, table_id: int, user_id: int) -> Mark:
        """Mark a socket as open; `written` is set when everybody can see it."""
        mark = Mark(table_id, user_id)
        self._live.add(mark)
        self._note(mark)
        return mark

    def end(self, mark: Mark) -> None:
        """Mark a socket as gone."""
        if not mark.ended:
            mark.ended = True
            mark.written.set()
            self._live.discard(mark)
            self._note(mark)

    async def beat(self, now: float) -> None:
        """Renew this process's row when it is time (`now`: monotonic seconds); what fails is tried again at the
        next call, or a database that is away now and then would make us look dead."""
        before = self._beaten
        if before is None or now - before < BEAT_S or not self._live:
            return
        self._beaten = now
        try:
            kept = await in_database(_renew, self.process)
        except Exception:
            self._beaten = before
            raise
        if not kept:
            logger.warning("presence_was_lost", sockets=len(self._live))
            self._changed = list(self._live)
            for mark in self._live:
                mark.pk = None
            self._write_soon()

    def doubt(self) -> None:
        """Have the row renewed soon: somebody of ours counts as lost, so perhaps we are taken for dead."""
        if self._beaten is not None:
            self._beaten = float("-inf")

    async def flushed(self) -> None:
        """Wait until what has gathered is written."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])

    def _note(self, mark: Mark) -> None:
        self._changed.append(mark)
        self._write_soon()

    def _write_soon(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._changed:
            marks, self._changed = self._changed, []
            opened = [mark for mark in marks if mark.pk is None and not mark.ended]
            ended = [mark.pk for mark in marks if mark.ended and mark.pk is not None]
            facts = [(mark.table_id, mark.user_id) for mark in opened]
            known = [mark.pk for mark in self._live if mark.pk is not None] if self._unsure else None
            try:
                pks = await in_database(_record, self.process, facts, ended, known)
            except Exception as error:
                logger.warning("presence_not_written", error=type(error).__name__)
                self._changed, self._unsure = marks + self._changed, True
                await asyncio.sleep(_AGAIN_S)
                continue
            self._unsure = False
            self._beaten = self._beaten or monotonic()
            for mark, pk in zip(opened, pks, strict=True):
                mark.pk = pk
                mark.written.set()


def _record(
    process: uuid.UUID,
    opened: Sequence[tuple[int, int]],
    ended: Sequence[int],
    known: Sequence[int] | None = None,
) -> list[int]:
    """Write sockets that opened (table, user) and rows that ended; return the new rows' numbers.

    `known`: the only open rows there should have been; any other was written by a call whose answer was lost, and
    would keep its person present for as long as the process lives.
    """
    now = service_time.now()
    with transaction.atomic():
        ServerProcess.objects.update_or_create(pk=process, defaults={"beat_ms": now})
        ours = Connection.objects.filter(process_id=process, closed_ms__isnull=True)
        if known is not None:
            ours.exclude(pk__in=known).update(closed_ms=now)
        if ended:
            ours.filter(pk__in=ended).update(closed_ms=now)
        rows = [Connection(process_id=process, table_id=t, user_id=u, opened_ms=now) for t, u in opened]
        return [row.pk for row in Connection.objects.bulk_create(rows)]


def _renew(process: uuid.UUID) -> bool:
    """Renew the process's beat; False when its row is gone."""
    return bool(ServerProcess.objects.filter(pk=process).update(beat_ms=service_time.now()))


def newest_elsewhere(
    process: uuid.UUID, table_ids: Sequence[int], dead_ms: int = 30_000
) -> dict[tuple[int, int], int]:
    """Return {(table, user): newest open row} of what other living processes hold at these tables."""
    found = Connection.objects.filter(
        table_id__in=table_ids, closed_ms__isnull=True, process__beat_ms__gt=service_time.now() - dead_ms
    ).exclude(process_id=process)
    newest: dict[tuple[int, int], int] = {}
    for table_id, user_id, pk in found.order_by("pk").values_list("table_id", "user_id", "pk"):
        newest[table_id, user_id] = pk
    return newest
