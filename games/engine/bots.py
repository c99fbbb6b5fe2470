"""Computer players and hints: what a seat should do, decided from its View alone.

A brain orders the legal acts of a View, best first; it draws nothing, so the same view gets the same answer
everywhere. A rule set without a brain is played as the table's autoplay would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from games.engine import big_two_bot, dou_dizhu_bot
from games.engine.actions import Action
from games.engine.rulesets import RuleSet
from games.engine.views import View

Brain = Callable[[View, Sequence[Action]], list[Action]]

_BRAINS: dict[str, Brain] = {
    "bigtwo.classic": big_two_bot.ranked,
    "bigtwo.qq": big_two_bot.ranked,
    "doudizhu.mala": dou_dizhu_bot.ranked,
    "doudizhu.taiwan": dou_dizhu_bot.ranked,
}
MOST_HINTS = 8


def has_brain(ruleset: str) -> bool:
    """Whether computer players of a rule set know how to play it."""
    return ruleset in _BRAINS


def choose(rules: RuleSet, view: View) -> Action:
    """Return the act of a computer player in the view's seat. Raises IllegalAction when it is not its turn."""
    offers = rules.offers(view)
    brain = _BRAINS.get(rules.code)
    if brain is None or not offers:
        return rules.autoplay(view)
    return offers[0] if len(offers) == 1 else brain(view, offers)[0]


def hints(rules: RuleSet, view: View, most: int = MOST_HINTS) -> list[Action]:
    """Return the best plays of the view's seat, best first; `[]` when it has none, or it is not its turn."""
    offers = [offer for offer in rules.offers(view) if offer.kind == "play"]
    brain = _BRAINS.get(rules.code)
    return offers[:most] if brain is None else brain(view, offers)[:most]
