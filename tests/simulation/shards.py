"""Many stories of one seed, each in an interpreter of its own, as many at once as there are processors."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.simulation.house import House, Report

ROOT = Path(__file__).resolve().parents[2]
STORY_DEALS = 100
_told: list[House] = []  # kept: what ended with a story's memory would act for processes that are gone


def prepare(folder: Path, template: str | None = None) -> None:
    """Set Django up on a database in memory: a copy of a migrated file, or migrated now."""
    os.environ["PAISHE_DATABASE_URL"] = "sqlite://:memory:"
    os.environ["PAISHE_VAR_DIR"] = str(folder)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    if template is None:
        call_command("migrate", verbosity=0)
        return
    connection.ensure_connection()
    assert connection.connection is not None
    with closing(sqlite3.connect(template)) as migrated:
        migrated.backup(connection.connection)


def tell(seed: str, deals: int, chances: Mapping[str, float]) -> Report:
    """Tell one story in this interpreter, which is prepared."""
    from tests.simulation.house import House

    house = House(seed, deals, chances)
    _told.append(house)
    return house.run()


def run(seed: str, deals: int, jobs: int) -> int:
    """Tell so many stories that the deals come together; print what was seen; 1 when a promise was broken."""
    began = time.perf_counter()
    sizes = [STORY_DEALS] * (deals // STORY_DEALS) + ([deals % STORY_DEALS] if deals % STORY_DEALS else [])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        template = Path(folder) / "migrated.sqlite3"
        migrate(template)
        told = list(pool.map(lambda n: story(seed, n, sizes[n], template), range(len(sizes))))
    return _print(seed, told, time.perf_counter() - began)


def migrate(file: Path) -> None:
    """Make a SQLite file with all tables, in an interpreter of its own."""
    environment = {
        **os.environ,
        "PAISHE_DATABASE_URL": f"sqlite:///{file}",
        "PAISHE_VAR_DIR": str(file.parent),
    }
    command = [sys.executable, "manage.py", "migrate", "--verbosity=0", "--settings=config.settings.test"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def story(
    seed: str,
    shard: int | str,
    deals: int,
    template: Path,
    *,
    root: Path = ROOT,
    chances: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Tell one story in an interpreter of its own, of the sources under `root`; return its report."""
    command = [sys.executable, "-m", "tests.simulation", "--seed", seed, "--shard", str(shard)]
    command += ["--deals", str(deals), "--database", str(template)]
    for name, chance in (chances or {}).items():
        command += ["--chance", f"{name}={chance}"]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(root)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    try:
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise RuntimeError(f"story {seed}/{shard} ended without a report:\n{done.stderr[-4000:]}") from None
    return answer


def _again(one: dict[str, Any]) -> str:
    return f"make simulate SEED={one['seed']} SHARD={one['shard']} DEALS={one['asked']}"


def _print(seed: str, told: list[dict[str, Any]], seconds: float) -> int:
    deals = sum(one["deals"] for one in told)
    sums: dict[str, Counter[str]] = {"failpoints": Counter(), "struck": Counter(), "deals": Counter()}
    for one in told:
        for name, counter in sums.items():
            counter.update(one["figures"][name])
    say = sys.stdout.write
    say(f"seed {seed}: {deals} deals in {seconds:.0f} s, {deals / seconds * 60:.0f} a minute\n")
    for name, counter in sums.items():
        say(f"  {name}: " + ", ".join(f"{key} {count}" for key, count in sorted(counter.items())) + "\n")
    faults = [one for one in told if one["fault"]]
    for one in faults:
        say(f"BROKEN {one['fault']}\n  again: {_again(one)} (chain {one['chain']})\n")
    return 1 if faults else 0
