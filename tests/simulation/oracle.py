"""Who follows every log by himself, and says at each step whether the house kept its promises.

He reads rows by plain SQL, folds each event once, and compares: processes' memories, what sockets were sent, clocks,
and (`books`) coins. What breaks a promise raises Violation.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from games import dealing, protocol, service_time, tables
from games.engine.cards import NAMES
from games.table import clocks
from games.table import events as ev
from games.table.evolve import evolve
from games.table.state import TableState, expires
from games.table.terms import rules_of
from games.table.views import event_view
from tests.simulation.books import Books

if TYPE_CHECKING:
    from tests.simulation.house import House
    from tests.simulation.page import Page
    from tests.simulation.processes import Process

_CARD = re.compile(r"(?<![0-9A-Za-z])(?:[3-9TJQKA2][dchs]|BJ|RJ)(?![0-9A-Za-z])")
_LISTS = re.compile(r'"unseen":"[^"]*"|"plays":\{[^}]*\}|"duty":"3d"')
_BY_CLOCK = ("time_out", "trustee", "away", "absence")
_LATE_MS = 2_000


class Violation(BaseException):
    """A promise that was not kept (of a kind that no product code takes for its own)."""


class Moment(NamedTuple):
    """What was so after one event: the table, when it was found (virtual ms), the event as browsers get it."""

    state: TableState
    found: int
    shown: bytes


class Followed:
    """One table as the oracle knows it."""

    def __init__(self) -> None:
        self.seq = 0
        self.digest = b""
        self.state: TableState | None = None
        self.digests: list[bytes] = [b""]
        self.moments: list[Moment | None] = [None]
        self.turn_since = (0, 0)  # number of the running turn, when it began (virtual ms)
        self.row: tuple[int | None, str] = (None, "")


class Oracle:
    """All that is known of a house by its logs."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tables: dict[int, Followed] = {}
        self.secrets = dealing.Secrets()
        self.books = Books(self)
        self.taken: dict[tuple[int, int, str], int] = {}  # (table, user, command id) → event
        self.deals: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.views = 0
        self.latest_ms = 0
        self._seen: dict[
            tuple[int, int], int
        ] = {}  # (process, table) → event up to which its memory was compared
        self._changes = -1
        self._served = 0

    def fail(self, what: str) -> None:
        """Say that a promise was broken."""
        self.house.wrong(what)

    # ---- following

    def look(self) -> None:
        """Read whatever was committed since the last look."""
        raw = connection.connection
        if raw is None or raw.total_changes == self._changes or connection.in_atomic_block:
            return
        self._changes = raw.total_changes
        now = service_time.Reading(*_clock()).at(service_time.wall_ms())
        with connection.cursor() as cursor:
            cursor.execute("SELECT id, seq, deadline, status FROM games_table")
            heads = cursor.fetchall()
        for table_id, seq, deadline, status in heads:
            followed = self.tables.get(table_id)
            if followed is None:
                followed = self.tables[table_id] = Followed()
            if seq != followed.seq:
                self._follow(table_id, followed, seq, now)
                state = followed.state
                if state is None or state.deadline != deadline:
                    self.fail(
                        f"table {table_id}: deadline {deadline}, its log says {state and state.deadline}"
                    )
                if state is not None and {"between": "open"}.get(state.phase, state.phase) != status:
                    self.fail(f"table {table_id}: status {status}, its log says {state.phase}")
        self.books.look()

    def _follow(self, table_id: int, followed: Followed, head: int, now: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT seq, kind, body, digest FROM games_tableevent WHERE table_id = %s AND seq > %s ORDER BY seq",
                [table_id, followed.seq],
            )
            rows = cursor.fetchall()
        for seq, kind, body, digest in rows:
            if seq != followed.seq + 1:
                self.fail(f"table {table_id}: after event {followed.seq} comes {seq}")
            followed.digest = ev.chain(followed.digest, body.encode())
            if followed.digest != bytes(digest):
                self.fail(f"table {table_id}: event {seq} breaks the chain of digests")
            data = json.loads(body)
            data.pop("wall")
            event = ev.from_json(data)
            self._take(table_id, followed, event, kind, now)
        if followed.seq != head:
            self.fail(f"table {table_id}: the head says {head}, the log ends at {followed.seq}")

    def _take(self, table_id: int, followed: Followed, event: ev.Event, kind: str, now: int) -> None:
        before = followed.state
        if isinstance(event, ev.DealOpened):
            size = rules_of(event.ruleset, event.rules_version).deck_size
            self.secrets.learn(event.deal, event.nonces, size)
        try:
            state = evolve(before, event, self.secrets)
        except Exception as error:
            self.fail(f"table {table_id}: event {followed.seq + 1} {kind} does not fold: {error!r}")
            return
        followed.seq += 1
        if state.seq != followed.seq:
            self.fail(f"table {table_id}: event {followed.seq} folds to number {state.seq}")
        if before is not None:
            if state.at < before.at:
                self.fail(f"table {table_id}: time runs back at event {state.seq}")
            self._check_command(table_id, before, event, state.seq)
            self._check_clock(table_id, followed, before, event, now)
        followed.state = state
        followed.digests.append(followed.digest)
        shown = protocol.encode_json({"seq": state.seq, **event_view(event)})
        followed.moments.append(Moment(state, self.house.clock.now, shown))
        if followed.turn_since[0] != state.turn:
            followed.turn_since = state.turn, self.house.clock.now
        self.kinds[kind] += 1
        if isinstance(event, ev.DealOpened):
            self.books.opened(table_id, event, state)
        elif isinstance(event, ev.DealClosed) and before is not None:
            self.deals[event.how] += 1
            self.house.over += event.how != "redeal"
            self.books.closed(table_id, event, before)

    # ---- commands and clocks

    def _check_command(self, table_id: int, before: TableState, event: ev.Event, seq: int) -> None:
        cmd = getattr(event, "cmd", None)
        if cmd is None:
            return
        if expires(before, event.at):
            self.fail(f"table {table_id}: event {seq} takes a command after what was due before it")
        seat = before.seats[event.seat]  # type: ignore[union-attr, index]
        if seat is None or seat.user is None:
            self.fail(f"table {table_id}: event {seq} takes a command of nobody")
            return
        key = (table_id, seat.user, cmd)
        if key in self.taken:
            self.fail(f"table {table_id}: command {cmd} is in the log at {self.taken[key]} and {seq}")
        if not cmd.startswith(f"p{self.house.pages[seat.user].number}-"):
            self.fail(f"table {table_id}: command {cmd} acted for user {seat.user}")
        self.taken[key] = seq

    def _check_clock(
        self, table_id: int, followed: Followed, before: TableState, event: ev.Event, now: int
    ) -> None:
        by_clock = (
            isinstance(event, ev.TimedOut)
            or (isinstance(event, ev.Acted) and event.auto in _BY_CLOCK)
            or (isinstance(event, ev.LeaveSettled) and event.cause == "time")
            or (isinstance(event, ev.Stood) and event.reason in ("not_ready", "lost", "no_deal"))
        )
        if not by_clock:
            return
        if event.at > now:
            self.fail(f"table {table_id}: {ev.kind_of(event)} of {event.at} happened at {now}, too early")
        if self.house.sweeps_well():
            self.latest_ms = max(self.latest_ms, now - event.at)
            if now - event.at > _LATE_MS:
                self.fail(f"table {table_id}: {ev.kind_of(event)} came {now - event.at} ms late")
        if isinstance(event, ev.TimedOut):
            self._check_time_out(table_id, followed, before)
        absent = (isinstance(event, ev.Acted) and event.auto == "absence" and event.action == "escape") or (
            isinstance(event, ev.Stood) and event.reason == "lost"
        )
        if absent:
            self._check_absence(table_id, before, event.seat, clocks.ABSENCE_MS)  # type: ignore[union-attr, arg-type]

    def _check_time_out(self, table_id: int, followed: Followed, before: TableState) -> None:
        began = followed.turn_since[1]
        had = self.house.clock.now - began - self.house.outage_since(began)
        if had < before.terms.turn_ms + clocks.GRACE_MS - 50:
            self.fail(f"table {table_id}: a time-out after {had} ms, our outages taken off")

    def _check_absence(self, table_id: int, before: TableState, seat: int, limit: int) -> None:
        sitter = before.seats[seat]
        page = self.house.pages.get(sitter.user) if sitter is not None and sitter.user is not None else None
        if page is None or (before.deal is not None and before.deal.seats[seat].used):
            return
        now = self.house.clock.now
        if page.down_since is None:
            if now - page.since > 5_000:
                self.fail(f"table {table_id}: {sitter} counts as absent and is here")
            return
        away = now - page.down_since - self.house.outage_since(page.down_since)
        if away < limit - 12_000:
            self.fail(
                f"table {table_id}: seat {seat} pays for an absence of {away} ms, our outages taken off"
            )

    # ---- what processes remember

    def compare(self, process: Process) -> None:
        """Compare what a process knows of tables with their logs."""
        for table_id, known in process.recall(tables, "_known").items():
            seq = known.state.seq
            key = (id(process), table_id)
            if self._seen.get(key) == seq:
                continue
            self._seen[key] = seq
            followed = self.tables.get(table_id)
            if followed is None or seq > followed.seq:
                self.fail(f"table {table_id}: {process.name} knows event {seq}, which is not in the log")
                return
            if known.digest != followed.digests[seq]:
                self.fail(f"table {table_id}: {process.name} has another digest of event {seq}")
            if seq == followed.seq and known.state != followed.state:
                self.fail(f"table {table_id}: {process.name} knows another state after event {seq}")

    # ---- what pages are told

    def check_view(self, page: Page, message: dict[str, Any], text: str) -> None:
        """Check a view: events as in the log, and no card its reader may not know."""
        self.views += 1
        followed, seq, view = self.tables[page.table or 0], message["seq"], message["view"]
        if seq > followed.seq or view["seq"] != seq:
            self.fail(f"page {page.number}: a view of event {seq}, the log ends at {followed.seq}")
            return
        for event in message["events"]:
            moment = followed.moments[event["seq"]]
            if moment is None or json.loads(moment.shown) != event:
                self.fail(f"page {page.number}: event {event['seq']} is not what the log has")
        moment = followed.moments[seq]
        if moment is None or moment.state.deal is None:
            return
        seats = moment.state.seats
        seat = next((n for n, sitter in enumerate(seats) if sitter and sitter.user == page.user.pk), None)
        start = text.index('"view":{')
        leaked = set(_CARD.findall(_LISTS.sub("", text[start:]))) & _hidden_from(moment.state, seat)
        if leaked:
            self.fail(f"page {page.number} (seat {seat}) sees {sorted(leaked)} at event {seq}")

    def check_ack(self, page: Page, id: str, seq: int) -> None:
        """Check that what was acknowledged is in the log, under this number."""
        at = self.taken.get((page.table or 0, page.user.pk, id))
        if at is None or at > seq:
            self.fail(f"page {page.number}: {id} was acknowledged at {seq}, the log has it at {at}")

    def check_refusal(self, page: Page, id: str, code: str) -> None:
        """Check that what was refused is not in the log."""
        if (page.table or 0, page.user.pk, id) in self.taken:
            self.fail(f"page {page.number}: {id} was refused ({code}), and is in the log")

    def chain(self) -> str:
        """Return the digest over all logs as they are now."""
        import hashlib

        together = hashlib.sha256()
        for table_id, followed in sorted(self.tables.items()):
            together.update(b"%d:" % table_id + followed.digest)
        return together.hexdigest()[:24]


def _clock() -> tuple[int, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT offset_ms, beat_ms FROM games_serviceclock WHERE id = 1")
        row = cursor.fetchone()
    return (row[0], row[1]) if row else (0, service_time.wall_ms())


def _hidden_from(state: TableState, seat: int | None) -> set[str]:
    """Return the cards of the running deal that a seat (None: a spectator) has no right to see."""
    deal = state.deal
    assert deal is not None
    rules = deal.head.rules
    public = rules.view(deal.deal, None).as_json()
    public.pop("unseen")
    hidden = set(NAMES[: rules.deck_size]) - set(_CARD.findall(json.dumps(public)))
    for _, action in deal.deal.history:
        hidden.difference_update(NAMES[card] for card in action.cards)
    own = rules.view(deal.deal, seat).hand if seat is not None else None
    return hidden - {name for card, name in enumerate(NAMES) if (own or 0) >> card & 1}
