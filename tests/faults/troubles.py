"""What goes wrong in a house of many processes (`make stack`) while people play at its tables, one thing at a time.

`python -m tests.faults.troubles` does everything, `python -m tests.faults.troubles "kill postgres" "two beats"` only
what is named. After each trouble everybody's next command must be taken within `--within` seconds of its end, without
a reload; at the end the logs and the books say whether anything was lost, done twice or left unsettled, or anybody
punished.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import redis

from tests import servers, stacks
from tests.faults.evidence import evidence
from tests.faults.kills import PUNISHED, TERMS, Outcome, faults
from tests.faults.stubborn import Stubborn, everybody_plays
from tests.sockets.seed import seed
from tests.stacks import Stack, stack

HOUR_MS = 3_600_000
SHIFTED = Path(__file__).parent / "shifted"
PATIENCE_S = 90.0

Trouble = Callable[["Trial"], Awaitable[None]]


class Trial:
    """A stack whose people play on while troubles come and go."""

    def __init__(self, house: Stack, clock: Path, dice: random.Random, scale: float = 1.0) -> None:
        self.house, self.clock, self.dice, self.scale = house, clock, dice, scale
        self.tables: list[tuple[int, list[Stubborn]]] = []
        self.had: Counter[str] = Counter()
        self.back_s: dict[str, list[float]] = {}
        self.blows: list[str] = []
        self._known: Counter[str] = Counter()
        self._playing: list[asyncio.Task[Any]] = []

    @property
    def players(self) -> list[Stubborn]:
        """Return everybody."""
        return [player for _, players in self.tables for player in players]

    async def sit_down(self) -> None:
        """Seat people at a Big Two and at a Dou Dizhu table, in both web processes, and have them play."""
        environment = await asyncio.to_thread(lambda: self.house.environment)
        for ruleset, people in (("bigtwo.qq", 4), ("doudizhu.taiwan", 3)):
            (made,) = await asyncio.to_thread(
                lambda ruleset=ruleset, people=people: seed(
                    environment, people=people, ruleset=ruleset, **TERMS
                )
            )
            players = [
                Stubborn(lambda: self.house.url, made["code"], f"{person['session']}; paishe_web={seat % 2}")
                for seat, person in enumerate(made["people"])
            ]
            self.tables.append((made["id"], players))
        self._playing = [asyncio.create_task(player.play()) for player in self.players]
        await self.everybody_plays()

    async def everybody_plays(self, patience: float = PATIENCE_S) -> float:
        """Wait until everybody's next command was taken; return the seconds that took."""
        playing = asyncio.create_task(everybody_plays(self.players, patience))
        await asyncio.wait([playing, *self._playing], return_when=asyncio.FIRST_COMPLETED)
        if broken := [task for task in self._playing if task.done()]:
            raise AssertionError(f"a player has gone: {broken}")
        return await playing

    async def suffer(self, name: str) -> None:
        """Have one trouble from its beginning to its end, and wait until everybody plays again."""
        await asyncio.sleep(self.dice.uniform(0.1, 1.0))
        await TROUBLES[name](self)
        back = await self.everybody_plays()
        self.had[name] += 1
        self.back_s.setdefault(name, []).append(back)
        punished = await asyncio.to_thread(self._punished)
        if blows := dict(punished - self._known):
            self.blows.append(f"{name}: {blows}")
            print(f"  PUNISHED: {blows}", flush=True)
        self._known = punished
        taken = sum(len(player.acked) for player in self.players)
        print(f"{name}: everybody plays {back:.2f} s after it, {taken} commands taken", flush=True)

    def _punished(self) -> Counter[str]:
        """Count the events of each kind that no player of ours would have earned."""
        with psycopg.connect(self.house.environment["PAISHE_DATABASE_URL"]) as connection:
            rows = connection.execute(
                "SELECT kind, count(*) FROM games_tableevent WHERE kind = ANY(%s) GROUP BY kind",
                [list(PUNISHED)],
            ).fetchall()
        return Counter(dict(rows))

    async def outcomes(self) -> list[Outcome]:
        """Have everybody stop, and return what came of each table."""
        for player in self.players:
            player.stop.set()
        await asyncio.wait_for(asyncio.gather(*self._playing), PATIENCE_S)
        found = []
        for table, players in self.tables:
            acked = {id: seq for player in players for id, seq in player.acked.items()}
            environment = self.house.environment
            found.append(Outcome(await asyncio.to_thread(evidence, environment, table, acked), players))
        return found

    async def lasts(self, seconds: float) -> None:
        """Let a trouble last; shorter where the whole trial is."""
        await asyncio.sleep(seconds * self.scale)

    async def filled(self, role: str, *, but: int | None = None) -> int:
        return await asyncio.to_thread(lambda: self.house.until_filled(role, but=but))


async def _kill(trial: Trial, role: str) -> int:
    pid = await trial.filled(role)
    os.kill(pid, signal.SIGKILL)
    return pid


async def kill_web(trial: Trial) -> None:
    """A web process dies; the other is there, so that the trouble ends with the death."""
    for role in ("web-0", "web-1"):
        await trial.filled(role)
    await _kill(trial, trial.dice.choice(("web-0", "web-1")))


async def kill_worker(trial: Trial) -> None:
    """Celery's worker dies and is started again."""
    await trial.filled("worker", but=await _kill(trial, "worker"))


async def kill_beat(trial: Trial) -> None:
    """Celery's beat dies and is started again."""
    await trial.filled("beat", but=await _kill(trial, "beat"))


async def kill_valkey(trial: Trial) -> None:
    """Valkey dies and is started again, empty."""
    await trial.filled("valkey", but=await _kill(trial, "valkey"))


async def kill_postgres(trial: Trial) -> None:
    """PostgreSQL dies as a whole and is started again; the trouble ends with the first answer of the new one."""
    url = trial.house.environment["PAISHE_DATABASE_URL"]
    os.kill(trial.house.postmaster, signal.SIGKILL)
    await asyncio.sleep(0.2)
    async with asyncio.timeout(PATIENCE_S):
        while not await asyncio.to_thread(_answers, url):
            await asyncio.sleep(0.05)


def _answers(url: str) -> bool:
    """Say whether the database answers."""
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


async def freeze_valkey(trial: Trial) -> None:
    """Valkey takes connections and answers nothing for 20 s; play goes on meanwhile."""
    pid = await trial.filled("valkey")
    os.kill(pid, signal.SIGSTOP)
    try:
        await trial.lasts(10)
        print(f"  meanwhile everybody plays after {await trial.everybody_plays():.2f} s")
        await trial.lasts(10)
    finally:
        os.kill(pid, signal.SIGCONT)


async def flush_valkey(trial: Trial) -> None:
    """All that Valkey knows is gone: groups, hints, tasks."""
    with redis.Redis.from_url(trial.house.environment["PAISHE_VALKEY_URL"]) as valkey:
        await asyncio.to_thread(valkey.flushall)


async def cut_sessions(trial: Trial) -> None:
    """For a minute every database session is ended twice a second."""
    ends = time.monotonic() + 60 * trial.scale
    url = trial.house.environment["PAISHE_DATABASE_URL"]
    while time.monotonic() < ends:
        await asyncio.to_thread(_cut, url)
        await asyncio.sleep(0.5)


def _cut(url: str) -> None:
    with suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def _shift(trial: Trial, ms: int) -> None:
    trial.clock.write_text(str(ms))
    await trial.lasts(15)
    print(f"  meanwhile everybody plays after {await trial.everybody_plays():.2f} s")
    trial.clock.write_text("0")


async def clock_on(trial: Trial) -> None:
    """The machine's clock jumps an hour on, and back after a while."""
    await _shift(trial, HOUR_MS)


async def clock_back(trial: Trial) -> None:
    """The machine's clock jumps an hour back, and on again after a while."""
    await _shift(trial, -HOUR_MS)


async def two_beats(trial: Trial) -> None:
    """A second beat and a second worker run for a while beside the house's own."""
    celery = [sys.executable, "-m", "celery", "-q", "-A", "config"]
    schedule = ["-s", str(trial.house.folder / "beat-2"), "--pidfile="]
    environment = trial.house.environment
    more = [
        subprocess.Popen(
            [*celery, *what],
            cwd=servers.ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for what in (
            ["beat", "-l", "WARNING", *schedule],
            ["worker", "-c", "1", "-n", "second@%h", "-l", "WARNING"],
        )
    ]
    try:
        await trial.lasts(20)
    finally:
        for process in more:
            process.terminate()
        for process in more:
            await asyncio.to_thread(process.wait, 30)


async def no_sweeper(trial: Trial) -> None:
    """Worker and beat are there and do nothing for a minute; the web processes sweep in their place."""
    stopped = [await trial.filled("worker"), await trial.filled("beat")]
    for pid in stopped:
        os.killpg(pid, signal.SIGSTOP)
    try:
        await trial.lasts(60)
    finally:
        for pid in stopped:
            os.killpg(pid, signal.SIGCONT)


TROUBLES: dict[str, Trouble] = {
    "kill web": kill_web,
    "kill worker": kill_worker,
    "kill beat": kill_beat,
    "kill valkey": kill_valkey,
    "kill postgres": kill_postgres,
    "freeze valkey": freeze_valkey,
    "flush valkey": flush_valkey,
    "cut sessions": cut_sessions,
    "clock on": clock_on,
    "clock back": clock_back,
    "two beats": two_beats,
    "no sweeper": no_sweeper,
}
OFTEN = {
    "kill web": 6,
    "kill worker": 3,
    "kill beat": 3,
    "kill valkey": 3,
    "kill postgres": 20,
    "flush valkey": 3,
}


async def trial(names: list[str], *, seed_: int, within: float, scale: float = 1.0) -> dict[str, Any]:
    """Have these troubles in a stack of its own; return what is wrong, by name: nothing must be."""
    with stack(shift=SHIFTED) as house:
        one = Trial(house, house.clock_shift, random.Random(seed_), scale)
        await one.sit_down()
        for name in names:
            await one.suffer(name)
        outcomes = await one.outcomes()
        wrong: dict[str, Any] = {}
        for outcome in outcomes:
            # Who has gone home at the end is soon away in Taiwan: punished is only who was it while he played.
            wrong |= {name: what for name, what in faults(outcome).items() if name not in PUNISHED}
        if late := {name: max(times) for name, times in one.back_s.items() if max(times) > within}:
            wrong["late"] = late
        if one.blows:
            wrong["blows"] = one.blows
        print(f"had {dict(one.had)}")
        print(f"slowest return { ({name: round(max(times), 2) for name, times in one.back_s.items()}) }")
        print([outcome.found for outcome in outcomes])
        if wrong:
            Path("var/troubles.log").write_text(house.log())
        return wrong


def main() -> None:
    """Do what the command line asks for; exit 1 with what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help=", ".join(TROUBLES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--within", type=float, default=5.0, help="seconds after a trouble's end")
    parser.add_argument("--scale", type=float, default=1.0, help="how long the long troubles last")
    asked = parser.parse_args()
    stacks.START_S = 180.0
    names = asked.names or [name for name in TROUBLES for _ in range(OFTEN.get(name, 1))]
    wrong = asyncio.run(trial(names, seed_=asked.seed, within=asked.within, scale=asked.scale))
    if wrong:
        raise SystemExit(f"wrong: {wrong}")


if __name__ == "__main__":
    main()
