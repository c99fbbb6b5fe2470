"""The log of tables: the only code that reads and appends it.

Appending is one compare-and-swap on `Table.seq` (and on its format) and one insert of the winners' events, for any
number of tables in one transaction. A table that another process holds or has moved on is simply not among the
winners; its caller loads what is new and decides again. Each stored body begins with the wall time at which it was
written, and each digest covers the digest before it and the exact bytes of the body.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from games import failpoints
from games.dealing import SECRETS, SecretUnreadable
from games.engine.errors import EngineError
from games.errors import LogBroken, NewerFormat, TableGone
from games.models import Table, TableEvent
from games.table import events as ev
from games.table.errors import FormatError
from games.table.events import Event
from games.table.evolve import fold
from games.table.state import TableState
from games.table.terms import rules_of

FORMAT = ev.FORMAT
GENESIS = b""


class Loaded(NamedTuple):
    """A table as this process knows it: the folded state and the digest of its last event."""

    state: TableState
    digest: bytes


class Change(NamedTuple):
    """What one decision wants to append: events after `old.state.seq`, and the state they lead to."""

    table_id: int
    old: Loaded
    events: Sequence[Event]
    state: TableState


def stamp(event: Event, wall: int) -> bytes:
    """Return the exact bytes stored for an event: its encoding with the wall time (ms) put first."""
    return b'{"wall":%d,' % wall + ev.encode(event)[1:]


def parse(body: str | bytes) -> Event:
    """Return the event of a stored body; raise NewerFormat for what this release does not know."""
    data = json.loads(body)
    data.pop("wall", None)
    try:
        return ev.from_json(data)
    except FormatError as error:
        raise NewerFormat(str(error)) from error


def load(table_id: int) -> Loaded:
    """Fold a table from its last deal's opening event (or its own); raise TableGone, NewerFormat, LogBroken."""
    row = Table.objects.filter(pk=table_id).values_list("opening_seq", "format").first()
    if row is None:
        raise TableGone(str(table_id))
    if row[1] > FORMAT:
        raise NewerFormat(f"format {row[1]}")
    return _folded(None, _rows(table_id, row[0] - 1))


def catch_up(table_id: int, known: Loaded) -> Loaded:
    """Fold what was appended since `known`; the same value when there is nothing new."""
    rows = _rows(table_id, known.state.seq)
    return _folded(known, rows) if rows else known


def _rows(table_id: int, after: int) -> list[tuple[int, str, bytes]]:
    found = TableEvent.objects.filter(table_id=table_id, seq__gt=after).order_by("seq")
    return [(seq, body, bytes(digest)) for seq, body, digest in found.values_list("seq", "body", "digest")]


def _folded(known: Loaded | None, rows: Sequence[tuple[int, str, bytes]]) -> Loaded:
    events = [parse(body) for _, body, _ in rows]
    try:
        for event in events:
            if isinstance(event, ev.DealOpened):
                size = rules_of(event.ruleset, event.rules_version).deck_size
                SECRETS.learn(event.deal, event.nonces, size)
        state = fold(known.state if known else None, events, SECRETS)
    except FormatError as error:
        raise NewerFormat(error.detail) from error
    except (EngineError, SecretUnreadable, LookupError, TypeError, ValueError) as error:
        raise LogBroken(f"{type(error).__name__}: {error}") from error
    return Loaded(state, rows[-1][2])


def events_after(table_id: int, seq: int) -> list[tuple[int, Event]]:
    """Return the events of a table after number `seq`, in order."""
    return [(number, parse(body)) for number, body, _ in _rows(table_id, seq)]


def bodies(table_id: int, first: int, last: int) -> list[tuple[int, str]]:
    """Return the stored bodies of the events numbered first to last, both included."""
    found = TableEvent.objects.filter(table_id=table_id, seq__gte=first, seq__lte=last).order_by("seq")
    return list(found.values_list("seq", "body"))


def closings(deals: Iterable[tuple[int, int]]) -> list[str]:
    """Return the bodies of the closing events at (table id, number) of the log, in one query."""
    wanted = set(deals)
    found = TableEvent.objects.filter(
        table_id__in={table for table, _ in wanted}, seq__in={seq for _, seq in wanted}, kind="deal_closed"
    )
    rows = found.values_list("table_id", "seq", "body") if wanted else ()
    return [body for table, seq, body in rows if (table, seq) in wanted]


def heads(table_ids: Iterable[int]) -> dict[int, int]:
    """Return the number of the newest event of each table, in one query."""
    return dict(Table.objects.filter(pk__in=list(table_ids)).values_list("pk", "seq"))


def begin(table_id: int, event: Event, wall: int) -> Loaded:
    """Append the first event of a new table, in the transaction that makes its row."""
    state = fold(None, [event], SECRETS)
    body = stamp(event, wall)
    digest = ev.chain(GENESIS, body)
    TableEvent.objects.create(
        table_id=table_id, seq=1, kind=ev.kind_of(event), body=body.decode(), digest=digest
    )
    return Loaded(state, digest)


def append(changes: Sequence[Change], wall: int) -> dict[int, bytes]:
    """Append the events of many tables in the open transaction; return {table id: last digest} of the winners.

    A change loses when its table is not where the decision found it, is kept in a newer format, or (PostgreSQL) is
    locked by another transaction just now. At most one change a table.
    """
    won = _swap(changes)
    failpoints.reach("after_swap")
    rows: list[tuple[int, int, str, str, bytes]] = []
    digests: dict[int, bytes] = {}
    for change in changes:
        if change.table_id not in won:
            continue
        digest, seq = change.old.digest, change.old.state.seq
        for event in change.events:
            body, seq = stamp(event, wall), seq + 1
            digest = ev.chain(digest, body)
            rows.append((change.table_id, seq, ev.kind_of(event), body.decode(), digest))
        digests[change.table_id] = digest
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO games_tableevent (table_id, seq, kind, body, digest) VALUES (%s, %s, %s, %s, %s)",
                rows,
            )
        failpoints.reach("after_insert")
    return digests


def _swap(changes: Sequence[Change]) -> set[int]:
    """Move the heads of the tables that are still where we found them; return their ids."""
    facts = [(c.table_id, c.old.state.seq, c.state.seq, c.state.deadline) for c in changes]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_SWAP_POSTGRESQL, [list(column) for column in zip(*facts, strict=True)] + [FORMAT])
        else:
            values = ",".join(["(%s,%s,%s,%s)"] * len(facts))
            cursor.execute(_SWAP_SQLITE % values, [x for fact in facts for x in fact] + [FORMAT])
        return {row[0] for row in cursor.fetchall()}


# The values go in by parameters; only the number of rows is formatted into the statement.
_SWAP_SQLITE = (
    "WITH v(id, old, new, due) AS (VALUES %s) "
    "UPDATE games_table SET seq = v.new, deadline = v.due FROM v "
    "WHERE games_table.id = v.id AND games_table.seq = v.old AND games_table.format <= %%s RETURNING games_table.id"
)
_SWAP_POSTGRESQL = (
    "WITH v AS (SELECT * FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::bigint[]) AS v(id, old, new, due)), "
    "l AS (SELECT t.id, v.new, v.due FROM games_table t JOIN v ON t.id = v.id AND t.seq = v.old "
    "WHERE t.format <= %s ORDER BY t.id FOR UPDATE OF t SKIP LOCKED) "
    "UPDATE games_table t SET seq = l.new, deadline = l.due FROM l WHERE t.id = l.id RETURNING t.id"
)


def moment() -> Any:
    """Return the present as a parameter of a raw statement."""
    return connection.ops.adapt_datetimefield_value(timezone.now())


def lock(table_id: int) -> int:
    """Lock a table until the transaction ends and return its head; raise TableGone, NewerFormat."""
    suffix = " FOR UPDATE" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT seq, format FROM games_table WHERE id = %s{suffix}", [table_id])
        row = cursor.fetchone()
    if row is None:
        raise TableGone(str(table_id))
    if row[1] > FORMAT:
        raise NewerFormat(f"format {row[1]}")
    return int(row[0])


def note(table_id: int, status: str, opening_seq: int | None) -> None:
    """Bring a locked table's row along: its status, and where its newest deal opened if one did (else None)."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_table SET status = %s, opening_seq = COALESCE(%s, opening_seq) WHERE id = %s",
            [status, opening_seq, table_id],
        )


def verify_chain(table_id: int) -> list[str]:
    """Return what is wrong with a table's log: gaps, broken digests, a head that is not the newest event."""
    faults: list[str] = []
    digest, expected = GENESIS, 1
    for seq, body, stored in _rows(table_id, 0):
        if seq != expected:
            faults.append(f"event {expected} is missing")
            expected = seq
        digest = ev.chain(digest, body.encode())
        if digest != stored:
            faults.append(f"event {seq} does not match its digest")
            digest = stored
        expected += 1
    head = Table.objects.filter(pk=table_id).values_list("seq", flat=True).first()
    if head != expected - 1:
        faults.append(f"the head says {head}, the log ends at {expected - 1}")
    return faults


class Link(NamedTuple):
    """A stored event and whether it follows, byte for byte, from the digest before it."""

    seq: int
    body: str
    digest: bytes
    holds: bool


def links(table_id: int, first: int, last: int) -> list[Link]:
    """Return the events numbered first to last as they are stored, each held against its digest."""
    found = TableEvent.objects.filter(table_id=table_id, seq__gte=first - 1, seq__lte=last).order_by("seq")
    checked: list[Link] = []
    before, expected = GENESIS, first
    for seq, body, stored in found.values_list("seq", "body", "digest"):
        digest = bytes(stored)
        if seq >= first:
            holds = seq == expected and ev.chain(before, body.encode()) == digest
            checked.append(Link(seq, body, digest, holds))
            expected = seq + 1
        before = digest
    return checked


def facts_of(deal_ids: Sequence[str]) -> Mapping[str, tuple[int, int, int | None]]:
    """Return {deal id: (table id, first event, last event or None)}."""
    from games.models import Deal

    found = Deal.objects.filter(pk__in=list(deal_ids)).values_list(
        "pk", "table_id", "opened_seq", "closed_seq"
    )
    return {pk: (table, first, last) for pk, table, first, last in found}
