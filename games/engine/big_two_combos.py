"""Big Two's combos: reading a set of cards, and listing the plays of a hand (RULES §1).

Reading (`combo_of`) decides what is legal; listing (`leads`, `follows`) serves legal lists, hints and
perft. Both are written from the rules on their own, and a test makes them agree. `power` orders combos of
the same number of cards: the card for a single, the higher card of a pair, the rank of a triple, type × 64
+ deciding card for five cards.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, product
from operator import itemgetter
from typing import cast

from games.engine.actions import Action
from games.engine.cards import RANKS, cards_of
from games.engine.combos import Combo

DECK_SIZE = 52
FIVE_CARD_ORDER = ("straight", "flush", "full_house", "quads", "straight_flush")
SHOWS_TOP = frozenset(("straight", "flush", "straight_flush"))

STRAIGHTS = tuple(
    tuple(RANKS.index(rank) for rank in ranks)
    for ranks in ["A2345", "23456", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA"]
)
"""The ten straights by rank number, each ending in its top card; in the first two A and 2 are low."""
_STRAIGHT_TOPS = {frozenset(ranks): ranks[-1] for ranks in STRAIGHTS}
_STRAIGHT_RANKS = tuple((sum(1 << 4 * rank for rank in ranks), ranks) for ranks in STRAIGHTS)

_LOWEST_OF_EACH_RANK = sum(1 << 4 * rank for rank in range(13))
_STRAIGHT_MASKS = frozenset(mask for mask, _ in _STRAIGHT_RANKS)


def _read(mask: int) -> Combo | None:
    cards = cards_of(mask)
    size = len(cards)
    kind = None
    power = top = cards[-1]
    if size == 1:
        kind = "single"
    elif size in (2, 3):
        if cards[0] >> 2 == cards[-1] >> 2:
            kind = "pair" if size == 2 else "triple"
    elif size == 5:
        kind, top = _read_five(cards)
        if kind is not None:
            power = FIVE_CARD_ORDER.index(kind) << 6 | top
    if kind is None:
        return None
    return Combo(kind, size, power, mask, top, Action("play", cards), kind in SHOWS_TOP)


def _read_five(cards: tuple[int, ...]) -> tuple[str | None, int]:
    """Return the type and the deciding card of five cards, ascending; no type when they are nothing."""
    ranks = [card >> 2 for card in cards]
    distinct = len(set(ranks))
    if distinct == 2:
        if ranks[0] == ranks[3] or ranks[1] == ranks[4]:
            return "quads", ranks[1] << 2 | 3
        return "full_house", cards[2] | 3
    if distinct != 5:
        return None, 0
    one_suit = len({card & 3 for card in cards}) == 1
    top_rank = _STRAIGHT_TOPS.get(frozenset(ranks))
    if top_rank is None:
        return ("flush", cards[4]) if one_suit else (None, 0)
    top = cards[ranks.index(top_rank)]
    return ("straight_flush" if one_suit else "straight"), top


class _Readings(dict[int, "Combo | None"]):
    """Every combo read so far, by mask: at most the 19,898 there are. What is nothing is not kept."""

    def __missing__(self, mask: int) -> Combo | None:
        combo = _read(mask)
        if combo is not None:
            self[mask] = combo
            _by_cards[combo.action.cards] = combo
        return combo


_by_cards: dict[tuple[int, ...], Combo] = {}
_readings = _Readings()


def combo_of(mask: int) -> Combo | None:
    """Return what a set of cards is, or None when it is nothing."""
    return _readings[mask] if mask else None


def combo_played(cards: tuple[int, ...]) -> Combo | None:
    """Return the combo of ascending cards if it has been read before; a shortcut, never a verdict."""
    try:
        return _by_cards.get(cards)
    except TypeError:
        return None


def beats(combo: Combo, standing: Combo) -> bool:
    """Whether a combo beats another: only the same number of cards compares."""
    return combo.size == standing.size and combo.power > standing.power


_power = itemgetter(Combo._fields.index("power"))


def _known(mask: int) -> Combo:
    combo = _readings[mask]
    assert combo is not None
    return combo


def _subsets(rank: int, suits: int, size: int) -> tuple[Action, ...]:
    cards = [rank << 2 | suit for suit in range(4) if suits >> suit & 1]
    return tuple(_known(sum(1 << card for card in chosen)).action for chosen in combinations(cards, size))


_Plays = tuple[Action, ...]
_OF_RANK = {n: tuple(tuple(_subsets(r, s, n) for s in range(16)) for r in range(13)) for n in (1, 2, 3)}
"""The plays of n cards of one rank: _OF_RANK[n][rank][suits held]."""


def _by_three_ranks(sizes: Iterable[int]) -> tuple[tuple[_Plays, ...], ...]:
    """Return, for each group of three ranks, the plays of those sizes by the twelve bits a hand has there."""
    sizes = tuple(sizes)

    def of(rank: int, suits: int) -> _Plays:
        return tuple(action for size in sizes for action in _OF_RANK[size][rank][suits]) if rank < 13 else ()

    tables = []
    for low in range(0, 13, 3):
        first, second, third = ([of(rank, suits) for suits in range(16)] for rank in range(low, low + 3))
        width = 16 if low == 12 else 4096
        tables.append(tuple(first[m & 15] + second[m >> 4 & 15] + third[m >> 8] for m in range(width)))
    return tuple(tables)


_SINGLES = _by_three_ranks((1,))
_PAIRS = _by_three_ranks((2,))
_TRIPLES = _by_three_ranks((3,))
_GROUPS = _by_three_ranks((2, 3))
_SMALL = _by_three_ranks((1, 2, 3))


def _plays(tables: tuple[tuple[_Plays, ...], ...], hand: int) -> list[Action]:
    a, b, c, d, e = tables
    return [
        *a[hand & 4095],
        *b[hand >> 12 & 4095],
        *c[hand >> 24 & 4095],
        *d[hand >> 36 & 4095],
        *e[hand >> 48],
    ]


@lru_cache(maxsize=8192)
def fives(hand: int) -> tuple[Combo, ...]:
    """Return all five-card combos of a hand, by power."""
    if hand.bit_count() < 5:
        return ()
    masks = [*_straights(hand), *_flushes(hand), *_groups_of_five(hand)]
    combos = cast("list[Combo]", [_readings[mask] for mask in masks])
    combos.sort(key=_power)
    return tuple(combos)


def _straights(hand: int) -> list[int]:
    """Return the masks of straights, straight flushes included."""
    masks: list[int] = []
    present = (hand | hand >> 1 | hand >> 2 | hand >> 3) & _LOWEST_OF_EACH_RANK
    for needed, ranks in _STRAIGHT_RANKS:
        if present & needed == needed:
            choices = [[1 << 4 * r + s for s in range(4) if hand >> 4 * r + s & 1] for r in ranks]
            masks.extend(map(sum, product(*choices)))
    return masks


def _flushes(hand: int) -> list[int]:
    """Return the masks of flushes that are no straights."""
    masks: list[int] = []
    for suit in range(4):
        held = hand & _LOWEST_OF_EACH_RANK << suit
        if held.bit_count() >= 5:
            chosen = map(sum, combinations(_bits(held), 5))
            masks += [mask for mask in chosen if mask >> suit not in _STRAIGHT_MASKS]
    return masks


def _groups_of_five(hand: int) -> list[int]:
    """Return the masks of full houses and of fours with a card."""
    d, c, h, s = [hand >> suit & _LOWEST_OF_EACH_RANK for suit in range(4)]
    of_three = d & c & (h | s) | h & s & (d | c)
    if not of_three:
        return []
    of_two = d & c | h & s | (d | c) & (h | s)
    pairs = [(low, pair * low) for low in _bits(of_two) for pair in _TWO[hand // low & 15]]
    masks: list[int] = []
    for low in _bits(of_three):
        suits = hand // low & 15
        for triple in _THREE[suits]:
            masks += [triple * low | pair for other, pair in pairs if other != low]
        if suits == 15:
            four = 15 * low
            masks += [four | card for card in _bits(hand ^ four)]
    return masks


def _bits(mask: int) -> list[int]:
    """Return the bits of a mask, each as a mask of its own."""
    bits = []
    while mask:
        low = mask & -mask
        bits.append(low)
        mask ^= low
    return bits


_TWO = tuple(tuple(m for m in range(16) if m & s == m and m.bit_count() == 2) for s in range(16))
_THREE = tuple(tuple(m for m in range(16) if m & s == m and m.bit_count() == 3) for s in range(16))


def leads(hand: int) -> list[Action]:
    """Return every play of a hand."""
    plays = _plays(_SMALL, hand)
    plays += [combo.action for combo in fives(hand)]
    return plays


def leads_without_singles(hand: int) -> list[Action]:
    """Return every play of a hand but its singles."""
    plays = _plays(_GROUPS, hand)
    plays += [combo.action for combo in fives(hand)]
    return plays


def follows(hand: int, standing: Combo) -> list[Action]:
    """Return the plays of a hand that beat a standing combo."""
    size = standing.size
    power = standing.power
    if size == 1:
        return _plays(_SINGLES, hand >> power + 1 << power + 1)
    if size == 5:
        return [combo.action for combo in fives(hand) if combo.power > power]
    rank = power >> 2
    higher = hand >> 4 * rank + 4 << 4 * rank + 4
    if size == 3:
        return _plays(_TRIPLES, higher)
    equal = _OF_RANK[2][rank][hand >> 4 * rank & 15]
    return [*[pair for pair in equal if pair.cards[1] > power], *_plays(_PAIRS, higher)]
