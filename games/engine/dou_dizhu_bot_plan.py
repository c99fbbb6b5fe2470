"""Parting a Dou Dizhu hand into combos: what it costs to get rid of it.

Each combo costs about one lead, less what it is worth for taking the lead back; the cheapest parting is the
measure of a hand, and a play is judged by what it leaves. Hands are tallies, four bits a rank. They are
parted from the lowest rank up: whatever becomes of its cards, what is left is a smaller hand of its own.
Triples, airplanes and fours have places for kickers; loose cards that take such a place cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from games.engine.dou_dizhu_bot_odds import Odds, Shape
from games.engine.dou_dizhu_combos import BLACK, BOMB_POWER, CHAIN_RANKS, DECK_SIZE, ROCKET_POWER, rank_of

ONE = tuple(1 << 4 * rank_of(card) for card in range(DECK_SIZE))
"""What each card adds to a tally."""
BOTH = 1 << 4 * BLACK | 1 << 4 * BLACK + 4
"""The tally of both jokers; a tally without other cards that is this much has both."""
MOST_NODES = 1_500
"""So many hands are parted in one decision before chains are no longer looked for."""
MOST_PLACES = 4
"""So many places for kickers are reckoned with at most."""


class Weights(NamedTuple):
    """The brain's measure, in leads. Chosen by duels of a few hundred deals against other choices."""

    control: float = 1.3  # what a combo that stands for sure saves
    chain: float = 0.8  # the same for what is seldom answered and so seldom takes a trick
    low: float = 0.35  # what the lowest costs more, as nothing lower is left to follow
    card: float = 0.1  # what each card costs, so that long combos go first
    bomb: float = 0.5  # what a bomb saves beyond a sure combo
    rocket: float = 1.0  # the same for the rocket
    lead: float = 0.3  # what the lead is worth
    urge: float = 0.7  # how much dearer the lead gets when an enemy is nearly out
    hold: float = 0.15  # what passing is worth: a play must gain more
    danger: float = 4.0  # what it costs that an enemy goes out
    finish: float = 3.0  # what going out in one run is worth, as far as that is likely
    team: float = 0.5  # what it costs to take the trick from the partner
    feed: float = 4.0  # what it is worth that the partner goes out
    will: float = 0.85  # how often an enemy beats what he can beat
    will_bomb: float = 0.5  # how often with a bomb


WEIGHTS = Weights()


class Plan(NamedTuple):
    """What a parting costs, how many combos it has, how likely all of them stand, and the weakest of them."""

    cost: float
    turns: int
    stands: float
    weakest: float

    @property
    def finish(self) -> float:
        """How likely it is played out in one run, the weakest combo last: it need not stand."""
        return self.stands / self.weakest if self.weakest > 0 else 0.0


NOTHING = Plan(0.0, 0, 1.0, 1.0)
_Row = list[tuple[float, int, float, float] | None]
"""The cheapest plan by the kicker places that are left over, from all wanted to all free; in the middle
none."""
_Option = tuple[int, int, Plan]
"""A way to use cards of the lowest rank: the tally that takes, the places it brings or takes, its price."""


def tally_of(cards: Iterable[int]) -> int:
    """Return the tally of some cards."""
    return sum([ONE[card] for card in cards])


class Planner:
    """Plans of one decision: for a hand and for what plays leave of it."""

    def __init__(self, tally: int, odds: Odds, *, pairs_as_kickers: bool, weights: Weights = WEIGHTS) -> None:
        """Plan for what is in the hand of that tally."""
        self.odds = odds
        self.weights = weights
        self.nodes = 0
        self._pairs_as_kickers = pairs_as_kickers
        held = [tally >> 4 * rank & 15 for rank in range(BLACK)]
        self._places = min(MOST_PLACES, sum([max(0, count - 2) for count in held]))
        self._rows: dict[int, _Row] = {}
        self._prices: dict[tuple[int, int, int], Plan] = {}
        self._plans: dict[int, Plan] = {0: NOTHING}

    def plan(self, tally: int) -> Plan:
        """Return the cheapest plan for a hand."""
        plan = self._plans.get(tally)
        if plan is None:
            row = self._row(tally)
            found = min(one for one in row[self._places :] if one is not None)
            plan = self._plans[tally] = Plan(*found)
        return plan

    def _row(self, tally: int) -> _Row:
        row = self._rows.get(tally)
        if row is None:
            row = [None] * (2 * self._places + 1)
            if tally == 0:
                row[self._places] = NOTHING
            else:
                self.nodes += 1
                for taken, places, price in self._options(tally):
                    _merge(row, self._row(tally - taken), places, price)
            self._rows[tally] = row
        return row

    def _options(self, tally: int) -> list[_Option]:
        """Return what can be done with cards of the lowest rank."""
        rank = (tally & -tally).bit_length() - 1 >> 2
        held = tally >> 4 * rank & 15
        one, price = 1 << 4 * rank, self._price
        if rank >= BLACK:
            options = [(one, 0, price(1, 1, rank)), (one, -1, self._kicker(1))]
            if tally == BOTH:
                options.append((BOTH, 0, price(4, 1, ROCKET_POWER)))
            return options
        if held == 4:
            options = [(4 * one, 0, price(4, 1, BOMB_POWER + rank)), (4 * one, 2, price(4, 1, rank))]
            options += [(3 * one, 1, price(3, 1, rank)), (2 * one, 0, price(2, 1, rank))]
        else:
            options = [(one, 0, price(1, 1, rank)), (one, -1, self._kicker(1))]
            if held > 1:
                options.append((2 * one, 0, price(2, 1, rank)))
                if self._pairs_as_kickers:
                    options.append((2 * one, -1, self._kicker(2)))
            if held > 2:
                options.append((3 * one, 1, price(3, 1, rank)))
        if rank < CHAIN_RANKS - 1 and self.nodes <= MOST_NODES:
            options += self._chains(tally, rank, held)
        return options

    def _chains(self, tally: int, rank: int, held: int) -> list[_Option]:
        """Return the chains that begin with the lowest rank."""
        options: list[_Option] = []
        for width, fewest in ((1, 5), (2, 3), (3, 2))[: min(held, 3)]:
            taken, length, rest = 0, 0, tally >> 4 * rank
            while rest & 15 >= width and rank + length < CHAIN_RANKS:
                taken += width << 4 * (rank + length)
                length += 1
                rest >>= 4
                if length >= fewest:
                    places = length if width == 3 else 0
                    options.append((taken, places, self._price(width, length, rank + length - 1)))
        return options

    def _kicker(self, cards: int) -> Plan:
        return Plan(self.weights.card * cards, 0, 1.0, 1.0)

    def _price(self, width: int, length: int, power: int) -> Plan:
        """Return the plan of one combo without kickers."""
        key = (width, length, power)
        plan = self._prices.get(key)
        if plan is None:
            weights, size = self.weights, 2 if power == ROCKET_POWER else width * length
            stands = self.odds.stands(Shape(width, length, power, size))
            seldom = length > 1 or (width == 4 and power < BOMB_POWER)
            control = weights.chain if seldom else weights.control
            if width == 3 and not seldom:
                control = (weights.chain + weights.control) / 2
            cost = 1 + weights.card * size - control * stands
            if power == ROCKET_POWER:
                cost -= weights.rocket
            elif power >= BOMB_POWER:
                cost -= weights.bomb
            elif length == 1:
                cost += weights.low * (1 - power / 14)
            plan = self._prices[key] = Plan(cost, 1, stands, stands)
        return plan


def _merge(row: _Row, rest: _Row, places: int, price: Plan) -> None:
    """Enter into a row what a combo or kicker gives together with the plans of the rest."""
    cost, turns, stands, weakest = price
    top = len(row) - 1
    for index, plan in enumerate(rest, places):
        if plan is None or index < 0:
            continue
        at = index if index < top else top
        known, total = row[at], plan[0] + cost
        if known is None or total < known[0]:
            least = plan[3]
            row[at] = (total, plan[1] + turns, plan[2] * stands, least if least < weakest else weakest)
