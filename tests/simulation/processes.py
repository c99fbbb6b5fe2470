"""Simulated processes: each with its own memory, event loop, writer and hub, all of them in this one thread.

A process's memory is what the product keeps in module globals; `Machine.enter` puts it in place before any of its code
runs. Its threads (database work, the writer) are jobs that run whole, but for the failpoints in them: there the loop of
the same process may go on, another process may come first, the database may fail, or the process dies.
"""

from __future__ import annotations

import asyncio
import random
import uuid
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

from django.db import OperationalError, connection

from games import (
    computers,
    consumers,
    dealing,
    failpoints,
    hints,
    hub,
    incoming,
    outbox,
    presence,
    rooms,
    service_time,
    tables,
    watch,
    writer,
)
from tests.simulation.clockwork import Clockwork, Loop

Job = Callable[[], object]

# Where a process keeps what it remembers, and what it remembers at its start.
MEMORY: list[tuple[Any, str, Callable[[], Any]]] = [
    (tables, "_known", OrderedDict),
    (service_time, "_reading", lambda: None),
    (service_time, "_read_at", lambda: 0.0),
    (hub, "_hub", lambda: None),
    (writer, "_writer", lambda: None),
    (computers, "_driver", lambda: None),
    (dealing.SECRETS, "_shuffles", OrderedDict),
]

IN_TRANSACTION = ("after_swap", "after_insert", "before_commit")
OTHERS_FIRST = ("before_batch", "before_swap", "before_lock", "before_read", "before_ack")
DEADLY = (*IN_TRANSACTION, "before_swap", "before_publish", "before_ack", "before_hint")


class Crash(SystemExit):
    """The end of a process in the middle of what it does (of a kind that asyncio lets through)."""


class Unavailable(OperationalError):
    """What a database says that is away."""


class Chances:
    """How often something goes wrong."""

    def __init__(self) -> None:
        # per failpoint that is reached; for one of them alone, its name behind "crash_" or "database_"
        self.crash = 0.0006
        self.database = 0.001
        self.switch = 0.15
        # per hint
        self.hint_lost = 0.15
        self.hint_doubled = 0.1
        self.hint_late = 0.2
        # per second of the house
        self.outage = 0.004
        self.kill = 0.004
        self.kill_sweeper = 0.003
        self.database_away = 0.002
        self.clock_set = 0.002
        self.line_lost = 0.02
        self.line_lost_asking = 0.01  # per command, right behind it

    def end(self) -> None:
        """Let nothing go wrong any more."""
        for name in vars(self):
            setattr(self, name, 0.0)

    def of(self, kind: str, name: str) -> float:
        """Return the chance of a crash or of a failing database at a failpoint."""
        chance: float = vars(self).get(f"{kind}_{name}", vars(self)[kind])
        return chance


class Process:
    """One process of the house; `alive` until it crashes."""

    def __init__(self, machine: Machine, name: str) -> None:
        self.machine = machine
        self.name = name
        self.alive = True
        self.born = machine.clock.now
        self.memory = {(owner, attribute): make() for owner, attribute, make in MEMORY}
        self.loop = Loop(machine.clock, self._enter)  # type: ignore[abstract]
        self.heard: Callable[[dict[int, int]], None] | None = None

    def _enter(self) -> bool:
        if self.alive:
            self.machine.enter(self)
        return self.alive

    def recall(self, owner: Any, attribute: str) -> Any:
        """Return what the process remembers under a name."""
        if self.machine.current is self:
            return getattr(owner, attribute)
        return self.memory[owner, attribute]

    def job(self, what: Job, ms: float | None = None) -> None:
        """Have a thread of this process do something soon."""
        self.machine.plan(self, what, ms)


class Machine:
    """All processes, what passes between them, and what goes wrong in them."""

    def __init__(self, clock: Clockwork, seed: str) -> None:
        self.clock = clock
        self.dice = random.Random(f"{seed} faults")
        self.cards = random.Random(f"{seed} cards")
        self.chances = Chances()
        self.current: Process | None = None
        self.processes: list[Process] = []
        self.hits: Counter[str] = Counter()
        self.struck: Counter[str] = Counter()
        self.on_death: Callable[[Process], None] = lambda process: None
        self.after_job: Callable[[Process], None] = lambda process: None
        self.away_until = 0  # the database fails whoever asks
        self._planned: dict[int, tuple[Process, Job]] = {}
        self._number = 0
        self._depth = 0
        self._graves: list[object] = []

    # ---- processes

    def start(self, name: str) -> Process:
        """Start a process with an empty memory."""
        process = Process(self, name)
        self.processes.append(process)
        return process

    def enter(self, process: Process) -> None:
        """Put a process's memory in place."""
        before = self.current
        if before is process:
            return
        if before is not None:
            for owner, attribute, _ in MEMORY:
                before.memory[owner, attribute] = getattr(owner, attribute)
        for owner, attribute, _ in MEMORY:
            setattr(owner, attribute, process.memory[owner, attribute])
        self.current = process

    def kill(self, process: Process) -> None:
        """End a process: nothing of it runs any more, and what it knew is gone."""
        if not process.alive:
            return
        process.alive = False
        self.processes.remove(process)
        self._graves += [
            process,
            *asyncio.all_tasks(process.loop),
        ]  # whatever ends them now would act for the dead
        self.on_death(process)

    # ---- jobs

    def plan(self, process: Process, what: Job, ms: float | None = None) -> None:
        """Queue a job of a process."""
        self._number += 1
        number = self._number
        self._planned[number] = process, what
        if ms is None:
            ms = self.dice.choice((1, 1, 2, 3, 5, 8, 20, 60))
        self.clock.after(ms, partial(self._run_planned, number))

    def _run_planned(self, number: int) -> None:
        planned = self._planned.pop(number, None)
        if planned is not None:
            self.run(*planned)

    def run(self, process: Process, what: Job) -> None:
        """Run a job of a process now; it may be its last."""
        if not process.alive:
            return
        before, loop = self.current, asyncio._get_running_loop()
        self.enter(process)
        asyncio._set_running_loop(None)
        self._depth += 1
        try:
            what()
        except Crash as crash:
            self.struck[f"crash {crash.code}"] += 1
            self.kill(process)
        finally:
            self._depth -= 1
            asyncio._set_running_loop(loop)
        if self._depth == 0 or not connection.in_atomic_block:
            self.after_job(process)
        if before is not None and before.alive:
            self.enter(before)

    async def in_database(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Stand in for the threads of `games.database`."""
        process = self.current
        assert process is not None
        answer = process.loop.create_future()

        def work() -> None:
            try:
                if self.clock.now < self.away_until:
                    raise Unavailable("away")
                came = function(*args, **kwargs)
            except Exception as error:
                if not answer.done():
                    answer.set_exception(error)
            else:
                if not answer.done():
                    answer.set_result(came)

        process.job(work)
        return await answer

    # ---- failpoints

    def reached(self, name: str) -> None:
        """Let something go wrong at a failpoint, or not."""
        self.hits[name] += 1
        process, chances, dice = self.current, self.chances, self.dice
        if process is None or self._depth == 0:
            return
        if dice.random() < chances.switch and self._depth < 3:
            self._let_others_run(process, name)
        planted = name not in failpoints.NAMES  # by a bug's patch
        if (planted or name in DEADLY) and dice.random() < chances.of("crash", name):
            raise Crash(name)
        inside = connection.in_atomic_block and (planted or name in IN_TRANSACTION)
        fails = inside and dice.random() < chances.of("database", name)
        if fails or (
            self.clock.now < self.away_until and name in ("before_batch", "before_lock", *IN_TRANSACTION)
        ):
            self.struck[f"database {name}"] += 1
            raise Unavailable(name)

    def _let_others_run(self, process: Process, name: str) -> None:
        if self.dice.random() < 0.5:
            process.loop.iterate()  # the loop's thread goes on while this one works
        elif name in OTHERS_FIRST and not connection.in_atomic_block:
            others = [n for n, (other, _) in self._planned.items() if other is not process and other.alive]
            for number in self.dice.sample(others, min(len(others), 3)):
                self.struck[f"others first {name}"] += 1
                self._run_planned(number)

    # ---- hints

    def tell(self, table_id: int, seq: int) -> None:
        """Send a hint to every other process; some are lost, some come twice, some come late."""
        for process in self.processes:
            if process is self.current or process.heard is None:
                continue
            dice, chances = self.dice.random(), self.chances
            copies = 0 if dice < chances.hint_lost else 2 if dice > 1 - chances.hint_doubled else 1
            self.struck["hints lost"] += copies == 0
            self.struck["hints doubled"] += copies == 2
            for _ in range(copies):
                late = self.dice.random() < chances.hint_late
                ms = self.dice.randrange(200, 4_000) if late else self.dice.randrange(1, 15)
                self.clock.after(ms, partial(self._hear, process, {table_id: seq}))

    def _hear(self, process: Process, heads: dict[int, int]) -> None:
        if process.alive and process.heard is not None:
            self.enter(process)
            before = asyncio._get_running_loop()
            asyncio._set_running_loop(process.loop)
            process.heard(heads)
            asyncio._set_running_loop(before)

    async def listen(self, heard: Callable[[dict[int, int]], None]) -> None:
        """Stand in for `hints.listen`."""
        process = self.current
        assert process is not None
        process.heard = heard
        await process.loop.create_future()


def _writer_of(machine: Machine) -> type[writer.Writer]:
    """Make the writer whose thread is jobs in the queue."""

    class SimulatedWriter(writer.Writer):
        def __init__(self) -> None:
            super().__init__()
            assert machine.current is not None
            self._process = machine.current
            self._planned = False

        def submit(self, table_id: int, command: Any) -> asyncio.Future[tables.Answer]:
            future = super().submit(table_id, command)
            self._plan()
            return future

        def _start(self) -> None:
            pass

        def _plan(self) -> None:
            if not self._planned:
                self._planned = True
                self._process.job(self._write)

        def _write(self) -> None:
            self._planned = False
            if self._waiting or not self._queue.empty():
                batch, _ = self._next_batch()
                self._perform(batch)
            if self._waiting:
                self._plan()

    return SimulatedWriter


def _numbered(kind: type) -> type:
    """Make a kind whose values stand in sets in an order that is the same in each run."""
    made = [0]

    def __init__(self: Any, *args: Any) -> None:
        kind.__init__(self, *args)
        made[0] += 1
        self.number = made[0]

    return type(
        kind.__name__,
        (kind,),
        {"__init__": __init__, "__hash__": lambda self: self.number, "__slots__": ("number",)},
    )


@contextmanager
def simulated(machine: Machine) -> Iterator[None]:
    """Put the product on simulated time, threads, hints and dice for the length of a block."""
    cards, clock = machine.cards, machine.clock
    dice = SimpleNamespace(
        choice=cards.choice, token_bytes=cards.randbytes, choices=cards.choices, randbelow=cards.randrange
    )
    time = SimpleNamespace(
        monotonic=clock.monotonic, time_ns=lambda: clock.wall() * 1_000_000, sleep=lambda seconds: None
    )
    viewer, mark = _numbered(rooms.Viewer), _numbered(presence.Mark)
    changes: list[tuple[Any, str, Any]] = [
        (service_time, "time", time),
        (service_time, "_pin", None),
        (writer, "time", time),
        (writer, "Writer", _writer_of(machine)),
        (dealing, "secrets", dice),
        (tables, "dice", dice),
        (
            presence,
            "uuid",
            SimpleNamespace(uuid4=lambda: uuid.UUID(int=cards.getrandbits(128)), UUID=uuid.UUID),
        ),
        (hints, "wanted", lambda: True),
        (hints, "publisher", SimpleNamespace(tell=machine.tell)),
        (hints, "listen", machine.listen),
        (consumers, "Viewer", viewer),
        (presence, "Mark", mark),
    ]
    changes += [(module, "monotonic", clock.monotonic) for module in (hub, watch, outbox, presence, incoming)]
    changes += [
        (module, "in_database", machine.in_database)
        for module in (hub, watch, presence, consumers, computers)
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    before += [(owner, name, getattr(owner, name)) for owner, name, _ in MEMORY]
    for owner, name, value in changes:
        setattr(owner, name, value)
    failpoints.arm(machine.reached)
    try:
        yield
    finally:
        failpoints.arm(None)
        for owner, name, value in before:
            setattr(owner, name, value)
