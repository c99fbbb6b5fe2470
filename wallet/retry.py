"""Running a whole function again when the database chose it as the victim of a deadlock."""

import functools
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from django.db import DatabaseError
from django.db.transaction import get_connection

P = ParamSpec("P")
R = TypeVar("R")

TRIES: Final = 3
_DEADLOCK, _SERIALIZATION, _UNIQUE = "40P01", "40001", "23505"
_OUR_REFERENCES: Final = ("wallet_transaction", "wallet_hold")


def retrying(function: Callable[P, R]) -> Callable[P, R]:
    """Run the whole function at most three times while it fails by a deadlock or a serialization failure.

    Only outside of an open atomic block: inside, the transaction is lost, and the error is for the function
    that opened it. The function must use the same references in each run.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if get_connection().in_atomic_block:
            return function(*args, **kwargs)
        for _ in range(TRIES - 1):
            try:
                return function(*args, **kwargs)
            except DatabaseError as error:
                if not worth_another_try(error):
                    raise
        return function(*args, **kwargs)

    return run


def worth_another_try(error: DatabaseError) -> bool:
    """Say whether the same function may succeed when it is run anew.

    True for deadlocks and serialization failures, and when two sessions wrote the same reference at once:
    the second finds the first one's work on its next run.
    """
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None)
    if state == _UNIQUE:
        return getattr(getattr(cause, "diag", None), "table_name", None) in _OUR_REFERENCES
    return state in (_DEADLOCK, _SERIALIZATION)
