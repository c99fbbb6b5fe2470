"""What a finished deal moves: points and coins by seat, with the reasons for the receipt (RULES §6
`settlement`).

Whole numbers only. Coins sum to zero with the house: Σ net + house = 0, net = gross − fees − penalties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.engine.terms import Terms

Row = dict[str, Any]
"""One line of the receipt: its type under `row`, numbers by seat under `values`, causes as codes."""


class Settlement(NamedTuple):
    """The result of a deal by seat. `reasons` explain it line by line and are no part of `as_json`."""

    points: tuple[int, ...]
    gross: tuple[int, ...]
    fees: tuple[int, ...]
    penalties: tuple[int, ...]
    reasons: tuple[Row, ...] = ()

    @property
    def net(self) -> tuple[int, ...]:
        """What each wallet changes by."""
        return tuple(
            [won - fee - fine for won, fee, fine in zip(self.gross, self.fees, self.penalties, strict=True)]
        )

    @property
    def house(self) -> int:
        """What the house gets: fees and penalties."""
        return sum(self.fees) + sum(self.penalties)

    def as_json(self) -> dict[str, Any]:
        """Return exactly the keys of RULES §6 `settlement`."""
        return {
            "points": list(self.points),
            "gross": list(self.gross),
            "fees": list(self.fees),
            "penalties": list(self.penalties),
            "net": list(self.net),
            "house": self.house,
        }


class Pair(NamedTuple):
    """Landlord and one farmer on the ladder: the steps taken, whose answer is awaited (None: nobody's yet) and
    whether the pair may still be raised."""

    farmer: int
    steps: int
    asked: int | None
    is_open: bool


class Stakes(NamedTuple):
    """What a running deal is played for, by what everybody knows: the receipt's rows of factors so far, the
    points each seat would win or lose (both as positive numbers), the doublings that may still come, and the
    pairs of a ladder."""

    rows: tuple[Row, ...]
    score: tuple[int, ...]
    possible: tuple[str, ...]
    pairs: tuple[Pair, ...] = ()


def nothing_moves(seats: int) -> Settlement:
    """Return the settlement of a void deal: all zeros, no fines (RULES §7)."""
    zeros = (0,) * seats
    return Settlement(zeros, zeros, zeros, zeros, ({"row": "void"},))


def purse(balances: Sequence[int] | None, seat: int, due: int) -> int:
    """Return how much of `due` a seat's balance can bear; balances None is without limit."""
    return due if balances is None else min(due, balances[seat])


def enough_for_a_deal(terms: Terms, balance: int) -> bool:
    """Whether a balance is enough for the next deal (RULES §3 Entry): the cap, or more than 0 without one; in
    points always."""
    if not terms.moves_coins:
        return True
    return balance > 0 if terms.cap is None else balance >= terms.cap


def pay_losses(
    terms: Terms, balances: Sequence[int] | None, due: Sequence[int]
) -> tuple[tuple[int, ...], list[Row]]:
    """Return what each loser (`due` below 0) pays, min(due, cap, balance), and a row for each limit that was
    hit, with what it left."""
    paid = [0] * len(due)
    limits: dict[str, list[int | None]] = {"cap": [None] * len(due), "purse": [None] * len(due)}
    for seat, amount in enumerate(due):
        if amount < 0:
            capped = -amount if terms.cap is None else min(-amount, terms.cap)
            paid[seat] = purse(balances, seat, capped)
            if paid[seat] < -amount:
                limits["purse" if paid[seat] < capped else "cap"][seat] = paid[seat]
    return tuple(paid), limit_rows(limits)


def limit_rows(limits: Mapping[str, Sequence[int | None]]) -> list[Row]:
    """Return a row for each limit that was hit at a seat."""
    return [
        {"row": name, "values": list(values)}
        for name, values in limits.items()
        if any(value is not None for value in values)
    ]


def fee_row(terms: Terms, fees: Sequence[int]) -> list[Row]:
    """Return the row of the fee, none in terms without one."""
    if terms.fee is None:
        return []
    return [{"row": "fee", "kind": terms.fee.kind, "due": terms.fee.value, "values": list(fees)}]


def share_out(amount: int, weights: Sequence[int], remainder_to: int) -> tuple[int, ...]:
    """Split an amount in proportion to weights, each share rounded down, the remainder to one seat."""
    total = sum(weights)
    shares = [amount * weight // total for weight in weights]
    shares[remainder_to] += amount - sum(shares)
    return tuple(shares)


def charge_fees(terms: Terms, balances: Sequence[int] | None, gross: Sequence[int]) -> tuple[int, ...]:
    """Return each seat's fee: at most what it has left after the deal's wins and losses."""
    return tuple(
        [
            purse(None if balances is None else [balances[seat] + won], 0, terms.fee_on(won))
            for seat, won in enumerate(gross)
        ]
    )


def escape_settlement(
    terms: Terms, balances: Sequence[int] | None, seats: int, escaped: int, points: int, coins: int
) -> Settlement:
    """Return the settlement of an escape: the fine down to 0, to the house; nothing else moves (RULES §1,
    §4).

    `points` and `coins` are what the escape costs, as positive numbers.
    """
    zeros = (0,) * seats
    fine = purse(balances, escaped, coins) if terms.moves_coins else 0
    lost = tuple(-points if seat == escaped else 0 for seat in range(seats))
    penalties = tuple(fine if seat == escaped else 0 for seat in range(seats))
    reasons: list[Row] = [{"row": "points", "cause": "escape", "values": list(lost)}]
    if terms.moves_coins:
        reasons.append({"row": "penalty", "cause": "escape", "due": coins, "values": list(penalties)})
        reasons.append({"row": "coins", "values": [-value for value in penalties]})
    return Settlement(lost, zeros, zeros, penalties, tuple(reasons))
