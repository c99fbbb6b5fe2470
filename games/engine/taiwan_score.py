"""What a deal of `doudizhu.taiwan` is worth (RULES §3): stake, cap, fee, who is away, leaving fines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.engine.deal import Deal
from games.engine.dou_dizhu import SEATS, Auction
from games.engine.dou_dizhu_score import (
    MOST_DOUBLINGS,
    Doubling,
    at_seat,
    doubling_rows,
    doublings_of,
    doublings_so_far,
    parse_result,
)
from games.engine.settlement import (
    Row,
    Settlement,
    Stakes,
    charge_fees,
    fee_row,
    nothing_moves,
    pay_losses,
    purse,
)
from games.engine.shapes import REQUEST, Shapes
from games.engine.terms import Terms
from games.engine.views import View

LEAVE_FINE = 2
"""The fine for leaving or dropping out of a deal, in base stakes."""
KEYS = ("landlord", "landlord_won", "bid", "doublings", "out", "away", "fined")


class TaiwanOutcome(NamedTuple):
    """How a deal ended: "over" or "void". `causes` is None when the number of doublings was given directly;
    `away` are the seats away at the end, `fined` those that ever left."""

    how: str
    landlord: int = 0
    out: int = 0
    bid: int = 0
    doublings: int = 0
    away: tuple[int, ...] = ()
    fined: tuple[int, ...] = ()
    causes: tuple[Doubling, ...] | None = None

    @property
    def farmers(self) -> tuple[int, ...]:
        """The two who play against the landlord."""
        return tuple(seat for seat in range(SEATS) if seat != self.landlord)

    @property
    def landlord_won(self) -> bool:
        """Whether the landlord went out first."""
        return self.out == self.landlord


def outcome_of_deal(deal: Deal, away: Sequence[int], fined: Sequence[int]) -> TaiwanOutcome | None:
    """Return how a deal ended; None while it runs, and after a redeal."""
    if deal.phase == "void":
        return TaiwanOutcome("void")
    if deal.phase != "over":
        return None
    assert deal.winner is not None
    causes = doublings_of(deal)
    return TaiwanOutcome(
        "over",
        deal.own.landlord,
        deal.winner,
        deal.own.bid,
        len(causes),
        tuple(away),
        tuple(fined),
        causes,
    )


def parse_outcome(value: object, shapes: Shapes = REQUEST) -> TaiwanOutcome:
    """Read an outcome given directly (RULES §6): there is no escape in this rule set."""
    given = shapes.mapping(value, "outcome", KEYS)
    result = parse_result(given, shapes)
    away = shapes.seat_list(given.get("away", []), "away", SEATS)
    fined = shapes.seat_list(given.get("fined", list(away)), "fined", SEATS)
    if not set(away) <= set(fined):
        shapes.refuse("fined: at least those who are away")
    return TaiwanOutcome(
        "over",
        result.landlord,
        result.out,
        shapes.integer(shapes.field(given, "bid"), "bid", 1, 3),
        shapes.integer(shapes.field(given, "doublings"), "doublings", 0, MOST_DOUBLINGS),
        away,
        fined,
    )


def settle(terms: Terms, balances: Sequence[int] | None, outcome: TaiwanOutcome) -> Settlement:
    """Return what an outcome moves. `balances` are those at the start of the deal, None without limit."""
    if outcome.how == "void":
        return nothing_moves(SEATS)
    zeros = (0,) * SEATS
    score = outcome.bid << outcome.doublings
    sign = 1 if outcome.landlord_won else -1
    points = tuple([sign * score * (2 if seat == outcome.landlord else -1) for seat in range(SEATS)])
    rows = [*_factor_rows(outcome), {"row": "score", "values": list(points)}]
    if not terms.moves_coins:
        return Settlement(points, zeros, zeros, zeros, tuple(rows))
    gross, more = _gross(terms, balances, outcome, points)
    fees = charge_fees(terms, balances, gross)
    penalties, fine_rows = _fines(terms, balances, outcome, gross, fees)
    settlement = Settlement(points, gross, fees, penalties)
    rows += [*more, *fee_row(terms, fees), *fine_rows, {"row": "coins", "values": list(settlement.net)}]
    return settlement._replace(reasons=tuple(rows))


def stakes(view: View) -> Stakes | None:
    """Return what is played for by what is public so far: bid and bombs; None without a landlord."""
    auction: Auction = view.own
    if auction.landlord is None:
        return None
    causes, possible = doublings_so_far(view)
    running = TaiwanOutcome("over", auction.landlord, bid=auction.bid or 0, causes=causes)
    score = running.bid << len(causes)
    scores = tuple([score * (2 if seat == auction.landlord else 1) for seat in range(SEATS)])
    return Stakes(tuple(_factor_rows(running)), scores, possible)


def _factor_rows(outcome: TaiwanOutcome) -> list[Row]:
    bid: Row = {
        "row": "factor",
        "cause": "bid",
        "seat": outcome.landlord,
        "values": at_seat(outcome.landlord, outcome.bid),
    }
    if outcome.causes is not None:
        return [bid, *doubling_rows(outcome.causes)]
    factor = 1 << outcome.doublings
    return [bid, {"row": "factor", "cause": "doublings", "values": [factor] * SEATS}]


def _gross(
    terms: Terms, balances: Sequence[int] | None, outcome: TaiwanOutcome, points: Sequence[int]
) -> tuple[tuple[int, ...], list[Row]]:
    """Return the gross by seat and the rows that explain it: losers pay what they can, winners get it."""
    due = [score * terms.base_stake for score in points]
    rows: list[Row] = [{"row": "stake", "base_stake": terms.base_stake, "values": due}]
    paid, limits = pay_losses(terms, balances, due)
    gross = [-loss for loss in paid]
    if outcome.landlord_won:
        gross[outcome.landlord] = sum(paid)
    else:
        half, odd = divmod(sum(paid), 2)
        for farmer in outcome.farmers:
            gross[farmer] = half + (odd if farmer == outcome.out else 0)
    if limits:
        won = [max(coins, 0) for coins in gross]
        to = None if outcome.landlord_won else outcome.out
        rows += [*limits, {"row": "pot", "total": sum(paid), "values": won, "remainder_to": to}]
    absent = [farmer for farmer in outcome.farmers if farmer in outcome.away]
    if not outcome.landlord_won and len(absent) == 1:
        rows.append(_hand_over(gross, outcome, absent[0]))
    return tuple(gross), rows


def _hand_over(gross: list[int], outcome: TaiwanOutcome, absent: int) -> Row:
    """Give the share of a farmer who is away to the other one, and say so."""
    (other,) = [farmer for farmer in outcome.farmers if farmer != absent]
    share, gross[absent] = gross[absent], 0
    gross[other] += share
    moved = [share if seat == other else -share if seat == absent else 0 for seat in range(SEATS)]
    return {"row": "away_share", "from": absent, "to": other, "values": moved}


def _fines(
    terms: Terms,
    balances: Sequence[int] | None,
    outcome: TaiwanOutcome,
    gross: Sequence[int],
    fees: Sequence[int],
) -> tuple[tuple[int, ...], list[Row]]:
    """Return each seat's leaving fine, at most what it has after the settlement, and its row."""
    if not outcome.fined:
        return (0,) * SEATS, []
    due = LEAVE_FINE * terms.base_stake
    left = None if balances is None else [balances[s] + gross[s] - fees[s] for s in range(SEATS)]
    fines = tuple([purse(left, seat, due) if seat in outcome.fined else 0 for seat in range(SEATS)])
    return fines, [{"row": "penalty", "cause": "leave", "due": due, "values": list(fines)}]
