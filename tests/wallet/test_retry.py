"""A function that lost to a deadlock is run again, whole, and not for ever."""

import pytest
from django.db import IntegrityError, OperationalError
from django.db.transaction import atomic

from wallet.retry import TRIES
from wallet.services import retrying


class Lost(Exception):
    """What a driver raises, with its SQLSTATE."""

    def __init__(self, sqlstate):
        self.sqlstate = sqlstate


class Unlucky:
    """A function that fails so many times."""

    def __init__(self, failures, sqlstate="40P01", error=OperationalError):
        self.failures, self.sqlstate, self.error, self.calls = failures, sqlstate, error, 0

    def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error("lost") from Lost(self.sqlstate)
        return self.calls


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
def test_deadlocks_and_serialization_failures_are_tried_again(sqlstate):
    assert retrying(Unlucky(TRIES - 1, sqlstate))() == TRIES


@pytest.mark.django_db(transaction=True)
def test_three_times_at_most():
    function = Unlucky(TRIES)
    with pytest.raises(OperationalError):
        retrying(function)()
    assert function.calls == TRIES


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("sqlstate", "error"), [("57P01", OperationalError), ("23514", IntegrityError)])
def test_other_errors_are_not_tried_again(sqlstate, error):
    function = Unlucky(1, sqlstate, error)
    with pytest.raises(error):
        retrying(function)()
    assert function.calls == 1


@pytest.mark.django_db
def test_within_a_transaction_the_error_is_its_owners():
    function = Unlucky(1)
    with pytest.raises(OperationalError), atomic():
        retrying(function)()
    assert function.calls == 1
