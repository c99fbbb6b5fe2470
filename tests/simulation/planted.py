"""Bugs on purpose: each a patch in `bugs/`, applied to a copy of the sources; the simulation must find it there.

A patch that no longer fits is an error: whoever changes such a line says how the bug would look now.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.simulation import shards

FOLDER = Path(__file__).parent / "bugs"
MOST_DEALS = 200  # in which each is found
_COPIED = ("games", "tests/simulation")
_LEFT_OUT = ("games", "tests", "var")


class Bug(NamedTuple):
    """A planted bug: what the report must say of it, and what has to go wrong more often than usual to meet it soon."""

    name: str
    found_as: str
    chances: dict[str, float] = {}


_COMMIT = {"crash_before_commit": 0.08, "switch": 0.6}

BUGS = (
    Bug("no_compare_and_swap", r"IntegrityError", {"switch": 0.4}),
    Bug(
        "memory_before_commit", r"knows event \d+, which is not in the log", {"database_before_commit": 0.05}
    ),
    Bug("told_before_commit", r"a view of event|the log has it at None", _COMMIT),
    Bug("ack_before_commit", r"was acknowledged at \d+, the log has it at None", _COMMIT),
    Bug("settled_after_commit", r"moved \[\], its log says|too many", {"crash_before_settlement": 0.5}),
    Bug("settled_twice", r"moved \[.*\], its log says", {"database_before_mark": 0.5}),
    Bug(
        "ids_forgotten_at_opening",
        r"was refused .*, and is in the log|is in the log at",
        {"line_lost_asking": 0.2},
    ),
    Bug("heads_never_compared", r"waits for event", {"hint_lost": 0.3}),
    Bug("deadline_not_written", r"deadline .*, its log says"),
    Bug("clocks_after_command", r"takes a command after what was due"),
    Bug("resync_of_another_seat", r"sees \["),
    Bug("hold_kept_after_escape", r"holds of"),
    Bug("outage_not_given_back", r"a time-out after|pays for an absence|counts as absent", {"outage": 0.05}),
)


def find(bug: Bug, folder: Path, template: Path, seed: str = "bugs") -> dict[str, Any]:
    """Tell a story with a planted bug, in a copy of the sources under `folder`; return its report."""
    plant(bug.name, folder)
    return shards.story(seed, bug.name, MOST_DEALS, template, root=folder, chances=bug.chances)


def plant(name: str, folder: Path) -> None:
    """Make a copy of the sources with one bug in it; raise ValueError when its patch does not fit."""
    for part in _COPIED:
        shutil.copytree(
            shards.ROOT / part, folder / part
        )  # compiled files too: they know their source by its age
    (folder / "tests" / "__init__.py").touch()
    (folder / "tests" / "sockets").symlink_to(shards.ROOT / "tests" / "sockets")
    for entry in shards.ROOT.iterdir():
        if entry.name not in _LEFT_OUT and not entry.name.startswith("."):
            (folder / entry.name).symlink_to(entry)
    for path, old, new in hunks((FOLDER / f"{name}.patch").read_text()):
        file = folder / path
        text = file.read_text()
        if text.count(old) != 1:
            raise ValueError(f"{name}.patch does not fit {path} ({text.count(old)} places):\n{old}")
        file.write_text(text.replace(old, new))


def hunks(patch: str) -> Iterator[tuple[str, str, str]]:
    """Yield (file, lines before, lines after) of each hunk of a unified diff."""
    path = ""
    for part in re.split(r"(?m)^(?=--- |@@ )", patch):
        lines = part.splitlines(keepends=True)
        if part.startswith("--- "):
            path = lines[1].split()[1]
        elif part.startswith("@@ "):
            body = lines[1:]
            yield (
                path,
                "".join(line[1:] for line in body if line[0] in " -"),
                "".join(line[1:] for line in body if line[0] in " +"),
            )
