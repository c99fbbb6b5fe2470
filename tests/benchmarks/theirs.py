"""Dou Dizhu as others have it, for `bench_engine`: run in an environment of its own (theirs.txt), never imported.

Reads lines `GAME DEALS SEED` and answers each with `SECONDS MOVES`: the CPU time this process spent on so many whole
deals in which every act is drawn from the listed ones by a seeded random.Random, and how many acts that was.
"""

import random
import sys
import time
from collections.abc import Callable


def rlcard_env() -> Callable[[int, random.Random], int]:
    """RLCard's own loop: `reset`, then `step` with one of the state's legal actions. It encodes what a player sees."""
    import numpy
    import rlcard

    env = rlcard.make("doudizhu")

    def play(deals: int, chance: random.Random) -> int:
        env.game.np_random = numpy.random.RandomState(chance.randrange(2**32))
        moves = 0
        for _ in range(deals):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(chance.choice([*state["legal_actions"]]))
                moves += 1
        return moves

    return play


def rlcard_game() -> Callable[[int, random.Random], int]:
    """The game below RLCard's loop, with no encoding for learners: `init_game`, `step`."""
    import numpy
    from rlcard.games.doudizhu import Game

    game = Game()

    def play(deals: int, chance: random.Random) -> int:
        game.np_random = numpy.random.RandomState(chance.randrange(2**32))
        moves = 0
        for _ in range(deals):
            state, _ = game.init_game()
            while not game.is_over():
                state, _ = game.step(chance.choice(state["actions"]))
                moves += 1
        return moves

    return play


def openspiel() -> Callable[[int, random.Random], int]:
    """OpenSpiel's loop as it documents it: acts of chance are drawn by their probabilities, others at random. Dealing
    is fifty-two acts of chance; the auction is in it."""

    def by_probability(chance: random.Random, outcomes: list[tuple[int, float]]) -> int:
        actions, odds = zip(*outcomes, strict=True)
        drawn: int = chance.choices(actions, odds)[0]
        return drawn

    return _openspiel(by_probability)


def openspiel_lean() -> Callable[[int, random.Random], int]:
    """The same by who knows that in this game all acts of chance are equally likely."""
    return _openspiel(lambda chance, outcomes: chance.choice(outcomes)[0])


def _openspiel(
    draw: Callable[[random.Random, list[tuple[int, float]]], int],
) -> Callable[[int, random.Random], int]:
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")

    def play(deals: int, chance: random.Random) -> int:
        moves = 0
        for _ in range(deals):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(draw(chance, state.chance_outcomes()))
                else:
                    state.apply_action(chance.choice(state.legal_actions()))
                    moves += 1
        return moves

    return play


GAMES = {
    "rlcard": rlcard_env,
    "rlcard-lean": rlcard_game,
    "openspiel": openspiel,
    "openspiel-lean": openspiel_lean,
}


def main() -> None:
    """Answer requests until there are no more."""
    players = {name: make() for name, make in GAMES.items()}
    print("ready", flush=True)
    for line in sys.stdin:
        name, deals, seed = line.split()
        chance = random.Random(int(seed))
        began = time.process_time()
        moves = players[name](int(deals), chance)
        print(time.process_time() - began, moves, flush=True)


if __name__ == "__main__":
    main()
