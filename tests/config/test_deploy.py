"""What config/deploy promises: a role that can play and cannot cheat, a copy that comes back whole."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors

from config import backup
from tests import servers
from tests.flows.test_live_table import records, replay
from tests.servers import Live, Postgres
from tests.sockets.player import Player, play_table
from tests.sockets.seed import seed
from tests.sockets.visitor import Visitor

DEPLOY = servers.ROOT / "config" / "deploy"


def as_role(url: str, role: str) -> str:
    """Return the URL of the same database for another role."""
    return url.replace("postgres@", f"{role}@", 1)


def set_rights(url: str) -> None:
    """Run roles.sql as an operator does."""
    told = ["-q", "-v", "ON_ERROR_STOP=1", "-v", "owner=paishe_owner", "-v", "app=paishe_app"]
    subprocess.run(
        [backup.tool("psql", url), *told, "-f", DEPLOY / "roles.sql", url],
        check=True,
        capture_output=True,
    )


@pytest.fixture(scope="module")
def roles(postgres: Postgres) -> Iterator[str]:
    """The two roles of a house, on the tests' server; gives the URL of a database that belongs to the owner."""
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        connection.execute("CREATE ROLE paishe_owner LOGIN CREATEDB")
        connection.execute("CREATE ROLE paishe_app LOGIN")
        url = postgres.database()
        connection.execute(f'ALTER DATABASE "{url.rpartition("/")[2]}" OWNER TO paishe_owner')
    owner = as_role(url, "paishe_owner")
    environment = {**servers.bare_environment(), "PAISHE_DATABASE_URL": owner}
    servers.manage("migrate", "--verbosity=0", environment=environment)
    set_rights(url)
    servers.manage("seed_tiers", environment=environment)
    yield url


@pytest.fixture
def app(roles: str) -> Iterator["psycopg.Connection[Any]"]:
    """A connection as the app's role."""
    with psycopg.connect(as_role(roles, "paishe_app"), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def played(roles: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A web process under the app's role, with a table at which a deal was played for coins."""
    live = servers.launch(
        "daphne", folder=tmp_path_factory.mktemp("app"), database=as_role(roles, "paishe_app")
    )
    table = seed(live.environment)[0]
    asyncio.run(play_a_deal(live, table))
    yield live
    live.stop()
    assert live.trouble() == [], live.log()


async def play_a_deal(live: Live, table: dict[str, Any]) -> None:
    players = [Player(live.url, table["code"], person["session"]) for person in table["people"]]
    for player in players:
        await player.connect()
    await play_table(players)
    for player in players:
        await player.leave()


SWEEP = """
from django.conf import settings
from django.utils.module_loading import import_string
from games import tasks
from django.core.management import call_command
print(tasks.sweep_once())
for path, _ in settings.TICKER_JOBS:
    import_string(path)()
call_command("verify_books")
"""


def test_the_apps_role_is_enough_to_sign_up_sit_down_play_and_do_what_the_clock_does(played: Live) -> None:
    visitor = Visitor(played.url).sign_up("Newcomer")
    assert visitor.sit_in("qq.bamboo")
    said = played.manage("shell", "-c", SWEEP)
    assert "failed=0" in said and "The books are right." in said


FORBIDDEN = [
    "TRUNCATE wallet_entry",
    "TRUNCATE games_table CASCADE",
    "UPDATE wallet_entry SET amount = amount + 1",
    "DELETE FROM wallet_entry",
    "UPDATE wallet_transaction SET code = 'gift'",
    "UPDATE games_tableevent SET body = '{}'",
    "DELETE FROM games_seatresult",
    "UPDATE games_seatresult SET net = net + 1",
    "ALTER TABLE wallet_entry DISABLE TRIGGER ALL",
    "ALTER TABLE wallet_entry ADD COLUMN more integer",
    "DROP TABLE wallet_entry",
    "DROP TRIGGER guard_wallet_entry_no_update ON wallet_entry",
    "CREATE OR REPLACE FUNCTION guard_wallet_entry_no_update() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NEW; END'",
    "CREATE TABLE mine (id integer)",
    "SET session_replication_role = replica",
    "SET ROLE paishe_owner",
    "DELETE FROM django_migrations",
    "COPY wallet_entry TO PROGRAM 'cat'",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_apps_role_cannot_touch_what_is_final(app: "psycopg.Connection[Any]", statement: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        app.execute(statement)


def test_what_the_role_may_lock_the_guard_still_keeps(app: "psycopg.Connection[Any]") -> None:
    app.execute("SELECT id FROM games_seatresult FOR UPDATE")
    with pytest.raises(errors.InsufficientPrivilege):
        app.execute("SELECT id FROM wallet_entry FOR UPDATE")


def test_every_table_that_is_append_only_is_out_of_its_reach(app: "psycopg.Connection[Any]") -> None:
    """Also tables that are guarded one day: the rights follow the guards."""
    rows = app.execute(
        "SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE t.tgname ~ '^guard_.*_no_update$'"
    ).fetchall()
    guarded = {name for (name,) in rows}
    assert {"wallet_entry", "wallet_transaction", "games_tableevent", "games_seatresult"} <= guarded
    for name in guarded:
        for right in ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER"):
            row = app.execute("SELECT has_table_privilege(%s, %s)", [name, right]).fetchone()
            assert row == (False,), (name, right)


def test_rights_may_be_set_again(roles: str, app: "psycopg.Connection[Any]") -> None:
    set_rights(roles)
    assert app.execute("SELECT count(*) FROM games_table").fetchone() is not None


def test_a_role_that_could_take_the_owners_rights_is_refused(roles: str) -> None:
    with psycopg.connect(roles, autocommit=True) as connection:
        connection.execute("GRANT paishe_owner TO paishe_app")
        try:
            with pytest.raises(subprocess.CalledProcessError):
                set_rights(roles)
        finally:
            connection.execute("REVOKE paishe_owner FROM paishe_app")


class TestBackup:
    def test_a_played_house_comes_back_from_its_copy_to_the_coin(
        self, played: Live, roles: str, postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        played.stop()  # or its sweep would go on with what is compared
        file, again = tmp_path / "paishe.dump", postgres.database()
        for name in ("DJANGO_SETTINGS_MODULE", "PAISHE_VAR_DIR"):
            monkeypatch.setenv(name, played.environment[name])
        backup.dump(as_role(roles, "paishe_owner"), file)
        assert file.stat().st_mode & 0o077 == 0, "a copy is for its owner's eyes"
        backup.restore(file, again)
        restored = replace(played, environment={**played.environment, "PAISHE_DATABASE_URL": again})
        assert whole(restored) == whole(played)
        found = records(restored)
        assert found == records(played)
        assert len(found) == 1
        for record in found:
            assert replay(record)["settlement"] == record["settlement"]

    def test_a_rehearsal_leaves_nothing_behind_and_finds_what_is_wrong(
        self, played: Live, roles: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("DJANGO_SETTINGS_MODULE", "PAISHE_VAR_DIR"):
            monkeypatch.setenv(name, played.environment[name])
        url = as_role(roles, "paishe_owner")
        backup.dump(url, tmp_path / "good")
        assert "The books are right." in backup.rehearse(tmp_path / "good", url)
        trigger, table = "guard_wallet_entry_no_update", "wallet_entry"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
            backup.dump(url, tmp_path / "bad")
            connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")
            with pytest.raises(backup.BackupError, match=trigger):
                backup.rehearse(tmp_path / "bad", url)
            left = connection.execute("SELECT 1 FROM pg_database WHERE datname ~ 'rehearsal'").fetchall()
        assert left == []

    def test_a_house_that_is_not_empty_is_not_filled(self, roles: str, tmp_path: Path) -> None:
        (tmp_path / "copy").write_bytes(b"")
        with pytest.raises(backup.BackupError, match="not empty"):
            backup.restore(tmp_path / "copy", roles)

    def test_a_copy_that_fails_leaves_no_file(self, tmp_path: Path, postgres: Postgres) -> None:
        with pytest.raises(psycopg.OperationalError):
            backup.dump(postgres.url("nowhere"), tmp_path / "copy")
        assert list(tmp_path.iterdir()) == []


WHOLE = """
import json
from django.apps import apps
from django.db import connection
rows = {}
for model in apps.get_models():
    with connection.cursor() as cursor:
        table = model._meta.db_table
        cursor.execute(f"SELECT count(*), md5(string_agg(t::text, chr(10) ORDER BY t::text)) FROM {table} t")
        rows[model._meta.label] = cursor.fetchone()
print("WHOLE " + json.dumps(rows))
"""


def whole(live: Live) -> dict[str, Any]:
    """Return number and digest of every table's rows."""
    said = live.manage("shell", "-c", WHOLE)
    found: dict[str, Any] = json.loads(said.partition("WHOLE ")[2].splitlines()[0])
    return found


def test_the_balancer_says_itself_who_asks_and_hides_the_metrics() -> None:
    """nginx forgets headers set further out where a location sets one of its own."""
    config = (DEPLOY / "nginx.conf").read_text()
    proxied = [block for block in re.findall(r"location [^{]+\{[^}]*\}", config) if "proxy_pass" in block]
    assert len(proxied) == 2
    for block in proxied:
        for line in ("Host $host;", "X-Forwarded-For $remote_addr;", "X-Forwarded-Proto $scheme;"):
            assert f"proxy_set_header {line}" in block
    assert re.search(r"location = /metrics \{\s*return 404;", config)


def test_a_stop_has_time_to_drain_before_anybody_kills() -> None:
    unit = (DEPLOY / "systemd" / "paishe-web@.service").read_text()
    found = re.search(r"TimeoutStopSec=(\d+)", unit)
    drain = re.search(r"PAISHE_DRAIN_S=(\d+)", (DEPLOY / "environment.example").read_text())
    assert found and drain and int(found[1]) >= int(drain[1]) + 15
