"""What a deal of `doudizhu.mala` is worth (RULES §4): two pairs, landlord and each farmer, reckoned apart; the
purse of a losing landlord; what an escape costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from games.engine.cards import mask_of
from games.engine.deal import Deal, LeavePrice
from games.engine.dou_dizhu import SEATS, Auction
from games.engine.dou_dizhu_combos import holds_bomb
from games.engine.dou_dizhu_score import (
    BOMBS,
    MOST_DOUBLINGS,
    Doubling,
    at_seat,
    dealt_bombs,
    doubling_rows,
    doublings_of,
    doublings_so_far,
    parse_result,
    played_by,
)
from games.engine.settlement import (
    Pair,
    Row,
    Settlement,
    Stakes,
    charge_fees,
    escape_settlement,
    fee_row,
    limit_rows,
    nothing_moves,
    purse,
    share_out,
)
from games.engine.shapes import REQUEST, Shapes
from games.engine.terms import Terms
from games.engine.views import View

CALLED, GRABBED_BLIND = 1, 2
"""The base score, by how the landlord came to be."""
RUNGS = 4
"""倒, 拉, 垒, 沃."""
ESCAPE_KEYS = ("escaped", "landlord", "base_score", "ladder", "bombs_dealt")
KEYS = ("landlord", "landlord_won", "base_score", "ladder", "bombs", "spring", "out")


class MalaOutcome(NamedTuple):
    """How a deal ended: "over", "escaped" or "void".

    `doublings` counts bombs, rocket and spring played, of an escape those dealt; `causes` is None when the
    number was given directly. `landlord` is None when there was none yet.
    """

    how: str
    landlord: int | None = None
    base_score: int = CALLED
    ladder: tuple[int, ...] = (0,) * SEATS
    doublings: int = 0
    out: int | None = None
    escaped: int | None = None
    causes: tuple[Doubling, ...] | None = None

    @property
    def farmers(self) -> tuple[int, ...]:
        """The two who play against the landlord."""
        return tuple(seat for seat in range(SEATS) if seat != self.landlord)


def outcome_of_deal(deal: Deal) -> MalaOutcome | None:
    """Return how a deal ended; None while it runs, and after a redeal."""
    auction: Auction = deal.own
    if deal.phase == "over":
        causes = doublings_of(deal)
        out, escaped = deal.winner, None
    elif deal.phase == "escaped":
        causes = dealt_bombs(hands_at_start(deal))
        out, escaped = None, deal.gone
    else:
        return MalaOutcome("void") if deal.phase == "void" else None
    return MalaOutcome(
        deal.phase,
        auction.landlord,
        auction.bid or CALLED,
        auction.ladder,
        len(causes),
        out,
        escaped,
        causes,
    )


def hands_at_start(deal: Deal) -> tuple[int, ...]:
    """Return the hands at the start of play: the landlord's with the bottom, once there is one; of a study
    position with the standing combo."""
    hands = list(deal.setup.hands)
    for seat, cards in played_by(deal.setup.opening, ()):
        hands[seat] |= mask_of(cards)
    if deal.own.landlord is not None:
        hands[deal.own.landlord] |= deal.setup.bottom
    return tuple(hands)


def parse_ladder(value: object, landlord: int | None, shapes: Shapes) -> tuple[int, ...]:
    """Read the steps of each farmer's pair, by seat; the landlord has none, nor anybody without a landlord."""
    ladder = shapes.integers(value, "ladder", SEATS, 0, RUNGS)
    if any(steps and (landlord is None or seat == landlord) for seat, steps in enumerate(ladder)):
        shapes.refuse("ladder: steps belong to farmers")
    return ladder


def parse_outcome(value: object, shapes: Shapes = REQUEST) -> MalaOutcome:
    """Read an outcome given directly, an escape or a deal that is over (RULES §6)."""
    given = shapes.mapping(value, "outcome")
    if "escaped" in given:
        return _parse_escape(shapes.mapping(given, "outcome", ESCAPE_KEYS), shapes)
    shapes.mapping(given, "outcome", KEYS)
    result = parse_result(given, shapes)
    bombs = shapes.integer(shapes.field(given, "bombs"), "bombs", 0, MOST_DOUBLINGS)
    spring = shapes.boolean(shapes.field(given, "spring"), "spring")
    return MalaOutcome(
        "over",
        result.landlord,
        _base_score(given, shapes),
        parse_ladder(shapes.field(given, "ladder"), result.landlord, shapes),
        bombs + spring,
        out=result.out,
    )


def _base_score(given: Mapping[str, object], shapes: Shapes) -> int:
    return shapes.integer(shapes.field(given, "base_score"), "base_score", CALLED, GRABBED_BLIND)


def _parse_escape(given: Mapping[str, object], shapes: Shapes) -> MalaOutcome:
    landlord = shapes.field(given, "landlord")
    if landlord is not None:
        landlord = shapes.seat(landlord, "landlord", SEATS)
    base_score = _base_score(given, shapes)
    if landlord is None and base_score != CALLED:
        shapes.refuse("base_score: 1 without a landlord")
    return MalaOutcome(
        "escaped",
        landlord,
        base_score,
        parse_ladder(shapes.field(given, "ladder"), landlord, shapes),
        shapes.integer(shapes.field(given, "bombs_dealt"), "bombs_dealt", 0, MOST_DOUBLINGS),
        escaped=shapes.seat(given["escaped"], "escaped", SEATS),
    )


# --- a deal that is over ---


def settle(terms: Terms, balances: Sequence[int] | None, outcome: MalaOutcome) -> Settlement:
    """Return what an outcome moves. `balances` are those at the start of the deal, None without limit."""
    if outcome.how == "void":
        return nothing_moves(SEATS)
    if outcome.escaped is not None:
        return _settle_escape(terms, balances, outcome, outcome.escaped)
    landlord = outcome.landlord
    assert landlord is not None
    score = outcome.base_score * terms.initial_multiplier << outcome.doublings
    points = _from_pairs(outcome, [score << steps for steps in outcome.ladder])
    rows = [*_factor_rows(terms, outcome), {"row": "score", "values": list(points)}]
    zeros = (0,) * SEATS
    if not terms.moves_coins:
        return Settlement(points, zeros, zeros, zeros, tuple(rows))
    due = [score * terms.base_stake for score in points]
    rows.append({"row": "stake", "base_stake": terms.base_stake, "values": due})
    pay = _pay_landlord if outcome.out == landlord else _pay_farmers
    paid, limits = pay(terms, balances, outcome, [abs(coins) for coins in due])
    gross = _from_pairs(outcome, paid)
    fees = charge_fees(terms, balances, gross)
    settlement = Settlement(points, gross, fees, zeros)
    if limits:
        won = [max(coins, 0) for coins in gross]
        to = None if outcome.out == landlord else outcome.out
        rows += [*limits, {"row": "pot", "total": sum(won), "values": won, "remainder_to": to}]
    rows += [*fee_row(terms, fees), {"row": "coins", "values": list(settlement.net)}]
    return settlement._replace(reasons=tuple(rows))


def _from_pairs(outcome: MalaOutcome, amounts: Sequence[int]) -> tuple[int, ...]:
    """Return what each seat wins or loses when each farmer's pair moves that amount."""
    sign = -1 if outcome.out == outcome.landlord else 1
    moved = [0 if seat == outcome.landlord else sign * amounts[seat] for seat in range(SEATS)]
    return tuple([-sum(moved) if seat == outcome.landlord else moved[seat] for seat in range(SEATS)])


def _pay_landlord(
    terms: Terms, balances: Sequence[int] | None, outcome: MalaOutcome, due: Sequence[int]
) -> tuple[list[int], list[Row]]:
    """Return what each losing farmer pays: at most the cap, his balance, and what the landlord carries."""
    paid = [0] * SEATS
    limits: dict[str, list[int | None]] = {name: [None] * SEATS for name in ("cap", "purse", "carried")}
    assert outcome.landlord is not None
    for farmer in outcome.farmers:
        capped = due[farmer] if terms.cap is None else min(due[farmer], terms.cap)
        borne = purse(balances, farmer, capped)
        paid[farmer] = purse(balances, outcome.landlord, borne)
        if paid[farmer] < due[farmer]:
            limit = "carried" if paid[farmer] < borne else "purse" if borne < capped else "cap"
            limits[limit][farmer] = paid[farmer]
    return paid, limit_rows(limits)


def _pay_farmers(
    terms: Terms, balances: Sequence[int] | None, outcome: MalaOutcome, due: Sequence[int]
) -> tuple[list[int], list[Row]]:
    """Return what each farmer gets of a losing landlord: at most what he carries; when that exceeds the
    landlord's purse, min(balance, cap), it is split in proportion, the remainder to the farmer who went
    out."""
    landlord, out = outcome.landlord, outcome.out
    assert landlord is not None and out is not None
    amounts = [0 if seat == landlord else purse(balances, seat, due[seat]) for seat in range(SEATS)]
    limits: dict[str, list[int | None]] = {name: [None] * SEATS for name in ("carried", "cap", "purse")}
    for farmer in outcome.farmers:
        if amounts[farmer] < due[farmer]:
            limits["carried"][farmer] = amounts[farmer]
    total = sum(amounts)
    capped = total if terms.cap is None else min(total, terms.cap)
    borne = purse(balances, landlord, capped)
    if borne < total:
        limits["purse" if borne < capped else "cap"][landlord] = borne
        amounts = list(share_out(borne, amounts, out))
    return amounts, limit_rows(limits)


def _factor_rows(terms: Terms, outcome: MalaOutcome) -> list[Row]:
    """Return the factors of a deal, each with its cause; the ladder's by pair, at the farmer's seat."""
    rows: list[Row] = []
    if outcome.landlord is not None:
        cause = "blind" if outcome.base_score == GRABBED_BLIND else "call"
        values = at_seat(outcome.landlord, outcome.base_score)
        rows.append({"row": "factor", "cause": cause, "seat": outcome.landlord, "values": values})
    if terms.initial_multiplier > 1:
        rows.append({"row": "factor", "cause": "initial", "values": [terms.initial_multiplier] * SEATS})
    if any(outcome.ladder):
        factors = [1 << steps if steps else None for steps in outcome.ladder]
        rows.append({"row": "factor", "cause": "ladder", "steps": list(outcome.ladder), "values": factors})
    dealt = outcome.escaped is not None
    if outcome.causes is not None:
        return [*rows, *doubling_rows(outcome.causes, dealt=dealt)]
    cause = "bombs_dealt" if dealt else "doublings"
    return [*rows, {"row": "factor", "cause": cause, "values": [1 << outcome.doublings] * SEATS}]


# --- while it runs ---


def stakes(view: View, terms: Terms) -> Stakes | None:
    """Return what is played for by what is public so far, pair by pair; None without a landlord."""
    auction: Auction = view.own
    landlord = auction.landlord
    if landlord is None:
        return None
    causes, possible = doublings_so_far(view)
    base_score = auction.bid or CALLED
    running = MalaOutcome("over", landlord, base_score, auction.ladder, len(causes), causes=causes)
    score = base_score * terms.initial_multiplier << len(causes)
    scores = [0 if seat == landlord else score << auction.ladder[seat] for seat in range(SEATS)]
    scores[landlord] = sum(scores)
    return Stakes(
        tuple(_factor_rows(terms, running)), tuple(scores), possible, _pairs(view, auction, landlord)
    )


def _pairs(view: View, auction: Auction, landlord: int) -> tuple[Pair, ...]:
    """Return how far each pair has come on the ladder, in play order from the landlord."""
    asked = {toward if seat == landlord else seat: seat for seat, toward in auction.asked}
    stayed = [
        action.value if seat == landlord else seat for seat, action in view.history if action.kind == "stay"
    ]
    pairs = []
    for step in range(1, SEATS):
        farmer = (landlord + step) % SEATS
        steps = auction.ladder[farmer]
        is_open = view.phase == "ladder" and farmer not in stayed and steps < RUNGS
        pairs.append(Pair(farmer, steps, asked.get(farmer), is_open))
    return tuple(pairs)


# --- escapes ---


def escape_factors(ladder: Sequence[int], bombs: int, pairs: Sequence[int]) -> list[int]:
    """Return the factor of each pair: 10 below a multiple of 10, else twice the multiple (RULES §4
    Escape)."""
    multiples = [1 << ladder[farmer] + bombs for farmer in pairs]
    return [10 if multiple < 10 else 2 * multiple for multiple in multiples]


def _pairs_of(seat: int, landlord: int | None) -> list[int]:
    """Return the farmers whose pairs a seat is in, itself if it is none's landlord."""
    return [farmer for farmer in range(SEATS) if farmer != seat] if seat == landlord else [seat]


def _settle_escape(
    terms: Terms, balances: Sequence[int] | None, outcome: MalaOutcome, escaped: int
) -> Settlement:
    pairs = _pairs_of(escaped, outcome.landlord)
    factors = escape_factors(outcome.ladder, outcome.doublings, pairs)
    points = outcome.base_score * terms.initial_multiplier * sum(factors)
    settlement = escape_settlement(terms, balances, SEATS, escaped, points, points * terms.base_stake)
    by_pair = [factors[pairs.index(seat)] if seat in pairs else None for seat in range(SEATS)]
    escape: Row = {"row": "factor", "cause": "escape", "values": by_pair}
    return settlement._replace(reasons=(*_factor_rows(terms, outcome), escape, *settlement.reasons))


def leave_price(view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
    """Return what an escape costs the view's seat by the cards it has seen; at least that, where a four of a
    kind or both jokers may lie hidden in one hand. Before cards are dealt (None) there is no four."""
    if view is None:
        (factor,) = escape_factors((0,), 0, (0,))
        return _price(CALLED * factor, terms, balance, at_least=False)
    if view.seat is None:
        return LeavePrice(0, 0)
    auction: Auction = view.own
    known = _seen_in_hands(view)
    bombs = len(dealt_bombs(known))
    factors = escape_factors(auction.ladder, bombs, _pairs_of(view.seat, auction.landlord))
    times = (auction.bid or CALLED) * sum(factors)
    return _price(times, terms, balance, at_least=_may_hide_a_bomb(view, known))


def _price(times: int, terms: Terms, balance: int | None, *, at_least: bool) -> LeavePrice:
    points = times * terms.initial_multiplier
    coins = points * terms.base_stake
    if not terms.moves_coins:
        coins = 0
    elif balance is not None:
        coins = min(coins, balance)
    return LeavePrice(points, coins, at_least)


def _seen_in_hands(view: View) -> list[int]:
    """Return what this seat has seen of each hand as it was at the start of play."""
    auction: Auction = view.own
    known = [0] * SEATS
    for seat, cards in played_by(view.opening, view.history):
        known[seat] |= mask_of(cards)
    if view.hand is not None and view.seat is not None:
        known[view.seat] |= view.hand
    if view.bottom is not None and auction.landlord is not None:
        known[auction.landlord] |= view.bottom
    if auction.shown is not None:
        known[view.opening["first"]] |= 1 << auction.shown
    return known


def _may_hide_a_bomb(view: View, known: Sequence[int]) -> bool:
    """Whether one hand may hold a four of a kind, or both jokers, of which this seat has not seen all."""
    for seat, seen in enumerate(known):
        if seat != view.seat or view.hand is None:
            possible = seen | view.unseen
            if holds_bomb(possible) and any(
                possible & mask == mask and seen & mask != mask for mask, _ in BOMBS
            ):
                return True
    return False
