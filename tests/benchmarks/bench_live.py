"""Moves over real sockets, beside a stock Channels consumer in the same run: `python -m tests.benchmarks.bench_live`.

Measured at the server: moves per second of one core (CPU time of the server's process, from /proc) and the time from
a command to its ack, p50 and p99. Players keep below the limit of messages a person has, so few tables are a steady
load and many a heavy one. Prints the figures, writes them to var/bench/live.json, and fails unless every
acknowledged move is a row, and no row is a move nobody was told of.
"""

import argparse
import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests import servers
from tests.benchmarks.live.load import Bot, StockBot, Tally, settle
from tests.servers import Live
from tests.sockets.seed import seed

WARM_S = 3.0
TARGET = 4.0  # times the stock consumer


def cpu_s(live: Live) -> float:
    """Return the CPU seconds (user and system) a server has used."""
    fields = Path(f"/proc/{live.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_kib(live: Live) -> int:
    """Return a server's resident memory in KiB."""
    status = Path(f"/proc/{live.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def percentile(values: list[float], share: float) -> float:
    """Return the value below which a share of all lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


async def measure(live: Live, bots: list[Bot], tally: Tally, seconds: float) -> dict[str, Any]:
    """Let the bots play for some seconds and return what it cost."""
    await asyncio.sleep(WARM_S)
    tally.begin()
    moves, cpu, began = tally.acked_acts, cpu_s(live), time.monotonic()
    await asyncio.sleep(seconds)
    moves, cpu, took = tally.acked_acts - moves, cpu_s(live) - cpu, time.monotonic() - began
    figures: dict[str, Any] = {
        "moves": moves,
        "moves_per_s": round(moves / took, 1),
        "server_cpu": round(cpu / took, 3),
        "moves_per_core_s": round(moves / cpu, 1) if cpu else None,
        "ack_p50_ms": round(percentile(tally.ack_ms, 0.5), 2),
        "ack_p99_ms": round(percentile(tally.ack_ms, 0.99), 2),
        "view_bytes": tally.view_bytes // max(tally.views, 1),
    }
    await settle(bots, tally)
    if tally.refused:
        figures["refused"] = tally.refused
    return figures


async def ours(kind: str, tables: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Play whole deals of Big Two at so many tables of our server."""
    file = folder / f"ours-{kind}.sqlite3"
    database = f"sqlite:///{file}"
    environment = {
        **servers.bare_environment(),
        "PAISHE_VAR_DIR": str(folder),
        "PAISHE_DATABASE_URL": database,
    }
    servers.manage("migrate", "--verbosity=0", environment=environment)
    made = seed(environment, tables=tables)
    seats = [(table["code"], person["session"]) for table in made for person in table["people"]]
    live = servers.launch(kind, folder=folder, database=database)
    try:
        tally, before = Tally(), memory_kib(live)
        bots = [Bot(tally) for _ in seats]
        for bot, (code, session) in zip(bots, seats, strict=True):
            await bot.open(live.port, f"/ws/table/{code}/", session)
        figures = await measure(live, bots, tally, seconds)
        figures["kib_per_socket"] = round((memory_kib(live) - before) / len(bots), 1)
    finally:
        live.stop()
    with sqlite3.connect(file) as written:
        told = "SELECT count(*) FROM games_tableevent WHERE kind = 'acted' AND body LIKE '%\"cmd\":%'"
        rows = written.execute(told).fetchone()[0]
    trouble = live.log()[-4000:] if live.trouble() else ""
    return {**figures, "acknowledged": tally.acked_acts, "rows": rows, "trouble": trouble}


async def stock(tables: int, seconds: float, folder: Path) -> dict[str, Any]:
    """Pass turns around at so many tables of the stock consumer."""
    file = folder / "stock.sqlite3"
    database, module = f"sqlite:///{file}", "tests.benchmarks.live.stock"
    environment = {**servers.bare_environment(), "PAISHE_DATABASE_URL": database}
    prepare = [sys.executable, "-c", f"from {module} import prepare; prepare()"]
    subprocess.run(prepare, env=environment, check=True, cwd=servers.ROOT)
    live = servers.launch("daphne", folder=folder, database=database, application=f"{module}:application")
    try:
        tally = Tally()
        bots: list[Bot] = [StockBot(tally, n % 4) for n in range(4 * tables)]
        for n, bot in enumerate(bots):
            await bot.open(live.port, f"/ws/table/{n // 4}/")
        for bot in bots[::4]:
            bot.ask("act", ',"turn":0,"action":"play 3d"')
        figures = await measure(live, bots, tally, seconds)
    finally:
        live.stop()
    with sqlite3.connect(file) as written:
        figures["rows"] = written.execute("SELECT count(*) FROM stock_move").fetchone()[0]
    return {**figures, "acknowledged": tally.acked_acts}


def report(results: dict[str, dict[str, Any]]) -> None:
    """Print the figures side by side."""
    names = [
        "moves_per_s",
        "server_cpu",
        "moves_per_core_s",
        "ack_p50_ms",
        "ack_p99_ms",
        "kib_per_socket",
        "rows",
    ]
    print(f"{'':18}" + "".join(f"{name:>18}" for name in names))
    for who, figures in results.items():
        print(f"{who:18}" + "".join(f"{figures.get(name)!s:>18}" for name in names))


def main() -> int:
    """Run the benchmark and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--servers", default="one", help="one, daphne, uvicorn; several with commas")
    parser.add_argument("--no-stock", action="store_true")
    asked = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="paishe-bench-") as place:
        for kind in asked.servers.split(","):
            results[f"paishe ({kind})"] = asyncio.run(ours(kind, asked.tables, asked.seconds, Path(place)))
        if not asked.no_stock:
            results["stock (daphne)"] = asyncio.run(stock(asked.tables, asked.seconds, Path(place)))
    report(results)
    figures: dict[str, Any] = {"tables": asked.tables, "seconds": asked.seconds, "results": results}
    mine, theirs = next(iter(results.values())), results.get("stock (daphne)")
    if theirs and mine["moves_per_core_s"] and theirs["moves_per_core_s"]:
        figures["times_stock"] = round(mine["moves_per_core_s"] / theirs["moves_per_core_s"], 2)
        print(f"moves of a core: {figures['times_stock']} times the stock consumer (target {TARGET})")
    folder = servers.ROOT / "var" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "live.json").write_text(json.dumps(figures, indent=1) + "\n")
    wrong = [
        who
        for who, found in results.items()
        if found["acknowledged"] != found["rows"] or found.get("trouble")
    ]
    for who in wrong:
        print(f"FAILED {who}: acknowledged {results[who]['acknowledged']}, rows {results[who]['rows']}")
        print(results[who].get("trouble", ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
