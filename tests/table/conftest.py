"""The toy games are known to the engine while the tests of the table machine run, and to nobody else."""

from collections.abc import Iterator

import pytest

from tests.table import toy


@pytest.fixture(autouse=True, scope="package")
def toy_games() -> Iterator[None]:
    """Register the toy games."""
    with toy.registered():
        yield
