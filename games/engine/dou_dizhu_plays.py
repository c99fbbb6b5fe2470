"""Listing the plays of a Dou Dizhu hand (RULES §2): suits merged, each play with its lowest suits.

A hand is a mask. Plays of one rank come from tables by the bits a hand has in three neighbouring ranks;
chains are slices of the hand's lowest cards; carried plays are built rank by rank, so that every choice of
kickers comes out once and in order. A set of cards is one play, however it can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product, repeat
from typing import TypeVar

from games.engine.actions import Action
from games.engine.combos import Combo
from games.engine.dou_dizhu_combos import (
    BLACK,
    BOMB_POWER,
    BOTH_JOKERS,
    CARDS,
    CHAIN_RANKS,
    CHAINS,
    RANKS,
    ROCKET,
    Carried,
    holds_bomb,
    rank_of,
)

_T = TypeVar("_T")
_Plays = tuple[Action, ...]
_Cards = tuple[int, ...]
_Held = tuple[_Cards, ...]
_Table = tuple[tuple[_Plays, ...], ...]

# A play is built as a tuple: half the time of the named form.
_play: Callable[[tuple[str, _Cards, None]], Action] = partial(tuple.__new__, Action)


def _suits_held(rank: int) -> list[_Cards]:
    """Return the cards of a rank that are held, by the bits of the rank."""
    held = CARDS[rank]
    return [tuple(card for bit, card in enumerate(held) if bits >> bit & 1) for bits in range(1 << len(held))]


_HELD = tuple(_suits_held(rank) for rank in range(RANKS))
_LOWEST = {
    cards[:size]: Action("play", cards[:size])
    for held in _HELD
    for cards in held
    for size in range(1, len(cards) + 1)
}
"""The plays of one rank by their cards."""


def _joined(rows: Callable[[int], list[_T]], join: Callable[[_T, _T, _T], _T]) -> tuple[tuple[_T, ...], ...]:
    """Return tables by three ranks from the rows of each rank; what is made of the same objects is made
    once."""
    tables = []
    for low in range(0, RANKS, 3):
        first, second, third = (rows(rank) for rank in range(low, low + 3))
        made: dict[tuple[int, int, int], _T] = {}
        entries = []
        for c, b, a in product(third, second, first):
            key = id(a), id(b), id(c)
            if key not in made:
                made[key] = join(a, b, c)
            entries.append(made[key])
        tables.append(tuple(entries))
    return tuple(tables)


def _of_sizes(rank: int, sizes: Sequence[int]) -> list[_Plays]:
    """Return the plays of a rank of those sizes, by the bits of the rank; equal entries are one object."""
    made: dict[_Plays, _Plays] = {}
    entries = []
    for cards in _HELD[rank]:
        plays = tuple(_LOWEST[cards[:size]] for size in sizes if len(cards) >= size)
        entries.append(made.setdefault(plays, plays))
    return entries


def _by_three_ranks(*sizes: int, rocket: bool = False) -> _Table:
    """Return the plays of one rank of those sizes, and the rocket, by the bits a hand has in three ranks."""
    tables = _joined(lambda rank: _of_sizes(rank, sizes), lambda a, b, c: a + b + c)
    if not rocket:
        return tables
    *ranks, last = tables
    both = (Action("play", ROCKET),)
    return (*ranks, tuple(plays + both if bits >> 4 == 3 else plays for bits, plays in enumerate(last)))


_SINGLES = _by_three_ranks(1)
_PAIRS = _by_three_ranks(2)
_TRIPLES = _by_three_ranks(3)
_BOMBS = _by_three_ranks(4, rocket=True)
_OF_ONE_RANK = _by_three_ranks(1, 2, 3, 4, rocket=True)
_GROUP_TABLES = {"single": _SINGLES, "pair": _PAIRS, "triple": _TRIPLES}

_ABOVE = tuple(sum(1 << c for cards in CARDS[rank + 1 :] for c in cards) for rank in range(RANKS))
"""The mask of all cards of a higher rank, by rank."""


def _plays(tables: _Table, hand: int) -> list[Action]:
    a, b, c, d, e = tables
    return [
        *a[hand & 4095],
        *b[hand >> 12 & 4095],
        *c[hand >> 24 & 4095],
        *d[hand >> 36 & 4095],
        *e[hand >> 48],
    ]


_BITS: tuple[tuple[int, ...], ...] = _joined(
    lambda rank: [sum(1 << 16 * n + rank for n in range(len(cards))) for cards in _HELD[rank]],
    lambda a, b, c: a | b | c,
)
_A, _B, _C, _D, _E = _BITS


def _ranks_held(hand: int) -> int:
    """Return the ranks of which a hand has at least one, two, three and four cards: a bit for each rank, each
    sixteen bits above the other."""
    return (
        _A[hand & 4095]
        | _B[hand >> 12 & 4095]
        | _C[hand >> 24 & 4095]
        | _D[hand >> 36 & 4095]
        | _E[hand >> 48]
    )


_CARDS: tuple[tuple[_Held, ...], ...] = _joined(
    lambda rank: [(cards,) for cards in _HELD[rank]], lambda a, b, c: a + b + c
)
_F, _G, _H, _I, _J = _CARDS


def _by_rank(hand: int) -> _Held:
    """Return the cards a hand has of each rank."""
    return (
        *_F[hand & 4095],
        *_G[hand >> 12 & 4095],
        *_H[hand >> 24 & 4095],
        *_I[hand >> 36 & 4095],
        *_J[hand >> 48],
    )


def _runs(bits: int) -> list[range]:
    """Return the longest runs of neighbouring ranks."""
    runs = []
    while bits:
        first = (bits & -bits).bit_length() - 1
        length = (~(bits >> first) & (bits >> first) + 1).bit_length() - 1
        runs.append(range(first, first + length))
        bits &= ~((1 << first + length) - 1)
    return runs


_CHAIN_BITS = (1 << CHAIN_RANKS) - 1
_ALL_RUNS = [_runs(bits) for bits in range(1 << CHAIN_RANKS)]
_RUNS = {
    width: tuple(tuple(run for run in runs if len(run) >= fewest) for runs in _ALL_RUNS)
    for width, (_, fewest) in CHAINS.items()
}
"""By the cards of each rank: the runs long enough for a chain, by the bits of the ranks that have them."""
_STRAIGHT_RUNS, _PAIR_RUNS, _AIRPLANE_RUNS = _RUNS[1], _RUNS[2], _RUNS[3]
_CHAIN_WIDTH = {kind: width for width, (kind, _) in CHAINS.items()}
_RANKS_OF = tuple(tuple(rank for rank in range(RANKS) if bits >> rank & 1) for bits in range(1 << BLACK))


def _chain_leads(held: _Held, runs: Iterable[range], width: int) -> list[_Cards]:
    """Return all chains within some runs, of `width` cards of each rank."""
    sets: list[_Cards] = []
    least = width * CHAINS[width][1]
    for run in runs:
        cards = _flat(held, run, width)
        end = len(cards) + 1
        sets += [cards[i:j] for i in range(0, end - least, width) for j in range(i + least, end, width)]
    return sets


def _flat(held: _Held, run: range, width: int) -> _Cards:
    """Return the lowest cards of each rank of a run."""
    if width == 1:
        return tuple([cards[0] for cards in held[run.start : run.stop]])
    return tuple([card for cards in held[run.start : run.stop] for card in cards[:width]])


def _chain_follows(hand: int, width: int, length: int, power: int) -> list[_Cards]:
    """Return the chains of that many ranks whose top is above `power`."""
    sets: list[_Cards] = []
    for run in _RUNS[width][_ranks_held(hand) >> 16 * (width - 1) & _CHAIN_BITS]:
        lowest = max(run.start, power + 2 - length)
        if run.stop - lowest >= length:
            cards = _flat(_by_rank(hand), range(lowest, run.stop), width)
            size = width * length
            sets += [cards[i : i + size] for i in range(0, len(cards) - size + 1, width)]
    return sets


def _chosen(held: _Held, body: range, width: int, count: int, unit: int, most: int) -> list[_Cards]:
    """Return the sets of a body with `count` kickers of `unit` cards, at most `most` of a rank; pairs always
    of different ranks.

    Built rank by rank: `sets[k]` are the beginnings that hold k kickers so far.
    """
    sets: list[list[_Cards]] = [[()], *[[] for _ in range(count)]]
    if unit == 2:
        most = 1
    for rank, cards in enumerate(held):
        own = width if rank in body else 0
        spare = min((len(cards) - own) // unit, most)
        if spare > 0:
            groups = [cards[: own + more * unit] for more in range(spare + 1)]
            for kickers in range(count, 0, -1):
                grown = sets[kickers]
                if own:
                    grown = sets[kickers] = [start + groups[0] for start in grown]
                for more in range(1, min(spare, kickers) + 1):
                    group = groups[more]
                    grown += [start + group for start in sets[kickers - more]]
            if own:
                sets[0] = [start + groups[0] for start in sets[0]]
        elif own:
            base = cards[:own]
            sets = [[start + base for start in starts] for starts in sets]
    return sets[count]


def _one_kicker(held: _Held, ranks: Iterable[int], width: int, unit: int) -> list[_Cards]:
    """Return the sets of `width` cards of a rank with one kicker."""
    kickers = [cards[:unit] for cards in held if len(cards) >= unit]
    sets: list[_Cards] = []
    for rank in ranks:
        body = held[rank][:width]
        place = kickers.index(body[:unit])
        sets += [kicker + body for kicker in kickers[:place]]
        sets += [body + kicker for kicker in kickers[place + 1 :]]
    return sets


class Plays:
    """Lists the plays of hands by the carried types and the kickers of one rule set."""

    def __init__(self, carried: Sequence[Carried], *, distinct_kickers: bool) -> None:
        self._most = 1 if distinct_kickers else 4
        self._chains = [each for each in carried if each.chain]
        self._of_three = [each for each in carried if each.width == 3 and not each.chain]
        self._of_four = [each for each in carried if each.width == 4]
        self._of_rocket = [each for each in carried if each.width == 0]
        self._carried = {each.kind: each for each in carried}

    def leads(self, hand: int) -> list[Action]:
        """Return every play of a hand, each set of cards once."""
        plays = _plays(_OF_ONE_RANK, hand)
        size = hand.bit_count()
        if size < 4:
            return plays
        ranks = _ranks_held(hand)
        straights = _STRAIGHT_RUNS[ranks & _CHAIN_BITS]
        pairs = _PAIR_RUNS[ranks >> 16 & _CHAIN_BITS]
        threes = ranks >> 32 & 0xFFFF
        if straights or pairs or threes or hand >= BOTH_JOKERS:
            held = _by_rank(hand)
            sets = _chain_leads(held, straights, 1) if straights else []
            if pairs:
                sets += _chain_leads(held, pairs, 2)
            if threes:
                sets += self._leads_of_three(held, size, threes, ranks >> 48)
            if hand >= BOTH_JOKERS:
                for carried in self._of_rocket:
                    sets += self._of_body(held, carried, (BLACK,))
            plays += _as_plays(sets)
        return plays

    def _leads_of_three(self, held: _Held, size: int, threes: int, fours: int) -> list[_Cards]:
        """Return the airplanes, and all that is carried by triples and fours."""
        sets: list[_Cards] = []
        for carried in self._of_three:
            sets += self._of_body(held, carried, _RANKS_OF[threes])
        runs = _AIRPLANE_RUNS[threes & _CHAIN_BITS]
        if runs:
            sets += _chain_leads(held, runs, 3)
            for carried in self._chains:
                for run in runs:
                    for length in range(2, min(len(run), size // (3 + carried.unit)) + 1):
                        sets += self._of_chain(held, carried, run, length, lead=True)
        if fours:
            for carried in self._of_four:
                sets += self._of_body(held, carried, _RANKS_OF[fours])
        return sets

    def follows(self, hand: int, standing: Combo) -> list[Action]:
        """Return the plays of a hand that beat a standing combo, each set of cards once."""
        kind, size, power, _, _, _, _ = standing
        if power >= BOMB_POWER:
            return _plays(_BOMBS, hand & _ABOVE[power - BOMB_POWER]) if kind == "bomb" else []
        table = _GROUP_TABLES.get(kind)
        plays: list[Action] = []
        if table is not None:
            higher = hand & _ABOVE[power]
            if higher:
                plays = _plays(table, higher)
        elif size <= hand.bit_count():
            plays += _as_plays(self._chain_or_carried(hand, kind, size, power))
        if holds_bomb(hand):
            plays += _plays(_BOMBS, hand)
        return plays

    def _chain_or_carried(self, hand: int, kind: str, size: int, power: int) -> list[_Cards]:
        """Return the sets of a type and size whose body is above `power`; none is above the rocket."""
        width = _CHAIN_WIDTH.get(kind)
        if width is not None:
            return _chain_follows(hand, width, size // width, power)
        carried = self._carried[kind]
        width = carried.width
        if width == 0:
            return []
        bits = _ranks_held(hand) >> 16 * (width - 1) & 0xFFFF
        if not carried.chain:
            ranks = _RANKS_OF[bits >> power + 1 << power + 1]
            return self._of_body(_by_rank(hand), carried, ranks) if ranks else []
        length = size // (width + carried.unit)
        sets: list[_Cards] = []
        for run in _AIRPLANE_RUNS[bits & _CHAIN_BITS]:
            higher = range(max(run.start, power + 2 - length), run.stop)
            sets += self._of_chain(_by_rank(hand), carried, higher, length, lead=False)
        return sets

    def _of_body(self, held: _Held, carried: Carried, ranks: Iterable[int]) -> list[_Cards]:
        """Return the carried sets with one of these ranks as their body, or with the rocket."""
        _, width, _, unit, count = carried
        if count == 1:
            return _one_kicker(held, ranks, width, unit)
        sets: list[_Cards] = []
        for rank in ranks:
            body = range(rank, rank + 1) if width else range(BLACK, RANKS)
            sets += _chosen(held, body, width or 1, count, unit, self._most)
        return sets

    def _of_chain(
        self, held: _Held, carried: Carried, run: range, length: int, *, lead: bool
    ) -> list[_Cards]:
        """Return the carried sets whose body is a chain of that length within a run.

        Two bodies can give the same set; what is a chain without kickers as well is not led twice.
        """
        _, width, _, unit, _ = carried
        bodies = [range(first, first + length) for first in range(run.start, run.stop - length + 1)]
        sets: list[_Cards] = []
        for body in bodies:
            sets += _chosen(held, body, width, length, unit, self._most)
        if len(bodies) > 1:
            sets = list(dict.fromkeys(sets))
            if lead:
                sets = [cards for cards in sets if not _is_chain(cards, width)]
        return sets


def _as_plays(sets: list[_Cards]) -> Iterator[Action]:
    return map(_play, zip(repeat("play"), sets, repeat(None)))


def _is_chain(cards: _Cards, width: int) -> bool:
    """Whether ascending cards are `width` of each of some neighbouring ranks of a chain."""
    ranks = [rank_of(card) for card in cards]
    first, length = ranks[0], len(ranks) // width
    return ranks == [first + i // width for i in range(length * width)] and first + length <= CHAIN_RANKS
