"""Players with coins, threads that start together, and hands that reach past the guards.

All tests of this folder run on both databases.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django import conf
from django.contrib.auth import get_user_model
from django.db import connection

from tests.threads import at_once  # noqa: F401
from wallet import audit, services, triggers
from wallet.models import Wallet

on_postgresql = "postgresql" in conf.settings.DATABASES["default"]["ENGINE"]
collect_ignore = [] if on_postgresql else ["test_row_locks.py"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and no others: the hook sees all that were collected."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.both_databases)


@pytest.fixture(autouse=True)
def nobody_is_welcomed(settings: Any) -> None:
    """New accounts bring no coins of their own."""
    settings.SIGNUP_GRANT = 0


@pytest.fixture
def player(db: None) -> Callable[..., int]:
    """Make a player with so many coins and return his user id."""
    made: list[Any] = []

    def make(coins: int = 0) -> int:
        user = get_user_model().objects.create_user(username=f"player{len(made)}")
        made.append(user)
        services.open_wallet(user_id=user.pk)
        if coins:
            services.grant(user_id=user.pk, amount=coins, reference=f"first:{user.pk}")
        return user.pk

    return make


@pytest.fixture
def newcomer(db: None) -> int:
    """Return the user id of someone whose wallet is not open yet."""
    user = get_user_model().objects.create_user(username="newcomer")
    Wallet.objects.filter(user_id=user.pk).delete()
    return user.pk


@pytest.fixture
def the_books_are_right() -> Iterator[None]:
    """Verify the books when the test is over."""
    yield
    assert audit.verify_books().breaches == []


@pytest.fixture
def tampering() -> Callable[[], AbstractContextManager[Any]]:
    """Give a cursor to someone who takes the guards away, and puts them back so that nobody sees it."""

    @contextmanager
    def tamper() -> Iterator[Any]:
        triggers.drop(connection)
        try:
            with connection.cursor() as cursor:
                yield cursor
        finally:
            triggers.install(connection)

    return tamper
