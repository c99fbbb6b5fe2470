"""Counting action sequences, the classic check of a rule engine (RULES §6 `perft`)."""

from __future__ import annotations

from games.engine.deal import Deal
from games.engine.errors import BAD_REQUEST, EngineError
from games.engine.rulesets import RuleSet

MOST_POSITIONS = 3_000_000
"""Positions one count may visit: a bound on work, far above what a check needs."""


def perft(ruleset: RuleSet, deal: Deal, depth: int) -> int:
    """Return how many sequences of exactly `depth` listed actions exist; depth 0 is 1, a line that ends
    sooner 0.

    Raises EngineError `bad_request` when the count would visit more than MOST_POSITIONS positions.
    """
    if depth == 0:
        return 1
    visited = 0
    nodes = 0
    waiting = [(deal, depth)]
    while waiting:
        position, left = waiting.pop()
        actions = ruleset.legal(position)
        if left == 1:
            nodes += len(actions)
            continue
        visited += len(actions)
        if visited > MOST_POSITIONS:
            raise EngineError(BAD_REQUEST, "depth: too many positions to count")
        waiting.extend((ruleset.apply(position, position.turn, action), left - 1) for action in actions)
    return nodes
