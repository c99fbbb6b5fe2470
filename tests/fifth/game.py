"""The fifth game: the toy of `tests.table.toy` for coins. The winner takes a base stake from each of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.engine.settlement import Settlement
from games.engine.terms import Terms
from tests.table.toy import PLAY_ON, SEATS, Toy

LEAVE_FINE = 2


class Fifth(Toy):
    """Three seats, twelve cards, single cards only; an auction in which all may decline."""

    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: Any) -> Settlement:
        zeros = (0,) * SEATS
        if outcome.winner is None:
            return Settlement(zeros, zeros, zeros, zeros, ())
        points = tuple(SEATS - 1 if seat == outcome.winner else -1 for seat in range(SEATS))
        stake = terms.base_stake if terms.moves_coins else 0
        gross = tuple(stake * each for each in points)
        fine = LEAVE_FINE * stake
        penalties = tuple(fine if seat in outcome.fined else 0 for seat in range(SEATS))
        reasons = ({"row": "points", "values": list(points)},)
        return Settlement(points, gross, zeros, penalties, reasons)

    def exposure(self, terms: Terms, balance: int) -> int:
        return min(balance, (1 + LEAVE_FINE) * terms.base_stake) if terms.moves_coins else 0

    def can_play_on(self, terms: Terms, balance: int) -> bool:
        return balance >= (1 + LEAVE_FINE) * terms.base_stake


FIFTH = Fifth("fifth.game", PLAY_ON.manners)
