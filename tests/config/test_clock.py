"""The clock of the house as the beat drives it: a sweep each second, by however many sweepers, is enough."""

import threading
import uuid
from typing import Any

import pytest
from celery import current_app
from django.db import connections

from config.celery import app
from games import service_time, tasks
from games.models import Connection, Seat, ServerProcess, Table, TableEvent
from tests.games.stories import Story, StoryMaker

pytestmark = pytest.mark.both_databases
SWEEPERS = 4


@pytest.fixture
def playing(story: StoryMaker) -> Story:
    """A table at which a deal runs and everybody is present."""
    at = story().sit()
    process = ServerProcess.objects.create(id=uuid.uuid4(), beat_ms=at.now)
    for user in at.users:
        Connection.objects.create(process=process, table=at.table, user=user, opened_ms=at.now)
    at.start()
    return at


def sweep(at: Story) -> None:
    """Sweep once, as the beat's task does, with every web process alive."""
    ServerProcess.objects.update(beat_ms=at.now)
    tasks.sweep_once()


def kinds(at: Story) -> list[str]:
    return list(TableEvent.objects.filter(table=at.table).order_by("seq").values_list("kind", flat=True))


def test_sweep_and_match_come_every_second_and_nothing_has_an_eta() -> None:
    schedule = app.conf.beat_schedule
    assert schedule["games.tasks.sweep"]["schedule"] == schedule["lobby.tasks.match"]["schedule"] == 1.0
    for entry in schedule.values():
        assert entry["options"].keys() == {"expires"}
    assert current_app.tasks["games.tasks.sweep"].ignore_result


@pytest.mark.parametrize("phase", [0.0, 0.001, 0.5, 0.999], ids=lambda phase: f"{phase:g} s in")
def test_a_turn_that_ran_out_is_acted_on_within_two_seconds_and_never_early(
    playing: Story, phase: float
) -> None:
    """20 s and 1 s of grace; the sweeps fall anywhere in the second."""
    deadline = playing.state.deadline
    assert deadline == playing.now + 21_000
    playing.wait(phase)
    for _ in range(30):
        sweep(playing)
        if "timed_out" in kinds(playing):
            break
        assert playing.now < deadline + 2_000
        playing.wait(1)
    assert deadline <= playing.now <= deadline + 2_000


def at_once(work: Any) -> list[BaseException]:
    """Run a function in several threads at the same moment; return what they raised."""
    together, raised = threading.Barrier(SWEEPERS), []

    def run() -> None:
        try:
            together.wait(30)
            work()
        except BaseException as error:
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(SWEEPERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_many_sweepers_at_once_do_one_thing(playing: Story) -> None:
    playing.wait(21)
    ServerProcess.objects.update(beat_ms=playing.now)
    swept: list[tasks.Swept] = []
    assert at_once(lambda: swept.append(tasks.sweep_once())) == []
    assert kinds(playing).count("timed_out") == 1
    assert sum(one.failed for one in swept) == 0


def test_many_sweepers_at_once_lose_a_silent_process_once(playing: Story) -> None:
    playing.wait(30)
    assert at_once(tasks.mark_lost) == []
    assert kinds(playing).count("absence_began") == 4


def test_a_table_at_which_nothing_happens_is_closed_and_its_people_are_free(story: StoryMaker) -> None:
    at = story().sit()
    process = ServerProcess.objects.create(id=uuid.uuid4(), beat_ms=at.now)
    for user in at.users:
        Connection.objects.create(process=process, table=at.table, user=user, opened_ms=at.now)
    for _ in range(700):
        at.wait(1)
        due = Table.objects.filter(pk=at.table.pk, deadline__lte=at.now).exists()
        if due:
            sweep(at)
    assert Table.objects.get(pk=at.table.pk).status == Table.Status.CLOSED
    assert not Seat.objects.filter(table=at.table).exists()
    assert kinds(at)[-1] == "table_closed"


def test_a_task_that_was_never_sent_or_ran_twice_leaves_the_same_table(playing: Story) -> None:
    """The beat missed ten seconds: the next sweep finds all of it; a second one finds nothing."""
    playing.wait(31)
    sweep(playing)
    seen = kinds(playing)
    assert seen.count("timed_out") == 1
    sweep(playing)
    assert kinds(playing) == seen


def test_what_is_left_of_dead_processes_is_cleared_away(playing: Story) -> None:
    dead = ServerProcess.objects.get()
    living = ServerProcess.objects.create(id=uuid.uuid4(), beat_ms=playing.now)
    playing.wait(tasks.FORGET_MS / 1000 + 1)
    ServerProcess.objects.filter(pk=living.pk).update(beat_ms=service_time.now())
    tasks.sweep_once()
    assert list(ServerProcess.objects.values_list("pk", flat=True)) == [living.pk]
    assert not Connection.objects.filter(process_id=dead.pk).exists()
