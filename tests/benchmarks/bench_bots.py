"""How well the computer players play: `python -m tests.benchmarks.bench_bots`.

Big Two: one of them sits among three others, its seat moving on with every deal. Dou Dizhu: as landlord against two
others, and as both farmers against another; the landlord's seat moves on with every deal, and before play everybody
says what brings him in, so that the role is measured (the steps of mala's ladder are each player's own).
The decks follow from the seed alone, so a run can be repeated. Prints how often the computer players win, what they
score and how long a decision takes; fails when they win against random legal players in fewer than 60 % of the deals of
Big Two (chance: 25 %) or 85 % in a role of Dou Dizhu, or think too long.
"""

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from games.engine import bots, rulesets
from games.engine.actions import Action, parse_action
from games.engine.cards import format_cards
from games.engine.deal import Deal
from games.engine.rulesets import RuleSet
from games.engine.terms import POINTS, Terms

TARGET, ROLE_TARGET = 0.60, 0.85
MEAN_MS, LONGEST_MS = 5.0, 50.0

Player = Callable[[RuleSet, Deal, random.Random], Action]


class Tally(NamedTuple):
    """What computer players did in a series of deals: deals won, mean score a deal (of the side, in Dou Dizhu in stakes
    of a farmer), CPU seconds of each decision."""

    deals: int
    wins: int
    score: float
    decisions: list[float]

    @property
    def rate(self) -> float:
        """How often they won."""
        return self.wins / self.deals

    @property
    def mean_ms(self) -> float:
        """The mean time of a decision."""
        return 1000 * sum(self.decisions) / len(self.decisions)


def at_random(rules: RuleSet, deal: Deal, chance: random.Random) -> Action:
    """Do anything that is legal."""
    return chance.choice(rules.legal(deal))


def smallest(rules: RuleSet, deal: Deal, chance: random.Random) -> Action:
    """Play whenever possible: as few cards as may be, as low as may be; say what autoplay says."""
    legal = rules.legal(deal)
    plays = [action for action in legal if action.kind == "play"]
    return min(plays, key=lambda play: (len(play.cards), play.cards[::-1]), default=legal[0])


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
    """Play one deal of Big Two to its end."""
    deal = rules.start(deck=shuffled(rules, chance), opening={"lead": "3d"}, terms=Terms(currency=POINTS))
    while deal.turn is not None:
        action = timed(rules, deal, decisions) if deal.turn == seat else others(rules, deal, chance)
        deal = rules.apply(deal, deal.turn, action)
    return deal


def shuffled(rules: RuleSet, chance: random.Random) -> list[int]:
    """Return a deck in random order."""
    deck = list(range(rules.deck_size))
    chance.shuffle(deck)
    return deck


def timed(rules: RuleSet, deal: Deal, decisions: list[float]) -> Action:
    """Return what the computer player does; note the CPU seconds it takes."""
    view = rules.view(deal, deal.turn)
    gc.disable()  # its pauses are not the player's
    began = time.process_time()
    action = bots.choose(rules, view)
    decisions.append(time.process_time() - began)
    gc.enable()
    return action


def series_in_role(ruleset: str, role: str, deals: int, seed: int, others: Player) -> Tally:
    """Play so many deals of Dou Dizhu with computer players as the "landlord" or as both "farmers"."""
    rules = rulesets.get(ruleset)
    wins, score = 0, 0
    decisions: list[float] = []
    for number in range(deals):
        chance = random.Random(f"{ruleset} {seed} {number}")
        landlord = number % rules.seats
        side = [seat for seat in range(rules.seats) if (seat == landlord) is (role == "landlord")]
        deal = with_landlord(rules, landlord, chance)
        while deal.turn is not None:
            mine = deal.turn in side
            action = timed(rules, deal, decisions) if mine else others(rules, deal, chance)
            deal = rules.apply(deal, deal.turn, action)
        wins += deal.winner in side
        points = rules.settle(deal.setup.terms, None, rules.outcome(deal)).points
        score += sum(points[seat] for seat in side)
    return Tally(deals, wins, score / deals, decisions)


def with_landlord(rules: RuleSet, landlord: int, chance: random.Random) -> Deal:
    """Return a deal whose landlord is found: he bids or calls, the others decline."""
    deck = shuffled(rules, chance)
    opening: dict[str, object] = {"first": landlord}
    if rules.code == "doudizhu.mala":
        opening["shown"] = format_cards((deck[landlord + 3 * chance.randrange(17)],))
    deal = rules.start(deck=deck, opening=opening, terms=Terms())
    wanted = ("look", "call") if rules.code == "doudizhu.mala" else ("bid 3",)
    for word in wanted:
        deal = rules.apply(deal, landlord, parse_action(word))
    return deal


def verdict(what: str, tally: Tally, target: float) -> bool:
    """Print a series; return whether it is as good as wanted."""
    longest = 1000 * max(tally.decisions)
    print(
        f"{what}: wins {tally.rate:6.1%} of {tally.deals} deals, scores {tally.score:+6.1f} a deal; "
        f"{tally.mean_ms:.2f} ms a decision, {longest:.1f} ms the longest",
        flush=True,
    )
    return tally.rate >= target and tally.mean_ms <= MEAN_MS and longest <= LONGEST_MS


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    results = []
    for ruleset in ("bigtwo.classic", "bigtwo.qq"):
        for name, others, target in (("random", at_random, TARGET), ("smallest", smallest, 0.0)):
            tally = series(ruleset, options.deals, options.seed, others)
            results.append(verdict(f"{ruleset:15} against three {name + ' players':16}", tally, target))
    for ruleset, role in product(("doudizhu.taiwan", "doudizhu.mala"), ("landlord", "farmers")):
        for name, others, target in (("random", at_random, ROLE_TARGET), ("smallest", smallest, 0.0)):
            against = f"two {name} farmers" if role == "landlord" else f"a {name} landlord"
            tally = series_in_role(ruleset, role, options.deals, options.seed, others)
            results.append(verdict(f"{ruleset:15} {role:8} against {against:20}", tally, target))
    if not all(results):
        print(
            f"wanted against random players: {TARGET:.0%} in Big Two, {ROLE_TARGET:.0%} in Dou Dizhu; "
            f"{MEAN_MS:g} ms on average, {LONGEST_MS:g} ms at most"
        )
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
