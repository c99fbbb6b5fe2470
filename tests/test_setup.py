"""The two commands of the README, and the servers that the tests stand on."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg
import pytest

from tests import chromium, servers

ROOT = servers.ROOT


class TestCommands:
    def test_continuous_integration_runs_what_the_readme_says(self) -> None:
        run = ROOT / ".ci" / "run"
        assert os.access(run, os.X_OK)
        assert "make test" in run.read_text()
        readme = (ROOT / "README.md").read_text()
        assert "make run" in readme
        assert "make test" in readme

    def test_a_part_that_fails_stops_make_test_and_is_named(self, tmp_path: Path) -> None:
        """Each part is a target of its own, so make names the one that failed."""
        parts = re.search(r"^test: (.*?)  ##", (ROOT / "Makefile").read_text(), re.M)
        assert parts
        assert parts[1].split()[-1] == "unit"
        rehearsal = subprocess.run(
            ["make", "--dry-run", "test"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        said = re.findall(r"== (\w+)", rehearsal)
        assert said[:6] == ["lint", "types", "contracts", "migrations", "words", "chromium"]

    def test_no_python_or_an_old_one_is_said_in_plain_words(self, tmp_path: Path) -> None:
        shutil.copy(ROOT / "Makefile", tmp_path)
        (tmp_path / "requirements").mkdir()
        shutil.copy(ROOT / "requirements" / "run.txt", tmp_path / "requirements")
        done = subprocess.run(["make", "run", "PYTHON="], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode != 0
        assert "Python 3.11" in done.stderr


class TestServers:
    def test_postgres_hands_out_empty_databases_of_their_own(self, postgres: servers.Postgres) -> None:
        first, second = postgres.database(), postgres.database()
        with psycopg.connect(first) as connection:
            connection.execute("CREATE TABLE one (id int)")
        with psycopg.connect(second) as connection:
            assert connection.execute("SELECT to_regclass('one')").fetchone() == (None,)

    @pytest.mark.parametrize("ending", ["sys.exit(3)", "raise ValueError"])
    def test_postgres_does_not_outlive_a_test_run_that_fails(self, ending: str) -> None:
        pid = self.start_elsewhere(ending)
        assert not psutil.pid_exists(pid)

    def test_what_a_killed_test_run_left_behind_is_swept_up_by_the_next(self) -> None:
        pid = self.start_elsewhere("os.kill(os.getpid(), 9)")
        assert psutil.pid_exists(pid)
        servers.sweep_up()
        assert not psutil.pid_exists(pid)

    @staticmethod
    def start_elsewhere(ending: str) -> int:
        """Start PostgreSQL in a process that ends badly, and return the pid of its postmaster."""
        script = (
            "import os, sys; from tests import servers\n"
            "with servers.postgres() as server:\n"
            "    print(server.postmaster, flush=True)\n"
            f"    {ending}\n"
        )
        done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode != 0
        return int(done.stdout)

    @pytest.mark.parametrize("kind", ["daphne", "uvicorn"])
    def test_many_processes_serve_one_postgres(
        self, serve: Callable[..., servers.Live], valkey: str, kind: str
    ) -> None:
        live = serve(kind, database="postgres", PAISHE_VALKEY_URL=valkey)
        again = serve(kind, database=live.environment["PAISHE_DATABASE_URL"], PAISHE_VALKEY_URL=valkey)
        assert live.port != again.port
        assert "manage" not in live.manage("showmigrations", "--plan")

    def test_a_server_that_cannot_start_says_why(self, tmp_path: Path) -> None:
        with pytest.raises(AssertionError, match="no_such_module"):
            servers.launch(
                "daphne", folder=tmp_path, database="sqlite:///x", application="no_such_module:application"
            )

    def test_valkey_answers_and_ends(self) -> None:
        with servers.valkey() as server:
            process = psutil.Process(server._process.pid)
            assert process.is_running()
        deadline = time.monotonic() + 5
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
            time.sleep(0.01)


class TestBrowser:
    def test_a_chromium_is_there_and_draws_chinese(self) -> None:
        assert chromium.find()
        assert chromium.has_chinese_fonts()


def test_a_process_that_ignores_a_polite_word_is_ended() -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        servers.end(psutil.Process(process.pid), signal.SIGTERM, patience=0.2)
        assert process.wait(5) == -signal.SIGKILL
