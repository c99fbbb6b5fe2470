"""What a Dou Dizhu hand has, looked up by its bits: three neighbouring ranks are twelve bits of a mask, so five
look-ups know all fifteen ranks.

All tables are made once, when the module is imported; what is equal in them is one object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import TypeVar

from games.engine.actions import Action
from games.engine.dou_dizhu_combos import BLACK, CARDS, RANKS, ROCKET, rank_of

_T = TypeVar("_T")
_Plays = tuple[Action, ...]
Cards = tuple[int, ...]
Held = tuple[Cards, ...]
"""The cards of each rank, fifteen of them."""
Table = tuple[tuple[_T, ...], ...]
"""What a hand has of three ranks each, by the bits of the three."""
Row = tuple[Action | None, ...]
"""The plays of one body by the number of their kicker; None where there is none."""


def _suits_held(rank: int) -> list[Cards]:
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


def _joined(rows: Callable[[int], list[_T]], join: Callable[[_T, _T, _T], _T]) -> Table[_T]:
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


def _plays_of(*sizes: int, rocket: bool = False) -> Table[_Plays]:
    """Return the plays of one rank of those sizes, and the rocket."""
    tables = _joined(lambda rank: _of_sizes(rank, sizes), lambda a, b, c: a + b + c)
    if not rocket:
        return tables
    *ranks, last = tables
    both = (Action("play", ROCKET),)
    return (*ranks, tuple(plays + both if bits >> 4 == 3 else plays for bits, plays in enumerate(last)))


SINGLES = _plays_of(1)
PAIRS = _plays_of(2)
TRIPLES = _plays_of(3)
FOURS = _plays_of(4)
BOMBS = _plays_of(4, rocket=True)
OF_ONE_RANK = _plays_of(1, 2, 3, 4, rocket=True)


def plays(tables: Table[_Plays], hand: int) -> list[Action]:
    """Return the plays a hand has in a table, by rank."""
    a, b, c, d, e = tables
    return [
        *a[hand & 4095],
        *b[hand >> 12 & 4095],
        *c[hand >> 24 & 4095],
        *d[hand >> 36 & 4095],
        *e[hand >> 48],
    ]


def plays_above(tables: Table[_Plays], hand: int, rank: int) -> list[Action]:
    """Return the plays a hand has in a table above a rank; where the rank is high there is little to look up."""
    higher = hand & ABOVE[rank]
    if not higher:
        return []
    if rank > 10:
        return [*tables[4][higher >> 48]]
    if rank > 7:
        return [*tables[3][higher >> 36 & 4095], *tables[4][higher >> 48]]
    return plays(tables, higher)


ABOVE = tuple(sum(1 << c for cards in CARDS[rank + 1 :] for c in cards) for rank in range(RANKS))
"""The mask of all cards of a higher rank, by rank."""

_BITS: Table[int] = _joined(
    lambda rank: [sum(1 << 16 * n + rank for n in range(len(cards))) for cards in _HELD[rank]],
    lambda a, b, c: a | b | c,
)
_A, _B, _C, _D, _E = _BITS


def ranks_held(hand: int) -> int:
    """Return the ranks of which a hand has at least one, two, three and four cards: a bit for each rank, each
    sixteen bits above the other."""
    return (
        _A[hand & 4095]
        | _B[hand >> 12 & 4095]
        | _C[hand >> 24 & 4095]
        | _D[hand >> 36 & 4095]
        | _E[hand >> 48]
    )


_F, _G, _H, _I, _J = (tuple(zip(*both, strict=True)) for both in zip(OF_ONE_RANK, _BITS, strict=True))


def begin_leads(hand: int) -> tuple[list[Action], int]:
    """Return the plays of one rank with the rocket, and the ranks held: `ranks_held` in the same look-up."""
    a, u = _F[hand & 4095]
    b, v = _G[hand >> 12 & 4095]
    c, w = _H[hand >> 24 & 4095]
    d, x = _I[hand >> 36 & 4095]
    e, y = _J[hand >> 48]
    return [*a, *b, *c, *d, *e], u | v | w | x | y


_CARDS: Table[Held] = _joined(lambda rank: [(cards,) for cards in _HELD[rank]], lambda a, b, c: a + b + c)
_K, _L, _M, _N, _O = _CARDS


def by_rank(hand: int) -> Held:
    """Return the cards a hand has of each rank."""
    return (
        *_K[hand & 4095],
        *_L[hand >> 12 & 4095],
        *_M[hand >> 24 & 4095],
        *_N[hand >> 36 & 4095],
        *_O[hand >> 48],
    )


def _kicker(cards: Cards, unit: int) -> Cards:
    """Return the number of the kicker a rank's held cards give: a single's is its card, a pair's counts its second
    card from its first."""
    if len(cards) < unit:
        return ()
    return (cards[0] if unit == 1 else 4 * cards[0] + cards[1] - cards[0],)


def _kicker_rows(rank: int, unit: int) -> list[Cards]:
    return [_kicker(cards, unit) for cards in _HELD[rank]]


_KICKERS = {unit: _joined(partial(_kicker_rows, unit=unit), lambda a, b, c: a + b + c) for unit in (1, 2)}


def kickers(hand: int, unit: int) -> list[int]:
    """Return the numbers of the kickers of `unit` cards a hand has, one a rank."""
    a, b, c, d, e = _KICKERS[unit]
    return [
        *a[hand & 4095],
        *b[hand >> 12 & 4095],
        *c[hand >> 24 & 4095],
        *d[hand >> 36 & 4095],
        *e[hand >> 48],
    ]


def with_one_kicker(width: int, unit: int) -> dict[Cards, Row]:
    """Return every play of `width` cards of a rank with one kicker of `unit` cards: a row for each body, by its
    cards."""
    found = {number: cards[:unit] for held in _HELD for cards in held for number in _kicker(cards, unit)}
    rows: dict[Cards, Row] = {}
    for rank in range(BLACK):
        for body in {cards[:width] for cards in _HELD[rank] if len(cards) >= width}:
            row: list[Action | None] = [None] * (max(found) + 1)
            for number, cards in found.items():
                if rank_of(cards[0]) != rank:
                    row[number] = Action("play", tuple(sorted(body + cards)))
            rows[body] = tuple(row)
    return rows
