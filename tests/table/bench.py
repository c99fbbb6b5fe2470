"""How long the machine takes for a plain move, best of some runs: `python -m tests.table.bench`."""

from __future__ import annotations

from random import Random
from time import perf_counter

from games.engine import fair, rulesets
from games.table import commands as c
from games.table import events as e
from games.table.decide import decide
from games.table.evolve import evolve
from games.table.state import TableState
from games.table.views import table_view
from tests.table.tabletop import Dealer, Tabletop


def opened(seed: int) -> Tabletop:
    table = Tabletop()
    table.deck = fair.Draw(bytes([seed]) * 32, "bench", [""] * 4).deck(52)
    return table.playing()


def moves_of(table: Tabletop) -> list[tuple[TableState, c.Act]]:
    """Play a deal at random; the states and the moves made on them."""
    chance, state, moves = Random(1), table.state, []
    rules = rulesets.get("bigtwo.qq")
    while state.deal is not None and state.deal.clock is not None:
        seat = state.deal.clock.seat
        action = chance.choice(rules.offers(rules.view(state.deal.deal, seat)))
        move = c.Act(seat, f"b{state.seq}", state.turn, str(action))
        moves.append((state, move))
        state = decide(state, move, table.now, table.dealer).state
    return moves[:-1]


def measure(moves: list[tuple[TableState, c.Act]], now: int, dealer: Dealer) -> dict[str, float]:
    """Time each part of a move, in microseconds."""
    times = {}
    start = perf_counter()
    decisions = [decide(state, move, now, dealer) for state, move in moves]
    times["decide"] = perf_counter() - start
    start = perf_counter()
    bodies = [e.encode(decision.events[0]) for decision in decisions]
    times["encode"] = perf_counter() - start
    start = perf_counter()
    events = [e.decode(body) for body in bodies]
    times["decode"] = perf_counter() - start
    start = perf_counter()
    for (state, _), event in zip(moves, events, strict=True):
        evolve(state, event, dealer)
    times["evolve from the log"] = perf_counter() - start
    start = perf_counter()
    for decision in decisions:
        for seat in range(4):
            table_view(decision.state, seat, now)
    times["four views"] = perf_counter() - start
    start = perf_counter()
    for decision in decisions:
        table_view(decision.state, None, now)
    times["a spectator's view"] = perf_counter() - start
    return {name: 1e6 * seconds / len(moves) for name, seconds in times.items()}


def best_of(tables: int) -> dict[str, float]:
    """Return the best time of each part of a move over some deals, in microseconds."""
    best: dict[str, float] = {}
    for seed in range(tables):
        table = opened(seed)
        moves = moves_of(table)
        for _ in range(5):
            for name, value in measure(moves, table.now, table.dealer).items():
                best[name] = min(value, best.get(name, value))
    return best


def main() -> None:
    for name, value in best_of(12).items():
        print(f"{name:20} {value:7.1f} µs a move")


if __name__ == "__main__":
    main()
