"""A great many random deals of each rule set, every promise checked: `make soak`, or `python -m tests.engine.soak`.

In each deal: every listed action passes verification at every turn; at one turn the listing and the reading of cards
agree on every set of cards that could be played (Big Two: all subsets of the hand; Dou Dizhu: all that the hand could
lead, and the same with a card exchanged); cards are never lost; the settlement sums to zero; the record replays to the
same end and settlement. The first breach ends the soak with the seed of its deal.
"""

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from itertools import combinations

from games.engine import rulesets
from games.engine.actions import Action
from games.engine.cards import cards_of, mask_of
from games.engine.deal import Deal
from games.engine.errors import IllegalAction
from games.engine.rulesets import RuleSet
from games.engine.terms import Fee, Terms
from tests.engine import test_dou_dizhu_deals, test_random_deals
from tests.engine.dealing import BIG_TWO, opening_for, shuffled

CHUNK = 250
TERMS = (
    Terms(),
    Terms(30, 1200, Fee("percent", 5)),
    Terms(1000, None, Fee("flat", 100), 2),
    Terms(10, 70, Fee("flat", 5)),
)


def soak_one(rules: RuleSet, seed: int) -> Counter[str]:
    """Play one deal and check it; return what was counted."""
    chance = random.Random(f"{rules.code} {seed}")
    terms = TERMS[seed % len(TERMS)]
    deck = shuffled(chance, rules.deck_size)
    deal = rules.start(deck=deck, opening=opening_for(rules, chance, deck), terms=terms)
    counts: Counter[str] = Counter(deals=1)
    inspected = chance.randrange(60)
    played = 0
    while deal.turn is not None:
        legal = rules.legal(deal)
        assert legal and len(set(legal)) == len(legal)
        for action in legal:
            rules.verify(deal, deal.turn, action)
        counts["actions verified"] += len(legal)
        if counts["moves"] == inspected and deal.phase == "play":
            counts["sets compared"] += compare(rules, deal, legal, chance)
        action = chance.choice(legal)
        deal = rules.apply(deal, deal.turn, action)
        played |= mask_of(action.cards)
        assert sum(deal.hands) & played == 0 and sum(deal.counts) == sum(deal.hands).bit_count()
        counts["moves"] += 1
    counts[deal.phase] += 1
    ending = test_random_deals if rules in BIG_TWO else test_dou_dizhu_deals
    ending.check_the_end(rules, deal, deck, terms, chance)
    return counts


def compare(rules: RuleSet, deal: Deal, legal: list[Action], chance: random.Random) -> int:
    """Compare listing and reading on many sets of cards; return how many."""
    assert deal.turn is not None
    hand = deal.hands[deal.turn]
    sets = candidates(rules, hand, chance)
    listed = {action.cards for action in legal if action.kind == "play"}
    for cards in sets:
        try:
            rules.verify(deal, deal.turn, Action("play", cards))
            allowed = True
        except IllegalAction:
            allowed = False
        assert allowed == (cards in listed), (rules.code, deal, cards)
    assert listed <= sets
    return len(sets)


def candidates(rules: RuleSet, hand: int, chance: random.Random) -> set[tuple[int, ...]]:
    """Return sets of cards of a hand that may or may not be plays, all plays among them."""
    cards = cards_of(hand)
    if rules in BIG_TWO:
        return {chosen for size in (1, 2, 3, 5) for chosen in combinations(cards, size)}
    plays = {action.cards for action in rules.plays.leads(hand)}  # type: ignore[attr-defined]
    changed = set()
    for play in plays:
        kept = set(play) ^ {chance.choice(play), chance.choice(cards)}
        if kept and test_dou_dizhu_deals.only_lowest_suits(tuple(sorted(kept)), hand):
            changed.add(tuple(sorted(kept)))
    return plays | changed


def soak(work: tuple[str, range]) -> Counter[str]:
    """Play some deals; raise AssertionError with the seed of the first that is wrong."""
    code, seeds = work
    rules = rulesets.get(code)
    counts: Counter[str] = Counter()
    for seed in seeds:
        try:
            counts += soak_one(rules, seed)
        except Exception as error:
            raise AssertionError(f"{code}, deal {seed}: {error!r}") from error
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--deals", type=int, default=20_000, help="of each rule set")
    parser.add_argument("--seed", type=int, default=0, help="number of the first deal")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.deals)
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool:
        for code in rulesets.all_codes():
            began = time.monotonic()
            work = [(code, seeds[at : at + CHUNK]) for at in range(0, len(seeds), CHUNK)]
            total: Counter[str] = Counter()
            for counts in pool.imap_unordered(soak, work):
                total += counts
            told = ", ".join(f"{count:,} {name}" for name, count in total.items())
            print(f"{code:16} {told}; {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
