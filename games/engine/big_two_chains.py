"""Going out for sure: a search for a line of play that no cards of the others can break.

A seat that leads goes out for sure with one combo; or after a combo nobody can beat, if it then goes out
for sure; or after any combo it can answer itself, with one of the same size that nobody can beat, unless
another could go out in between. False may also mean that the search was given up.
"""

from __future__ import annotations

from games.engine.big_two_combos import combo_of, leads
from games.engine.big_two_odds import Odds
from games.engine.cards import mask_of
from games.engine.combos import Combo

MOST_LOOKS = 4_000
"""So many combos are looked at before the search is given up."""
LARGEST = 5


class Chains:
    """The search for one decision; `bound` while the last-card duty holds."""

    def __init__(self, hand: int, odds: Odds, *, bound: bool) -> None:
        self._hand = hand
        self._odds = odds
        self._bound = bound
        self._found: dict[tuple[int, int], bool] = {}
        self._looks = 0
        self._sure: list[Combo] | None = None

    def wins_after(self, combo: Combo) -> bool:
        """Whether the seat goes out for sure once it has played this combo."""
        rest = self._hand ^ combo.mask
        if self._odds.standing_chance(combo) == 1.0:
            return self._leading(rest, 0)
        return self._answered(combo, rest, 0)

    def _sure_combos(self) -> list[Combo]:
        """Return the combos of the hand that nobody can beat; none when they cannot be enough."""
        if self._sure is None:
            found = [_known(action.cards) for action in leads(self._hand)]
            chance = self._odds.standing_chance
            self._sure = [combo for combo in found if chance(combo) == 1.0]
            covered = 0
            for combo in self._sure:
                covered |= combo.mask
            if (self._hand ^ covered).bit_count() > LARGEST + covered.bit_count():
                self._sure = []
        return self._sure

    def _leading(self, mask: int, used: int) -> bool:
        """Whether the seat goes out for sure when it leads with these cards; `used` cards the others may
        have put down meanwhile."""
        if combo_of(mask) is not None:
            return True
        sure = self._sure_combos()
        if not sure or self._looks >= MOST_LOOKS:
            return False
        key = (mask, used)
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = self._search(mask, used, sure)
        return known

    def _search(self, mask: int, used: int, sure: list[Combo]) -> bool:
        self._looks += len(sure) + 1
        within = [combo for combo in sure if combo.mask & mask == combo.mask]
        for combo in within:
            if self._allowed(combo, mask, used) and self._leading(mask ^ combo.mask, used):
                return True
        if used > LARGEST:
            return False
        sizes = {combo.size for combo in within}
        if not sizes:
            return False
        for action in leads(mask):
            self._looks += 1
            if len(action.cards) in sizes:
                combo = _known(action.cards)
                if self._allowed(combo, mask, used) and self._answered(combo, mask ^ combo.mask, used):
                    return True
        return False

    def _answered(self, combo: Combo, rest: int, used: int) -> bool:
        """Whether a combo that may be beaten is safe: nobody goes out on it, and the seat can take the trick
        back with one that nobody can beat."""
        size = combo.size
        if any(size <= count <= used + size for count in self._odds.others):
            return False
        return any(
            other.size == size
            and other.mask & rest == other.mask
            and self._allowed(other, rest, used + size)
            and self._leading(rest ^ other.mask, used + size)
            for other in self._sure_combos()
        )

    def _allowed(self, combo: Combo, mask: int, used: int) -> bool:
        """Whether the last-card duty, if it holds or may come to hold, lets a seat play this of these
        cards."""
        return combo.size > 1 or not (self._bound or used) or combo.mask << 1 > mask


def _known(cards: tuple[int, ...]) -> Combo:
    combo = combo_of(mask_of(cards))
    assert combo is not None
    return combo
