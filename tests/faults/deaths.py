"""Web processes that die at each failpoint of a command's way, while eight people play at two tables over both of them.

`python -m tests.faults.deaths --rounds 3` has every failpoint kill so many times; `test_deaths` is its short form.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import signal
import tempfile
from collections import Counter, deque
from contextlib import suppress
from pathlib import Path

from games import failpoints
from tests import servers
from tests.faults.evidence import evidence
from tests.faults.kills import Outcome, faults
from tests.faults.many import House, sit_down

APPLICATION = "tests.faults.dying:application"
PATIENCE_S = 180.0  # for a process to come to its failpoint, on a machine however busy


async def die_everywhere(house: House, orders: list[str]) -> Counter[str]:
    """Have both web processes die at one failpoint after the other ("name:times"); return where they died.

    At the end both stand again and none is armed.
    """
    waiting, died = deque(orders), Counter[str]()

    async def fill(number: int) -> None:
        while waiting:
            order = waiting.popleft()
            await asyncio.to_thread(house.replace_web, number, PAISHE_DIE_AT=order)
            process = house.webs[number].process
            try:
                async with asyncio.timeout(PATIENCE_S):
                    while process.poll() is None:
                        await asyncio.sleep(0.02)
            except TimeoutError:
                raise AssertionError(f"{order} was not reached: {house.webs[number].log()}") from None
            assert process.returncode == -signal.SIGKILL, house.webs[number].log()
            died[order.partition(":")[0]] += 1
        await asyncio.to_thread(house.replace_web, number)

    await asyncio.gather(fill(0), fill(1))
    return died


def orders_of(rounds: int, dice: random.Random) -> list[str]:
    """Return every failpoint so many times: the first time it is reached, the second …"""
    orders = [f"{name}:{times}" for times in range(1, rounds + 1) for name in failpoints.NAMES]
    dice.shuffle(orders)
    return orders


async def story(house: House, rounds: int, dice: random.Random) -> tuple[Counter[str], list[Outcome]]:
    """Play at two tables while every failpoint kills so many times; return the deaths, and what came of each table."""
    tables = await asyncio.to_thread(sit_down, house, 2, dice)
    playing = [asyncio.create_task(player.play()) for table in tables for player in table.players]
    died = await die_everywhere(house, orders_of(rounds, dice))
    await asyncio.sleep(1.0)
    for table in tables:
        for player in table.players:
            player.stop.set()
    await asyncio.wait_for(asyncio.gather(*playing), PATIENCE_S)
    outcomes = []
    for table in tables:
        found = await asyncio.to_thread(evidence, house.environment, table.id, table.acked)
        outcomes.append(Outcome(found, table.players))
    return died, outcomes


def main() -> None:
    """Do what the command line asks for; exit 1 with what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    servers.START_S = 120.0
    folder = Path(tempfile.mkdtemp(prefix="paishe-deaths-"))
    with servers.postgres() as postgres:
        house = House.on(postgres, folder, application=APPLICATION)
        try:
            died, outcomes = asyncio.run(story(house, asked.rounds, random.Random(asked.seed)))
            taken = sum(len(player.acked) for outcome in outcomes for player in outcome.players)
            print(f"died at {dict(died)}; {taken} commands taken, {[one.found for one in outcomes]}")
            if wrong := [faults(outcome) for outcome in outcomes if faults(outcome)]:
                raise SystemExit(f"wrong: {wrong}")
        finally:
            with suppress(Exception):
                house.stop()
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
