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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from games import failpoints
from tests import servers
from tests.faults.evidence import evidences
from tests.faults.kills import Outcome, faults
from tests.faults.many import House, sit_down

APPLICATION = "tests.faults.dying:application"
PATIENCE_S = 180.0  # for a process to come to its failpoint, on a machine however busy


def armed(orders: Sequence[str]) -> list[dict[str, str]]:
    """Return what the first two web processes have in their environment."""
    return [{"PAISHE_DIE_AT": order} for order in orders[:2]]


async def die_everywhere(house: House, orders: Sequence[str]) -> Counter[str]:
    """Have both web processes, armed with the first two orders, die at one failpoint after the other ("name:times").

    Return where they died. At the end both stand again and none is armed.
    """
    waiting, died = deque(orders[2:]), Counter[str]()

    async def fill(number: int, order: str) -> None:
        while order:
            await _dead(house.webs[number], order)
            died[order.partition(":")[0]] += 1
            order = waiting.popleft() if waiting else ""
            await asyncio.to_thread(house.replace_web, number, PAISHE_DIE_AT=order)

    await asyncio.gather(fill(0, orders[0]), fill(1, orders[1]))
    return died


async def _dead(web: servers.Live, order: str) -> None:
    """Wait until a web process has died where it should."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while web.process.poll() is None:
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"{order} was not reached: {web.log()}") from None
    assert web.process.returncode == -signal.SIGKILL, web.log()


def orders_of(rounds: int, dice: random.Random) -> list[str]:
    """Return every failpoint so many times: the first time it is reached, the second …"""
    orders = [f"{name}:{times}" for times in range(1, rounds + 1) for name in failpoints.NAMES]
    dice.shuffle(orders)
    return orders


async def story(
    house: House, orders: Sequence[str], dice: random.Random
) -> tuple[Counter[str], list[Outcome]]:
    """Play at two tables while the web processes die as ordered; return the deaths, and what came of each table."""
    tables = await asyncio.to_thread(sit_down, house, 2, dice)
    playing = [asyncio.create_task(player.play()) for table in tables for player in table.players]
    died = await die_everywhere(house, orders)
    await asyncio.sleep(1.0)
    for table in tables:
        for player in table.players:
            player.stop.set()
    await asyncio.wait_for(asyncio.gather(*playing), PATIENCE_S)
    asked = {table.id: table.acked for table in tables}
    found = await asyncio.to_thread(evidences, house.environment, asked)
    return died, [Outcome(one, table.players) for one, table in zip(found, tables, strict=True)]


def main() -> None:
    """Do what the command line asks for; exit 1 with what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    servers.START_S = 120.0
    folder = Path(tempfile.mkdtemp(prefix="paishe-deaths-"))
    with servers.postgres() as postgres:
        dice = random.Random(asked.seed)
        orders = orders_of(asked.rounds, dice)
        house = House.on(postgres, folder, application=APPLICATION, webs=armed(orders))
        try:
            died, outcomes = asyncio.run(story(house, orders, dice))
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
