"""A minute without any sweep: play goes on, nothing expires, and nobody pays for it when the sweep is back."""

from collections.abc import Callable

import pytest

from games import service_time, tables, tasks
from games.models import Connection, ServerProcess
from games.table import commands as cmd
from tests.games.stories import Story
from tests.games.test_sweep import kinds, playing, run_for, wall  # noqa: F401
from wallet import audit

pytestmark = pytest.mark.both_databases

PUNISHED = {"timed_out", "absence_began", "away_set", "stood"}


def test_acts_are_taken_for_a_minute_and_no_clock_runs_out(
    playing: Story,  # noqa: F811
    wall: Callable[[float], None],  # noqa: F811
) -> None:
    run_for(wall, 2)
    taken = 0
    for _ in range(20):
        wall(3)
        if playing.state.phase == "playing":
            assert playing.act().refusal is None
            taken += 1
        playing.perform(cmd.Tick())  # as the process itself wakes at a deadline it knows
    assert taken > 4
    run_for(wall, 5)
    assert PUNISHED.isdisjoint(kinds(playing))
    assert audit.verify_books().breaches == []


def test_who_was_to_act_before_it_has_his_whole_rest_after_it(
    playing: Story,  # noqa: F811
    wall: Callable[[float], None],  # noqa: F811
) -> None:
    run_for(wall, 10)
    for _ in range(60):
        wall(1)
        tables.perform(playing.table.pk, cmd.Tick())
    tasks.sweep_once()
    clock = playing.state.deal.clock  # type: ignore[union-attr]
    assert clock is not None and clock.remaining(service_time.now(fresh=True)) == 10_000
    run_for(wall, 10)
    assert PUNISHED.isdisjoint(kinds(playing))
    assert playing.act().refusal is None


def test_whoever_lost_his_line_just_before_it_is_not_lost_for_that_minute(
    playing: Story,  # noqa: F811
    wall: Callable[[float], None],  # noqa: F811
) -> None:
    run_for(wall, 2)
    user = playing.users[0]
    Connection.objects.filter(user=user).update(closed_ms=playing.now + 2_000)
    wall(60)
    ServerProcess.objects.update(beat_ms=playing.now + 2_000)
    tasks.sweep_once()
    Connection.objects.filter(user=user).update(closed_ms=None)
    run_for(wall, 3)
    assert PUNISHED.isdisjoint(kinds(playing))
