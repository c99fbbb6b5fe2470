"""What every test may ask for: real servers, a browser, and the certainty that nothing failed behind its back.

Servers are started when first asked for, once in a test process, and stopped at its end.
"""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from tests import chromium as browser
from tests import servers


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """Begin each test in the language of the sources, whatever page the one before asked for last."""
    translation.activate("en")
    yield
    translation.activate("en")


@pytest.fixture(scope="session")
def postgres() -> Iterator[servers.Postgres]:
    """A PostgreSQL server; `postgres.database()` makes an empty database and returns its URL."""
    with servers.postgres() as server:
        yield server


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a Valkey server shared by this process's tests; one that is to be killed has to be a test's own."""
    with servers.valkey() as server:
        yield server.connection_url


@pytest.fixture(scope="session")
def chromium() -> dict[str, Any]:
    """How to launch the browser: `await playwright.chromium.launch(**chromium)`."""
    return browser.launch_options()


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all tables, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    file = folder / "paishe.sqlite3"
    environment = {**servers.bare_environment(), "PAISHE_VAR_DIR": str(folder)}
    servers.manage("migrate", "--verbosity=0", environment=environment)
    return file


@pytest.fixture
def serve(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., servers.Live]]:
    """Start our server as often as a test likes: `serve()`, `serve("daphne", database=url, PAISHE_VALKEY_URL=…)`.

    Without `database` each call has a SQLite file of its own; "postgres" makes a fresh PostgreSQL database. Capitals
    go into the environment. At the end each is sent SIGTERM, must exit with 0, and must not have logged an error
    (`tolerate=("Traceback …",)` where the test makes trouble on purpose).
    """
    started: list[servers.Live] = []
    prepared: set[str] = set()

    def start(
        kind: str = "one", *, database: str = "", tolerate: tuple[str, ...] = (), **more: str
    ) -> servers.Live:
        folder = tmp_path / f"server-{len(started)}"
        if database == "postgres":
            database = request.getfixturevalue("postgres").database()
        if not database:
            folder.mkdir()
            file = folder / "paishe.sqlite3"
            file.write_bytes(request.getfixturevalue("migrated_sqlite").read_bytes())
            database = f"sqlite:///{file}"
        elif database not in prepared:
            environment = {**servers.bare_environment(), "PAISHE_VAR_DIR": str(folder)}
            servers.manage(
                "migrate", "--verbosity=0", environment={**environment, "PAISHE_DATABASE_URL": database}
            )
        prepared.add(database)
        live = servers.launch(kind, folder=folder, database=database, **more)
        live.tolerated = tolerate
        started.append(live)
        return live

    yield start
    failures = []
    for live in started:
        was_running = live.process.poll() is None
        try:
            status = live.stop()
        except AssertionError as stubborn:
            failures.append(str(stubborn))
            continue
        if was_running and status != 0:
            failures.append(f"exit status {status}:\n{live.log()}")
        if live.trouble():
            failures.append(f"{live.trouble()} in the log:\n{live.log()}")
    assert not failures, "\n".join(failures)


@pytest.fixture
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Fail the test if anything in this process logs an error, asyncio's forgotten exceptions included."""
    with caplog.at_level(logging.ERROR):
        yield caplog
    errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert not errors, errors
