"""Kills the single server again and again while four people play, and looks at what is left.

`python -m tests.faults.kills --times 20` is the long form of `test_kills`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests import servers
from tests.faults.evidence import evidence
from tests.faults.stubborn import Stubborn
from tests.servers import Live
from tests.sockets.seed import seed

TERMS: dict[str, Any] = {"base_stake": 1, "cap": 100, "fee": {"kind": "flat", "value": 1}}
PUNISHED = ("timed_out", "stood", "away_set", "deal_declined")


class Outcome(NamedTuple):
    """What came of it: the evidence, and the players."""

    found: dict[str, Any]
    players: list[Stubborn]


async def kill_again_and_again(
    start: Callable[[Live | None], Live], times: int, *, dice: random.Random, outage: float = 0.0
) -> Outcome:
    """Have four people play while the server is killed so many times, after 0.2 to 2 s each."""
    live = await asyncio.to_thread(start, None)
    made = (await asyncio.to_thread(lambda: seed(live.environment, **TERMS)))[0]
    at = [live]
    players = [Stubborn(lambda: at[0].url, made["code"], person["session"]) for person in made["people"]]
    playing = [asyncio.create_task(player.play()) for player in players]
    for number in range(times):
        await asyncio.sleep(dice.uniform(0.2, 2.0))
        at[0].kill()
        await asyncio.sleep(outage)
        at[0] = await asyncio.to_thread(start, at[0])
        print(f"killed {number + 1} times, {sum(len(p.acked) for p in players)} commands taken", flush=True)
    await asyncio.sleep(1.0)
    for player in players:
        player.stop.set()
    await asyncio.wait_for(asyncio.gather(*playing), 30)
    acked = {id: seq for player in players for id, seq in player.acked.items()}
    found = await asyncio.to_thread(evidence, live.environment, made["id"], acked)
    return Outcome(found, players)


def faults(outcome: Outcome) -> dict[str, Any]:
    """Return what is wrong, by name: nothing must be."""
    found, players = outcome
    wrong = {name: found[name] for name in ("lost", "doubled", "unsettled", "breaches") if found[name]}
    wrong |= {kind: found["kinds"][kind] for kind in PUNISHED if kind in found["kinds"]}
    if refused := [answer for player in players for answer in player.refused]:
        wrong["refused"] = refused
    return wrong


def main() -> None:
    """Do what the command line asks for; exit 1 with what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--outage", type=float, default=0.0, help="seconds without a server, each time")
    asked = parser.parse_args()
    servers.START_S = 120.0  # long forms run on busy machines
    folder = Path(tempfile.mkdtemp(prefix="paishe-kills-"))
    running: list[Live] = []

    def start(before: Live | None) -> Live:
        running[:] = [servers.launch("one", folder=folder, database=f"sqlite:///{folder}/paishe.sqlite3")]
        return running[0]

    try:
        outcome = asyncio.run(
            kill_again_and_again(start, asked.times, dice=random.Random(asked.seed), outage=asked.outage)
        )
        print(outcome.found)
        print({"taken": sum(len(player.acked) for player in outcome.players)})
        if wrong := faults(outcome):
            print(running[0].log()[-4000:])
            raise SystemExit(f"wrong: {wrong}")
        running[0].stop()
    finally:
        for live in running:
            live.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
