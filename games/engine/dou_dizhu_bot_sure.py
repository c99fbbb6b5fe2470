"""Going out for sure at Dou Dizhu: a search for a line of play that no cards of the enemies can break.

A seat that leads goes out for sure with one combo; or after a combo no enemy can beat, if it then goes out
for sure; or after any combo it can answer itself with one no enemy can beat, unless an enemy could go out in
between. False may also mean that the search was given up. A partner is trusted not to break in.
"""

from __future__ import annotations

from games.engine.combos import Combo
from games.engine.dou_dizhu import DouDizhu
from games.engine.dou_dizhu_bot_odds import Odds, shape_of
from games.engine.dou_dizhu_combos import BOMB_POWER, beats

MOST_LOOKS = 1_200
"""So many combos are looked at before the search is given up."""
MOST_CARDS = 12
"""Of longer hands no line is looked for."""


class Runs:
    """The search for one decision."""

    def __init__(self, rules: DouDizhu, hand: int, odds: Odds) -> None:
        self._rules = rules
        self._hand = hand
        self._odds = odds
        self._found: dict[tuple[int, int], bool] = {}
        self._looks = 0
        self._sure: list[Combo] | None = None
        self._combos: dict[int, list[Combo]] = {}

    @property
    def looks(self) -> int:
        """How many combos were looked at."""
        return self._looks

    def wins_after(self, combo: Combo) -> bool:
        """Whether the seat goes out for sure once it has played this combo."""
        rest = self._hand & ~combo.mask
        if rest.bit_count() > MOST_CARDS:
            return False
        if self._unbeatable(combo):
            return self._leading(rest, 0)
        return self._answered(combo, rest, 0)

    def _unbeatable(self, combo: Combo) -> bool:
        return self._odds.stands(shape_of(combo)) == 1.0

    def _leads(self, mask: int) -> list[Combo]:
        """Return the combos of some cards of the hand, suits merged."""
        found = self._combos.get(mask)
        if found is None:
            combos = self._rules.combos
            found = [combos.played(mask, action.cards, None) for action in self._rules.plays.leads(mask)]
            self._combos[mask] = found
            self._looks += len(found)
        return found

    def _leading(self, mask: int, used: int) -> bool:
        """Whether the seat goes out for sure when it leads with these cards; `used` cards an enemy may have
        put down meanwhile."""
        if self._is_one(mask):
            return True
        key = (mask, used)
        known = self._found.get(key)
        if known is None:
            known = self._looks < MOST_LOOKS and self._search(mask, used)
            self._found[key] = known
        return known

    def _is_one(self, mask: int) -> bool:
        cards = [card for card in range(mask.bit_length()) if mask >> card & 1]
        return bool(self._rules.combos.readings(cards))

    def _search(self, mask: int, used: int) -> bool:
        within = self._leads(mask)
        sure = [combo for combo in within if self._unbeatable(combo)]
        if not sure:
            return False
        sure.sort(key=lambda combo: -combo.size)
        if any(self._leading(mask & ~combo.mask, used) for combo in sure):
            return True
        return not used and any(self._answered(combo, mask & ~combo.mask, used) for combo in within)

    def _answered(self, combo: Combo, rest: int, used: int) -> bool:
        """Whether a combo that may be beaten is safe: no enemy goes out on it, and whatever beats it the seat
        beats that with a combo that no enemy can beat."""
        size = combo.size
        counts = [self._odds.others[enemy].count for enemy in self._odds.enemies]
        most = max(size, 4)
        if any(count <= used + most for count in counts) or self._looks >= MOST_LOOKS:
            return False
        return any(
            self._takes_back(combo, other) and self._leading(rest & ~other.mask, used + most)
            for other in self._leads(rest)
            if self._unbeatable(other)
        )

    def _takes_back(self, combo: Combo, other: Combo) -> bool:
        """Whether a combo no enemy can beat beats whatever an enemy puts on `combo`: a bomb does; another does
        if nobody can have a bomb or one as high."""
        if other.power >= BOMB_POWER:
            return True
        shape = shape_of(other)
        return beats(other, combo) and self._odds.stands(shape._replace(power=shape.power - 1)) == 1.0
