"""The sweep: what is due happens once, whoever sweeps; who is gone is lost after three seconds, not before."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from games import log, openings, service_time, tables, tasks
from games.models import Connection, ServerProcess, ServiceClock, Table, TableEvent
from games.table import commands as cmd
from tests.games.stories import Story, StoryMaker, as_another_process
from wallet import audit

pytestmark = pytest.mark.both_databases


def connect_everybody(at: Story) -> ServerProcess:
    process = ServerProcess.objects.create(id=uuid.uuid4(), beat_ms=at.now)
    for user in at.users:
        Connection.objects.create(process=process, table=at.table, user=user, opened_ms=at.now)
    return process


def kinds(at: Story) -> list[str]:
    return list(TableEvent.objects.filter(table=at.table).order_by("seq").values_list("kind", flat=True))


@pytest.fixture
def playing(story: StoryMaker) -> Story:
    at = story().sit()
    at.process = connect_everybody(at)  # type: ignore[attr-defined]
    at.start()
    return at


def beat(at: Story) -> None:
    ServerProcess.objects.update(beat_ms=at.now)


def test_a_clock_that_ran_out_is_acted_on_once(playing: Story) -> None:
    playing.wait(20.999)
    beat(playing)
    assert tasks.tick_due() == (0, 0)
    playing.wait(0.001)
    assert tasks.tick_due() == (1, 0)
    with as_another_process():
        assert tasks.tick_due() == (0, 0)
    assert kinds(playing).count("timed_out") == 1


def test_a_gap_under_three_seconds_is_no_event(playing: Story) -> None:
    Connection.objects.filter(user=playing.users[0]).update(closed_ms=playing.now)
    playing.wait(2.999)
    beat(playing)
    assert tasks.mark_lost() == (0, 0)
    playing.wait(0.001)
    assert tasks.mark_lost() == (1, 0)
    assert tasks.mark_lost() == (0, 0)
    seat = playing.state.seats[0]
    assert seat is not None and seat.lost_since == playing.now - 3_000


def test_one_of_two_sockets_is_enough(playing: Story) -> None:
    process = ServerProcess.objects.get()
    Connection.objects.create(
        process=process, table=playing.table, user=playing.users[0], opened_ms=playing.now
    )
    Connection.objects.filter(user=playing.users[0]).order_by("pk")[:1]
    first = Connection.objects.filter(user=playing.users[0]).first()
    assert first is not None
    Connection.objects.filter(pk=first.pk).update(closed_ms=playing.now)
    playing.wait(10)
    beat(playing)
    assert tasks.mark_lost() == (0, 0)


def test_a_process_that_stopped_beating_has_lost_its_people_since_its_last_beat(playing: Story) -> None:
    last = playing.now
    playing.wait(29.999)
    assert tasks.mark_lost() == (0, 0)
    playing.wait(0.001)
    assert tasks.mark_lost() == (4, 0)
    assert {seat.lost_since for seat in playing.state.seats if seat} == {last}


@pytest.fixture
def wall(playing: Story, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let the story run on the machine's clock instead of its own; moves that by so many seconds."""
    hands = [playing.now]
    monkeypatch.setattr(service_time, "_pin", None)
    monkeypatch.setattr(service_time, "wall_ms", lambda: hands[0])
    ServiceClock.objects.update_or_create(pk=1, defaults={"offset_ms": 0, "beat_ms": playing.now})
    service_time.read()

    def pass_by(seconds: float) -> None:
        hands[0] += int(seconds * 1000)

    return pass_by


def run_for(wall: Callable[[float], None], seconds: int) -> None:
    """Let so many seconds pass with a sweep in each, all processes alive."""
    for _ in range(seconds):
        wall(1)
        ServerProcess.objects.update(beat_ms=service_time.now(fresh=True))
        tasks.sweep_once()


@pytest.mark.parametrize("gap", [60, 3_600, -3_600], ids=["outage", "clock an hour on", "clock an hour back"])
def test_nobody_is_punished_for_an_outage_or_a_jump_of_the_clock(
    playing: Story, wall: Callable[[float], None], gap: int
) -> None:
    """With 5 s left the sweep stays away (or the clock jumps): whoever comes before the next sweep expires nothing."""
    run_for(wall, 15)
    wall(gap)
    seq = playing.state.seq
    assert playing.perform(cmd.Tick()).state.seq == seq
    assert tasks.tick_due() == (0, 0)
    tasks.sweep_once()
    assert playing.perform(cmd.Tick()).state.seq == seq
    run_for(wall, 4)
    clock = playing.state.deal.clock  # type: ignore[union-attr]
    assert clock is not None and clock.remaining(service_time.now(fresh=True)) == 1_000
    assert playing.act().refusal is None
    assert set(kinds(playing)).isdisjoint({"timed_out", "absence_began"})


def test_who_is_lost_again_is_seen_by_a_sweeper_that_missed_his_coming_back(playing: Story) -> None:
    lines = Connection.objects.filter(user=playing.users[0])
    lines.update(closed_ms=playing.now)
    playing.wait(4)
    beat(playing)
    assert tasks.mark_lost() == (1, 0)
    lines.update(closed_ms=None)
    with as_another_process():
        playing.perform(cmd.Connected(0, playing.users[0].pk))
    lines.update(closed_ms=playing.now)
    playing.wait(4)
    beat(playing)
    assert tasks.mark_lost() == (1, 0)
    assert kinds(playing)[-3:] == ["absence_began", "absence_ended", "absence_began"]


def test_of_whom_there_is_no_sign_only_the_gap_is_counted(playing: Story) -> None:
    """Rows that are gone are our fault: after four minutes of play nobody escapes for it."""
    Connection.objects.all().delete()
    playing.wait(15)
    playing.act()
    for _ in range(15):
        playing.wait(15)
        playing.act()
    assert tasks.mark_lost() == (4, 0)
    assert playing.state.phase == "playing"
    assert {seat.lost_since for seat in playing.state.seats if seat} == {playing.now - tasks.GAP_MS}


def test_a_table_that_cannot_be_read_does_not_keep_others_from_being_found_lost(
    playing: Story, story: StoryMaker
) -> None:
    other = story().sit()
    Connection.objects.all().delete()
    Table.objects.filter(pk=playing.table.pk).update(format=log.FORMAT + 1)
    tables.forget()
    other.wait(4)
    assert tasks.mark_lost() == (4, 4)
    assert all(seat and seat.lost_since is not None for seat in other.state.seats)


def test_a_web_process_sweeps_in_place_of_a_sweeper_that_is_away(
    playing: Story, wall: Callable[[float], None]
) -> None:
    wall(3)
    assert not tasks.stand_in()
    wall(0.1)
    assert tasks.stand_in()
    assert not tasks.stand_in()


def test_a_table_that_wants_its_deal_gets_it_from_the_sweep(
    story: StoryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = story().sit()
    connect_everybody(at)
    for seat in range(3):
        at.perform(cmd.Ready(seat, at.id(), ""))
    seen: list[int] = []
    real = openings.next_command

    def killed(*args: Any) -> Any:
        seen.append(1)
        if len(seen) == 1:
            raise RuntimeError("killed before the commit")
        return real(*args)

    monkeypatch.setattr(openings, "next_command", killed)
    with pytest.raises(RuntimeError):
        at.perform(cmd.Ready(3, "last", ""))
    assert at.state.phase == "between"
    again = at.perform(cmd.Ready(3, "last", ""))
    assert again.state.phase == "playing"
    assert audit.verify_books().breaches == []


def test_a_table_that_fails_does_not_stop_the_others(
    story: StoryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = story().sit(), story().sit()
    for at in (broken, sound):
        connect_everybody(at)
        at.start()
        at.wait(21)
    service_time.move_pin(sound.now + 21_000)
    beat(sound)
    real = tables.perform

    def perform(table_id: int, command: cmd.Command) -> tables.Answer:
        if table_id == broken.table.pk:
            raise RuntimeError("broken")
        return real(table_id, command)

    monkeypatch.setattr(tables, "perform", perform)
    assert tasks.tick_due() == (1, 1)


def test_three_time_outs_end_in_an_escape_that_is_paid(playing: Story) -> None:
    seat = playing.state.deal.clock.seat  # type: ignore[union-attr]
    before = playing.balances()[seat]
    while playing.state.phase == "playing":
        clock = playing.state.deal.clock  # type: ignore[union-attr]
        assert clock is not None
        if clock.seat == seat:
            playing.wait(21)
            beat(playing)
            tasks.tick_due()
        else:
            playing.act("pass" if playing.state.deal.deal.standing else None)  # type: ignore[union-attr]
    assert playing.state.result is not None and playing.state.result["how"] == "escaped"
    assert playing.balances()[seat] == before - 2_000
    assert audit.verify_books().breaches == []


def test_rows_of_the_dead_are_forgotten(playing: Story) -> None:
    playing.wait(700)
    tasks.forget_dead()
    assert not ServerProcess.objects.exists() and not Connection.objects.exists()
