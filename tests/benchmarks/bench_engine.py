"""The engine beside RLCard and OpenSpiel: `make bench-engine`.

Whole random deals of Dou Dizhu, from the deck to the last card, auction included, through the doors the table uses:
`start`, the full `legal` list at each turn, one of it by a seeded random.Random, `apply`, which verifies. RLCard has no
auction: its landlord is dealt. Ours and theirs take turns in short runs and count the CPU time of their own process; a
figure is the median of the rounds.

`ratio rlcard` and `ratio openspiel` are against the loop each of them documents: RLCard's environment, which also
encodes what a player sees, and OpenSpiel from Python, its acts of chance drawn by their probabilities. The same two
without what a mere game would not need, `-lean`, are printed beside: RLCard's game below its environment, and
OpenSpiel dealt evenly by who knows that all cards are equally likely. All compare deals per CPU second, or moves where
the average deal is more than a fifth longer with one than with the other. Fails below 15 and 0.5; wanted are 25 and
0.8.

Also: how long it takes to verify one play against a standing combo, and `games.table` to decide a plain move.
"""

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from games.engine import rulesets
from games.engine.actions import Action
from games.engine.cards import format_cards
from games.engine.deal import Deal
from games.engine.rulesets import RuleSet
from games.engine.terms import Terms
from tests.table import bench as table_bench

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "var/bench/theirs"
OUT = ROOT / "var/bench/engine.json"
OURS = ("doudizhu.taiwan", "doudizhu.mala", "bigtwo.classic", "bigtwo.qq")
COMPARED = "doudizhu.taiwan"
THEIRS = ("rlcard-lean", "openspiel-lean", "rlcard", "openspiel")
WANTED = {"rlcard": 25.0, "openspiel": 0.8}
LEAST = {"rlcard": 15.0, "openspiel": 0.5}
VERIFY_US = {"bigtwo.classic": 2.0, "bigtwo.qq": 2.0, "doudizhu.taiwan": 3.0, "doudizhu.mala": 3.0}
DECIDE_US = 60.0
LONGER = 1.2


class Run(NamedTuple):
    """So many deals: CPU seconds, acts."""

    deals: int
    seconds: float
    moves: int


class Figure(NamedTuple):
    """The medians of one engine's runs."""

    deals_s: float
    moves_s: float
    length: float


def play(rules: RuleSet, deals: int, seed: int) -> Run:
    """Play random deals of ours."""
    chance = random.Random(seed)
    terms = Terms(30, 1200)
    deck = list(range(rules.deck_size))
    moves = 0
    began = time.process_time()
    for _ in range(deals):
        chance.shuffle(deck)
        deal = rules.start(deck=deck, opening=opening(rules, deck, chance), terms=terms)
        while deal.turn is not None:
            deal = rules.apply(deal, deal.turn, chance.choice(rules.legal(deal)))
            moves += 1
    return Run(deals, time.process_time() - began, moves)


def opening(rules: RuleSet, deck: list[int], chance: random.Random) -> dict[str, object]:
    """Return an opening as a table could have it."""
    if rules.code == "doudizhu.mala":
        place = chance.randrange(len(deck) - 3)
        return {"first": place % rules.seats, "shown": format_cards((deck[place],))}
    return {"first": chance.randrange(rules.seats)}


class Others:
    """The process with the engines of others."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [HOME / "bin/python", Path(__file__).with_name("theirs.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._read() == "ready"

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("the engines of others do not answer: see above")
        return line.strip()

    def play(self, name: str, deals: int, seed: int) -> Run:
        """Have one of them play random deals."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name} {deals} {seed}\n")
        self._process.stdin.flush()
        seconds, moves = self._read().split()
        return Run(deals, float(seconds), int(moves))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def one_length(player: Callable[[int, int], Run], seconds: float) -> int:
    """Return how many deals take about so long."""
    player(3, 0)
    run = player(10, 1)
    return max(10, round(run.deals * seconds / max(run.seconds, 1e-4)))


def race(rounds: int, seconds: float) -> dict[str, list[Run]]:
    """Let all take turns, and return the runs of each."""
    others = Others()
    players: dict[str, Callable[[int, int], Run]] = {}
    for code in OURS:
        players[code] = partial(play, rulesets.get(code))
    for name in THEIRS:
        players[name] = partial(others.play, name)
    lengths = {name: one_length(player, seconds) for name, player in players.items()}
    runs: dict[str, list[Run]] = {name: [] for name in players}
    for number in range(rounds):
        for name, player in players.items():
            runs[name].append(player(lengths[name], 100 + number))
    others.close()
    return runs


def figure(runs: list[Run]) -> Figure:
    """Return the medians of some runs."""
    return Figure(
        statistics.median(run.deals / run.seconds for run in runs),
        statistics.median(run.moves / run.seconds for run in runs),
        sum(run.moves for run in runs) / sum(run.deals for run in runs),
    )


def ratio(ours: Figure, theirs: Figure) -> tuple[float, str]:
    """Return how many times as fast ours is, and by what: deals, or moves where deals differ in length."""
    longer = max(ours.length, theirs.length) / min(ours.length, theirs.length)
    if longer > LONGER:
        return ours.moves_s / theirs.moves_s, "moves"
    return ours.deals_s / theirs.deals_s, "deals"


def verify_us(code: str, deals: int = 120, rounds: int = 5) -> float:
    """Return the microseconds of verifying one play against a standing combo, the best of some rounds."""
    rules, chance = rulesets.get(code), random.Random(3)
    asked: list[tuple[Deal, int, Action]] = []
    for _ in range(deals):
        deck = list(range(rules.deck_size))
        chance.shuffle(deck)
        deal = rules.start(deck=deck, opening=opening(rules, deck, chance), terms=Terms())
        while deal.turn is not None:
            legal = rules.legal(deal)
            if deal.standing is not None:
                asked += [(deal, deal.turn, action) for action in legal[:5] if action.kind == "play"]
            deal = rules.apply(deal, deal.turn, chance.choice(legal))
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        for deal, seat, action in asked:
            rules.verify(deal, seat, action)
        best = min(best, time.process_time() - began)
    return 1e6 * best / len(asked)


def versions() -> dict[str, str]:
    """Return what was compared."""
    listed = subprocess.run(
        [HOME / "bin/python", "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = {entry["name"].lower().replace("_", "-"): entry["version"] for entry in json.loads(listed)}
    return {
        "python": platform.python_version(),
        "rlcard": found["rlcard"],
        "open-spiel": found["open-spiel"],
    }


def judged(figures: dict[str, Figure], moves_us: dict[str, float], decide_us: float) -> dict[str, Any]:
    """Return the ratios and what is too slow, and print both."""
    ratios = {theirs: ratio(figures[COMPARED], figures[theirs]) for theirs in THEIRS}
    for code, us in moves_us.items():
        print(f"{code:16} one play verified against a standing combo: {us:.2f} µs")
    print(f"{'games.table':16} decide of a plain move: {decide_us:.1f} µs")
    failed = [
        f"ratio {name} {ratios[name][0]:.2f} is below {least}"
        for name, least in LEAST.items()
        if ratios[name][0] < least
    ]
    failed += [f"{code}: {us:.2f} µs a play" for code, us in moves_us.items() if us > VERIFY_US[code]]
    if decide_us > DECIDE_US:
        failed.append(f"decide: {decide_us:.1f} µs")
    for line in failed:
        print(f"TOO SLOW: {line}")
    for name, (value, _) in ratios.items():
        if value < WANTED.get(name, 0):
            print(f"wanted: ratio {name} {WANTED[name]:g}")
    for name, (value, unit) in ratios.items():
        if unit == "moves":
            print(f"{name} is compared by moves per CPU second: its deals differ in length")
        print(f"ratio {name} {value:.2f}")
    return {"ratios": {name: value for name, (value, _) in ratios.items()}, "failed": failed}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="CPU time of one engine in one round, about"
    )
    options = parser.parse_args()
    what = versions()
    print("random deals from the deck to the last card; " + ", ".join(f"{k} {v}" for k, v in what.items()))
    runs = race(options.rounds, options.seconds)
    figures = {name: figure(found) for name, found in runs.items()}
    for name, (deals_s, moves_s, length) in figures.items():
        rates = " ".join(f"{run.deals / run.seconds:.0f}" for run in runs[name])
        print(
            f"{name:16} {deals_s:7.0f} deals/s {moves_s:8.0f} moves/s {length:5.1f} moves a deal   ({rates})"
        )
    moves_us = {code: verify_us(code) for code in OURS}
    answer = judged(figures, moves_us, table_bench.best_of(6)["decide"])
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(
        json.dumps(
            {
                "versions": what,
                "figures": {name: found._asdict() for name, found in figures.items()},
                "runs": {name: [run._asdict() for run in found] for name, found in runs.items()},
                "verify_us": moves_us,
                **answer,
            },
            indent=1,
        )
        + "\n"
    )
    return 1 if answer["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
