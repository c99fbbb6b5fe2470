"""Tell one story, or many of them beside each other: `python -m tests.simulation --seed 7 --deals 2000`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn


def main() -> int:
    """Run what the command line asks for; 1 when a promise was broken."""
    wanted = _arguments()
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"  # sets of words stand in the same order in each run
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])
    if wanted.shard is not None:
        _one(wanted)
    from tests.simulation import shards

    return shards.run(wanted.seed, wanted.deals, wanted.jobs)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--deals", type=int, default=2000)
    parser.add_argument("--shard", help="tell only this story of the seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--database", help="a migrated SQLite file to begin with, copied")
    parser.add_argument("--chance", action="append", default=[], help="name=value of processes.Chances")
    return parser.parse_args()


def _one(wanted: argparse.Namespace) -> NoReturn:
    from tests.simulation import shards

    with tempfile.TemporaryDirectory() as folder:
        shards.prepare(Path(folder), wanted.database)
        began = time.perf_counter()
        report = shards.tell(
            f"{wanted.seed}/{wanted.shard}",
            wanted.deals,
            {name: float(value) for name, value in (one.split("=") for one in wanted.chance)},
        )
    answer: dict[str, Any] = {
        "seed": wanted.seed,
        "shard": wanted.shard,
        "asked": wanted.deals,
        **report._asdict(),
    }
    answer["seconds"] = round(time.perf_counter() - began, 2)
    answer["cpu_seconds"] = round(time.process_time(), 2)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    os._exit(
        1 if report.fault else 0
    )  # whatever would still be ended now would act for processes that are gone


if __name__ == "__main__":
    sys.exit(main())
