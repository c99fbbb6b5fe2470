"""How likely the others of a Dou Dizhu deal can beat a combo, counted from what one seat has not seen.

A seat's cards are those known to be his (the landlord's open bottom, the shown card) and a chance share of
the hidden ones. A chance of 0 is a promise: no deal of the hidden cards lets him beat it.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

from games.engine.cards import cards_of
from games.engine.combos import Combo
from games.engine.dou_dizhu import SEATS
from games.engine.dou_dizhu_combos import BLACK, BOMB_POWER, CHAIN_RANKS, CHAINS, RANKS, RED, rank_of
from games.engine.dou_dizhu_score import played_by
from games.engine.views import View

DEAR, SPARED = 10, 0.65
"""What beats a king or more is often spared: an enemy is so much less willing."""
WIDTHS = {"single": 1, "pair": 2, "triple": 3, "triple_single": 3, "triple_pair": 3}
"""Cards of one rank that rank a combo; what four cards carry can only be beaten as if by a bomb."""
CHAIN_WIDTHS = {kind: width for width, (kind, _) in CHAINS.items()} | {
    "airplane_singles": 3,
    "airplane_pairs": 3,
}
_CARRIED_OF_CHAIN = {"airplane_singles": 4, "airplane_pairs": 5}


class Shape(NamedTuple):
    """What decides who beats a combo: cards of each rank of its body, ranks in a row, its power, its size."""

    width: int
    length: int
    power: int
    size: int


def shape_of(combo: Combo) -> Shape:
    """Return the shape of a combo; bombs, the rocket and what fours or the rocket carry have width 4."""
    kind, size, power = combo.kind, combo.size, combo.power
    width = CHAIN_WIDTHS.get(kind)
    if width is not None:
        return Shape(width, size // _CARRIED_OF_CHAIN.get(kind, width), power, size)
    return Shape(WIDTHS.get(kind, 4), 1, power, size)


class Seat:
    """What may be in one other seat's hand."""

    def __init__(self, count: int, known: int, hidden: int) -> None:
        """Count his cards; `known` are his for sure, the rest a share of the `hidden` ones (masks)."""
        self.count = count
        drawn = max(0, count - known.bit_count())
        of_known, of_hidden = _by_rank(known), _by_rank(hidden)
        total = max(hidden.bit_count(), drawn)
        self.has = tuple(
            tuple(_at_least(more - own, free, drawn, total) for more in range(5))
            for own, free in zip(of_known, of_hidden, strict=True)
        )
        """By rank and number: how likely he holds at least so many cards of it."""
        self._found: dict[tuple[int, int, int], float] = {}
        self._bombs: dict[int, float] = {}

    def beats(self, shape: Shape) -> float:
        """Return how likely he can beat a combo with one of its type."""
        width, length, power, size = shape
        if size > self.count or width == 4:
            return 0.0
        key = (width, length, power)
        chance = self._found.get(key)
        if chance is None:
            chance = self._found[key] = self._higher(*key)
        return chance

    def bombs(self, power: int) -> float:
        """Return how likely he has a bomb or the rocket above some power."""
        chance = self._bombs.get(power)
        if chance is None:
            none = 1.0
            if self.count >= 4:
                for rank in range(max(0, power - BOMB_POWER + 1), BLACK):
                    none *= 1 - self.has[rank][4]
            if self.count >= 2 and power < 2 * BOMB_POWER:
                none *= 1 - self.has[BLACK][1] * self.has[RED][1]
            chance = self._bombs[power] = 1 - none
        return chance

    def _higher(self, width: int, length: int, power: int) -> float:
        none = 1.0
        if length == 1:
            for rank in range(power + 1, RANKS):
                none *= 1 - self.has[rank][width]
            return 1 - none
        for top in range(power + 1, CHAIN_RANKS):
            whole = 1.0
            for rank in range(top - length + 1, top + 1):
                whole *= self.has[rank][width]
            none *= 1 - whole
        return 1 - none


def _by_rank(mask: int) -> list[int]:
    counts = [0] * RANKS
    for card in cards_of(mask):
        counts[rank_of(card)] += 1
    return counts


def _at_least(wanted: int, free: int, drawn: int, total: int) -> float:
    """Return how likely at least `wanted` of `free` cards are among `drawn` of `total`."""
    if wanted <= 0:
        return 1.0
    if wanted > free or wanted > drawn:
        return 0.0
    if drawn >= total:
        return 1.0
    ways = sum(
        comb(free, got) * comb(total - free, drawn - got) for got in range(wanted, min(free, drawn) + 1)
    )
    return ways / comb(total, drawn)


class Odds:
    """The chances of one decision. Without a landlord yet, both others are against the seat."""

    def __init__(self, view: View, will: float, will_bomb: float) -> None:
        """Count for the view's seat; `will` is how often a seat beats what it can beat, `will_bomb` with a
        bomb."""
        assert view.seat is not None
        me, landlord = view.seat, view.landlord
        self.others = {
            seat: Seat(view.counts[seat], known, view.unseen)
            for seat, known in _known_cards(view).items()
            if seat != me
        }
        self.partner: int | None = None
        if landlord is not None and landlord != me:
            self.partner = next(seat for seat in self.others if seat != landlord)
        self.enemies = [seat for seat in self.others if seat != self.partner]
        self._will, self._will_bomb = will, will_bomb
        self._stands: dict[Shape, float] = {}

    def stands(self, shape: Shape) -> float:
        """Return how likely no enemy beats a combo: 1.0 only if none can."""
        chance = self._stands.get(shape)
        if chance is None:
            chance = 1.0
            dear = shape.length == 1 and shape.power >= DEAR
            will = self._will * (SPARED if dear else 1.0)
            for enemy in self.enemies:
                seat = self.others[enemy]
                chance *= (1 - will * seat.beats(shape)) * (1 - self._will_bomb * seat.bombs(shape.power))
            self._stands[shape] = chance
        return chance


def _known_cards(view: View) -> dict[int, int]:
    """Return by seat the cards that are known to be in his hand still."""
    gone = view.hand or 0
    for _, cards in played_by(view.opening, view.history):
        for card in cards:
            gone |= 1 << card
    known = dict.fromkeys(range(SEATS), 0)
    if view.shown is not None and not gone >> view.shown & 1 and "first" in view.opening:
        known[view.opening["first"]] |= 1 << view.shown
    if view.landlord is not None and view.bottom is not None:
        bottom = view.bottom & ~gone
        if bottom.bit_count() + known[view.landlord].bit_count() <= view.counts[view.landlord]:
            known[view.landlord] |= bottom
    return known
