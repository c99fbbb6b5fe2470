"""The computer player of Dou Dizhu: it decides from its seat's View alone.

Before play it weighs its hand (dou_dizhu_bot_bids). At play it goes out when it can, and for sure when a
chain of unbeatable combos leads there; else each legal act is judged by the plan it leaves, by the lead it
may win, and by what it lets enemies, or the partner, do.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.engine import dou_dizhu_bot_bids as bids
from games.engine.actions import Action
from games.engine.combos import Combo
from games.engine.dou_dizhu import SEATS, DouDizhu
from games.engine.dou_dizhu_bot_odds import Odds, Shape, shape_of
from games.engine.dou_dizhu_bot_plan import WEIGHTS, Planner, Weights, tally_of
from games.engine.dou_dizhu_bot_sift import sifted
from games.engine.dou_dizhu_bot_sure import Runs
from games.engine.dou_dizhu_combos import BOMB_POWER
from games.engine.mala import MALA
from games.engine.taiwan import TAIWAN
from games.engine.views import View

_RULES: dict[str, DouDizhu] = {rules.code: rules for rules in (MALA, TAIWAN)}
OUT, SURE_TO_GO_OUT = -1000.0, -500.0
GOES_OUT = (0.0, 1.0, 0.5, 0.25, 0.15, 0.12, 0.08, 0.04, 0.02)
"""How likely a seat with so many cards goes out once it leads."""
LIKELY = 0.4
"""A run that ends in going out counts from so likely on."""


class Judge:
    """One decision of one seat at play."""

    def __init__(self, view: View, weights: Weights = WEIGHTS) -> None:
        assert view.seat is not None and view.hand is not None
        self.view = view
        self.weights = weights
        self.seat = seat = view.seat
        self.hand = view.hand
        self.rules = rules = _RULES[view.ruleset]
        self.odds = Odds(view, weights.will, weights.will_bomb)
        pairs = any(carried.unit == 2 and carried.width == 3 for carried in rules.combos.carried)
        self.tally = tally_of(_cards(self.hand))
        self.planner = Planner(self.tally, self.odds, pairs_as_kickers=pairs, weights=weights)
        self.runs = Runs(rules, self.hand, self.odds)
        self.partner = self.odds.partner
        self.after_me = [(seat + step) % SEATS for step in range(1, SEATS)]
        self.nearest = min(view.counts[enemy] for enemy in self.odds.enemies)
        self.lead = weights.lead + weights.urge * max(0.0, 1 - self.nearest / 8)

    def ranked(self, offers: Sequence[Action]) -> list[Action]:
        """Return the acts that are worth a thought, best first."""
        acts = sifted([(offer, self._combo(offer)) for offer in offers], self.tally)
        scored = [(self.loss(combo), index) for index, (_, combo) in enumerate(acts)]
        scored.sort()
        return [acts[index][0] for _, index in scored]

    def _combo(self, action: Action) -> Combo | None:
        if action.kind != "play":
            return None
        return self.rules.combos.played(self.hand, action.cards, self.view.standing)

    def loss(self, combo: Combo | None) -> float:
        """Return what a play, or passing (None), leaves to be done, in leads; the least is best."""
        if combo is None:
            return self._loss_of_passing()
        rest = self.hand & ~combo.mask
        if not rest:
            return OUT
        shape = shape_of(combo)
        if self.runs.wins_after(combo) or self._feeds_surely(shape):
            return SURE_TO_GO_OUT - combo.size
        return self._loss_of_playing(combo, shape)

    # --- passing ---

    def _loss_of_passing(self) -> float:
        view, weights = self.view, self.weights
        loss = self.planner.plan(self.tally).cost - weights.hold
        standing, by = view.standing, view.standing_by
        if standing is None or by is None:
            return loss
        shape = shape_of(standing)
        if by == self.partner:
            loss -= self._partner_leads(by, shape)
            return loss + weights.danger * self._lets_out(shape, self._still_to_act(by))
        stays = 1.0
        for seat in self._still_to_act(by):
            if seat == self.partner:
                stays -= 0.6 * self.odds.others[seat].beats(shape)
        chance = _goes_out(view.counts[by]) + self._lets_out(shape, self._still_to_act(by))
        return loss + weights.danger * stays * min(chance, 1.0)

    def _still_to_act(self, by: int) -> list[int]:
        """Return the seats that act after me before the trick can end."""
        return self.after_me[: (by - self.seat) % SEATS - 1]

    def _partner_leads(self, partner: int, shape: Shape) -> float:
        """Return what it is worth to leave the trick to the partner."""
        stands = self.odds.stands(shape) if self._still_to_act(partner) else 1.0
        worth = self.weights.team + self.lead
        return stands * (worth + self.weights.feed * _goes_out(self.view.counts[partner]))

    # --- playing ---

    def _loss_of_playing(self, combo: Combo, shape: Shape) -> float:
        weights = self.weights
        stands = self.odds.stands(shape)
        plan = self.planner.plan(self.tally - tally_of(combo.cards))
        loss = plan.cost - self.lead * stands
        loss -= weights.finish * max(0.0, stands * plan.finish - LIKELY)
        if combo.power >= BOMB_POWER:
            loss += weights.bomb * 0.5
        loss += weights.danger * self._lets_out(shape, self.after_me)
        if self.partner is not None and self.view.standing is None:
            loss -= weights.feed * self._feeds(shape)
        return loss

    def _lets_out(self, shape: Shape, after: Sequence[int]) -> float:
        """Return how likely an enemy among those who act after goes out by answering a combo, or by the lead
        he gets."""
        chance = 0.0
        for enemy in self.odds.enemies:
            if enemy in after:
                seat = self.odds.others[enemy]
                beats = seat.beats(shape)
                chance += beats if shape.size == seat.count else beats * _goes_out(seat.count - shape.size)
        return min(chance, 1.0)

    def _feeds(self, shape: Shape) -> float:
        """Return how likely this lead lets the partner go out."""
        assert self.partner is not None
        partner = self.odds.others[self.partner]
        if shape.size != partner.count:
            return 0.0
        before = self.after_me.index(self.partner)
        return partner.beats(shape) * (0.5 * self.odds.stands(shape) if before else 1.0)

    def _feeds_surely(self, shape: Shape) -> bool:
        """Whether the partner, who acts next, goes out on this lead whatever he holds."""
        return self.view.standing is None and self.after_me[0] == self.partner and self._feeds(shape) == 1.0


def _goes_out(count: int) -> float:
    return GOES_OUT[count] if 0 <= count < len(GOES_OUT) else 0.0


def _cards(mask: int) -> list[int]:
    return [card for card in range(mask.bit_length()) if mask >> card & 1]


def ranked(view: View, offers: Sequence[Action]) -> list[Action]:
    """Return the legal acts of the view's seat, best first."""
    if not offers:
        return []
    if view.phase != "play":
        return bids.ranked(view, offers)
    return Judge(view).ranked(offers)
