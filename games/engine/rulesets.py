"""The rule sets by code and version, and the face they all show.

Table, lobby, pages and ledger never ask which game it is except through this face. Every version that a
stored deal names stays here: a deal ends under the rules it began with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from games.engine.actions import Action
from games.engine.big_two import CLASSIC, QQ
from games.engine.combos import Combo
from games.engine.deal import Deal, LeavePrice, Manners, Previous
from games.engine.errors import UNKNOWN_RULESET, EngineError
from games.engine.fair import Draw
from games.engine.mala import MALA
from games.engine.settlement import Settlement, Stakes
from games.engine.shapes import Shapes
from games.engine.taiwan import TAIWAN
from games.engine.terms import Terms
from games.engine.views import View


class RuleSet(Protocol):
    """What a rule set can do. An outcome is a value of the game's own, with `how` saying "over", "escaped"
    or "void"."""

    @property
    def code(self) -> str:
        """Its name in records, such as `bigtwo.classic`."""

    @property
    def version(self) -> int:
        """The version of its rules."""

    @property
    def seats(self) -> int:
        """How many seats play."""

    @property
    def deck_size(self) -> int:
        """52, or 54 with jokers."""

    @property
    def has_landlord(self) -> bool:
        """Whether one seat plays against the others."""

    @property
    def suits_count(self) -> bool:
        """Whether two plays that differ in suits alone are two plays, or listed as one."""

    @property
    def currencies(self) -> tuple[str, ...]:
        """What its rooms are played for: coins, and points where it has points rooms."""

    @property
    def manners(self) -> Manners:
        """How the table treats time and absence."""

    def start(self, *, deck: Sequence[int], opening: Mapping[str, object], terms: Terms) -> Deal:
        """Deal out a whole deck."""

    def place(
        self, *, hands: Sequence[int], bottom: int, opening: Mapping[str, object], terms: Terms
    ) -> Deal:
        """Set up a study position."""

    def next_opening(self, previous: Previous | None, draw: Draw, deck: Sequence[int]) -> dict[str, object]:
        """Return the opening of a table's next deal; `draw` has drawn its deck already."""

    def opening_agrees(self, opening: Mapping[str, object], draw: Draw, deck: Sequence[int]) -> bool | None:
        """Whether an opening is the one the draw gives; None where nothing of it is drawn."""

    def legal(self, deal: Deal) -> list[Action]:
        """Return the actions of the seat to act; `[]` when the deal has ended."""

    def verify(self, deal: Deal, seat: int | None, action: Action) -> None:
        """Raise IllegalAction if an action is not allowed."""

    def apply(self, deal: Deal, seat: int | None, action: Action) -> Deal:
        """Return the deal after an action, always verified."""

    def view(self, deal: Deal, seat: int | None) -> View:
        """Return what a seat, or a spectator, may know."""

    def offers(self, view: View) -> list[Action]:
        """Return the legal actions of the view's seat, from its view alone."""

    def autoplay(self, view: View) -> Action:
        """Return the computer's act for the view's seat, from its view alone."""

    def readings(self, cards: Sequence[int]) -> list[Combo]:
        """Return what a set of cards can be read as, in a leader's priority."""

    def beats(self, standing: Sequence[int], cards: Sequence[int]) -> bool:
        """Whether cards beat a standing set."""

    def outcome(self, deal: Deal, *, away: Sequence[int] = (), fined: Sequence[int] | None = None) -> Any:
        """Return how a deal ended; None while it runs, and after a redeal. `away` and `fined` are the seats
        away at the end and those fined for leaving (default: those away), where the computer plays on for
        them."""

    def parse_outcome(self, value: object, shapes: Shapes = ...) -> Any:
        """Read an outcome given directly."""

    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: Any) -> Settlement:
        """Return what an outcome moves."""

    def exposure(self, terms: Terms, balance: int) -> int:
        """Return the most a seat can lose in a deal."""

    def stakes(self, view: View, terms: Terms) -> Stakes | None:
        """Return what the deal is played for by what is public so far; None while nothing is agreed, and where
        nothing grows during a deal."""

    def leave_price(self, view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
        """Return what leaving costs the view's seat now, from its view alone; None: before cards are dealt."""

    def can_play_on(self, terms: Terms, balance: int) -> bool:
        """Whether a balance is enough for the next deal."""


_VERSIONS: dict[str, dict[int, RuleSet]] = {}


def register(ruleset: RuleSet) -> None:
    """Have a rule set known; one with its code and version is replaced."""
    _VERSIONS.setdefault(ruleset.code, {})[ruleset.version] = ruleset


for _ruleset in (CLASSIC, QQ, MALA, TAIWAN):
    register(_ruleset)


def all_codes() -> tuple[str, ...]:
    """Return the codes of all rule sets."""
    return tuple(_VERSIONS)


def get(code: object, version: int | None = None) -> RuleSet:
    """Return a rule set, its newest version unless one is named. Raises EngineError `unknown_ruleset`."""
    versions = _VERSIONS.get(code) if isinstance(code, str) else None
    if versions is None:
        raise EngineError(UNKNOWN_RULESET, f"no rule set {str(code)[:40]!r}")
    chosen = max(versions) if version is None else version
    if chosen not in versions:
        raise EngineError(UNKNOWN_RULESET, f"no version {str(version)[:20]} of {code}")
    return versions[chosen]
