"""How likely a combo of mine is to stand, judged from one seat's view: what is unseen, and how many cards
the others hold.

Nothing here knows where an unseen card lies. `standing_chance` 1.0 is a promise (nobody can beat it);
everything below is an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from games.engine.big_two_combos import FIVE_CARD_ORDER, STRAIGHTS
from games.engine.combos import Combo

RANKS = 13
ONE_OF_EACH = sum(1 << 4 * rank for rank in range(RANKS))

FIVE_ODDS = (
    (0.008, 0.003, 0.002, 0.001, 0.0, 0.0),
    (0.039, 0.018, 0.008, 0.001, 0.0, 0.0),
    (0.095, 0.054, 0.027, 0.002, 0.001, 0.0),
    (0.216, 0.134, 0.063, 0.005, 0.001, 0.0),
    (0.379, 0.241, 0.123, 0.007, 0.001, 0.0),
    (0.569, 0.383, 0.192, 0.013, 0.004, 0.0),
    (0.749, 0.569, 0.291, 0.022, 0.007, 0.0),
    (0.869, 0.709, 0.391, 0.033, 0.009, 0.0),
    (0.951, 0.845, 0.492, 0.047, 0.016, 0.0),
)
"""How often so many random cards (5 to 13) hold a straight or better, a flush or better, … : counted over
4,000 hands each."""

_STRAIGHTS = tuple((sum(1 << 4 * rank for rank in ranks), ranks[-1]) for ranks in STRAIGHTS)


class Odds:
    """The odds against one seat: `others` are the numbers of cards of those who may still answer."""

    def __init__(self, unseen: int, others: Sequence[int], reach: float, will: float) -> None:
        self.reach = reach
        self.will = will
        self.unseen = unseen
        self.others = others
        self._of_rank = [(unseen >> 4 * rank & 15).bit_count() for rank in range(RANKS)]
        total = unseen.bit_count() or 1
        self._shares = [(count, count / total) for count in others]
        self._same: dict[int, list[float]] = {}
        self._known: dict[int, float] = {}

    def standing_chance(self, combo: Combo) -> float:
        """Return how likely a combo is to be left standing; exactly 1.0 when nobody can beat it."""
        chance = self._known.get(combo.mask)
        if chance is None:
            chance = self._known[combo.mask] = self._chance(combo)
        return chance

    def _chance(self, combo: Combo) -> float:
        size = combo.size
        if not any(count >= size for count in self.others):
            return 1.0
        if size == 1:
            higher = self.higher_cards(combo)
            return exp(-higher / self.reach) if higher else 1.0
        if size == 5:
            return self._five_chance(combo)
        return exp(-self.will * self._higher_groups(combo))

    def higher_cards(self, combo: Combo) -> int:
        """Count the unseen cards above a single."""
        return (self.unseen >> combo.power + 1).bit_count()

    def _higher_groups(self, combo: Combo) -> float:
        """Return how many better pairs (or triples) to expect in the hands that may answer."""
        size, rank = combo.size, combo.top >> 2
        chances = self._same_rank(size)
        expected = sum([chances[held] for held in self._of_rank[rank + 1 :]])
        if size == 2 and self.unseen >> combo.top + 1 & (1 << 3 - (combo.top & 3)) - 1:
            expected += chances[self._of_rank[rank]]
        return expected

    def _same_rank(self, size: int) -> list[float]:
        """Return, by the unseen cards of a rank, how likely `size` of them are in one hand."""
        chances = self._same.get(size)
        if chances is None:
            chances = self._same[size] = [self._together(size, held) for held in range(5)]
        return chances

    def _together(self, size: int, held: int) -> float:
        if held < size:
            return 0.0
        chance = 0.0
        for count, share in self._shares:
            if count >= size:
                fewer = (1 - share) ** held
                fewer += held * share * (1 - share) ** (held - 1)
                if size == 3:
                    fewer += held * (held - 1) / 2 * share**2 * (1 - share) ** (held - 2)
                chance += 1 - fewer
        return max(chance, 1e-6)

    def _five_chance(self, combo: Combo) -> float:
        if not self.five_above(combo.power):
            return 1.0
        chance = 1.0
        for count in self.others:
            chance *= 1 - min(0.98, self.will * self.better_five(combo, count))
        return min(chance, 0.999)

    def better_five(self, combo: Combo, count: int) -> float:
        """Return how likely so many unseen cards hold something better than a five-card combo."""
        if count < 5:
            return 0.0
        kind = combo.power >> 6
        row = FIVE_ODDS[min(count, RANKS) - 5]
        part = (combo.top >> 2) / (RANKS - 1)
        return row[kind] * (1 - part) + row[kind + 1] * part

    def five_above(self, power: int) -> bool:
        """Whether the unseen cards, all in one hand, could hold a five-card combo above this power.

        Exact but for what two hands cannot share: False is a promise.
        """
        kind, top = power >> 6, power & 63
        return any(self._best_of(better, -1) for better in range(kind + 1, 5)) or self._best_of(kind, top)

    def _best_of(self, kind: int, top: int) -> bool:
        """Whether the unseen cards hold a combo of this kind whose deciding card is above `top`."""
        unseen = self.unseen
        if FIVE_CARD_ORDER[kind] == "full_house":
            threes = [rank for rank, held in enumerate(self._of_rank) if held >= 3 and rank > top >> 2]
            return any(
                held >= 2 and any(rank != three for three in threes)
                for rank, held in enumerate(self._of_rank)
            )
        if FIVE_CARD_ORDER[kind] == "quads":
            return any(held == 4 and rank > top >> 2 for rank, held in enumerate(self._of_rank)) and (
                unseen.bit_count() > 4
            )
        if FIVE_CARD_ORDER[kind] == "straight":
            held_ranks = (unseen | unseen >> 1 | unseen >> 2 | unseen >> 3) & ONE_OF_EACH
            return any(
                held_ranks & needed == needed and (unseen >> 4 * rank & 15) << 4 * rank >> top + 1
                for needed, rank in _STRAIGHTS
            )
        for suit in range(4):
            held = unseen >> suit & ONE_OF_EACH
            if FIVE_CARD_ORDER[kind] == "flush":
                if held.bit_count() >= 5 and held << suit >> top + 1:
                    return True
            elif any(held & needed == needed and 4 * rank + suit > top for needed, rank in _STRAIGHTS):
                return True
        return False
