"""Parting a hand into combos: what it costs to get rid of it.

A plan is a set of combos that make up a hand. Each costs about one lead, less what it is worth for taking
the lead back; the cheapest plan is the measure of a hand, and a play is judged by what it leaves.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from games.engine.big_two_combos import combo_of, fives
from games.engine.big_two_odds import RANKS, Odds
from games.engine.combos import Combo

MOST_FIVES = 12
"""So many five-card combos of a hand are planned with at most, the promising ones first."""


class Weights(NamedTuple):
    """The bot's measure, in leads. Found by playing many deals against itself."""

    control: float = 1.7  # what a combo that stands for sure saves
    low: float = 0.2  # what it costs more when nothing lower is left to follow
    card: float = 0.15  # what each card costs, so that long combos go first
    lead: float = 0.12  # what the lead is worth
    urge: float = 0.5  # how much dearer the lead gets when another is nearly out
    hold: float = -0.1  # what passing is worth: a play must gain more
    danger: float = 1.2  # what it costs that another goes out
    finish: float = 3.0  # what going out in one run is worth, as far as that is likely
    left: float = 0.13  # what each point of the cards left costs when another is nearly out
    reach: float = 4.5  # so many unseen higher cards make a single e times less likely to stand
    will: float = 1.2  # how much of what others can beat they do beat


def known(mask: int) -> Combo:
    """Return the combo of a mask that is one."""
    combo = combo_of(mask)
    assert combo is not None
    return combo


class Plan(NamedTuple):
    """What a plan costs; how likely all its combos stand; and how likely the weakest of them does."""

    cost: float
    stands: float
    weakest: float

    @property
    def finish(self) -> float:
        """How likely the plan is played out in one run, the weakest combo last: it need not stand."""
        return self.stands / self.weakest

    def and_then(self, other: Plan) -> Plan:
        """Return this plan and another, together."""
        return Plan(self.cost + other.cost, self.stands * other.stands, min(self.weakest, other.weakest))


NOTHING = Plan(0.0, 1.0, 1.0)


class Planner:
    """Plans for a hand and for what plays leave of it, at one moment."""

    def __init__(self, hand: int, odds: Odds, weights: Weights) -> None:
        self.hand = hand
        self.odds = odds
        self.weights = weights
        self._combos: dict[int, Plan] = {}
        self._ranks: dict[int, Plan] = {}
        self._plans: dict[int, Plan] = {}
        self.fives = self._promising_fives()

    def plan(self, mask: int) -> Plan:
        """Return the cheapest plan for some cards of the hand."""
        plan = self._plans.get(mask)
        if plan is None:
            plan = self._plans[mask] = self._cheapest(mask)
        return plan

    def _of_combo(self, mask: int) -> Plan:
        plan = self._combos.get(mask)
        if plan is None:
            plan = self._combos[mask] = self._price(known(mask))
        return plan

    def _price(self, combo: Combo) -> Plan:
        """Return the plan of one combo: about one lead, less what it saves if it stands."""
        weights = self.weights
        stands = self.odds.standing_chance(combo)
        below = 1 - (combo.top >> 2) / (RANKS - 1) if combo.size < 5 else 0.0
        cost = 1 + weights.low * below + weights.card * combo.size - weights.control * stands
        return Plan(cost, stands, stands)

    def _promising_fives(self) -> list[tuple[int, Plan]]:
        """Return the five-card combos of the hand, each with its plan, by what it leaves."""
        found = [(combo.mask, self._of_combo(combo.mask)) for combo in fives(self.hand)]
        found.sort(key=lambda five: five[1].cost + self._loose(self.hand ^ five[0]).cost)
        return found

    def _cheapest(self, mask: int) -> Plan:
        best = self._loose(mask)
        if mask.bit_count() < 5:
            return best
        whole = [five for five in self.fives[:MOST_FIVES] if five[0] & mask == five[0]]
        for place, (five, plan) in enumerate(whole):
            rest = mask ^ five
            loose = self._loose(rest)
            if plan.cost + loose.cost < best.cost:
                best = plan.and_then(loose)
            for second, more in whole[place + 1 :]:
                if second & rest == second:
                    loose = self._loose(rest ^ second)
                    if plan.cost + more.cost + loose.cost < best.cost:
                        best = plan.and_then(more).and_then(loose)
        return best

    def _loose(self, mask: int) -> Plan:
        """Return the cheapest plan of cards played as singles, pairs and triples."""
        ranks = self._ranks
        cost, stands, weakest = NOTHING
        while mask:
            rank = (mask & -mask).bit_length() - 1 >> 2
            held = mask & 15 << 4 * rank
            plan = ranks.get(held)
            if plan is None:
                plan = ranks[held] = min(self._together(parts) for parts in partings(held))
            cost += plan[0]
            stands *= plan[1]
            if plan[2] < weakest:
                weakest = plan[2]
            mask ^= held
        return Plan(cost, stands, weakest)

    def _together(self, parts: tuple[int, ...]) -> Plan:
        plan = NOTHING
        for part in parts:
            plan = plan.and_then(self._of_combo(part))
        return plan


def partings(held: int) -> list[tuple[int, ...]]:
    """Return the ways to part cards of one rank into singles, pairs and triples that are worth a thought."""
    bits = []
    while held:
        bits.append(held & -held)
        held &= held - 1
    if len(bits) == 1:
        return [(bits[0],)]
    ways = [tuple(bits)]
    if len(bits) == 2:
        ways.append((sum(bits),))
    elif len(bits) == 3:
        ways.append((sum(bits),))
        ways += [(lone, sum(bits) ^ lone) for lone in bits]
    else:
        ways += [(lone, sum(bits) ^ lone) for lone in bits]
        ways += [
            (pair, sum(bits) ^ pair) for pair in (bits[0] | bits[1], bits[0] | bits[2], bits[0] | bits[3])
        ]
        ways += [(one, two, sum(bits) ^ one ^ two) for one, two in product(bits, bits) if one < two]
    return ways
