"""Dou Dizhu's combos: reading a set of cards, and what beats what (RULES §2).

Suits never count, so a set is read from its tally: how many cards of each of the fifteen ranks it has, four
bits a rank. One set can have several readings; they come in a leader's priority. Which carried types there
are, and whether single kickers must differ in rank, is data of the rule set. Listing the plays of a hand
(dou_dizhu_plays) is written on its own, and a test makes both agree.

`power` orders the combos that compare: the body's rank, 0 for 3 up to 14 for the red joker; bombs and the
rocket lie above all of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from games.engine.actions import Action
from games.engine.cards import BLACK_JOKER, RED_JOKER, cards_of, format_cards
from games.engine.combos import Combo
from games.engine.errors import BAD_CARD, EngineError, IllegalAction

DECK_SIZE = 54
RANKS = 15
CHAIN_RANKS = 12
"""Chains run within the ranks 0 … 11, 3 to A: no 2, no joker."""
BLACK, RED = 13, 14
BOMB_POWER = 32
ROCKET_POWER = 64
GROUPS = {1: "single", 2: "pair", 3: "triple", 4: "bomb"}
CHAINS = {1: ("straight", 5), 2: ("pair_straight", 3), 3: ("airplane", 2)}
"""By the cards of each rank: the chain's name and the fewest ranks it has."""


class Carried(NamedTuple):
    """A carried type: a body of `width` cards of a rank (or of each rank of a chain; 0: the rocket), and
    kickers of `unit` cards of a rank, `kickers` of them or, for a chain, one for each of its ranks."""

    kind: str
    width: int
    chain: bool
    unit: int
    kickers: int


CARRIED = {
    carried.kind: carried
    for carried in (
        Carried("airplane_singles", 3, True, 1, 0),
        Carried("airplane_pairs", 3, True, 2, 0),
        Carried("triple_single", 3, False, 1, 1),
        Carried("triple_pair", 3, False, 2, 1),
        Carried("quad_single", 4, False, 1, 1),
        Carried("quad_singles", 4, False, 1, 2),
        Carried("quad_pairs", 4, False, 2, 2),
        Carried("rocket_singles", 0, False, 1, 2),
        Carried("rocket_pairs", 0, False, 2, 2),
    )
}
"""All carried types, in a leader's priority."""


def rank_of(card: int) -> int:
    """Return the rank number of a card: 0 for 3 … 12 for 2, 13 and 14 for the jokers."""
    return card >> 2 if card < BLACK_JOKER else card - BLACK_JOKER + BLACK


def card_of(rank: int) -> int:
    """Return the lowest card of a rank."""
    return rank << 2 if rank < BLACK else rank - BLACK + BLACK_JOKER


ROCKET = (BLACK_JOKER, RED_JOKER)
CARDS = tuple(tuple(card for card in range(DECK_SIZE) if rank_of(card) == rank) for rank in range(RANKS))
"""The cards of each rank."""

BOTH_JOKERS = sum(1 << card for card in ROCKET)
"""A hand that is at least this number has both jokers."""

STEP = sum(1 << cards[0] for cards in CARDS[: BLACK + 1])
"""Added to a hand, one at the lowest suit of each rank: only a rank held whole carries into the next."""
NO_BOMB = STEP & ~1
STEPPED = NO_BOMB | 1 << RED_JOKER + 1


def holds_bomb(hand: int) -> bool:
    """Whether a hand has four of a rank, or both jokers."""
    return (hand + STEP ^ hand) & STEPPED != NO_BOMB


_TALLY_AT = 64
_MASK_BITS = (1 << _TALLY_AT) - 1
_VALUES = tuple(1 << card | 1 << _TALLY_AT + 4 * rank_of(card) for card in range(DECK_SIZE))
"""What a card adds to the number that holds a set's mask below and its tally above; one sum gives both."""


class Shape(NamedTuple):
    """One reading of a tally: type, number of cards, strength and ranking card."""

    kind: str
    size: int
    power: int
    top: int


def _combo(shape: Shape, mask: int, cards: tuple[int, ...]) -> Combo:
    kind, size, power, top = shape
    action = tuple.__new__(Action, ("play", cards, None))  # half the time of the named form
    return tuple.__new__(Combo, (kind, size, power, mask, top, action, False))


def _read_plain(tally: Sequence[int], size: int) -> Shape | None:
    """Read groups of one rank, chains and the rocket."""
    ranks = [rank for rank, count in enumerate(tally) if count]
    first, last, count = ranks[0], ranks[-1], tally[ranks[0]]
    if len(ranks) == 1:
        return Shape(GROUPS[size], size, last if size < 4 else BOMB_POWER + last, card_of(last))
    if ranks == [BLACK, RED]:
        return Shape("rocket", 2, ROCKET_POWER, RED_JOKER)
    if count in CHAINS and last < CHAIN_RANKS and last - first + 1 == len(ranks):
        kind, fewest = CHAINS[count]
        if len(ranks) >= fewest and all(tally[rank] == count for rank in ranks):
            return Shape(kind, size, last, card_of(last))
    return None


def _bodies(tally: Sequence[int], size: int, carried: Carried) -> Iterator[tuple[range, int]]:
    """Yield the ranks of each possible body, the highest first, and how many kickers it carries."""
    if carried.chain:
        length, rest = divmod(size, carried.width + carried.unit)
        if rest == 0 and length > 1:
            for first in range(CHAIN_RANKS - length, -1, -1):
                yield range(first, first + length), length
    elif carried.width == 0:
        yield range(BLACK, RED + 1), carried.kickers
    else:
        for rank in range(BLACK - 1, -1, -1):
            yield range(rank, rank + 1), carried.kickers


def _read_carried(tally: Sequence[int], size: int, carried: Carried, distinct: bool) -> Iterator[Shape]:
    """Yield the readings as one carried type, the highest body first.

    Pair kickers differ in rank; single kickers may be any cards, or with `distinct` of different ranks. A
    chain may carry a card of its own body, a single body may not (four of a rank are a bomb).
    """
    width, unit = carried.width or 1, carried.unit
    for body, kickers in _bodies(tally, size, carried):
        if size != width * len(body) + kickers * unit or any(tally[rank] < width for rank in body):
            continue
        rest = [count - width if rank in body else count for rank, count in enumerate(tally)]
        if unit == 2 and any(count not in (0, 2) for count in rest):
            continue
        if unit == 1 and distinct and max(rest) > 1:
            continue
        if not carried.chain and any(rest[rank] for rank in body):
            continue
        yield Shape(carried.kind, size, body[-1], card_of(body[-1]))


def _group_combos() -> Iterator[Combo]:
    for rank, held in enumerate(CARDS):
        for size in range(1, len(held) + 1):
            for cards in combinations(held, size):
                power = rank if size < 4 else BOMB_POWER + rank
                shape = Shape(GROUPS[size], size, power, card_of(rank))
                yield _combo(shape, sum(1 << card for card in cards), cards)


_GROUPS = {combo.cards: combo for combo in _group_combos()}
"""Every combo of one rank by its cards: most plays are one, and each has but one reading."""


def beats(combo: Combo | Shape, standing: Combo) -> bool:
    """Whether a reading beats a standing combo: a higher bomb or the rocket, else only the same type with the
    same number of cards compares."""
    power = combo.power
    if power <= standing.power:
        return False
    return power >= BOMB_POWER or (combo.kind == standing.kind and combo.size == standing.size)


class Combos:
    """Reads cards by the carried types and the kickers of one rule set."""

    def __init__(self, kinds: Sequence[str], *, distinct_kickers: bool) -> None:
        self.carried = tuple(carried for kind, carried in CARRIED.items() if kind in kinds)
        self.distinct_kickers = distinct_kickers
        self._shapes = lru_cache(maxsize=1 << 15)(self._read)

    def _read(self, packed: int) -> tuple[Shape, ...]:
        """Return all readings of a tally in a leader's priority."""
        tally = [packed >> 4 * rank & 15 for rank in range(RANKS)]
        size = sum(tally)
        if size == 0:
            return ()
        plain = _read_plain(tally, size)
        if plain is not None and plain.power >= BOMB_POWER:
            return (plain,)
        shapes = [] if plain is None else [plain]
        for carried in self.carried:
            shapes += _read_carried(tally, size, carried, self.distinct_kickers)
        return tuple(shapes)

    def readings(self, cards: Sequence[int]) -> list[Combo]:
        """Return what different cards can be read as, in a leader's priority."""
        total = sum([_VALUES[card] for card in cards])
        mask = total & _MASK_BITS
        ascending = cards_of(mask)
        return [_combo(shape, mask, ascending) for shape in self._shapes(total >> _TALLY_AT)]

    def played(self, hand: int, cards: tuple[int, ...], standing: Combo | None) -> Combo:
        """Return the combo that cards of a hand are when led, or when they follow a standing combo.

        Raises IllegalAction `not_in_hand`, `not_a_combo` or `must_beat`, EngineError `bad_card` for what are
        no cards.
        """
        try:
            combo = _GROUPS.get(cards)
        except TypeError:
            combo = None
        if combo is None or combo[3] & hand != combo[3]:  # its mask
            combo = self._read_played(hand, cards, standing)
        if standing is None:
            return combo
        kind, size, power, _, _, _, _ = combo  # as in `beats`, without the call: this runs at every play
        type_to_beat, size_to_beat, power_to_beat, _, _, _, _ = standing
        if power > power_to_beat and (power >= BOMB_POWER or (kind == type_to_beat and size == size_to_beat)):
            return combo
        raise IllegalAction("must_beat", f"{combo.text} does not beat {standing.text}")

    def _read_played(self, hand: int, cards: tuple[int, ...], standing: Combo | None) -> Combo:
        """Return the reading that beats the standing combo, the highest body that fits, else the first."""
        try:
            ascending = tuple(sorted(cards))
            total = sum([_VALUES[card] for card in ascending])
            mask = total & _MASK_BITS
            held = bool(ascending) and ascending[0] >= 0 and mask.bit_count() == len(ascending)
        except TypeError:
            raise EngineError(BAD_CARD, "no cards") from None
        except IndexError:
            raise IllegalAction("not_in_hand", "no card of this deck") from None
        if not held or mask & hand != mask:
            raise IllegalAction("not_in_hand", "a card is not in hand")
        shapes = self._shapes(total >> _TALLY_AT)
        if not shapes:
            raise IllegalAction("not_a_combo", f"{format_cards(ascending)} is nothing")
        chosen = shapes[0]
        if standing is not None and len(shapes) > 1:
            chosen = next((shape for shape in shapes if beats(shape, standing)), chosen)
        return _combo(chosen, mask, ascending)
