"""A deal as a value, in the one shape all games share.

A Deal knows every card, so its repr shows none: what a seat may know is a View (views.py). `own` holds what
only one game needs, as a value of that game's module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from games.engine.actions import Action
from games.engine.combos import Combo
from games.engine.terms import Terms

OPEN_PHASES = ("play", "bidding", "blind", "ladder")
"""Phases in which a seat is to act; in `over`, `redeal`, `void` and `escaped` nobody is."""


class Setup(NamedTuple):
    """What does not change in a deal: how it began. `hands` are the masks dealt (or set up), `bottom` a
    mask."""

    ruleset: str
    version: int
    opening: Mapping[str, Any]
    terms: Terms
    hands: tuple[int, ...]
    bottom: int

    def __repr__(self) -> str:
        return f"<Setup {self.ruleset} v{self.version}>"


class Deal(NamedTuple):
    """One deal at one moment.

    `hands` are masks by seat; `standing` is the combo to beat and `standing_by` its seat; `passes` counts
    the passes in a row since; `winner` is the seat that went out, `gone` the seat that escaped; `history`
    has every act so far.
    """

    setup: Setup
    phase: str
    turn: int | None
    hands: tuple[int, ...]
    standing: Combo | None
    standing_by: int | None
    passes: int
    winner: int | None
    gone: int | None
    history: tuple[tuple[int | None, Action], ...]
    own: Any

    @property
    def counts(self) -> tuple[int, ...]:
        """How many cards each seat holds."""
        return tuple([hand.bit_count() for hand in self.hands])

    @property
    def is_open(self) -> bool:
        """Whether a seat is still to act."""
        return self.phase in OPEN_PHASES

    @property
    def undealt(self) -> Deal:
        """The deal as if no card had been dealt: who left before the cards is judged by it (RULES §5)."""
        nothing = (0,) * len(self.hands)
        return self._replace(setup=self.setup._replace(hands=nothing, bottom=0), hands=nothing)

    def __repr__(self) -> str:
        return f"<Deal {self.setup.ruleset} {self.phase} turn={self.turn} counts={self.counts}>"


class Previous(NamedTuple):
    """What the next deal's opening depends on: how the table's last deal opened and ended, and whether the
    members are still the same."""

    opening: Mapping[str, Any]
    phase: str
    winner: int | None
    same_members: bool


class Manners(NamedTuple):
    """How a table treats time and absence under a rule set (RULES §5): data for the table machine.

    `third_time_out` is "escape" or "leave"; `absence` is "wait" (the table stands until the seat is back,
    then it escapes) or "play_on" (the computer plays); `leave_fine` is the fine for leaving in base stakes
    where there is no escape; `escape_points` the points an escape costs where that is a fixed number.
    """

    turn_s: int
    third_time_out: str
    absence: str
    absence_default_s: int
    has_escape: bool
    leave_fine: int
    escape_points: int | None


class LeavePrice(NamedTuple):
    """What leaving costs, from the leaver's own view; `at_least` where hidden cards may raise it (RULES
    §5)."""

    points: int
    coins: int
    at_least: bool = False
