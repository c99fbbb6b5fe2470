"""What a Big Two deal is worth (RULES §1 Score, Points, Ability to pay, Escape)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.engine.cards import TWO_OF_SPADES
from games.engine.deal import Deal
from games.engine.settlement import (
    Row,
    Settlement,
    charge_fees,
    escape_settlement,
    fee_row,
    nothing_moves,
    pay_losses,
    share_out,
)
from games.engine.shapes import REQUEST, Shapes
from games.engine.terms import Terms

SEATS = 4
HAND_SIZE = 13
ESCAPE_POINTS = 200
LARGEST_SCORE = 10**9


class BigTwoOutcome(NamedTuple):
    """How a deal ended: "over", "escaped" or "void". `cards_left` is None when the scores were given
    directly."""

    how: str
    scores: tuple[int, ...] = (0,) * SEATS
    winner: int | None = None
    escaped: int | None = None
    cards_left: tuple[int, ...] | None = None
    two_of_spades: int | None = None


def card_factors(cards_left: int, holds_two_of_spades: bool) -> tuple[tuple[str, int], ...]:
    """Return the factors on a count of cards left, each with its cause (RULES §1 Score)."""
    factors: tuple[tuple[str, int], ...] = ()
    if cards_left == HAND_SIZE:
        factors = (("all_cards", 4),)
    elif cards_left >= 10:
        factors = (("ten_to_twelve", 3),)
    elif cards_left >= 8:
        factors = (("eight_or_nine", 2),)
    if holds_two_of_spades and cards_left >= 8:
        factors = (*factors, ("two_of_spades", 2))
    return factors


def card_score(cards_left: int, holds_two_of_spades: bool) -> int:
    """Return the card score of a hand left over."""
    score = cards_left
    for _, factor in card_factors(cards_left, holds_two_of_spades):
        score *= factor
    return score


def outcome_of_cards(cards_left: Sequence[int], two_of_spades: int | None) -> BigTwoOutcome:
    """Return the outcome of a deal that ended with these counts, exactly one of them 0: X_i = S − 4·c_i."""
    cards = [card_score(count, seat == two_of_spades) for seat, count in enumerate(cards_left)]
    total = sum(cards)
    scores = tuple([total - SEATS * score for score in cards])
    return BigTwoOutcome("over", scores, list(cards_left).index(0), None, tuple(cards_left), two_of_spades)


def outcome_of_deal(deal: Deal) -> BigTwoOutcome | None:
    """Return how a deal ended, None while it runs."""
    if deal.phase == "over":
        holder = next((seat for seat, hand in enumerate(deal.hands) if hand >> TWO_OF_SPADES & 1), None)
        return outcome_of_cards(deal.counts, holder)
    if deal.phase == "escaped":
        return BigTwoOutcome("escaped", escaped=deal.gone)
    return BigTwoOutcome("void") if deal.phase == "void" else None


def parse_outcome(value: object, shapes: Shapes = REQUEST) -> BigTwoOutcome:
    """Read an outcome given directly (RULES §6): scores with a winner, cards left, or an escape.

    Raises EngineError for another shape, scores that do not sum to 0, a winner with X < 0 (RULES §7), or
    counts that no deal ends with.
    """
    given = shapes.mapping(value, "outcome")
    if "escaped" in given:
        shapes.mapping(given, "outcome", ("escaped",))
        return BigTwoOutcome("escaped", escaped=shapes.seat(given["escaped"], "escaped", SEATS))
    if "scores" in given:
        shapes.mapping(given, "outcome", ("scores", "winner"))
        scores = shapes.integers(given["scores"], "scores", SEATS, -LARGEST_SCORE, LARGEST_SCORE)
        winner = shapes.seat(shapes.field(given, "winner"), "winner", SEATS)
        if sum(scores) != 0 or scores[winner] < 0:
            shapes.refuse("scores must sum to 0, the winner's at least 0")
        return BigTwoOutcome("over", scores, winner)
    return _parse_cards_left(given, shapes)


def _parse_cards_left(given: Mapping[str, object], shapes: Shapes) -> BigTwoOutcome:
    shapes.mapping(given, "outcome", ("cards_left", "two_of_spades"))
    left = shapes.integers(shapes.field(given, "cards_left"), "cards_left", SEATS, 0, HAND_SIZE)
    holder = shapes.field(given, "two_of_spades")
    if left.count(0) != 1:
        shapes.refuse("cards_left: exactly one seat is out of cards")
    if holder is None:
        return outcome_of_cards(left, None)
    seat = shapes.seat(holder, "two_of_spades", SEATS)
    if left[seat] == 0:
        shapes.refuse("two_of_spades: that seat holds no card")
    return outcome_of_cards(left, seat)


def settle(terms: Terms, balances: Sequence[int] | None, outcome: BigTwoOutcome) -> Settlement:
    """Return what an outcome moves. `balances` are those at the start of the deal, None without limit."""
    if outcome.how == "void":
        return nothing_moves(SEATS)
    if outcome.escaped is not None:
        coins = ESCAPE_POINTS * terms.base_stake
        return escape_settlement(terms, balances, SEATS, outcome.escaped, ESCAPE_POINTS, coins)
    zeros = (0,) * SEATS
    reasons = _score_rows(outcome)
    if not terms.moves_coins:
        return Settlement(outcome.scores, zeros, zeros, zeros, tuple(reasons))
    gross, rows = _pot(terms, balances, outcome)
    fees = charge_fees(terms, balances, gross)
    settlement = Settlement(outcome.scores, gross, fees, zeros)
    reasons += rows
    reasons += fee_row(terms, fees)
    reasons.append({"row": "coins", "values": list(settlement.net)})
    return settlement._replace(reasons=tuple(reasons))


def _score_rows(outcome: BigTwoOutcome) -> list[Row]:
    rows: list[Row] = []
    if outcome.cards_left is not None:
        holds = [seat == outcome.two_of_spades for seat in range(SEATS)]
        counts = list(zip(outcome.cards_left, holds, strict=True))
        factors = [[{"cause": cause, "factor": factor} for cause, factor in card_factors(*c)] for c in counts]
        rows.append({"row": "cards_left", "values": list(outcome.cards_left)})
        rows.append({"row": "card_score", "values": [card_score(*c) for c in counts], "factors": factors})
    rows.append({"row": "score", "values": list(outcome.scores)})
    return rows


def _pot(
    terms: Terms, balances: Sequence[int] | None, outcome: BigTwoOutcome
) -> tuple[tuple[int, ...], list[Row]]:
    """Return the gross by seat and the rows that explain it: losers pay what they can, winners share it."""
    scores, winner = outcome.scores, outcome.winner
    due = [score * terms.base_stake for score in scores]
    rows: list[Row] = [{"row": "stake", "base_stake": terms.base_stake, "values": due}]
    if winner is None or scores[winner] <= 0:
        return (0,) * SEATS, rows
    paid, limits = pay_losses(terms, balances, due)
    rows += limits
    weights = [max(score, 0) for score in scores]
    shares = share_out(sum(paid), weights, winner)
    rows.append({"row": "pot", "total": sum(paid), "values": list(shares), "remainder_to": winner})
    return tuple([share - loss for share, loss in zip(shares, paid, strict=True)]), rows


def as_json(outcome: BigTwoOutcome) -> dict[str, Any]:
    """Return the form `parse_outcome` reads; a void deal has none and gives `{"void": true}`."""
    if outcome.how == "void":
        return {"void": True}
    if outcome.escaped is not None:
        return {"escaped": outcome.escaped}
    if outcome.cards_left is not None:
        return {"cards_left": list(outcome.cards_left), "two_of_spades": outcome.two_of_spades}
    return {"scores": list(outcome.scores), "winner": outcome.winner}
