"""SQLite's test database is a file: what SQLite keeps beside it comes and goes with it."""

from pathlib import Path

from django.db.backends.sqlite3 import creation

COMPANIONS = ("-wal", "-shm", "-journal")


class DatabaseCreation(creation.DatabaseCreation):
    """Django's, which forgets the files beside: they stay while a thread still has the database open."""

    def _create_test_db(self, verbosity: int, autoclobber: bool, keepdb: bool = False) -> str:
        if not keepdb:
            remove_companions(self._get_test_db_name())  # type: ignore[attr-defined]
        name: str = super()._create_test_db(verbosity, autoclobber, keepdb)  # type: ignore[misc]
        return name

    def _destroy_test_db(self, test_database_name: str, verbosity: int) -> None:
        super()._destroy_test_db(test_database_name, verbosity)  # type: ignore[misc]
        if not self.is_in_memory_db(test_database_name):
            remove_companions(test_database_name)


def remove_companions(database: str) -> None:
    """Remove the files beside a database file that is gone, or about to be made anew."""
    for ending in COMPANIONS:
        Path(f"{database}{ending}").unlink(missing_ok=True)
