"""The many-process form: two web processes, PostgreSQL, Valkey, Celery; what dies comes back, a stop leaves nothing."""

import json
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from tests.flows.test_live_table import play_the_story
from tests.servers import TROUBLE
from tests.sockets.visitor import Visitor
from tests.stacks import Stack, pinned, stack

WHO_IS_WHERE = """
import json
from games.models import Connection
rows = Connection.objects.values_list("user__username", "process_id").distinct()
print("ROWS " + json.dumps([[name, str(process)] for name, process in rows]))
"""


@pytest.fixture(scope="module")
def house() -> Iterator[Stack]:
    """A stack; at the end it must stop by itself and leave no process behind."""
    with stack() as running:
        yield running
        everybody = running.everybody()
        assert running.stop() == 0, running.log()
        _, left = psutil.wait_procs(everybody, timeout=10)
        assert left == [], running.log()


async def test_people_in_two_web_processes_play_for_coins_over_postgresql_valkey_and_celery(
    house: Stack, chromium: dict[str, Any]
) -> None:
    await play_the_story(house, chromium, pinned(0), pinned(1), deals=1, cut_s=5.0)
    line = next(line for line in house.manage("shell", "-c", WHO_IS_WHERE).splitlines() if "ROWS" in line)
    where: dict[str, set[str]] = {}
    for name, process in json.loads(line.removeprefix("ROWS ")):
        where.setdefault(name, set()).add(process)
    assert len(where["Mei"]) == len(where["林波"]) == 1
    assert where["Mei"] != where["林波"]
    assert [sign for sign in TROUBLE if sign in house.log()] == [], house.log()


@pytest.mark.parametrize("role", ["web-1", "worker", "beat", "valkey"])
def test_a_process_that_dies_is_started_again(house: Stack, role: str) -> None:
    before = house.until_filled(role)
    os.kill(before, signal.SIGKILL)
    house.until_said(rf"{role} \| ended with status -9")
    house.until_filled(role, but=before)
    assert Visitor(house.url).get("/healthz") == 200


def test_a_postgresql_that_dies_is_started_again_with_all_it_had(house: Stack) -> None:
    Visitor(house.url).sign_up("Survivor")
    os.kill(house.postmaster, signal.SIGKILL)
    house.until_said("PostgreSQL had ended and is started again")
    deadline = time.monotonic() + 30
    while Visitor(house.url).get("/healthz") != 200:
        assert time.monotonic() < deadline, house.log()
        time.sleep(0.1)
    Visitor(house.url).sign_in("Survivor")


def test_the_sweep_goes_on_in_celery(house: Stack) -> None:
    visitor = Visitor(house.url)
    deadline = time.monotonic() + 60
    while visitor.get("/healthz") != 200 or not 0 <= json.loads(visitor.page)["sweep_age_s"] < 2.5:
        assert time.monotonic() < deadline, house.log()
        time.sleep(0.2)


def test_metrics_are_not_for_the_outside(house: Stack) -> None:
    assert Visitor(house.url).get("/metrics") == 404
