"""The three servers that are measured, each with its own load: ours, the stock consumer, boardgame.io."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests import servers
from tests.benchmarks.live.load import Bot, StockBot, Tally, settle
from tests.benchmarks.live.measuring import cpu_s, cpu_with_children_s, memory_kib, percentile
from tests.benchmarks.live.rivals import Match, TheirBot
from tests.servers import Live
from tests.sockets import seed
from tests.sockets.visitor import PASSWORD, Visitor

WARM_S = 3.0
TOLD = "SELECT count(*) FROM games_tableevent WHERE kind = 'acted' AND body LIKE '%\"cmd\":%'"
THEIRS = servers.ROOT / "var" / "bench" / "boardgameio"


class Seat(NamedTuple):
    """Whose chair it is: the table's code and the key of a signed-in session."""

    code: str
    session: str


class House:
    """Our server with a database of its own and people at so many tables."""

    def __init__(self, kind: str, folder: Path, database: str) -> None:
        self.kind, self.folder, self.database = kind, folder, database
        self.seats: list[Seat] = []
        self.live: Live
        self.trouble = ""

    def open(self, tables: int) -> None:
        """Make the database and the tables, start the server, and have a table's people log in with passwords."""
        environment = {
            **servers.bare_environment(),
            "PAISHE_VAR_DIR": str(self.folder),
            "PAISHE_DATABASE_URL": self.database,
        }
        servers.manage("migrate", "--verbosity=0", environment=environment)
        made = seed.seed(environment, tables=tables)
        first = made[0]["people"]
        names = [person["name"] for person in first]
        seed.run(
            environment,
            f"for user in User.objects.filter(username__in={names!r}):\n"
            f"    user.set_password({PASSWORD!r})\n"
            "    user.save()\n",
        )
        self.start()
        for person in first:
            person["session"] = Visitor(self.live.url).sign_in(person["name"]).session
        self.seats = [Seat(table["code"], person["session"]) for table in made for person in table["people"]]

    def start(self) -> None:
        self.live = servers.launch(self.kind, folder=self.folder, database=self.database)

    def stop(self) -> None:
        self.live.stop()
        if self.live.trouble():
            self.trouble += self.live.log()[-4000:]

    async def connect(self, bots: list[Bot]) -> None:
        """Open a socket for each bot, thirty-two at a time, and wait for its first view."""
        gate = asyncio.Semaphore(32)

        async def one(bot: Bot, seat: Seat) -> None:
            async with gate:
                await bot.open(self.live.port, f"/ws/table/{seat.code}/", seat.session)
                await asyncio.wait_for(bot.seen.wait(), 60)

        await asyncio.gather(*(one(bot, seat) for bot, seat in zip(bots, self.seats, strict=False)))

    def rows(self) -> int:
        """Return the moves of people that the log holds."""
        if self.database.startswith("sqlite"):
            with sqlite3.connect(self.database.removeprefix("sqlite:///")) as written:
                return int(written.execute(TOLD).fetchone()[0])
        with psycopg.connect(self.database) as connection:
            row = connection.execute(TOLD).fetchone()
            assert row is not None
            return int(row[0])


@asynccontextmanager
async def house(kind: str, tables: int, folder: Path, database: str = "") -> AsyncIterator[House]:
    """Open our house with so many tables, on SQLite unless a database is named."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = House(kind, folder, database or f"sqlite:///{folder / 'house.sqlite3'}")
    opened.open(tables)
    try:
        yield opened
    finally:
        opened.stop()


async def measure(
    pid: int, bots: list[Any], tally: Tally, seconds: float, postmaster: int = 0
) -> dict[str, Any]:
    """Let the bots play for some seconds and return what it cost the server, and the database where it is apart."""
    await asyncio.sleep(WARM_S)
    tally.begin()
    moves, cpu, began = tally.acked_acts, cpu_s(pid), time.monotonic()
    apart = cpu_with_children_s(postmaster) if postmaster else 0.0
    await asyncio.sleep(seconds)
    moves, cpu, took = tally.acked_acts - moves, cpu_s(pid) - cpu, time.monotonic() - began
    figures: dict[str, Any] = {
        "moves": moves,
        "moves_per_s": round(moves / took, 1),
        "server_cpu": round(cpu / took, 3),
        "moves_per_core_s": round(moves / cpu, 1) if cpu else None,
        "ack_p50_ms": round(percentile(tally.ack_ms, 0.5), 2),
        "ack_p99_ms": round(percentile(tally.ack_ms, 0.99), 2),
        "views": tally.views,
        "view_bytes": tally.view_bytes // max(tally.views, 1),
    }
    if postmaster:
        figures["database_cpu"] = round((cpu_with_children_s(postmaster) - apart) / took, 3)
    await settle(bots, tally)
    return figures


def verdict(tally: Tally, rows: int, trouble: str = "") -> dict[str, Any]:
    """Return what was promised: every acknowledged move is written, every view was right."""
    return {
        "acknowledged": tally.acked_acts,
        "rows": rows,
        "views_checked": tally.checked,
        "wrong": tally.wrong[:5],
        "refused": tally.refused,
        "trouble": trouble,
    }


async def ours(
    kind: str,
    tables: int,
    seconds: float,
    folder: Path,
    *,
    database: str = "",
    postmaster: int = 0,
    think: tuple[float, float] = (0.0, 0.0),
) -> dict[str, Any]:
    """Play whole deals of Big Two at so many tables of our server."""
    tally = Tally()
    async with house(kind, tables, folder, database) as here:
        bots = [Bot(tally, think) for _ in here.seats]
        await here.connect(bots)
        figures = await measure(here.live.process.pid, bots, tally, seconds, postmaster)
    return {**figures, **verdict(tally, here.rows(), here.trouble)}


async def idle(kind: str, tables: int, folder: Path, back: int = 400) -> dict[str, Any]:
    """Have people only look at their tables: what a socket takes (KiB), and how long it is until many are back (s).

    The lines of `back` sockets break all at once; all is well when each has its view again.
    """
    tally = Tally()
    async with house(kind, tables, folder) as here:
        everybody, first = here.seats, 8
        bots = [Bot(tally, idle=True) for _ in everybody]
        here.seats = everybody[:first]
        await here.connect(bots[:first])  # what the first sockets of a process load is not a socket's
        before = memory_kib(here.live.process.pid)
        here.seats = everybody[first:]
        await here.connect(bots[first:])
        await asyncio.sleep(2)
        taken = memory_kib(here.live.process.pid) - before
        lost = bots[first : first + back]
        for bot in lost:
            bot.line.end()
        began = time.monotonic()
        await here.connect(lost)
        took = time.monotonic() - began
        await settle(bots, tally, 0)
    sockets = len(bots) - first
    return {
        "sockets": sockets,
        "kib_per_socket": round(taken / sockets, 1),
        "came_back": len(lost),
        "seconds": round(took, 2),
        "wrong": tally.wrong[:5],
        "trouble": here.trouble,
    }


async def stock(kind: str, tables: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Pass turns around at so many tables of the stock consumer."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "stock.sqlite3"
    database, module = f"sqlite:///{file}", "tests.benchmarks.live.stock"
    environment = {**servers.bare_environment(), "PAISHE_DATABASE_URL": database}
    prepare = [sys.executable, "-c", f"from {module} import prepare; prepare()"]
    subprocess.run(prepare, env=environment, check=True, cwd=servers.ROOT)
    live = servers.launch(kind, folder=folder, database=database, application=f"{module}:application")
    try:
        tally = Tally()
        bots = [StockBot(tally, n % 4) for n in range(4 * tables)]
        for n, bot in enumerate(bots):
            await bot.open(live.port, f"/ws/table/{n // 4}/")
        for bot in bots[::4]:
            bot.ask("act", ',"turn":0,"action":"play 3d"')
        figures = await measure(live.process.pid, bots, tally, seconds)
    finally:
        live.stop()
    with sqlite3.connect(file) as written:
        rows = int(written.execute("SELECT count(*) FROM stock_move").fetchone()[0])
    return {**figures, **verdict(tally, rows)}


async def boardgameio(tables: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Play the climbing game at so many matches of boardgame.io, kept in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    port, log_file = servers.free_port(), folder / "boardgameio.log"
    environment = {**servers.bare_environment(), "PORT": str(port), "NODE_ENV": "production"}
    environment["NODE_PATH"] = str(THEIRS / "node_modules")
    program = Path(__file__).with_name("boardgameio.cjs")
    with log_file.open("wb") as log:
        process = subprocess.Popen(["node", str(program)], env=environment, stdout=log, stderr=log)
    try:
        await _listens(process, port, log_file)
        matches = [await asyncio.to_thread(Match, port) for _ in range(tables)]
        tally = Tally()
        bots = [TheirBot(tally, match, seat) for match in matches for seat in range(4)]
        for bot in bots:
            await bot.open()
        figures = await measure(process.pid, bots, tally, seconds)
        moves = sum(max(bot.moves for bot in bots[n : n + 4]) for n in range(0, len(bots), 4))
    finally:
        process.terminate()
        process.wait()
    trouble = log_file.read_text()
    return {**figures, **verdict(tally, moves, trouble if "ERROR" in trouble else "")}


async def _listens(process: subprocess.Popen[bytes], port: int, log_file: Path) -> None:
    until = time.monotonic() + servers.START_S
    while f"running on http://127.0.0.1:{port}" not in log_file.read_text():
        if process.poll() is not None or time.monotonic() > until:
            raise AssertionError(f"boardgame.io did not start:\n{log_file.read_text()}")
        await asyncio.sleep(0.05)


def node_version() -> str:
    """Return the version of node, or why there is none."""
    try:
        return subprocess.run(
            ["node", "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
    except OSError as error:
        return os.strerror(error.errno or 0)
