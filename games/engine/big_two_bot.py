"""The computer player of Big Two: it decides from its seat's View alone.

It goes out when it can, and for sure when a chain of unbeatable combos leads there. Otherwise each legal
act is judged by the plan it leaves (big_two_plan), by the lead it may win, and by what it lets others do.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.engine.actions import Action
from games.engine.big_two_chains import Chains
from games.engine.big_two_odds import Odds
from games.engine.big_two_plan import Planner, Weights, known
from games.engine.big_two_score import card_score
from games.engine.cards import TWO_OF_SPADES, mask_of
from games.engine.combos import Combo
from games.engine.views import View

SEATS = 4
WEIGHTS = Weights()
OUT, SURE_TO_GO_OUT = -200.0, -100.0
GOES_OUT = (0.0, 1.0, 0.45, 0.25, 0.12, 0.15, 0.05, 0.03)
"""How likely a seat with so many cards goes out once it leads."""
MOST_OFFERS = 120
"""Of more five-card plays than this the least promising are not judged (a hand of one suit has 1,287)."""
LIKELY = 0.4
"""A run that ends in going out counts from so likely on."""


class Judge:
    """One decision of one seat."""

    def __init__(self, view: View, weights: Weights = WEIGHTS) -> None:
        assert view.seat is not None and view.hand is not None
        self.view = view
        self.weights = weights
        self.hand = view.hand
        self.seat = seat = view.seat
        self.after_me = [view.counts[(seat + step) % SEATS] for step in (1, 2, 3)]
        self.odds = Odds(view.unseen, self.after_me, weights.reach, weights.will)
        self.planner = Planner(self.hand, self.odds, weights)
        self.chains = Chains(self.hand, self.odds, bound=view.duty == "last_card")
        nearest = min(self.after_me)
        self.haste = max(0.0, 1 - nearest / 8)
        self.lead = weights.lead + weights.urge * self.haste

    def ranked(self, offers: Sequence[Action]) -> list[Action]:
        """Return the acts that are worth a thought, best first."""
        if len(offers) > MOST_OFFERS:
            promising = {mask for mask, _ in self.planner.fives[:MOST_OFFERS]}
            offers = [act for act in offers if len(act.cards) < 5 or mask_of(act.cards) in promising]
        scored = [(self.loss(action), index) for index, action in enumerate(offers)]
        scored.sort()
        return [offers[index] for _, index in scored]

    def loss(self, action: Action) -> float:
        """Return what an act leaves to be done, in leads; the least is best."""
        if action.kind != "play":
            return self._loss_of_passing()
        combo = known(mask_of(action.cards))
        rest = self.hand ^ combo.mask
        if not rest:
            return OUT
        if self.chains.wins_after(combo):
            straight_on = self.odds.standing_chance(combo) == 1.0
            return SURE_TO_GO_OUT - combo.size - (10 if straight_on else 0)
        return self._loss_of_playing(combo, rest)

    def _loss_of_passing(self) -> float:
        view, weights = self.view, self.weights
        loss = self.planner.plan(self.hand).cost + self._left(self.hand) - weights.hold
        standing, by = view.standing, view.standing_by
        if standing is not None and by is not None:
            after_me = self.after_me[: (by - self.seat) % SEATS - 1]
            stands = self.odds.standing_chance(standing) if after_me else 1.0
            chance = stands * _goes_out(view.counts[by])
            chance += sum([self._answers(standing, count) for count in after_me if count == standing.size])
            loss += weights.danger * min(chance, 1.0)
        return loss

    def _loss_of_playing(self, combo: Combo, rest: int) -> float:
        weights = self.weights
        stands = self.odds.standing_chance(combo)
        plan = self.planner.plan(rest)
        finish = max(0.0, stands * plan.finish - LIKELY)
        loss = plan.cost + self._left(rest) - self.lead * stands - weights.finish * finish
        return loss + weights.danger * self._lets_out(combo)

    def _left(self, cards: int) -> float:
        """Return what the cards still held weigh: their score, should the deal end soon (RULES §1 Score)."""
        score = card_score(cards.bit_count(), bool(cards >> TWO_OF_SPADES & 1))
        return self.weights.left * score * self.haste

    def _lets_out(self, combo: Combo) -> float:
        """Return how likely this play lets another go out by answering it, or by the lead he gets."""
        odds, chance = self.odds, 0.0
        stands = odds.standing_chance(combo)
        for count in self.after_me:
            if count == combo.size:
                chance += self._answers(combo, count)
            elif count > combo.size:
                chance += (1 - stands) / 3 * _goes_out(count - combo.size)
        return min(chance, 1.0)

    def _answers(self, combo: Combo, count: int) -> float:
        """Return how likely one seat, all of whose cards it takes, beats a combo."""
        if combo.size == 5:
            return self.odds.better_five(combo, count)
        if combo.size == 1:
            return self.odds.higher_cards(combo) / max(1, self.view.unseen.bit_count())
        return (1 - self.odds.standing_chance(combo)) / 3


def _goes_out(count: int) -> float:
    return GOES_OUT[count] if count < len(GOES_OUT) else 0.0


def ranked(view: View, offers: Sequence[Action]) -> list[Action]:
    """Return the legal acts of the view's seat, best first."""
    return Judge(view).ranked(offers) if offers else []
