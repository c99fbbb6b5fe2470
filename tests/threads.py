"""Threads that start together, each with a database connection of its own."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

START_S = 60

AtOnce = Callable[..., list[Any]]


@pytest.fixture
def at_once() -> AtOnce:
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
