"""A test database is a file, and nothing of it is left when the tests are over."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from config.sqlite.base import DatabaseWrapper


def wrapper(file: Path) -> DatabaseWrapper:
    settings: dict[str, Any] = {
        "ENGINE": "config.sqlite",
        "NAME": str(file),
        "TEST": {"NAME": str(file)},
        "OPTIONS": {},
        "TIME_ZONE": None,
        "CONN_HEALTH_CHECKS": False,
        "AUTOCOMMIT": True,
        "CONN_MAX_AGE": 0,
    }
    return DatabaseWrapper(settings, "spare")


def creation(file: Path) -> Any:
    """Return what makes and destroys a test database in a file."""
    return wrapper(file).creation


def test_the_files_beside_a_test_database_go_with_it_though_a_thread_still_has_it_open(
    tmp_path: Path,
) -> None:
    file = tmp_path / "test.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (words TEXT)")
        assert len(list(tmp_path.iterdir())) == 3
        creation(file)._destroy_test_db(str(file), verbosity=0)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_test_left_is_not_read_by_the_next_of_its_name(tmp_path: Path) -> None:
    file = tmp_path / "test.sqlite3"
    for ending in ("-wal", "-shm"):
        Path(f"{file}{ending}").write_bytes(b"left")
    creation(file)._create_test_db(verbosity=0, autoclobber=True)
    assert list(tmp_path.iterdir()) == []
