"""Listing the plays of a Dou Dizhu hand (RULES §2): suits merged, each play with its lowest suits.

A hand is a mask. Plays of one rank, and those with one kicker, come from tables (dou_dizhu_tables); chains are
slices of the hand's lowest cards; other carried plays are built so that every choice of kickers comes out
once and in order. A set of cards is one play, however it can be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, repeat

from games.engine.actions import Action
from games.engine.combos import Combo
from games.engine.dou_dizhu_combos import (
    BLACK,
    BOMB_POWER,
    BOTH_JOKERS,
    CHAIN_RANKS,
    CHAINS,
    NO_BOMB,
    RANKS,
    STEP,
    STEPPED,
    Carried,
    rank_of,
)
from games.engine.dou_dizhu_tables import (
    ABOVE,
    BOMBS,
    FOURS,
    OF_ONE_RANK,
    PAIRS,
    SINGLES,
    TRIPLES,
    Cards,
    Held,
    Row,
    begin_leads,
    by_rank,
    kickers,
    plays,
    plays_above,
    ranks_held,
    with_one_kicker,
)

_GROUP_TABLES = {"single": SINGLES, "pair": PAIRS, "triple": TRIPLES}
_BODIES = {3: TRIPLES, 4: FOURS}
_ROCKET = range(BLACK, RANKS)


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


def _slices(width: int, fewest: int) -> tuple[tuple[slice, ...], ...]:
    """Return the chains within a run as slices of its cards, by the length of the run."""
    return tuple(
        tuple(
            slice(first * width, end * width)
            for first in range(length - fewest + 1)
            for end in range(first + fewest, length + 1)
        )
        for length in range(CHAIN_RANKS + 1)
    )


_SLICES = {width: _slices(width, fewest) for width, (_, fewest) in CHAINS.items()}


def _chain_leads(held: Held, runs: Iterable[range], width: int) -> list[Cards]:
    """Return all chains within some runs, of `width` cards of each rank."""
    sets: list[Cards] = []
    slices = _SLICES[width]
    for run in runs:
        cards = _flat(held, run, width)
        sets += [cards[chain] for chain in slices[len(run)]]
    return sets


def _flat(held: Held, run: range, width: int) -> Cards:
    """Return the lowest cards of each rank of a run."""
    if width == 1:
        return tuple([cards[0] for cards in held[run.start : run.stop]])
    return tuple([card for cards in held[run.start : run.stop] for card in cards[:width]])


def _chain_follows(hand: int, width: int, length: int, power: int) -> list[Cards]:
    """Return the chains of that many ranks whose top is above `power`."""
    sets: list[Cards] = []
    for run in _RUNS[width][ranks_held(hand) >> 16 * (width - 1) & _CHAIN_BITS]:
        lowest = max(run.start, power + 2 - length)
        if run.stop - lowest >= length:
            cards = _flat(by_rank(hand), range(lowest, run.stop), width)
            size = width * length
            sets += [cards[i : i + size] for i in range(0, len(cards) - size + 1, width)]
    return sets


def _choices(ranks: Sequence[Cards], count: int, unit: int, most: int) -> list[Cards]:
    """Return every choice of `count` kickers of `unit` cards from the cards of some ranks, each of which has enough
    for one and gives `most` at most; pairs always differ in rank."""
    if count < 2:
        return [cards[:unit] for cards in ranks] if count else [()]
    if unit == 2:
        most = 1
    if count == 2 and unit == 1:
        sets: list[Cards] = [*combinations([cards[0] for cards in ranks], 2)]
        return sets if most == 1 else sets + [cards[:2] for cards in ranks if len(cards) > 1]
    chosen: list[list[Cards]] = [[()], *[[] for _ in range(count)]]
    for cards in ranks:
        able = min(len(cards) // unit, most)
        for taken in range(count, 0, -1):
            for more in range(1, min(able, taken) + 1):
                group = cards[: more * unit]
                chosen[taken] += [start + group for start in chosen[taken - more]]
    return chosen[count]


def _carrying(held: Held, body: range, width: int, count: int, unit: int, most: int) -> list[Cards]:
    """Return the sets of a body, `width` cards of each of its ranks, with `count` kickers of `unit` cards.

    A fourth card of the body's own ranks may be a kicker; all others lie below or above the body.
    """
    below = [cards for cards in held[: body.start] if len(cards) >= unit]
    above = [cards for cards in held[body.stop :] if len(cards) >= unit]
    fourths = [rank for rank in body if unit == 1 and len(held[rank]) > width]
    sets: list[Cards] = []
    for used in range(min(len(fourths), count) + 1):
        parts = [
            (_choices(below, count - used - up, unit, most), _choices(above, up, unit, most))
            for up in range(count - used + 1)
        ]
        for own in combinations(fourths, used):
            flat = tuple([card for rank in body for card in held[rank][: width + (rank in own)]])
            for lower, upper in parts:
                sets += [low + flat + up for low in lower for up in upper]
    return sets


class Plays:
    """Lists the plays of hands by the carried types and the kickers of one rule set."""

    def __init__(self, carried: Sequence[Carried], *, distinct_kickers: bool) -> None:
        self._most = 1 if distinct_kickers else 4
        self._chains = [each for each in carried if each.chain]
        self._of_rocket = [each for each in carried if each.width == 0]
        self._of_two = [each for each in carried if each.width == 4 and each.kickers == 2]
        self._of_one = [each for each in carried if each.kickers == 1]
        self._rows = {each.kind: with_one_kicker(each.width, each.unit) for each in self._of_one}
        self._carried = {each.kind: each for each in carried}

    def leads(self, hand: int) -> list[Action]:
        """Return every play of a hand, each set of cards once."""
        if hand.bit_count() < 4:
            return plays(OF_ONE_RANK, hand)
        listed, ranks = begin_leads(hand)
        straights = _STRAIGHT_RUNS[ranks & _CHAIN_BITS]
        pairs = _PAIR_RUNS[ranks >> 16 & _CHAIN_BITS]
        threes = ranks >> 32
        if straights or pairs or threes or hand >= BOTH_JOKERS:
            held = by_rank(hand)
            sets = _chain_leads(held, straights, 1) if straights else []
            if pairs:
                sets += _chain_leads(held, pairs, 2)
            if threes:
                for carried in self._of_one:
                    if carried.width == 3 or threes >> 16:
                        listed += self._with_one(hand, carried, hand)
                sets += self._leads_of_three(hand, held, threes)
            if hand >= BOTH_JOKERS:
                for carried in self._of_rocket:
                    sets += _carrying(held, _ROCKET, 1, carried.kickers, carried.unit, self._most)
            listed += _as_plays(sets)
        return listed

    def _leads_of_three(self, hand: int, held: Held, threes: int) -> list[Cards]:
        """Return the airplanes, and all that is carried by airplanes and, two kickers each, by fours."""
        sets: list[Cards] = []
        runs = _AIRPLANE_RUNS[threes & _CHAIN_BITS]
        if runs:
            sets = _chain_leads(held, runs, 3)
            size = hand.bit_count()
            for carried in self._chains:
                for run in runs:
                    for length in range(2, min(len(run), size // (3 + carried.unit)) + 1):
                        sets += self._of_chain(held, carried, run, length, lead=True)
        if threes >> 16:
            for carried in self._of_two:
                sets += self._with_two(held, carried, hand)
        return sets

    def follows(self, hand: int, standing: Combo) -> list[Action]:
        """Return the plays of a hand that beat a standing combo, each set of cards once."""
        kind, size, power, _, _, _, _ = standing
        if power >= BOMB_POWER:
            return plays_above(BOMBS, hand, power - BOMB_POWER) if kind == "bomb" else []
        table = _GROUP_TABLES.get(kind)
        if table is not None:
            listed = plays_above(table, hand, power)
        elif size <= hand.bit_count():
            listed = self._chain_or_carried(hand, kind, size, power)
        else:
            listed = []
        if (
            hand + STEP ^ hand
        ) & STEPPED != NO_BOMB:  # `holds_bomb`, without the call: this runs at every turn
            listed += plays(BOMBS, hand)
        return listed

    def _chain_or_carried(self, hand: int, kind: str, size: int, power: int) -> list[Action]:
        """Return the plays of a type and size whose body is above `power`; none is above the rocket."""
        width = _CHAIN_WIDTH.get(kind)
        if width is not None:
            return [*_as_plays(_chain_follows(hand, width, size // width, power))]
        carried = self._carried[kind]
        width = carried.width
        if carried.chain:
            length = size // (width + carried.unit)
            sets: list[Cards] = []
            for run in _AIRPLANE_RUNS[ranks_held(hand) >> 32 & _CHAIN_BITS]:
                higher = range(max(run.start, power + 2 - length), run.stop)
                sets += self._of_chain(by_rank(hand), carried, higher, length, lead=False)
            return [*_as_plays(sets)]
        bodies = hand & ABOVE[power]
        if width == 0 or bodies.bit_count() < width:
            return []
        if carried.kickers == 1:
            return self._with_one(hand, carried, bodies)
        return [*_as_plays(self._with_two(by_rank(hand), carried, bodies))]

    def _with_one(self, hand: int, carried: Carried, bodies: int) -> list[Action]:
        """Return the plays with one kicker of a hand whose body is in a part of it."""
        found = plays(_BODIES[carried.width], bodies)
        if not found:
            return []
        numbers = kickers(hand, carried.unit)
        rows: dict[Cards, Row] = self._rows[carried.kind]
        if len(found) == 1:
            row = rows[found[0].cards]
            return [play for number in numbers if (play := row[number]) is not None]
        bodied = [rows[body.cards] for body in found]
        return [play for row in bodied for number in numbers if (play := row[number]) is not None]

    def _with_two(self, held: Held, carried: Carried, bodies: int) -> list[Cards]:
        """Return the sets with two kickers of a hand whose body is in a part of it."""
        sets: list[Cards] = []
        for body in plays(FOURS, bodies):
            rank = rank_of(body.cards[0])
            sets += _carrying(held, range(rank, rank + 1), 4, 2, carried.unit, self._most)
        return sets

    def _of_chain(self, held: Held, carried: Carried, run: range, length: int, *, lead: bool) -> list[Cards]:
        """Return the carried sets whose body is a chain of that length within a run.

        Two bodies can give the same set; what is a chain without kickers as well is not led twice.
        """
        _, width, _, unit, _ = carried
        bodies = [range(first, first + length) for first in range(run.start, run.stop - length + 1)]
        sets: list[Cards] = []
        for body in bodies:
            sets += _carrying(held, body, width, length, unit, self._most)
        if len(bodies) > 1:
            sets = list(dict.fromkeys(sets))
            if lead:
                sets = [cards for cards in sets if not _is_chain(cards, width)]
        return sets


def _as_plays(sets: list[Cards]) -> Iterator[Action]:
    """Make the plays of sets of cards; built as tuples, which takes half the time of the named form."""
    return map(tuple.__new__, repeat(Action), zip(repeat("play"), sets, repeat(None)))


def _is_chain(cards: Cards, width: int) -> bool:
    """Whether ascending cards are `width` of each of some neighbouring ranks of a chain."""
    ranks = [rank_of(card) for card in cards]
    first, length = ranks[0], len(ranks) // width
    return ranks == [first + i // width for i in range(length * width)] and first + length <= CHAIN_RANKS
