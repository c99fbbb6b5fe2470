"""A house with its tiers, and people with coins.

The tests of this folder run on the database the settings name; `test_postgresql.py` runs the races on PostgreSQL.
"""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings

from accounts.models import User
from games import dealing, service_time, tables
from lobby import seeds
from lobby.models import RoomTier
from tests.threads import at_once  # noqa: F401
from wallet import services as wallet

if "postgresql" in settings.DATABASES["default"]["ENGINE"]:
    collect_ignore = ["test_postgresql.py"]

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
