"""How well the computer player plays: `python -m tests.benchmarks.bench_bots`.

One of them sits among three others, its seat moving on with every deal; the decks follow from the seed alone, so a run
can be repeated. Prints how often it goes out first, what it scores and how long a decision takes, and fails when
it goes out first against random legal players in fewer than 60 % of the deals (chance: 25 %), or thinks too long.
"""

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

from games.engine import bots, rulesets
from games.engine.actions import PASS, Action
from games.engine.deal import Deal
from games.engine.rulesets import RuleSet
from games.engine.terms import POINTS, Terms

TARGET = 0.60
MEAN_MS, LONGEST_MS = 5.0, 50.0

Player = Callable[[RuleSet, Deal, random.Random], Action]


class Tally(NamedTuple):
    """What one computer player did in a series of deals: wins and mean score a deal, CPU seconds of each decision."""

    deals: int
    wins: int
    score: float
    decisions: list[float]

    @property
    def rate(self) -> float:
        """How often it went out first."""
        return self.wins / self.deals

    @property
    def mean_ms(self) -> float:
        """The mean time of a decision."""
        return 1000 * sum(self.decisions) / len(self.decisions)


def at_random(rules: RuleSet, deal: Deal, chance: random.Random) -> Action:
    """Do anything that is legal."""
    return chance.choice(rules.legal(deal))


def smallest(rules: RuleSet, deal: Deal, chance: random.Random) -> Action:
    """Play whenever possible: as few cards as may be, as low as may be."""
    plays = [action for action in rules.legal(deal) if action.kind == "play"]
    return min(plays, key=lambda play: (len(play.cards), play.cards[::-1]), default=PASS)


def series(ruleset: str, deals: int, seed: int, others: Player) -> Tally:
    """Play so many deals of one computer player against three others."""
    rules = rulesets.get(ruleset)
    wins, score = 0, 0
    decisions: list[float] = []
    for number in range(deals):
        chance = random.Random(f"{ruleset} {seed} {number}")
        seat = number % rules.seats
        deal = one_deal(rules, seat, chance, others, decisions)
        wins += deal.winner == seat
        score += rules.outcome(deal).scores[seat]
    return Tally(deals, wins, score / deals, decisions)


def one_deal(
    rules: RuleSet, seat: int, chance: random.Random, others: Player, decisions: list[float]
) -> Deal:
    """Play one deal to its end."""
    deck = list(range(rules.deck_size))
    chance.shuffle(deck)
    deal = rules.start(deck=deck, opening={"lead": "3d"}, terms=Terms(currency=POINTS))
    while deal.turn is not None:
        if deal.turn == seat:
            view = rules.view(deal, seat)
            gc.disable()  # its pauses are not the player's
            began = time.process_time()
            action = bots.choose(rules, view)
            decisions.append(time.process_time() - began)
            gc.enable()
        else:
            action = others(rules, deal, chance)
        deal = rules.apply(deal, deal.turn, action)
    return deal


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    good = True
    for ruleset in ("bigtwo.classic", "bigtwo.qq"):
        for name, others in (("random", at_random), ("smallest", smallest)):
            tally = series(ruleset, options.deals, options.seed, others)
            longest = 1000 * max(tally.decisions)
            print(
                f"{ruleset:15} against three {name + ' players':16}: goes out first in {tally.rate:6.1%} of "
                f"{tally.deals} deals, scores {tally.score:+6.1f} a deal; "
                f"{tally.mean_ms:.2f} ms a decision, {longest:.1f} ms the longest"
            )
            good = good and tally.mean_ms <= MEAN_MS and longest <= LONGEST_MS
            if others is at_random:
                good = good and tally.rate >= TARGET
    if not good:
        print(
            f"wanted: {TARGET:.0%} against random players, {MEAN_MS:g} ms on average, {LONGEST_MS:g} ms at most"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
