"""Money and points at the two ends of a deal: reserved when it opens, settled in the transaction that closes it.

A deal's settlement is one ledger transaction with the reference `deal:<id>`, or none when nothing moves; each seat's
reservation `deal:<id>:<seat>` is closed with it. There is no moment at which a deal is over and unpaid.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from django.db import connection
from django.db.models import F, QuerySet

from games import log
from games.engine.rulesets import RuleSet
from games.engine.terms import Terms
from games.models import Deal, PlayerRecord, SeatResult
from games.table.events import DealClosed
from games.table.state import TableState
from games.table.terms import engine_terms
from wallet import services as wallet

HOUSE_FEES = "house:fees"
HOUSE_FINES = "house:fines"


def reservations(
    *, deal_id: str, rules: RuleSet, terms: Terms, users: Sequence[int | None], balances: Sequence[int | None]
) -> list[wallet.Reservation]:
    """Return what a deal sets aside: each person's exposure, under the reference of his seat."""
    return [
        wallet.Reservation(user, f"deal:{deal_id}:{seat}", exposure)
        for seat, (user, balance) in enumerate(zip(users, balances, strict=False))
        if user is not None and balance is not None and (exposure := rules.exposure(terms, balance)) > 0
    ]


def settle(*, before: TableState, event: DealClosed) -> None:
    """Pay, release and record a closed deal, in the transaction that appends its closing event.

    `before` is the table just before that event: who sat where, and what was reserved.
    """
    users = users_of(before)
    currency = before.terms.currency
    _record(before.ruleset, users, event, counted=currency != "none")
    if currency == "coins":
        _pay(before, users, event)


def users_of(state: TableState) -> list[int | None]:
    """Return the user of each seat, None for a computer player or an empty seat."""
    return [seat.user if seat is not None else None for seat in state.seats]


def _pay(before: TableState, users: Sequence[int | None], event: DealClosed) -> None:
    assert before.deal is not None
    head = before.deal.head
    reserved = reservations(
        deal_id=event.deal,
        rules=head.rules,
        terms=engine_terms(before.terms),
        users=users,
        balances=head.balances or (),
    )
    holds = [reservation.reference for reservation in reserved]
    legs = ledger_legs(users, event)
    if legs:
        wallet.post(code="settlement", reference=f"deal:{event.deal}", legs=legs, close_holds=holds)
    elif holds:
        wallet.release_all(references=holds)


def ledger_legs(users: Sequence[int | None], event: DealClosed) -> list[wallet.Leg]:
    """Return what a closed deal moves, wallet by wallet, without the zeros."""
    settlement = event.settlement
    if settlement is None:
        return []
    legs = [wallet.Leg(user, settlement["net"][seat]) for seat, user in enumerate(users) if user is not None]
    legs += [
        wallet.Leg(HOUSE_FEES, sum(settlement["fees"])),
        wallet.Leg(HOUSE_FINES, sum(settlement["penalties"])),
    ]
    return [leg for leg in legs if leg.amount]


def _record(ruleset: str, users: Sequence[int | None], event: DealClosed, *, counted: bool) -> None:
    """Write the seat results of a deal that has a result, and add them to the players' records.

    Raw statements: every deal of every table comes through here.
    """
    if event.settlement is None or event.how == Deal.How.VOID:
        return
    points, net = event.settlement["points"], event.settlement["net"]
    now = log.moment()
    results, records = [], []
    for seat, user in enumerate(users):
        outcome = _outcome(event, seat, points[seat]) if counted else "practice"
        won, coins = (points[seat], net[seat]) if counted else (0, 0)
        results.append((event.deal, seat, user, won, coins, outcome, now))
        if counted and user is not None:
            records.append((user, ruleset, won, *_counts(outcome)))
    with connection.cursor() as cursor:
        cursor.executemany(_RESULT, results)
        if records:
            cursor.executemany(_RECORD, sorted(records))


_RESULT = (
    "INSERT INTO games_seatresult (deal_id, seat, user_id, points, net, outcome, created) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_RECORD = (
    "INSERT INTO games_playerrecord (user_id, ruleset, points, deals, wins, losses, escapes) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (user_id, ruleset) DO UPDATE SET "
    + ", ".join(
        f"{name} = games_playerrecord.{name} + excluded.{name}"
        for name in ("points", "deals", "wins", "losses", "escapes")
    )
)


def _counts(outcome: str) -> tuple[int, int, int, int]:
    """Return what an outcome adds to a record: deals, wins, losses, escapes."""
    return int(outcome != "none"), int(outcome == "won"), int(outcome == "lost"), int(outcome == "escaped")


def _outcome(event: DealClosed, seat: int, points: int) -> str:
    if event.how == Deal.How.ESCAPED:
        return "escaped" if seat == event.seat else "none"
    return "won" if points > 0 or seat == event.winner else "lost" if points < 0 else "even"


def take_back(*, deals: Sequence[str]) -> None:
    """Set the points of these deals back to what they were, unless they are (RULES §3, results set to zero).

    Of deals that were played out; what an escape cost stays. The coins are moved by whoever decided so.
    """
    _turn(SeatResult.objects.filter(deal__in=deals, deal__how=Deal.How.OVER), counting=True)


def give_again(*, deals: Sequence[str]) -> None:
    """Undo `take_back`: the deals count again, unless they do."""
    _turn(SeatResult.objects.filter(deal__in=deals), counting=False)


def _turn(results: QuerySet[SeatResult], *, counting: bool) -> None:
    """Write the opposite of each seat's newest row where the seat's result counts now, or does not; and in the records.

    A result is taken back and given again as often as verdicts and appeals say so: it counts while its rows are odd.
    """
    found = results.exclude(outcome="practice").select_related("deal")
    seats: dict[tuple[str, int], list[SeatResult]] = {}
    for row in found.order_by("pk").select_for_update(of=("self",)):
        seats.setdefault((row.deal_id, row.seat), []).append(row)
    opposites = [
        SeatResult(
            deal=row.deal,
            seat=row.seat,
            user_id=row.user_id,
            points=-row.points,
            net=-row.net,
            outcome=row.outcome,
            reversal_of=row,
        )
        for row in (rows[-1] for rows in seats.values() if len(rows) % 2 == counting)
    ]
    SeatResult.objects.bulk_create(opposites)
    people = [(row.user_id, row) for row in opposites if row.user_id is not None]
    for user, row in sorted(people, key=itemgetter(0)):
        _add_to_record(row.deal.ruleset, user, row, count=-1 if counting else 1)


def _add_to_record(ruleset: str, user: int, result: SeatResult, count: int = 1) -> None:
    """Add a result to its player's record; `count` is -1 when it takes one back."""
    names = ("deals", "wins", "losses", "escapes")
    change = {name: count * n for name, n in zip(names, _counts(result.outcome), strict=True)}
    change["points"] = result.points
    moved = PlayerRecord.objects.filter(user_id=user, ruleset=ruleset).update(
        **{name: F(name) + amount for name, amount in change.items()}
    )
    if not moved:
        record, made = PlayerRecord.objects.get_or_create(user_id=user, ruleset=ruleset, defaults=change)
        if not made:
            PlayerRecord.objects.filter(pk=record.pk).update(
                **{name: F(name) + n for name, n in change.items()}
            )
