"""What the pages show of one rule set: which texts in which order, and the examples they may draw on.

A Book is data, one module each in `rulebook.books`. Words live in `templates/rulebook/<language>/`, one file ("sheet")
a family of rules; numbers and verdicts on cards come from the engine alone, so that no page can disagree with play.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.engine import record, rulesets, verdicts
from games.engine.cards import parse_cards
from games.engine.errors import EngineError
from games.engine.rulesets import RuleSet
from games.engine.settlement import Settlement
from games.engine.terms import Terms


class Contest(NamedTuple):
    """Two sets of cards, and whether the second beats the first; the engine is asked, a test compares."""

    standing: str
    cards: str
    beats: bool


class Reckoning(NamedTuple):
    """A deal to reckon: its terms and how it ended, as an `outcome` or as `play` to be replayed (both as in a record).

    `play` has `hands`, `opening` and `actions`, and may have `away` and `fined`. `balances` None is without limit.
    """

    terms: Mapping[str, Any]
    outcome: Mapping[str, Any] | None = None
    play: Mapping[str, Any] | None = None
    balances: Sequence[int] | None = None
    landlord: int | None = None


class Ruling(NamedTuple):
    """An upheld complaint to reckon: terms, and the case as the console's `verdict` takes it."""

    terms: Mapping[str, Any]
    case: Mapping[str, Any]


class Book(NamedTuple):
    """One rule set's page. A later sheet's part takes the place of an earlier one's of the same anchor."""

    code: str
    sheets: tuple[str, ...]
    parts: tuple[str, ...]
    combos: Mapping[str, tuple[str, ...]]  # by type: sets of cards that are read as it
    nothing: Mapping[str, str]  # sets of cards that are no combo
    contests: Mapping[str, Contest]
    deals: Mapping[str, Reckoning]
    rulings: Mapping[str, Ruling]

    @property
    def rules(self) -> RuleSet:
        """The rule set itself."""
        return rulesets.get(self.code)


def reading_of(rules: RuleSet, cards: str) -> str | None:
    """Return the type of a set of cards when it is led, None when it is nothing or no cards of this deck."""
    try:
        readings = rules.readings(parse_cards(cards, rules.deck_size))
    except EngineError:
        return None
    return readings[0].kind if readings else None


def does_beat(rules: RuleSet, contest: Contest) -> bool:
    """Ask the engine who wins a contest."""
    return rules.beats(
        parse_cards(contest.standing, rules.deck_size), parse_cards(contest.cards, rules.deck_size)
    )


def settle(rules: RuleSet, example: Reckoning) -> Settlement:
    """Let the engine settle an example. Raises EngineError for one that cannot be, ValueError without an end."""
    if example.play is None:
        outcome = rules.parse_outcome(example.outcome)
        return rules.settle(Terms.from_json(dict(example.terms)), example.balances, outcome)
    request = {
        "format": 1,
        "ruleset": rules.code,
        "terms": dict(example.terms),
        "balances": example.balances,
        **example.play,
    }
    parsed = record.parse(request)
    settlement = record.settlement_of(parsed, record.replay(parsed))
    if settlement is None:
        raise ValueError("the play has no end")
    return settlement


def judge(rules: RuleSet, ruling: Ruling) -> verdicts.Verdict:
    """Let the engine reckon an upheld complaint."""
    return verdicts.decide(
        rules, Terms.from_json(dict(ruling.terms)), verdicts.parse_case(rules, dict(ruling.case))
    )
