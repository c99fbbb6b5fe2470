"""The writer: many sockets' commands, one thread, one answer each."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from games import tables, writer
from games.errors import TableError
from games.models import TableEvent
from games.table import commands as cmd
from tests.games.stories import Story, StoryMaker

pytestmark = pytest.mark.both_databases


@pytest.fixture
def own_writer() -> Iterator[writer.Writer]:
    made = writer.Writer()
    yield made
    made.stop()


def next_act(at: Story, id: str) -> cmd.Act:
    state = tables.current(at.table.pk).state
    assert state.deal is not None and state.deal.clock is not None
    clock = state.deal.clock
    offer = str(state.rules.offers(state.rules.view(state.deal.deal, clock.seat))[0])
    return cmd.Act(clock.seat, id, clock.turn, offer)


async def gather(jobs: list[tuple[writer.Writer, int, cmd.Command]]) -> list[Any]:
    futures = [thread.submit(table, command) for thread, table, command in jobs]
    return list(await asyncio.gather(*futures, return_exceptions=True))


def test_every_command_gets_one_answer(story: StoryMaker, own_writer: writer.Writer) -> None:
    stories = [story().sit() for _ in range(6)]
    for at in stories:
        at.start()
    jobs: list[tuple[writer.Writer, int, cmd.Command]] = []
    for at in stories:
        act = next_act(at, "same")
        jobs += [(own_writer, at.table.pk, act)] * 3 + [(own_writer, at.table.pk, act._replace(id="other"))]
    answers = asyncio.run(gather(jobs))
    for n, at in enumerate(stories):
        first, second, third, other = answers[n * 4 : n * 4 + 4]
        assert first.seq == second.seq == third.seq
        assert other.refusal.code == "stale_turn"
        assert TableEvent.objects.filter(table=at.table, kind="acted").count() == 1


def test_a_database_that_fails_for_a_moment_is_asked_again(
    story: StoryMaker, own_writer: writer.Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = story().sit()
    at.start()
    real, failures = tables.run, [OperationalError("gone"), OperationalError("gone")]

    def run(requests: Any) -> None:
        if failures:
            raise failures.pop()
        real(requests)

    monkeypatch.setattr(tables, "run", run)
    (answer,) = asyncio.run(gather([(own_writer, at.table.pk, next_act(at, "a"))]))
    assert answer.refusal is None


def test_a_commit_that_was_lost_on_the_way_back_is_found_again(
    story: StoryMaker, own_writer: writer.Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database took the move and the connection broke: asked again, it is answered and not done twice."""
    at = story().sit()
    at.start()
    real, broken = tables.run, [True]

    def run(requests: Any) -> None:
        if broken.pop() if broken else False:
            real(
                [request._replace(done=lambda answer: None, fail=lambda error: None) for request in requests]
            )
            raise OperationalError("connection lost after COMMIT")
        real(requests)

    monkeypatch.setattr(tables, "run", run)
    (answer,) = asyncio.run(gather([(own_writer, at.table.pk, next_act(at, "a"))]))
    assert answer.refusal is None
    assert TableEvent.objects.filter(table=at.table, kind="acted").count() == 1


def test_a_database_that_stays_away_is_said_to_be_unavailable(
    story: StoryMaker, own_writer: writer.Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = story().sit()

    def run(requests: Any) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(tables, "run", run)
    monkeypatch.setattr(writer, "_PAUSE_S", 0.0)
    (error,) = asyncio.run(gather([(own_writer, at.table.pk, cmd.Ready(0, "r"))]))
    assert isinstance(error, TableError) and error.code == "unavailable"


def test_an_unknown_table_fails_its_own_command_only(story: StoryMaker, own_writer: writer.Writer) -> None:
    at = story().sit()
    gone, ready = asyncio.run(
        gather([(own_writer, 999_999, cmd.Tick()), (own_writer, at.table.pk, cmd.Ready(0, "r"))])
    )
    assert isinstance(gone, TableError) and gone.code == "table_gone"
    assert ready.refusal is None


def test_what_is_queued_is_done_before_the_writer_ends(story: StoryMaker) -> None:
    at = story().sit()

    async def submit_and_stop() -> Any:
        thread = writer.Writer()
        future = thread.submit(at.table.pk, cmd.Ready(0, "r"))
        await asyncio.get_running_loop().run_in_executor(None, thread.stop)
        return await future

    assert asyncio.run(submit_and_stop()).refusal is None
