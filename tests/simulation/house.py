"""A whole house on simulated time: tables of every kind, people, servers, sweepers, and what goes wrong with them."""

from __future__ import annotations

import logging
import random
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from django.db import connection

from accounts.models import User
from games import computers, service_time, tables, tasks
from games.errors import TableError
from games.models import Table
from games.table import commands as cmd
from lobby.seeds import seeded_tiers
from tests.simulation.clockwork import Clockwork
from tests.simulation.network import Line
from tests.simulation.oracle import Oracle, Violation
from tests.simulation.page import Page
from tests.simulation.processes import Crash, Machine, Process, Unavailable, simulated
from wallet import services as wallet
from wallet.audit import verify_books

SERVERS = 3
STUCK_MS = 3_600_000
OUTAGE_MS = 10_000  # of a gap longer than this, nothing counts
COINS = 400_000

# Which tables a house has: (tier, people who sit, people who look on).
TABLES = (
    ("qq.bamboo", 4, 1),
    ("mala.bamboo", 3, 0),
    ("taiwan.30", 3, 1),
    ("classic.points", 4, 1),
    ("mala.plum", 3, 0),
    ("qq.orchid", 4, 0),
    ("classic.coins-safe", 4, 0),
    ("classic.practice", 1, 0),
    ("taiwan.100", 3, 0),
    ("taiwan.practice", 1, 0),
)


class Report(NamedTuple):
    """What came of a story: the broken promise if there was one, and the digest over all logs."""

    fault: str
    deals: int
    steps: int
    chain: str
    figures: dict[str, Any]


class Place:
    """One table of the house after another, with the people who play there."""

    def __init__(self, tier: Any, people: list[Page], lookers: list[Page]) -> None:
        self.tier = tier
        self.people = people
        self.lookers = lookers
        self.table: Table | None = None


class House:
    """One story. `run` tells it to the end, or to the first broken promise."""

    def __init__(self, seed: str, deals: int, chances: Mapping[str, float] | None = None) -> None:
        self.seed = seed
        self.deals = deals
        self.faults = True
        self.dice = random.Random(f"{seed} house")
        self.clock = Clockwork(random.Random(f"{seed} order"))
        self.machine = Machine(self.clock, seed)
        for name, chance in (chances or {}).items():
            setattr(self.machine.chances, name, chance)
        self.machine.on_death = self._died
        self.machine.after_job = self._checked
        self.oracle = Oracle(self)
        self.pages: dict[int, Page] = {}
        self.lines: list[Line] = []
        self.places: list[Place] = []
        self.servers: list[Process] = []
        self.sweeper: Process | None = None
        self.over = 0
        self.drops = 1.0
        self.fault = ""
        self.outages: list[list[int]] = []  # [from, to] in which nobody served
        self._sweeping = 0
        self._swept_since: int | None = None  # the sweeper has swept well ever since
        self._service = 0
        self._progress = (0, 0)
        self._down_until = 0

    # ---- telling

    def run(self) -> Report:
        """Tell the story."""
        catcher = _Errors(self)
        root = logging.getLogger()
        handlers, root.handlers = root.handlers, [catcher]
        try:
            with simulated(self.machine):
                self._open()
                while self.over < self.deals:
                    self._step()
                self._calm_down()
        except Violation as violation:
            self.fault = self.fault or str(violation)
        except Exception as error:
            self.fault = f"the story itself broke: {error!r} (step {self.clock.steps})"
        finally:
            root.handlers = handlers
        return Report(self.fault, self.over, self.clock.steps, self.oracle.chain(), self._figures())

    def _step(self) -> None:
        try:
            self.clock.step()
        except Crash:
            assert self.machine.current is not None
            self.machine.kill(self.machine.current)
        if self.fault:  # said inside of a task, which keeps what is raised in it
            raise Violation(self.fault)

    def wrong(self, what: str) -> None:
        """End the story with a broken promise."""
        self.fault = self.fault or f"{what} (step {self.clock.steps}, deal {self.over})"
        raise Violation(self.fault)

    def _figures(self) -> dict[str, Any]:
        machine, oracle = self.machine, self.oracle
        return {
            "virtual minutes": self.clock.now // 60_000,
            "failpoints": dict(machine.hits),
            "struck": dict(machine.struck),
            "deals": dict(oracle.deals),
            "events": dict(oracle.kinds),
            "refusals": dict(oracle.refusals),
            "views": oracle.views,
            "acknowledged": sum(len(page.acked) for page in self.pages.values()),
            "settled": oracle.books.settled,
            "latest clock ms": oracle.latest_ms,
            "outages": len(self.outages),
        }

    # ---- opening

    def _open(self) -> None:
        service_time.read()
        lobby = self.machine.start("lobby")
        self.machine.run(lobby, self._make_people)
        for number in range(SERVERS):
            self._start_server(number)
        self._start_sweeper()
        self.clock.after(500, self._look_around)
        self.clock.after(1_000, self._mischief)
        self.machine.kill(lobby)

    def _make_people(self) -> None:
        tiers = {tier.code: tier for tier in seeded_tiers()}
        made = 0
        for code, people, lookers in TABLES * 2:
            pages = []
            for _ in range(people + lookers):
                made += 1
                user = User.objects.create(username=f"person {made}")
                if self.dice.random() < 0.9:
                    wallet.grant(user_id=user.pk, amount=COINS, reference=f"first:{user.pk}", code="test")
                else:
                    wallet.grant(user_id=user.pk, amount=20_000, reference=f"first:{user.pk}", code="test")
                page = self.pages[user.pk] = Page(self, user, made)
                pages.append(page)
            self.places.append(Place(tiers[code], pages[:people], pages[people:]))

    # ---- processes

    def _start_server(self, number: int) -> None:
        self.servers.append(self.machine.start(f"server {number}"))
        self._note_outage()

    def _start_sweeper(self) -> None:
        self.sweeper = self.machine.start("sweeper")
        self._swept_since = None
        self.clock.after(self.dice.randrange(10, 900), partial(self._sweep_again, self.sweeper))

    def _sweep_again(self, sweeper: Process) -> None:
        if sweeper.alive:
            sweeper.job(self._sweep)
            if self.faults and self.dice.random() < 0.05:
                sweeper.job(self._sweep, 30)
            self.clock.after(1_000, partial(self._sweep_again, sweeper))

    def _sweep(self) -> None:
        struck = sum(self.machine.struck.values())
        began = service_time.now(fresh=True)
        swept = tasks.sweep_once()
        service = service_time.now(fresh=True)
        if service < self._service:
            self.wrong(f"service time ran back from {self._service} to {service}")
        self._service = service
        trouble = swept.failed or self.clock.now < self.machine.away_until
        self._swept_since = None if trouble else (self._swept_since or self.clock.now)
        if not trouble and struck == sum(self.machine.struck.values()) and not connection.in_atomic_block:
            self.oracle.look()
            for table_id, followed in self.oracle.tables.items():
                state = followed.state
                if state is not None and state.deadline is not None and state.deadline < began - 1_000:
                    self.wrong(
                        f"table {table_id}: due at {state.deadline}, swept at {began}, and nothing done"
                    )

    def sweeps_well(self) -> bool:
        """Say whether the sweeper has done its work for some seconds now."""
        return self._swept_since is not None and self.clock.now - self._swept_since > 4_000

    def any_server(self, dice: random.Random) -> Process | None:
        """Return a server that takes lines, None while there is none."""
        alive = [process for process in self.servers if process.alive]
        return dice.choice(alive) if alive else None

    def _died(self, process: Process) -> None:
        for line in self.lines:
            if line.process is process:
                line.process_died()
        self.lines = [line for line in self.lines if line.process.alive and not line.is_closed]
        if process in self.servers:
            self.servers.remove(process)
            number = int(process.name.split()[1])
            self.clock.after(self._wait_until_up(), partial(self._start_server, number))
        elif process is self.sweeper:
            self._swept_since = None
            self.clock.after(self._wait_until_up(), self._start_sweeper)
        self._note_outage()

    def _wait_until_up(self) -> int:
        return max(self.dice.randrange(300, 6_000), self._down_until - self.clock.now)

    def _note_outage(self) -> None:
        now = self.clock.now
        served = any(process.alive for process in self.servers)
        if not served and (not self.outages or self.outages[-1][1] >= 0):
            self.outages.append([now, -1])
        elif served and self.outages and self.outages[-1][1] < 0:
            self.outages[-1][1] = now
            if now - self.outages[-1][0] <= OUTAGE_MS:
                self.outages.pop()

    def outage_since(self, moment: int) -> int:
        """Return for how long (ms) nobody served since a moment, long outages only."""
        ended = [(begin, end if end >= 0 else self.clock.now) for begin, end in self.outages]
        return sum(max(0, end - max(begin, moment)) for begin, end in ended)

    def _checked(self, process: Process) -> None:
        self.oracle.look()
        if process.alive:
            self.oracle.compare(process)

    # ---- people and tables

    def _look_around(self) -> None:
        """Do what a lobby does: open tables, seat who has no seat; and look whether everybody is served."""
        self.clock.after(1_000, self._look_around)
        process = self.any_server(self.dice)
        for place in self.places:
            if process is not None and self._needs_people(place):
                process.job(partial(self._tend, place), self.dice.randrange(0, 900))
            self._bring_pages(place)
        if self._progress[0] != self.over:
            self._progress = self.over, self.clock.now
        elif self.clock.now - self._progress[1] > STUCK_MS:
            self.wrong("no deal ends any more")
        self._watch_pages()

    def _needs_people(self, place: Place) -> bool:
        followed = self.oracle.tables.get(place.table.pk) if place.table is not None else None
        state = followed.state if followed is not None else None
        return state is None or state.phase == "closed" or (state.phase == "between" and None in state.seats)

    def _tend(self, place: Place) -> None:
        followed = self.oracle.tables.get(place.table.pk) if place.table is not None else None
        state = followed.state if followed is not None else None
        try:
            if state is None or state.phase == "closed" or place.table is None:
                self._open_table(place)
            elif state.phase == "between" and None in state.seats and not state.bound:
                if state.terms.match or state.terms.practice:
                    tables.perform(place.table.pk, cmd.Close("test"))
                else:
                    self._sit(place, place.table)
        except (TableError, Unavailable):
            pass  # the next look tries again

    def _open_table(self, place: Place) -> None:
        place.table = None
        self._fill_purses(place)
        tier = place.tier
        terms = {**tier.terms(), **({"think_ms": [200, 600]} if tier.practice else {})}
        table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=terms)
        place.table = table
        self._sit(place, table)
        if tier.practice:
            computers.fill(table.pk)

    def _sit(self, place: Place, table: Table) -> None:
        self._fill_purses(place)
        sitting = {seat.user for seat in tables.state_of(table.pk).seats if seat is not None}
        for page in place.people:
            if page.user.pk not in sitting:
                tables.take_seat(user=page.user, table=table, nonce=f"{self.dice.getrandbits(32):x}")

    def _fill_purses(self, place: Place) -> None:
        if place.tier.currency == "coins":
            for page in place.people:
                if wallet.balance(page.user.pk).available < 2 * (place.tier.entry or 0) + 2_000:
                    self.machine.hits["purses filled"] += 1
                    reference = f"more:{page.user.pk}:{self.machine.hits['purses filled']}"
                    wallet.grant(user_id=page.user.pk, amount=COINS, reference=reference, code="test")

    def _bring_pages(self, place: Place) -> None:
        table = place.table
        followed = self.oracle.tables.get(table.pk) if table is not None else None
        if table is None or followed is None or followed.state is None:
            return
        sitting = {seat.user for seat in followed.state.seats if seat is not None}
        for page in place.people:
            if page.table != table.pk and page.user.pk in sitting:
                page.go_to(table.pk, table.code)
        for page in place.lookers:
            if page.table != table.pk:
                page.go_to(table.pk, table.code)

    def _watch_pages(self) -> None:
        """Check that nobody is left behind: five quiet seconds after an event every page has it."""
        now = self.clock.now
        for page in self.pages.values():
            line = page.line
            if page.view is None or line is None or line.is_closed or line.is_cut or page.table is None:
                continue
            if (
                now - page.since < 5_000
                or now - line.process.born < 5_000
                or now < self.machine.away_until + 6_000
            ):
                continue
            followed = self.oracle.tables[page.table]
            if page.seq < followed.seq:
                moment = followed.moments[page.seq + 1]
                if moment is not None and now - moment.found > 5_000:
                    self.wrong(f"page {page.number} waits for event {page.seq + 1} of table {page.table}")

    # ---- mischief

    def _mischief(self) -> None:
        """Once a second: perhaps kill, stop, set the clock, or take the database away."""
        if not self.faults:
            return
        self.clock.after(1_000, self._mischief)
        chances, dice, struck = self.machine.chances, self.dice, self.machine.struck
        if dice.random() < chances.outage:
            self._stop_everything(dice.randrange(15_000, 120_000))
        if dice.random() < chances.kill and self.servers:
            struck["killed"] += 1
            self.machine.kill(dice.choice(self.servers))
        if dice.random() < chances.kill_sweeper and self.sweeper is not None:
            struck["sweeper killed"] += 1
            self.machine.kill(self.sweeper)
        if dice.random() < chances.database_away:
            struck["database away"] += 1
            self.machine.away_until = self.clock.now + dice.randrange(200, 4_000)
        if dice.random() < chances.clock_set:
            struck["clock set"] += 1
            self.clock.jump += dice.choice((-1, 1)) * dice.randrange(20_000, 3_600_000)
        if dice.random() < chances.line_lost:
            struck["line lost"] += 1
            dice.choice(list(self.pages.values())).drop(dice.randrange(50, 20_000))

    def _stop_everything(self, ms: int) -> None:
        self.machine.struck["outage"] += 1
        self._down_until = self.clock.now + ms
        for process in [*self.servers, *([self.sweeper] if self.sweeper is not None else [])]:
            self.machine.kill(process)

    # ---- the end

    def _calm_down(self) -> None:
        """Let nothing go wrong any more and nobody do anything; then everybody must see the same."""
        self.faults = False
        lost = self.machine.chances.hint_lost
        self.machine.chances.end()
        self.machine.chances.hint_lost = lost  # hints are never a promise
        self.drops = 0.0
        for page in self.pages.values():
            page.idle = True
        end = max(self.clock.now, self._down_until) + 40_000
        while self.clock.now < end:
            self._step()
        self._calm_check()

    def _calm_check(self) -> None:
        for page in self.pages.values():
            if page.table is None:
                continue
            followed = self.oracle.tables[page.table]
            if page.view is not None and page.seq != followed.seq:
                moment = followed.moments[page.seq + 1]
                if moment is not None and self.clock.now - moment.found > 3_000:
                    self.wrong(f"at the end page {page.number} has event {page.seq} of {followed.seq}")
            if page.pending is not None and page.view is not None:
                self.wrong(f"page {page.number} never heard what became of {page.pending}")
        report = verify_books()
        if report.breaches:
            self.wrong(f"the books: {report.breaches[:3]}")


class _Errors(logging.Handler):
    """Whatever the product logs as an error, and nobody made on purpose, is a broken promise."""

    def __init__(self, house: House) -> None:
        super().__init__(logging.ERROR)
        self.house = house

    def emit(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if any(isinstance(one, Unavailable | Crash | Violation) for one in _causes(error)):
            return
        self.house.wrong(f"an error in the log: {record.msg!r:.200} {error!r:.200}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
