"""What the books of the tables must say: every log unbroken, every deal paid and counted as its log says.

Registered with the wallet's audit, so that `verify_books` and the nightly run look at logs and coins together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Case, Count, OuterRef, Q, Subquery, Sum, When

from games import log, settling
from games.engine import record as engine_record
from games.engine.errors import EngineError
from games.errors import TableError
from games.models import Deal, PlayerRecord, Seat, SeatResult, Table
from games.table.events import DealClosed, DealOpened, Event
from games.table.records import record_of
from wallet import lookup


def check_logs() -> Iterator[str]:
    """Yield what is wrong with the digests, numbers and heads of all logs."""
    for table_id, code in Table.objects.order_by("pk").values_list("pk", "code").iterator():
        for fault in log.verify_chain(table_id):
            yield f"table {code}: {fault}"


def check_deals() -> Iterator[str]:
    """Yield every closed deal whose settlement, results or coins differ from what its log replays to."""
    closed = Deal.objects.filter(closed_seq__isnull=False).order_by("pk")
    for deal in closed.iterator():
        for fault in _deal_faults(deal):
            yield f"deal {deal.pk}: {fault}"


def _deal_faults(deal: Deal) -> Iterator[str]:
    assert deal.closed_seq is not None
    bodies = log.bodies(deal.table_id, deal.opened_seq, deal.closed_seq)
    try:
        events = [log.parse(body) for _, body in bodies]
    except (TableError, ValueError, TypeError) as error:
        yield f"its log cannot be read ({error})"
        return
    opened, closed = (events[0], events[-1]) if events else (None, None)
    if not isinstance(opened, DealOpened) or not isinstance(closed, DealClosed):
        yield "its log does not run from an opening to a closing event"
        return
    if closed.how == Deal.How.REDEAL:
        return
    yield from _replay_faults(events, opened, closed)
    yield from _payment_faults(deal, opened, closed)


def _replay_faults(events: list[Event], opened: DealOpened, closed: DealClosed) -> Iterator[str]:
    if opened.terms.get("currency") == "none":
        return
    try:
        record = engine_record.parse(record_of(events))
        replayed = engine_record.settlement_of(record, engine_record.replay(record))
    except EngineError as error:
        yield f"its record does not replay ({error.code})"
        return
    if replayed is None or replayed.as_json() != _plain(closed.settlement):
        yield "its record replays to another settlement"


def _plain(value: Any) -> Any:
    """Return a JSON value with lists where the fold keeps tuples."""
    if isinstance(value, tuple | list):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return value


def _payment_faults(deal: Deal, opened: DealOpened, closed: DealClosed) -> Iterator[str]:
    users = [seat.get("user") for seat in opened.seats]
    coins = opened.terms.get("currency") == "coins"
    expected = sorted(settling.ledger_legs(users, closed), key=str) if coins else []
    reference = f"deal:{deal.pk}"
    if sorted(lookup.legs_of([reference]).get(reference, []), key=str) != expected:
        yield "the ledger did not move what its log says"
    if closed.settlement is None or closed.how == Deal.How.VOID:
        return
    counted = opened.terms.get("currency") != "none"
    zeros = (0,) * len(users)
    points = closed.settlement["points"] if counted else zeros
    net = closed.settlement["net"] if counted else zeros
    rows = deal.results.filter(reversal_of__isnull=True).order_by("seat")
    if list(rows.values_list("user_id", "points", "net")) != list(zip(users, points, net, strict=True)):
        yield "its seat results are not what its log says"


def check_records() -> Iterator[str]:
    """Yield every player record that is not the sum of its seat results."""
    counted = ~Q(outcome="practice")
    # A result counts once, what takes it back takes it away, what takes that back counts again, and so on.
    sign = Case(
        When(reversal_of__isnull=True, then=1),
        default=1 - 2 * (_rows_before() % 2),
    )
    sums = {
        (row["user_id"], row["deal__ruleset"]): (
            row["points"],
            row["deals"],
            row["wins"],
            row["losses"],
            row["escapes"],
        )
        for row in SeatResult.objects.filter(counted, user__isnull=False)
        .values("user_id", "deal__ruleset")
        .annotate(
            points=Sum("points"),
            deals=Sum(sign, filter=~Q(outcome="none"), default=0),
            wins=Sum(sign, filter=Q(outcome="won"), default=0),
            losses=Sum(sign, filter=Q(outcome="lost"), default=0),
            escapes=Sum(sign, filter=Q(outcome="escaped"), default=0),
        )
    }
    kept = {
        (record.user_id, record.ruleset): (
            record.points,
            record.deals,
            record.wins,
            record.losses,
            record.escapes,
        )
        for record in PlayerRecord.objects.iterator()
    }
    for key in sorted(sums.keys() | kept.keys()):
        if sums.get(key, (0,) * 5) != kept.get(key, (0,) * 5):
            yield f"user {key[0]}, {key[1]}: record {kept.get(key)}, results {sums.get(key)}"


def _rows_before() -> Subquery:
    """Return how many rows of its seat of its deal stand before a seat result."""
    before = SeatResult.objects.filter(deal=OuterRef("deal"), seat=OuterRef("seat"), pk__lt=OuterRef("pk"))
    return Subquery(before.order_by().values("seat").annotate(rows=Count("pk")).values("rows"))


def check_seats() -> Iterator[str]:
    """Yield every table whose rows (seats, status, deadline) are not what its log folds to."""
    for table in Table.objects.exclude(status=Table.Status.CLOSED).order_by("pk").iterator():
        try:
            state = log.load(table.pk).state
        except (TableError, ValueError, TypeError) as error:
            yield f"table {table.code}: its log cannot be folded ({error})"
            continue
        sitting = {
            i: seat.user for i, seat in enumerate(state.seats) if seat is not None and seat.user is not None
        }
        rows = dict(Seat.objects.filter(table=table).values_list("index", "user_id"))
        if sitting != rows:
            yield f"table {table.code}: seats {rows}, its log says {sitting}"
        if table.deadline != state.deadline:
            yield f"table {table.code}: deadline {table.deadline}, its log says {state.deadline}"


CHECKS = {
    "logs": check_logs,
    "deals": check_deals,
    "records": check_records,
    "seats": check_seats,
}
