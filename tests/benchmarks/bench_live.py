"""Moves over real sockets, beside stock Channels and boardgame.io in the same run: `make bench-live`.

Measured at the server: moves per second of one of its cores (CPU time of its process, from /proc) and the time from a
command to its ack. Ours is the whole product: sessions signed in (one table's people by password at the log-in page),
deals of Big Two dealt, settled and opened, coins moved, every move in the log with an fsync before its ack, and a view
for each seat, which the player checks (no hole, own hand only, counts that fit). Compared with it:

- stock: Channels as its tutorial has it, under daphne, an ORM insert per move (live/stock.py): no rules, a fixed view;
- boardgame.io, in memory (live/boardgameio.cjs): a climbing game for four with secret hands and plays checked at the
  server, the state sent to each client; no clocks, no coins, nothing on disk.

Players keep below the limit of messages a person has, so few tables are a steady load and many a heavy one. Figures go
to var/bench/live.json. Fails unless in each run every acknowledged move is a row of the log and no row is a move nobody
was told of, every view was right and no server logged an error. Whether a target is met is printed and written, not
judged: that is for a quiet machine. `--quick` takes about three minutes, `--long` adds five minutes at 100 tables.
"""

import argparse
import asyncio
import json
import os
import platform
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg

from tests import servers
from tests.benchmarks.live import houses

THINK_S = (0.5, 1.5)
LOAD = 100  # tables of the comparison
COLUMNS = (
    "moves_per_s",
    "server_cpu",
    "database_cpu",
    "moves_per_core_s",
    "ack_p50_ms",
    "ack_p99_ms",
    "rows",
)

Figures = dict[str, Any]
Run = Callable[[Path], Coroutine[Any, Any, Figures]]


def comparison(seconds: float) -> dict[str, Run]:
    """Return the runs of which the two ratios are made."""
    return {
        f"boardgame.io, memory, {LOAD}": lambda place: houses.boardgameio(LOAD, seconds, place),
        f"ours, uvicorn, SQLite, {LOAD}": lambda place: houses.ours("uvicorn", LOAD, seconds, place),
        f"stock, daphne, SQLite, {LOAD}": lambda place: houses.stock("daphne", LOAD, seconds, place),
        f"ours, daphne, SQLite, {LOAD}": lambda place: houses.ours("daphne", LOAD, seconds, place),
    }


def thinking(kind: str, seconds: float) -> dict[str, Run]:
    """Return the run with people who think."""
    return {
        f"ours, {kind}, SQLite, 25 thinking": lambda place: houses.ours(
            kind, 25, seconds, place, think=THINK_S
        )
    }


def sizes(seconds: float, postgres: servers.Postgres) -> dict[str, Run]:
    """Return the runs from one table to many, on both servers and both databases."""
    runs: dict[str, Run] = {}
    for kind in ("daphne", "uvicorn"):
        for tables in (1, 25, LOAD, 250):
            runs[f"ours, {kind}, PostgreSQL, {tables}"] = _on_postgres(kind, tables, seconds, postgres)
            if tables != LOAD:
                runs[f"ours, {kind}, SQLite, {tables}"] = _on_sqlite(kind, tables, seconds)
    return runs


def _on_sqlite(kind: str, tables: int, seconds: float) -> Run:
    return lambda place: houses.ours(kind, tables, seconds, place)


def _on_postgres(kind: str, tables: int, seconds: float, postgres: servers.Postgres) -> Run:
    def run(place: Path) -> Coroutine[Any, Any, Figures]:
        return houses.ours(
            kind, tables, seconds, place, database=postgres.database(), postmaster=postgres.postmaster
        )

    return run


def around(kind: str) -> dict[str, Run]:
    """Return what is not about moves: idle sockets, and many coming back at once."""
    return {f"idle sockets, {kind}": lambda place: houses.idle(kind, 252, place)}


def perform(runs: dict[str, Run], place: Path) -> dict[str, Figures]:
    """Perform runs one after another, printing each as it ends."""
    results = {}
    for number, (name, run) in enumerate(runs.items()):
        results[name] = found = asyncio.run(run(place / f"{len(list(place.iterdir()))}-{number}"))
        told = [f"{column} {found[column]}" for column in COLUMNS if column in found]
        told += [
            f"{name} {found[name]}" for name in ("sockets", "seconds", "kib_per_socket") if name in found
        ]
        print(f"{name:34} " + ", ".join(told), flush=True)
    return results


def faults_of(found: Figures) -> list[str]:
    """Return what was wrong in a run, whatever its speed."""
    faults = []
    if found.get("acknowledged") != found.get("rows"):
        faults.append(f"acknowledged {found['acknowledged']}, rows {found['rows']}")
    if found.get("wrong"):
        faults.append(f"views: {'; '.join(found['wrong'])}")
    if found.get("refused"):
        faults.append(f"refused: {found['refused']}")
    if found.get("trouble"):
        faults.append(f"the server's log: {found['trouble']}")
    if "moves" in found and not found["moves"]:
        faults.append("nobody moved")
    return faults


def targets(results: dict[str, Figures]) -> dict[str, tuple[float, float]]:
    """Return {what: (found, target)}; higher is better for ratios, lower for the rest."""
    found: dict[str, tuple[float, float]] = {}

    def core(name: str) -> float:
        return float(results[name]["moves_per_core_s"] or "nan")

    for name, figures in results.items():
        if "thinking" in name:
            found[f"p50 ms ({name})"] = (figures["ack_p50_ms"], 5.0)
            found[f"p99 ms ({name})"] = (figures["ack_p99_ms"], 50.0)
        if "kib_per_socket" in figures:
            found[f"KiB a socket ({name})"] = (figures["kib_per_socket"], 60.0)
        if "seconds" in figures:
            found[f"s until {figures['came_back']} are back ({name})"] = (figures["seconds"], 10.0)
    ours, theirs = core(f"ours, uvicorn, SQLite, {LOAD}"), core(f"boardgame.io, memory, {LOAD}")
    found["ratio boardgameio"] = (round(ours / theirs, 2), 1.0)
    ours, theirs = core(f"ours, daphne, SQLite, {LOAD}"), core(f"stock, daphne, SQLite, {LOAD}")
    found["ratio stock-channels"] = (round(ours / theirs, 2), 4.0)
    return found


def versions() -> dict[str, str]:
    """Return what was measured with."""
    names = ("Django", "channels", "daphne", "uvicorn", "websockets", "msgspec", "psycopg")
    rival = json.loads((houses.THEIRS / "node_modules" / "boardgame.io" / "package.json").read_text())
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "node": houses.node_version(),
        "boardgame.io": rival["version"],
        **{name: version(name) for name in names},
    }


def durable(postgres: servers.Postgres) -> None:
    """Have PostgreSQL wait for the disk as it does by itself; the tests have it not."""
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = on")
        connection.execute("SELECT pg_reload_conf()")


def main() -> int:
    """Run the benchmark and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="the two ratios, thinking people, idle, reconnect"
    )
    parser.add_argument("--long", action="store_true", help="five minutes at 100 tables as well")
    parser.add_argument("--seconds", type=float, help="of each run (8, quick 5)")
    asked = parser.parse_args()
    seconds = asked.seconds or (5.0 if asked.quick else 8.0)
    began, load = time.monotonic(), os.getloadavg()
    with tempfile.TemporaryDirectory(prefix="paishe-bench-") as folder:
        place = Path(folder)
        results = perform(comparison(seconds), place)
        results |= perform(thinking("daphne", 2 * seconds), place) | perform(around("daphne"), place)
        if not asked.quick:
            results |= perform(thinking("uvicorn", 2 * seconds), place) | perform(around("uvicorn"), place)
            with servers.postgres() as postgres:
                durable(postgres)
                results |= perform(sizes(seconds, postgres), place)
        if asked.long:
            results |= perform(
                {"ours, daphne, SQLite, 100, long": lambda at: houses.ours("daphne", LOAD, 300, at)}, place
            )
    aims, faults = targets(results), {name: faults_of(found) for name, found in results.items()}
    folder_of_figures = servers.ROOT / "var" / "bench"
    folder_of_figures.mkdir(parents=True, exist_ok=True)
    figures = {
        "versions": versions(),
        "cores": os.cpu_count(),
        "load_before": load,
        "took_s": round(time.monotonic() - began),
        "targets": {name: {"found": found, "target": target} for name, (found, target) in aims.items()},
        "results": results,
    }
    (folder_of_figures / "live.json").write_text(json.dumps(figures, indent=1) + "\n")
    return report(aims, {name: found for name, found in faults.items() if found}, load[0])


def report(aims: dict[str, tuple[float, float]], faults: dict[str, list[str]], load: float) -> int:
    """Print targets, faults and, last of all, the two ratios; return the exit status."""
    if load > 1:
        print(f"the machine was not quiet: load {load:.1f} before the first run")
    for name, (found, target) in aims.items():
        if not name.startswith("ratio"):
            print(f"{'met   ' if found <= target else 'MISSED'} {name}: {found} (at most {target:g})")
    for name, trouble in faults.items():
        print(f"FAILED {name}: {'; '.join(trouble)}")
    for name, (found, _) in aims.items():
        if name.startswith("ratio"):
            print(f"{name} {found:.2f}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
