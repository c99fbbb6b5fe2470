"""What one seat, or a spectator, may know of a deal: a white list.

A View is built from a Deal field by field; nothing is stripped from anything. Computer players, hints,
autoplay and the escape dialogue work on Views alone, so they cannot know more than a player does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from games.engine.actions import Action
from games.engine.cards import format_mask
from games.engine.combos import Combo


class View(NamedTuple):
    """One seat's knowledge; `seat` is None for a spectator. Cards are masks, hidden ones None.

    The first fields are those of RULES §6; the rest is public to everybody: how the deal opened, the duty
    that binds the seat to act ("3d", "last_card" or None), passes in a row, and every act so far. `own`
    holds what else one game makes public.
    """

    ruleset: str
    version: int
    seat: int | None
    phase: str
    turn: int | None
    hand: int | None
    counts: tuple[int, ...]
    bottom: int | None
    shown: int | None
    landlord: int | None
    standing: Combo | None
    standing_by: int | None
    bids: tuple[int | None, ...]
    base_score: int | None
    ladder: tuple[int, ...]
    hands: tuple[int, ...] | None
    unseen: int
    opening: Mapping[str, Any]
    duty: str | None
    passes: int
    history: tuple[tuple[int | None, Action], ...]
    own: Any = None

    @property
    def my_turn(self) -> bool:
        """Whether the seat of this view is to act."""
        return self.turn is not None and self.turn == self.seat

    def as_json(self) -> dict[str, Any]:
        """Return exactly the keys of the console's `view` (RULES §6)."""
        standing = self.standing
        return {
            "phase": self.phase,
            "turn": self.turn,
            "hand": _text(self.hand),
            "counts": list(self.counts),
            "bottom": _text(self.bottom),
            "shown": None if self.shown is None else format_mask(1 << self.shown),
            "landlord": self.landlord,
            "standing": None
            if standing is None
            else {"seat": self.standing_by, "cards": standing.text, "type": standing.kind},
            "bids": list(self.bids),
            "base_score": self.base_score,
            "ladder": list(self.ladder),
            "hands": None if self.hands is None else [format_mask(hand) for hand in self.hands],
            "unseen": format_mask(self.unseen),
        }

    def __repr__(self) -> str:
        return f"<View {self.ruleset} seat={self.seat} {self.phase} turn={self.turn} counts={self.counts}>"


def _text(mask: int | None) -> str | None:
    return None if mask is None else format_mask(mask)
