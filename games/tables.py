"""The one door to a table: every command of every player, clock or member of staff goes through here.

A command is decided on the state this process knows and appended by compare-and-swap; whoever loses reloads and
decides again under the table's lock. Plain moves of many tables share one transaction (`Writer`); what moves money,
seats or deals, and whatever expires, has a transaction of its own, in which service time is read again, a closed deal
is settled and the next one is opened. Views and hints go out only after the commit.
"""

from __future__ import annotations

import secrets as dice
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import structlog
from django.db import IntegrityError, connection, transaction

from games import dealing, failpoints, log, metrics, openings, service_time, settling
from games.dealing import SECRETS
from games.errors import Draining, TableError
from games.log import FORMAT, Change, Loaded
from games.models import Seat, Table
from games.table import commands as cmd
from games.table.decide import Decision, decide
from games.table.errors import Refusal
from games.table.events import DealClosed, DealOpened, Event, TableOpened, freeze, kind_of
from games.table.evolve import evolve
from games.table.state import TableState, expires
from wallet import services as wallet

logger = structlog.get_logger(__name__)

# Events that change nothing but the log: they may share a transaction with other tables' moves.
PLAIN = frozenset(
    [
        "readied",
        "acted",
        "trustee_set",
        "absence_began",
        "absence_ended",
        "leave_asked",
        "leave_answered",
        "leave_settled",
        "said",
    ]
)
_CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_KEEP = 4096


class Answer(NamedTuple):
    """What came of a command: the number of the event that took it, or why it was not taken; the state after."""

    seq: int
    refusal: Refusal | None
    state: TableState


Listener = Callable[[int, TableState, list[tuple[int, Event]]], None]
_listeners: list[Listener] = []
_may_open: Callable[[], bool] | None = None
_known: OrderedDict[int, Loaded] = OrderedDict()
_lock = Lock()


def open_deals_if(allowed: Callable[[], bool]) -> None:
    """Have a function asked before each opening of a deal in this process whether that may be."""
    global _may_open
    _may_open = allowed


def listen(listener: Listener) -> None:
    """Have a function called after each commit of this process, in the committing thread; once each."""
    if listener not in _listeners:
        _listeners.append(listener)


# ---- what this process knows


def current(table_id: int) -> Loaded:
    """Return the table as this process knows it, loading it the first time; raise TableGone, NewerFormat."""
    with _lock:
        known = _known.get(table_id)
    if known is None:
        known = log.load(table_id)
        _remember(table_id, known)
    return known


def state_of(table_id: int) -> TableState:
    """Return the newest state of a table, caught up with what other processes appended."""
    return caught_up(table_id).state


def caught_up(table_id: int) -> Loaded:
    """Return the table with everything that is in the log now."""
    known = log.catch_up(table_id, current(table_id))
    _remember(table_id, known)
    return known


def _remember(table_id: int, loaded: Loaded) -> None:
    """Keep a loaded table unless it may still be rolled back or an older one is at hand."""
    if connection.in_atomic_block:
        return
    with _lock:
        before = _known.get(table_id)
        if before is None or before.state.seq < loaded.state.seq:
            _known[table_id] = loaded
        _known.move_to_end(table_id)
        if len(_known) > _KEEP:
            _known.popitem(last=False)


def forget(table_id: int | None = None) -> None:
    """Drop one table, or all, from this process's memory; the next look loads it anew."""
    with _lock:
        if table_id is None:
            _known.clear()
        else:
            _known.pop(table_id, None)


# ---- performing


class Request(NamedTuple):
    """A command waiting for its answer; exactly one of the two calls is made."""

    table_id: int
    command: cmd.Command
    done: Callable[[Answer], None]
    fail: Callable[[Exception], None]


def perform(table_id: int, command: cmd.Command) -> Answer:
    """Perform one command now, in the calling thread; raise TableGone, NewerFormat, Draining, never a Refusal."""
    answers: list[Answer] = []
    errors: list[Exception] = []
    run([Request(table_id, command, answers.append, errors.append)])
    if errors:
        raise errors[0]
    return answers[0]


def run(requests: Sequence[Request]) -> None:
    """Perform commands of different tables, the plain ones in one transaction; at most one command a table."""
    plain: list[tuple[Request, Change, Decision]] = []
    unmoved: list[tuple[Request, Loaded, Decision]] = []
    alone: list[Request] = []
    now = service_time.now()
    for request in requests:
        try:
            known = current(request.table_id)
            if known.state.wants_deal or expires(known.state, now):
                alone.append(request)
                continue
            decision = decide(known.state, request.command, now, SECRETS)
        except Exception as error:
            request.fail(error)
            continue
        if not decision.events:
            unmoved.append((request, known, decision))
        elif decision.state.wants_deal or any(kind_of(event) not in PLAIN for event in decision.events):
            alone.append(request)
        else:
            plain.append(
                (request, Change(request.table_id, known, decision.events, decision.state), decision)
            )
    alone += _answer_unmoved(unmoved)
    if plain:
        failpoints.reach("before_swap")
        alone += _append_together(plain)
    for request in alone:
        try:
            answer = _perform_alone(request.table_id, request.command)
        except Exception as error:
            request.fail(error)
        else:
            failpoints.reach("before_ack")
            request.done(answer)


def _answer_unmoved(unmoved: Sequence[tuple[Request, Loaded, Decision]]) -> list[Request]:
    """Answer what changes nothing, unless that was decided on a state that is behind: it is decided again.

    Only what was accepted before stays so, whatever happened since.
    """
    unsure = [request.table_id for request, _, decision in unmoved if not _accepted_before(request, decision)]
    heads = log.heads(unsure) if unsure else {}
    again = []
    for request, known, decision in unmoved:
        if heads.get(request.table_id, known.state.seq) != known.state.seq:
            again.append(request)
        else:
            request.done(Answer(decision.seq, decision.refusal, decision.state))
    return again


def _accepted_before(request: Request, decision: Decision) -> bool:
    return decision.refusal is None and getattr(request.command, "id", None) is not None


def _append_together(plain: Sequence[tuple[Request, Change, Decision]]) -> list[Request]:
    """Append the plain moves in one transaction and publish the winners; return the losers."""
    with transaction.atomic():
        digests = log.append([change for _, change, _ in plain], service_time.wall_ms())
        published = [
            (change, Loaded(change.state, digests[change.table_id]))
            for _, change, _ in plain
            if change.table_id in digests
        ]
        transaction.on_commit(partial(_publish_all, published))
        failpoints.reach("before_commit")
    failpoints.reach("before_ack")
    losers = []
    for request, change, decision in plain:
        if change.table_id in digests:
            request.done(Answer(decision.seq, decision.refusal, decision.state))
        else:
            losers.append(request)
    return losers


def _publish_all(published: Sequence[tuple[Change, Loaded]]) -> None:
    for change, loaded in published:
        _publish(change, loaded)


def _publish(change: Change, loaded: Loaded) -> None:
    failpoints.reach("before_publish")
    _remember(change.table_id, loaded)
    first = change.old.state.seq + 1
    numbered = list(enumerate(change.events, first))
    for listener in _listeners:
        try:
            listener(change.table_id, loaded.state, numbered)
        except Exception:
            logger.exception("listener_failed", table=change.table_id)


@wallet.retrying
def _perform_alone(table_id: int, command: cmd.Command) -> Answer:
    """Perform a command in a transaction of its own, under the table's lock."""
    failpoints.reach("before_lock")
    with transaction.atomic():
        head = log.lock(table_id)
        known = current(table_id)
        if known.state.seq != head:
            known = log.catch_up(table_id, known)
        now = service_time.now(fresh=True)
        decision = decide(known.state, command, now, SECRETS)
        events, state = list(decision.events), decision.state
        while state.wants_deal:
            if _may_open is not None and not _may_open():
                raise Draining
            opening = openings.next_command(table_id, state)
            opened = decide(state, opening, now, SECRETS)
            if opened.refusal:
                raise TableError("deal_not_opened", opened.refusal.code)
            events += opened.events
            state = opened.state
        if events:
            _write(Change(table_id, known, events, state), now)
            failpoints.reach("before_commit")
        return Answer(decision.seq, decision.refusal, state)


def _write(change: Change, now: int) -> None:
    """Append events under the table's lock and bring the rows that follow from them along."""
    digests = log.append([change], service_time.wall_ms())
    if change.table_id not in digests:
        raise TableError("lost_race", "the table moved under its lock")
    old, state = change.old.state, change.state
    opening_seq = None
    at = old
    for seq, event in enumerate(change.events, old.seq + 1):
        if isinstance(event, DealOpened):
            openings.record(change.table_id, seq, event)
            opening_seq = seq
        elif isinstance(event, DealClosed):
            openings.close(seq, event)
            with metrics.SETTLEMENT_FAILURES.count_exceptions():
                settling.settle(before=at, event=event)
        at = evolve(at, event, SECRETS)
    if old.phase != state.phase or opening_seq is not None:
        log.note(change.table_id, {"between": "open"}.get(state.phase, state.phase), opening_seq)
    _move_seats(change.table_id, old, state, now)
    transaction.on_commit(partial(_publish, change, Loaded(state, digests[change.table_id])))


def _move_seats(table_id: int, old: TableState, state: TableState, now: int) -> None:
    """Bring the Seat rows to the state's seats; raise TableError(already_seated) for a second seat."""
    closed = state.phase == "closed"
    changed = []
    for index, (before, after) in enumerate(zip(old.seats, state.seats, strict=True)):
        was = before.user if before else None
        user = after.user if after and not closed else None
        if was != user:
            changed.append((index, was, user))
    gone = [index for index, was, _ in changed if was is not None]
    if gone:
        Seat.objects.filter(table_id=table_id, index__in=gone).delete()
    rows = [
        Seat(table_id=table_id, index=i, user_id=user, taken_ms=now)
        for i, _, user in changed
        if user is not None
    ]
    if rows:
        try:
            with transaction.atomic():
                Seat.objects.bulk_create(rows)
        except IntegrityError as error:
            raise TableError("already_seated") from error


# ---- opening and seating


def open_table(*, tier: str, ruleset: str, terms: Mapping[str, Any]) -> Table:
    """Open an empty table on frozen terms; its first event shows the commitment of its first deal."""
    with transaction.atomic():
        table = _new_row(tier, ruleset, dict(terms))
        deal_id, commitment = dealing.make_secret(table_id=table.pk)
        event = TableOpened(
            at=service_time.now(),
            table=table.code,
            ruleset=ruleset,
            terms=freeze(terms),
            next_deal=deal_id,
            next_commitment=commitment,
        )
        loaded = log.begin(table.pk, event, service_time.wall_ms())
        Table.objects.filter(pk=table.pk).update(seq=loaded.state.seq, deadline=loaded.state.deadline)
        table.seq, table.deadline = loaded.state.seq, loaded.state.deadline
        transaction.on_commit(partial(_remember, table.pk, loaded))
    return table


def _new_row(tier: str, ruleset: str, terms: dict[str, Any]) -> Table:
    for _ in range(20):
        code = "".join(dice.choice(_CODE_LETTERS) for _ in range(5))
        if not Table.objects.filter(code=code).exists():
            return Table.objects.create(code=code, tier=tier, ruleset=ruleset, terms=terms, format=FORMAT)
    raise TableError("no_code")


def take_seat(*, user: Any, table: Table, seat: int | None = None, nonce: str = "") -> int:
    """Seat a user, at any free seat if none is named; return the seat.

    Raises TableError: seat_taken, table_full, already_seated, table_closed …
    """
    with transaction.atomic():
        Table.objects.select_for_update().get(pk=table.pk)
        if seat is None:
            state = log.catch_up(table.pk, current(table.pk)).state
            free = [index for index, taken in enumerate(state.seats) if taken is None]
            if not free:
                raise TableError("table_full")
            seat = free[0]
        answer = perform(table.pk, cmd.Sit(seat, user.pk, user.get_username(), nonce))
        if answer.refusal and (answer.refusal.code, answer.refusal.detail) == ("seat_taken", "user"):
            raise TableError("already_seated")
        if answer.refusal:
            raise TableError(answer.refusal.code, answer.refusal.detail)
    return seat


def seat_group(*, users: Sequence[Any], table: Table, nonces: Sequence[str]) -> None:
    """Seat a whole match at once, in the order given; the first deal opens with the last of them."""
    with transaction.atomic():
        for seat, (user, nonce) in enumerate(zip(users, nonces, strict=True)):
            take_seat(user=user, table=table, seat=seat, nonce=nonce)


def stand_up(*, user: Any, table: Table) -> None:
    """Stand a user up between deals; raise TableError with the machine's code when that is not possible."""
    row = Seat.objects.filter(user=user, table=table).first()
    if row is None:
        raise TableError("not_seated")
    answer = perform(table.pk, cmd.Stand(row.index, player=user.pk))
    if answer.refusal:
        raise TableError(answer.refusal.code, answer.refusal.detail)
