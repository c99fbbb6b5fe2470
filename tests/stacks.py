"""The whole stack for tests: `python -m config.stack` in a folder and on a port of its own."""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests import servers

START_S = 90.0
_PR_SET_PDEATHSIG = 1


class Stack:
    """A stack that runs: its address, its log, its processes."""

    def __init__(self, folder: Path, shift: Path | None = None) -> None:
        self.folder = folder / "stack"
        self.clock_shift = folder / "clock-shift"
        self.port = servers.free_port()
        self._log_file = folder / "stack.log"
        environment = {
            **servers.bare_environment(),
            "PAISHE_VAR_DIR": str(folder),
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
        }
        if shift is not None:
            environment |= {"PYTHONPATH": str(shift), "CLOCK_SHIFT_FILE": str(self.clock_shift)}
        with self._log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-m", "config.stack"],
                cwd=servers.ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=_end_with_parent,
            )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def log(self) -> str:
        """Return what the stack has printed so far."""
        return self._log_file.read_text(errors="replace")

    def until_said(self, pattern: str, times: int = 1) -> None:
        """Wait until the log has so many lines that match a pattern."""
        deadline = time.monotonic() + START_S
        while len(re.findall(pattern, self.log(), re.MULTILINE)) < times:
            assert self.process.poll() is None and time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def pid(self, name: str) -> int | None:
        """Return the process that fills a role now."""
        running: dict[str, tuple[int, float]] = json.loads((self.folder / "running.json").read_text())
        return running[name][0] if name in running else None

    def until_filled(self, name: str, *, but: int | None = None) -> int:
        """Wait until a role is filled (by another process than `but`) and return which it is."""
        deadline = time.monotonic() + START_S
        while (pid := self.pid(name)) is None or pid == but:
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)
        return pid

    @property
    def postmaster(self) -> int:
        """PostgreSQL's first process."""
        return int((self.folder / "postgres" / "postmaster.pid").read_text().split()[0])

    @property
    def environment(self) -> dict[str, str]:
        """The environment every process of the house has."""
        return psutil.Process(self.until_filled("web-0")).environ()

    def manage(self, *arguments: str) -> str:
        """Run a management command in the house and return what it printed."""
        return servers.manage(*arguments, environment=self.environment)

    def everybody(self) -> list[psutil.Process]:
        """Return every process that belongs to the stack now."""
        mine = psutil.Process(self.process.pid).children(recursive=True)
        postmaster = psutil.Process(self.postmaster)
        return [*mine, postmaster, *postmaster.children(recursive=True)]

    def stop(self) -> int:
        """Send SIGTERM and return the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def clear_up(self) -> None:
        """End whatever still runs, however it came to that."""
        with suppress(psutil.NoSuchProcess, OSError, ValueError):
            for process in self.everybody():
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        self.process.kill()
        self.process.wait()


@contextmanager
def stack(*, shift: Path | None = None) -> Iterator[Stack]:
    """Run a stack until the end of the block; `shift` is a folder whose sitecustomize makes its clock wrong."""
    # Not below pytest's own folder: run as root, PostgreSQL has a user of its own who must be able to get in.
    folder = Path(tempfile.mkdtemp(prefix="paishe-stack-"))
    folder.chmod(0o755)
    with servers.one_at_a_time():
        running = Stack(folder, shift)
        running.until_said("bringing the tables up to date")
    try:
        running.until_said("^Paishe: ")
        yield running
    finally:
        if running.process.poll() is None:
            running.clear_up()
        shutil.rmtree(folder, ignore_errors=True)


def _end_with_parent() -> None:
    """Have SIGTERM sent to the stack when the test process is gone."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def pinned(web: int) -> dict[str, Any]:
    """Return the options of a browser's window that is always served by one web process."""
    cookie = {"name": "paishe_web", "value": str(web), "domain": "127.0.0.1", "path": "/"}
    whole = {**cookie, "expires": -1, "httpOnly": True, "secure": False, "sameSite": "Lax"}
    return {"storage_state": {"cookies": [whole], "origins": []}}
