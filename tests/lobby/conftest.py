"""A house with its tiers, people with coins, and threads that start together.

The tests of this folder run on the database the settings name; `test_postgresql.py` runs the races on PostgreSQL.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.models import User
from games import dealing, service_time, tables
from lobby import seeds
from lobby.models import RoomTier
from wallet import services as wallet

if "postgresql" in settings.DATABASES["default"]["ENGINE"]:
    collect_ignore = ["test_postgresql.py"]

START_S = 60
People = Callable[..., list[User]]


@pytest.fixture(autouse=True)
def empty_memory() -> Iterator[None]:
    """Forget what earlier tests made this process know."""
    for module in (tables, dealing, service_time):
        module.forget()
    yield
    tables.forget()


@pytest.fixture
def house(request: pytest.FixtureRequest) -> Callable[[str], RoomTier]:
    """Seed the tiers; return how to get one."""
    if "transactional_db" not in request.fixturenames:
        request.getfixturevalue("db")
    seeds.seed_tiers()
    return lambda code: RoomTier.objects.get(code=code)


@pytest.fixture
def people(house: object) -> People:
    """Make so many people with so many coins each."""

    def make(count: int = 1, coins: int = 10_000) -> list[User]:
        first = User.objects.count()
        made = [User.objects.create_user(f"player {first + n}", password="x") for n in range(count)]
        for user in made:
            if coins:
                wallet.grant(user_id=user.pk, amount=coins, reference=f"test:{user.pk}")
        return made

    return make


@pytest.fixture
def at_once() -> Callable[..., list[Any]]:
    """Run functions in threads that start together; return what each returned or raised."""

    def run(*functions: Callable[[], Any]) -> list[Any]:
        results: list[Any] = [None] * len(functions)
        start = threading.Barrier(len(functions), timeout=START_S)

        def one(index: int, function: Callable[[], Any]) -> None:
            try:
                connection.ensure_connection()
                start.wait()
                results[index] = function()
            except Exception as error:
                results[index] = error
            finally:
                connection.close()

        threads = [threading.Thread(target=one, args=pair) for pair in enumerate(functions)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    return run
