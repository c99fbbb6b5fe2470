"""A combo: cards played together, read as one type (RULES §1, §2).

How sets are read and compared belongs to each game; what they share is this value. Within one game `power`
orders the combos that compare with each other.
"""

from __future__ import annotations

from typing import NamedTuple

from games.engine.actions import Action
from games.engine.cards import format_cards, rank_name


class Combo(NamedTuple):
    """One reading of a set of cards.

    `kind` is the type's name, `top` the card that ranks it (its body's highest), `power` its strength among
    combos it compares with, `action` the play that puts it on the table (cards ascending). `show_top` is
    set for types whose deciding card matters beyond its rank.
    """

    kind: str
    size: int
    power: int
    mask: int
    top: int
    action: Action
    show_top: bool = False

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards, ascending."""
        return self.action.cards

    @property
    def text(self) -> str:
        """The cards as text, ascending."""
        return format_cards(self.action.cards)

    def as_json(self) -> dict[str, object]:
        """Return the console's reading: `type`, `rank`, `size`, and `card` where the card decides (RULES
        §6)."""
        reading: dict[str, object] = {"type": self.kind, "rank": rank_name(self.top), "size": self.size}
        if self.show_top:
            reading["card"] = format_cards((self.top,))
        return reading
