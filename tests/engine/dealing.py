"""Deals for the engine's tests: seeded decks, random play, study positions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping

from games.engine import record as records
from games.engine import rulesets
from games.engine.actions import parse_action
from games.engine.cards import RANKS, format_cards, parse_cards
from games.engine.deal import Deal
from games.engine.rulesets import RuleSet
from games.engine.terms import Terms

CLASSIC = rulesets.get("bigtwo.classic")
QQ = rulesets.get("bigtwo.qq")
BIG_TWO = (CLASSIC, QQ)
TAIWAN = rulesets.get("doudizhu.taiwan")
MALA = rulesets.get("doudizhu.mala")
DOU_DIZHU = (TAIWAN, MALA)


def shuffled(chance: random.Random, size: int = 52) -> tuple[int, ...]:
    """Return a deck in random order."""
    deck = list(range(size))
    chance.shuffle(deck)
    return tuple(deck)


def opening_for(ruleset: RuleSet, chance: random.Random, deck: tuple[int, ...] = ()) -> dict[str, object]:
    """Return an opening as a table could have it."""
    if ruleset in BIG_TWO:
        return chance.choice([{"lead": "3d"}, {"first": chance.randrange(ruleset.seats)}])
    if ruleset is TAIWAN:
        return {"first": chance.randrange(3)}
    place = chance.randrange(51)
    return {"first": place % 3, "shown": format_cards((deck[place],))}


def random_deal(ruleset: RuleSet, seed: int, terms: Terms = Terms()) -> Iterator[Deal]:  # noqa: B008
    """Yield every position of a randomly played deal, the last one over (or dealt again)."""
    chance = random.Random(seed)
    deck = shuffled(chance, ruleset.deck_size)
    deal = ruleset.start(deck=deck, opening=opening_for(ruleset, chance, deck), terms=terms)
    yield deal
    while deal.turn is not None:
        deal = ruleset.apply(deal, deal.turn, chance.choice(ruleset.legal(deal)))
        yield deal


def ranks(text: str) -> tuple[int, ...]:
    """Return cards by rank alone, `3334BR` (B and R the jokers), each with the lowest suit that is free."""
    taken: Counter[str] = Counter()
    names = []
    for rank in text.replace(" ", ""):
        names.append(rank + "dchs"[taken[rank]] if rank in RANKS else f"{rank}J")
        taken[rank] += 1
    return parse_cards(" ".join(names))


def position(
    ruleset: RuleSet, *hands: str, actions: tuple[tuple[int, str], ...] = (), **opening: object
) -> Deal:
    """Return a study position, after some actions."""
    return records.replay(records.parse(study(ruleset, *hands, actions=actions, **opening)))


def study(
    ruleset: RuleSet, *hands: str, actions: tuple[tuple[int, str], ...] = (), **opening: object
) -> dict[str, object]:
    """Return the record of a study position."""
    return {
        "format": 1,
        "ruleset": ruleset.code,
        "hands": list(hands),
        "opening": opening,
        "actions": [list(entry) for entry in actions],
    }


def legal(ruleset: RuleSet, deal: Deal) -> list[str]:
    """Return the legal actions as text, sorted."""
    return sorted(map(str, ruleset.legal(deal)))


def play(ruleset: RuleSet, deal: Deal, *acts: str) -> Deal:
    """Return the deal after the seats to act have done these things, one after another."""
    for text in acts:
        deal = ruleset.apply(deal, deal.turn, parse_action(text))
    return deal


def subset_of(want: object, got: object) -> bool:
    """Whether an answer holds everything expected: objects by key, lists and scalars exactly, types included."""
    if isinstance(want, Mapping):
        return isinstance(got, Mapping) and all(k in got and subset_of(v, got[k]) for k, v in want.items())
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(subset_of, want, got))
    return type(want) is type(got) and want == got
