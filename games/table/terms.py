"""The frozen terms of a table: parsed once from the JSON that `table_opened` and each `deal_opened` carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from games.engine import rulesets
from games.engine.errors import EngineError
from games.engine.rulesets import RuleSet
from games.engine.terms import COINS, POINTS, Terms
from games.table import clocks
from games.table.errors import FormatError

SHOWN = (
    "tier",
    "base_stake",
    "cap",
    "entry",
    "fee",
    "initial_multiplier",
    "currency",
    "turn_s",
    "anti_cheat",
    "practice",
    "seating",
    "spectators",
)
"""The terms a browser gets."""


_RECKONED = ("base_stake", "cap", "fee", "initial_multiplier")
LARGEST_STAKE = 2**40  # what a deal moves stays exact in a browser's numbers


class TableTerms(NamedTuple):
    """What a table plays for and by; `raw` is the JSON as it stands in the log."""

    raw: Mapping[str, Any]
    shown: Mapping[str, Any]  # what a browser gets of it
    currency: str  # "coins" | "points" | "none" (practice)
    turn_ms: int
    start_ms: int  # the start clock
    absence_ms: int | None  # a tier's own time until an absent seat counts as away; None: the rule set's
    idle_ms: int  # a table between deals where nothing happens so long closes
    think_ms: tuple[int, int]  # how long a computer player thinks, from … to …
    anti_cheat: bool
    practice: bool
    match: bool  # seated by match: the first deal starts without presses


def parse_terms(raw: Mapping[str, Any]) -> TableTerms:
    """Read a table's terms; seconds become milliseconds. FormatError when a value has no sense.

    Keys: tier, base_stake, cap, entry, fee, initial_multiplier, currency, turn_s, start_s, absence_s, idle_s,
    think_ms ([from, to]), anti_cheat, practice, seating ("pick" | "match"); all but base_stake may be left out.
    """
    currency = raw.get("currency", "coins")
    seating = raw.get("seating", "pick")
    if currency not in ("coins", "points", "none") or seating not in ("pick", "match"):
        raise FormatError("terms")
    terms = TableTerms(
        raw=raw,
        shown={name: raw[name] for name in SHOWN if name in raw},
        currency=currency,
        turn_ms=_ms(raw, "turn_s") or clocks.TURN_MS,
        start_ms=_ms(raw, "start_s") or clocks.START_MS,
        absence_ms=_ms(raw, "absence_s"),
        idle_ms=_ms(raw, "idle_s") or clocks.IDLE_MS,
        think_ms=_bounds(raw, "think_ms") or clocks.COMPUTER_MS,
        anti_cheat=bool(raw.get("anti_cheat", False)),
        practice=bool(raw.get("practice", False)),
        match=seating == "match",
    )
    try:
        stake = engine_terms(terms).base_stake
    except EngineError as error:
        raise FormatError(f"terms: {error.detail}") from None
    if stake > LARGEST_STAKE:
        raise FormatError("terms: base_stake")
    return terms


def _ms(raw: Mapping[str, Any], key: str) -> int | None:
    seconds = raw.get(key)
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds <= 0:
        raise FormatError(f"terms: {key}")
    return seconds * 1_000


def _bounds(raw: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    bounds = raw.get(key)
    if bounds is None:
        return None
    match bounds:
        case [int(shortest), int(longest)] if 0 <= shortest <= longest:
            return shortest, longest
    raise FormatError(f"terms: {key}")


def engine_terms(terms: TableTerms) -> Terms:
    """Make the engine's terms of a table's; where no coins move the engine counts points."""
    given = {name: terms.raw[name] for name in _RECKONED if terms.raw.get(name) is not None}
    return Terms.from_json({**given, "currency": COINS if terms.currency == "coins" else POINTS})


def rules_of(code: str, version: int | None = None) -> RuleSet:
    """Find a rule set; FormatError for one this process does not have."""
    try:
        return rulesets.get(code, version)
    except EngineError as error:
        raise FormatError(f"rules {code} {version}: {error.code}") from None
