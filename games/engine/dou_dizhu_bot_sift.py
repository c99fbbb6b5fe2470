"""Sifting the plays of a Dou Dizhu hand: of one body with many kickers only the likeliest are judged."""

from __future__ import annotations

from collections.abc import Sequence

from games.engine.actions import Action
from games.engine.combos import Combo
from games.engine.dou_dizhu_combos import BLACK, rank_of

MOST_KICKERS = 6
"""So many choices of kickers are judged for one body."""
Read = tuple[Action, Combo | None]
"""An act and the combo it is, None for a pass."""


def sifted(acts: Sequence[Read], tally: int) -> list[Read]:
    """Return the acts in their order without those whose kickers are plainly worse than others'."""
    bodies: dict[tuple[str, int, int], list[tuple[float, int]]] = {}
    for index, (_, combo) in enumerate(acts):
        if combo is not None and _carries(combo):
            key = (combo.kind, combo.size, combo.power)
            bodies.setdefault(key, []).append((_waste(combo, tally), index))
    dropped = {index for choices in bodies.values() for _, index in sorted(choices)[MOST_KICKERS:]}
    return [act for index, act in enumerate(acts) if index not in dropped] if dropped else list(acts)


def _carries(combo: Combo) -> bool:
    kind = combo.kind
    return "_single" in kind or kind.endswith(("_pair", "_pairs"))


def _waste(combo: Combo, tally: int) -> float:
    """Return how dear the cards of a play are: high ones, and those torn from others of their rank."""
    used: dict[int, int] = {}
    for card in combo.cards:
        rank = rank_of(card)
        used[rank] = used.get(rank, 0) + 1
    waste = 0.0
    for rank, count in used.items():
        held = tally >> 4 * rank & 15
        waste += count * (rank + (6 if rank >= BLACK - 1 else 0))
        if held > count:
            waste += 5
    return waste
