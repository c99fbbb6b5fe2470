"""Many at once at two tables: they sit, stand, press start, play, talk, leave and repeat themselves, in no order.

`python -m tests.faults.races --seconds 120` does it with four processes on a PostgreSQL of its own, `--sqlite` with
four threads on a file. What is answered by an error that no player may see, or stands in the log twice, is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import servers
from tests.faults.evidence import evidence

PEOPLE = 9
TERMS: dict[str, Any] = {"base_stake": 1, "cap": 100, "entry": None, "fee": {"kind": "flat", "value": 1}}


class Crowd:
    """One process's (or thread's) part: does things for everybody, at random."""

    def __init__(self, name: str, tables: list[int], users: list[int]) -> None:
        from accounts.models import User
        from games.models import Table

        self.name, self._dice, self._made = name, random.Random(name), 0
        self._tables = list(Table.objects.filter(pk__in=tables).order_by("pk"))
        self._users = list(User.objects.filter(pk__in=users).order_by("pk"))
        self._sent: list[tuple[int, Any]] = []
        self.acked: dict[int, dict[str, int]] = {pk: {} for pk in tables}
        self.wrong: list[str] = []
        self.done: Counter[str] = Counter()

    def go_on_for(self, seconds: float) -> Crowd:
        """Do things until the time is over; an error that is no refusal is kept in `wrong`."""
        from games.errors import TableError
        from lobby.errors import LobbyError

        things: list[tuple[Callable[[Any], str], int]] = [
            (self._play, 40),
            (self._press, 12),
            (self._sit, 12),
            (self._quick, 4),
            (self._stand, 4),
            (self._leave, 1),
            (self._talk, 6),
            (self._repeat, 6),
            (self._tick, 3),
        ]
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            (thing,) = self._dice.choices([t for t, _ in things], [weight for _, weight in things])
            try:
                self.done[thing(self._dice.choice(self._tables))] += 1
            except (TableError, LobbyError) as error:
                self.done[f"refused {error.code}"] += 1
            except Exception as error:
                self.wrong.append(f"{thing.__name__}: {type(error).__name__}: {error}")
        return self

    def _command(self, table: Any, make: Callable[[str], Any]) -> str:
        self._made += 1
        command = make(f"{self.name}-{self._made}")
        self._sent.append((table.pk, command))
        return self._perform(table.pk, command)

    def _perform(self, table_id: int, command: Any) -> str:
        from games import tables

        answer = tables.perform(table_id, command)
        if answer.refusal is not None:
            return answer.refusal.code
        if getattr(command, "id", None) is not None:
            before = self.acked[table_id].setdefault(command.id, answer.seq)
            if before != answer.seq:
                self.wrong.append(f"{command.id} was answered by {before} and by {answer.seq}")
        return type(command).__name__

    def _state(self, table: Any) -> Any:
        from games import tables

        return tables.current(table.pk).state if self._dice.random() < 0.3 else tables.state_of(table.pk)

    def _play(self, table: Any) -> str:
        from games.table import commands as cmd

        state = self._state(table)
        if state.deal is None or state.deal.clock is None:
            return "no turn"
        seat = state.deal.clock.seat
        offers = state.rules.offers(state.rules.view(state.deal.deal, seat))
        action = str(self._dice.choice(offers))
        return self._command(table, lambda id: cmd.Act(seat, id, state.turn, action, state.seats[seat].user))

    def _press(self, table: Any) -> str:
        from games.table import commands as cmd

        state = self._state(table)
        for seat, sitting in enumerate(state.seats):
            if sitting is not None and not sitting.ready:
                self._command(table, lambda id, s=seat, u=sitting.user: cmd.Ready(s, id, "", u))
        return "pressed"

    def _sit(self, table: Any) -> str:
        from lobby import services

        services.sit(user=self._dice.choice(self._users), table_code=table.code)
        return "sat"

    def _quick(self, table: Any) -> str:
        from lobby import services

        services.quick_match(user=self._dice.choice(self._users), tier_code=table.tier)
        return "quick"

    def _stand(self, table: Any) -> str:
        from games import tables

        tables.stand_up(user=self._dice.choice(self._users), table=table)
        return "stood"

    def _leave(self, table: Any) -> str:
        from games.table import commands as cmd

        user = self._dice.choice(self._users).pk
        return self._command(table, lambda id: cmd.Leave(self._dice.randrange(4), id, user))

    def _talk(self, table: Any) -> str:
        from games.table import commands as cmd

        state, seat = self._state(table), self._dice.randrange(4)
        user = state.seats[seat].user if state.seats[seat] else None
        return self._command(table, lambda id: cmd.Say(seat, id, "hello", None, user))

    def _repeat(self, table: Any) -> str:
        if not self._sent:
            return "nothing"
        return "again " + self._perform(*self._dice.choice(self._sent[-20:]))

    def _tick(self, table: Any) -> str:
        from games import tasks

        tasks.sweep_once()
        return "swept"


def prepare() -> dict[str, Any]:
    """Open two tables and make more people than they have seats."""
    from django.core.management import call_command

    from accounts.models import User
    from games import tables
    from lobby.models import RoomTier
    from wallet import services as wallet

    call_command("seed_tiers", verbosity=0)
    RoomTier.objects.filter(code="qq.bamboo").update(base_stake=1, cap=100, entry=None)
    terms = RoomTier.objects.get(code="qq.bamboo").terms()
    opened = [tables.open_table(tier="qq.bamboo", ruleset="bigtwo.qq", terms=terms).pk for _ in range(2)]
    users = [User.objects.create_user(username=f"racer{n}-{os.getpid()}") for n in range(PEOPLE)]
    for user in users:
        wallet.grant(user_id=user.pk, amount=1_000_000, reference=f"race:{user.pk}", code="test")
    return {"tables": opened, "users": [user.pk for user in users]}


def report(crowds: list[dict[str, Any]], tables: list[int], environment: dict[str, str]) -> dict[str, Any]:
    """Put together what the crowds saw and what the database says."""
    acked: dict[int, dict[str, int]] = {table: {} for table in tables}
    wrong, done = [], Counter[str]()
    for crowd in crowds:
        wrong += crowd["wrong"]
        done.update(crowd["done"])
        for table in tables:
            acked[table] |= crowd["acked"][str(table)]
    found = [evidence(environment, table, acked[table]) for table in tables]
    for one in found:
        wrong += [f"{name}: {one[name]}" for name in ("lost", "doubled", "breaches") if one[name]]
    return {"wrong": wrong, "done": done, "kinds": [one["kinds"] for one in found]}


def result_of(crowd: Crowd) -> dict[str, Any]:
    """Return what a crowd saw, as JSON."""
    answer: dict[str, Any] = json.loads(
        json.dumps({"acked": crowd.acked, "wrong": crowd.wrong, "done": crowd.done})
    )
    return answer


def in_threads(crowds: list[Crowd], seconds: float) -> None:
    """Let crowds of this process do things at once."""
    from django.db import connections

    def go(crowd: Crowd) -> None:
        try:
            crowd.go_on_for(seconds)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=go, args=(crowd,)) for crowd in crowds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_processes(environment: dict[str, str], seconds: float, number: int) -> dict[str, Any]:
    """Race in so many processes and return the report."""
    python = [sys.executable, "-m", "tests.faults.races"]

    def run(*more: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*python, *more], cwd=servers.ROOT, env=environment, stdout=subprocess.PIPE, text=True
        )

    ready = run("--prepare")
    made = json.loads(ready.communicate()[0].splitlines()[-1])
    racing = [run("--race", json.dumps({**made, "name": f"w{n}", "seconds": seconds})) for n in range(number)]
    crowds = [json.loads(process.communicate()[0].splitlines()[-1]) for process in racing]
    return report(crowds, made["tables"], environment)


def main() -> None:
    """Do what the command line asks for; exit 1 when something is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--number", type=int, default=4)
    parser.add_argument("--sqlite", action="store_true", help="threads of one process on a file")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--race", type=json.loads)
    asked = parser.parse_args()
    if asked.prepare or asked.race:
        import django

        django.setup()
        if asked.prepare:
            print(json.dumps(prepare()))
            return
        race = asked.race
        crowd = Crowd(race["name"], race["tables"], race["users"])
        print(json.dumps(result_of(crowd.go_on_for(race["seconds"]))))
        return
    told = _on_sqlite(asked) if asked.sqlite else _on_postgresql(asked)
    print(json.dumps(told, indent=1))
    raise SystemExit(1 if told["wrong"] else 0)


def _on_postgresql(asked: argparse.Namespace) -> dict[str, Any]:
    with servers.postgres() as server:
        environment = {**servers.bare_environment(), "PAISHE_DATABASE_URL": server.database()}
        servers.manage("migrate", "--verbosity=0", environment=environment)
        return in_processes(environment, asked.seconds, asked.number)


def _on_sqlite(asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'races.sqlite3'}"
        environment = {**servers.bare_environment(), "PAISHE_DATABASE_URL": url}
        servers.manage("migrate", "--verbosity=0", environment=environment)
        os.environ.update(environment)
        import django

        django.setup()
        made = prepare()
        crowds = [Crowd(f"t{n}", made["tables"], made["users"]) for n in range(asked.number)]
        in_threads(crowds, asked.seconds)
        return report([result_of(crowd) for crowd in crowds], made["tables"], environment)


if __name__ == "__main__":
    main()
