"""What a seat can do, as a value, and its text form (RULES §0): `play 3d 3h`, `pass`, `bid 2`, `raise 1`,
`escape` …

An Action made by `parse_action` or by a rule set holds its cards ascending; `verify` decides whether it is
allowed.
"""

from __future__ import annotations

from typing import NamedTuple

from games.engine.cards import format_cards, parse_cards
from games.engine.errors import BAD_RECORD, EngineError


class Action(NamedTuple):
    """One act: its kind, the cards of a play, and the number of a bid or the seat of a ladder step."""

    kind: str
    cards: tuple[int, ...] = ()
    value: int | None = None

    def __str__(self) -> str:
        return format_action(self)


PASS = Action("pass")
ESCAPE = Action("escape")
VOID = Action("void")

PLAIN = {kind: Action(kind) for kind in ("pass", "blind", "look", "call", "decline", "escape", "void")}
BIDS = tuple(Action("bid", (), value) for value in range(4))
LADDER_STEPS = ("raise", "stay")


def parse_action(text: str, *, seats: int = 4, deck_size: int = 54) -> Action:
    """Read one action's text.

    Raises EngineError `bad_record` for a malformed text or a seat out of range, `bad_card` and
    `duplicate_card` for the cards of a play (RULES §7).
    """
    if not isinstance(text, str):
        raise EngineError(BAD_RECORD, "an action is a text")
    plain = PLAIN.get(text)
    if plain is not None:
        return plain
    kind, _, rest = text.partition(" ")
    if kind == "play" and rest:
        return Action("play", tuple(sorted(parse_cards(rest, deck_size))))
    if len(rest) == 1 and rest in "0123":
        number = int(rest)
        if kind == "bid":
            return BIDS[number]
        if kind in LADDER_STEPS and number < seats:
            return Action(kind, (), number)
    raise EngineError(BAD_RECORD, f"no action: {text[:80]!r}")


def format_action(action: Action) -> str:
    """Write an action as text; `parse_action` reads it back."""
    kind, cards, value = action
    if kind == "play":
        return "play " + format_cards(cards)
    return kind if value is None else f"{kind} {value}"
