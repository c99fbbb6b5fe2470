"""Fixtures of the Django side of tables: each test has an empty memory and a clock of its own."""

from collections.abc import Iterator

import pytest

from games import dealing, service_time, tables
from tests.games.stories import Story, StoryMaker


@pytest.fixture(autouse=True)
def empty_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what earlier tests made this process know, and let its clock run."""
    monkeypatch.setattr(service_time, "_pin", None)
    tables.forget()
    dealing.forget()
    service_time.forget()
    yield
    tables.forget()


@pytest.fixture
def story(transactional_db: None) -> Iterator[StoryMaker]:
    """Make stories; their clocks are given back at the end."""
    made: list[Story] = []

    def make(*args: object, **options: object) -> Story:
        made.append(Story(*args, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in reversed(made):
        one.end()
