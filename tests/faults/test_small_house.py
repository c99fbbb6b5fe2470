"""The single process on SQLite: somebody else holds the database's write lock, the disk is full. Play goes on after it.

Full is the disk by the limit on the size of the server's files, which needs no rights: what would go past it fails.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import psutil

from tests.faults.evidence import evidence
from tests.faults.kills import TERMS, Outcome, faults
from tests.faults.stubborn import Stubborn, everybody_plays
from tests.servers import Live
from tests.sockets.seed import seed

Serve = Callable[..., Live]
PATIENCE_S = 60.0  # on a machine however busy
HELD_S = 3.0
FULL_BYTES = 32 * 1024


@asynccontextmanager
async def four_play(live: Live) -> AsyncIterator[list[Stubborn]]:
    """Have four people play through the block; afterwards nothing is lost, done twice, left unsettled or punished."""
    made: dict[str, Any] = (await asyncio.to_thread(lambda: seed(live.environment, **TERMS)))[0]
    players = [Stubborn(lambda: live.url, made["code"], person["session"]) for person in made["people"]]
    playing = [asyncio.create_task(player.play()) for player in players]
    await everybody_plays(players, PATIENCE_S)
    yield players
    for player in players:
        player.stop.set()
    await asyncio.wait_for(asyncio.gather(*playing), PATIENCE_S)
    acked = {id: seq for player in players for id, seq in player.acked.items()}
    found = await asyncio.to_thread(evidence, live.environment, made["id"], acked)
    assert faults(Outcome(found, players)) == {}


async def test_a_held_write_lock_and_a_full_disk_make_everybody_wait_and_nothing_worse(serve: Serve) -> None:
    live = serve(tolerate=("Traceback (most recent call last)",))
    async with four_play(live) as players:
        taken = await hold_the_lock(live, players)
        assert taken <= len(players), "at most what was on its way"
        print(f"everybody plays {await everybody_plays(players, PATIENCE_S):.2f} s after the lock")
        assert await fill_the_disk(live, players) == 0, "nothing is taken that cannot be kept"
        print(f"everybody plays {await everybody_plays(players, PATIENCE_S):.2f} s after there was room")


def taken_by(players: list[Stubborn]) -> int:
    return sum(len(player.acked) for player in players)


async def hold_the_lock(live: Live, players: list[Stubborn]) -> int:
    """Hold the write lock for 3 s from another process's place; return how many commands were taken meanwhile."""
    file = live.environment["PAISHE_DATABASE_URL"].removeprefix("sqlite:///")
    lock = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
    await asyncio.to_thread(lock.execute, "BEGIN IMMEDIATE")
    before = taken_by(players)
    await asyncio.sleep(HELD_S)
    taken = taken_by(players) - before
    lock.rollback()
    lock.close()
    return taken


async def fill_the_disk(live: Live, players: list[Stubborn]) -> int:
    """Leave the server no room for 2 s; return how many commands were taken once that was felt."""
    server = psutil.Process(live.process.pid)
    unlimited = server.rlimit(psutil.RLIMIT_FSIZE)
    server.rlimit(psutil.RLIMIT_FSIZE, (FULL_BYTES, unlimited[1]))
    await asyncio.sleep(0.5)
    before = taken_by(players)
    await asyncio.sleep(2.0)
    taken = taken_by(players) - before
    server.rlimit(psutil.RLIMIT_FSIZE, unlimited)
    return taken
