"""The processes of the stack: started, listened to, started again when they end by themselves, stopped in order.

Each is the head of a group of its own, so that Ctrl+C reaches the stack alone and an end takes the whole group along.
What runs is written down in a file: a stack that was killed leaves it behind, and the next one clears up by it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).resolve().parent.parent.parent
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
LIVED_S = 30.0  # who lived this long begins anew with the shortest wait
PATIENCE_S = 20.0  # of a stop, before the group is killed


class Role(NamedTuple):
    """What a process of the stack is: its name in the log and its command."""

    name: str
    command: Sequence[str]


class Child:
    """One role, filled by one process after the other until it is stopped."""

    def __init__(self, role: Role, environment: Mapping[str, str], register: Register) -> None:
        self.role = role
        self.starts = 0
        self._environment = environment
        self._register = register
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self._keeping: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process that fills the role now."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Begin to fill the role."""
        self._keeping = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Ask the process to end, and end it when it has not after `PATIENCE_S`."""
        self._stopping = True
        if self._keeping is None:
            return
        if self._process is None:
            self._keeping.cancel()
        else:
            _signal(self._process.pid, signal.SIGTERM)
        _, late = await asyncio.wait([self._keeping], timeout=PATIENCE_S)
        if late and self._process is not None:
            say(self.role.name, f"did not stop within {PATIENCE_S:.0f} s and is killed")
            _signal(self._process.pid, signal.SIGKILL)
            await asyncio.wait([self._keeping])

    async def _keep(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._stopping:
            began = time.monotonic()
            status = await self._run()
            if self._stopping:
                return
            if time.monotonic() - began >= LIVED_S:
                wait_s = FIRST_WAIT_S
            say(self.role.name, f"ended with status {status}; started again in {wait_s:g} s")
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _run(self) -> int:
        """Run the process once; return its exit status."""
        process = self._process = await asyncio.create_subprocess_exec(
            *self.role.command,
            cwd=ROOT,
            env=dict(self._environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self.starts += 1
        self._register.note(self.role.name, process.pid)
        telling = asyncio.create_task(self._tell(process))
        status = await process.wait()
        _signal(process.pid, signal.SIGKILL)  # what it left of its group
        # A grandchild may hold the pipe open for a moment longer.
        await asyncio.wait([telling], timeout=1.0)
        telling.cancel()
        self._process = None
        self._register.forget(self.role.name)
        return status

    async def _tell(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:  # a line without an end
                continue
            if not line:
                return
            say(self.role.name, line.decode(errors="replace").rstrip())


class Register:
    """The file that says which processes of the stack run: `{name: [pid, moment it was made]}`."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._running: dict[str, tuple[int, float]] = {}

    def note(self, name: str, pid: int) -> None:
        """Write down a process that was started."""
        with suppress(psutil.NoSuchProcess):
            self._running[name] = pid, psutil.Process(pid).create_time()
        self._write()

    def forget(self, name: str) -> None:
        """Strike out a process that has ended."""
        self._running.pop(name, None)
        self._write()

    def clear_up(self) -> list[str]:
        """End what a killed stack left running; return the names."""
        try:
            left = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return []
        ended = []
        for name, (pid, made) in left.items():
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if abs(process.create_time() - made) < 1:
                    _signal(pid, signal.SIGKILL)
                    process.wait(PATIENCE_S)
                    ended.append(name)
        self._file.unlink()
        return ended

    def _write(self) -> None:
        draft = self._file.with_suffix(".new")
        draft.write_text(json.dumps(self._running))
        draft.replace(self._file)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def say(name: str, line: str) -> None:
    """Print a line of the stack's log."""
    print(f"{name:>8} | {line}", flush=True)


async def wait_until(holds: Callable[[], bool], patience: float) -> bool:
    """Wait for a condition, looked at every 50 ms; say whether it came true in time."""
    deadline = time.monotonic() + patience
    while not holds():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.05)
    return True
