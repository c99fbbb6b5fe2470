"""Computer players: they think, they act once, they know their own cards only; practice costs nothing."""

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections

from games import computers, database, tables, tasks, writer
from games.engine import bots
from games.engine.actions import format_action, parse_action
from games.models import PlayerRecord, SeatResult, Table, TableEvent
from games.table import commands as cmd
from tests.games.stories import Story, StoryMaker, as_another_process
from wallet import audit
from wallet import services as wallet

pytestmark = pytest.mark.both_databases

PRACTICE: dict[str, Any] = {
    "tier": "qq.practice",
    "base_stake": 1,
    "cap": None,
    "entry": None,
    "fee": None,
    "currency": "none",
    "practice": True,
    "seating": "match",
    "spectators": False,
}


@pytest.fixture
def practice(story: StoryMaker) -> Story:
    """One person among computer players, with the first deal open."""
    at = story(people=1, **PRACTICE).sit()
    computers.fill(at.table.pk)
    assert at.state.phase == "playing"
    return at


@pytest.fixture
def thinking(practice: Story) -> Story:
    """A table where a computer player is to act and has not thought yet."""
    while practice.state.computer_acts_at is None:
        practice.act()
    return practice


def seat_to_act(at: Story) -> int:
    deal = at.state.deal
    assert deal is not None and deal.clock is not None
    return deal.clock.seat


def acts(at: Story) -> list[str]:
    return list(TableEvent.objects.filter(table=at.table, kind="acted").values_list("body", flat=True))


def think(at: Story) -> None:
    """Let time pass until the computer player that is to act has thought."""
    due = at.state.computer_acts_at
    assert due is not None
    at.wait(max(0, due - at.now) / 1000)


def play_on(at: Story, most: int = 500) -> None:
    """Play the running deal to its end: the person at random, the computer players by the sweep."""
    for _ in range(most):
        if at.state.phase != "playing":
            return
        if at.state.computer_acts_at is None:
            at.act()
        else:
            think(at)
            tasks.tick_due()
    raise AssertionError("the deal does not end")


def test_computer_players_fill_the_table_and_the_match_begins(practice: Story) -> None:
    seats = [seat for seat in practice.state.seats if seat is not None]
    assert [seat.computer for seat in seats] == [False, True, True, True]
    assert len({seat.name for seat in seats}) == 4
    assert practice.state.deal is not None and practice.state.deal.head.balances is None


def test_a_computer_player_acts_when_it_has_thought_and_not_before(thinking: Story) -> None:
    seat, before = seat_to_act(thinking), len(acts(thinking))
    due = thinking.state.computer_acts_at
    assert due is not None and 800 <= due - thinking.now <= 2_000
    thinking.wait((due - thinking.now - 1) / 1000)
    assert tasks.tick_due() == (0, 0) and len(acts(thinking)) == before
    thinking.wait(0.001)
    tasks.tick_due()
    assert len(acts(thinking)) == before + 1 and seat_to_act(thinking) != seat


def test_how_long_computer_players_think_is_a_term(story: StoryMaker) -> None:
    at = story(people=1, **PRACTICE, think_ms=[30, 40]).sit()
    computers.fill(at.table.pk)
    while at.state.computer_acts_at is None:
        at.act()
    assert 30 <= at.state.computer_acts_at - at.now <= 40


def test_two_processes_at_once_act_once(thinking: Story) -> None:
    think(thinking)
    before = len(acts(thinking))
    command = computers.act_of(thinking.state)
    assert command is not None
    assert thinking.perform(command).refusal is None
    with as_another_process():
        refusal = thinking.perform(command).refusal
        assert refusal is not None and refusal.code == "stale_turn"
        assert computers.play_due([thinking.table.pk])[0] == 0
    assert len(acts(thinking)) == before + 1


def test_many_sweeps_at_the_same_moment_act_once(thinking: Story) -> None:
    think(thinking)
    before = len(acts(thinking))
    start = threading.Barrier(4, timeout=60)
    played: list[tuple[int, int]] = []

    def sweep() -> None:
        try:
            start.wait()
            played.append(computers.play_due([thinking.table.pk]))
        finally:
            connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(count for count, _ in played) == [0, 0, 0, 1] and not any(failed for _, failed in played)
    assert len(acts(thinking)) == before + 1


def test_what_a_killed_process_left_undone_the_next_sweep_plays(thinking: Story) -> None:
    thinking.wait(9)
    before = len(acts(thinking))
    with as_another_process():
        tasks.tick_due()
    assert len(acts(thinking)) == before + 1


def test_a_sweep_that_remembers_an_older_table_looks_again(practice: Story) -> None:
    stale = dict(tables._known)
    while practice.state.computer_acts_at is None:
        practice.act()
    think(practice)
    before = len(acts(practice))
    tables._known.clear()
    tables._known.update(stale)
    tasks.tick_due()
    assert len(acts(practice)) == before + 1


def test_when_nobody_plays_for_it_the_tables_own_clock_does(
    thinking: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise ValueError("no idea")

    monkeypatch.setattr(bots, "choose", broken)
    seat = seat_to_act(thinking)
    thinking.wait(19.9)
    assert tasks.tick_due() == (1, 1)
    assert seat_to_act(thinking) == seat
    thinking.wait(0.1)
    tasks.tick_due()
    assert seat_to_act(thinking) != seat and '"auto":"computer"' in acts(thinking)[-1]


def test_a_computer_player_is_given_its_own_view_only(
    thinking: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def watch(rules: Any, view: Any) -> Any:
        seen.append(view)
        return rules.autoplay(view)

    monkeypatch.setattr(bots, "choose", watch)
    computers.act_of(thinking.state)
    (view,) = seen
    assert view.seat == seat_to_act(thinking) and view.hands is None


def test_whole_practice_deals_move_no_coins_and_no_points(practice: Story) -> None:
    user = practice.users[0]
    before = wallet.balance(user.pk)
    for number in (1, 2, 3):
        play_on(practice)
        state = practice.state
        assert state.result is not None and state.result["number"] == number
        assert state.result["settlement"]["net"] == (0, 0, 0, 0) or not any(state.result["settlement"]["net"])
        assert [seat.ready for seat in state.seats if seat] == [False, True, True, True]
        practice.perform(cmd.Ready(0, practice.id()))
    assert wallet.balance(user.pk) == before
    results = SeatResult.objects.all()
    assert results.count() == 12 and not any(result.points or result.net for result in results)
    assert {result.outcome for result in results} == {"practice"} and not PlayerRecord.objects.exists()
    assert audit.verify_books().breaches == []


def test_who_leaves_practice_pays_nothing_and_the_table_closes_by_itself(practice: Story) -> None:
    before = wallet.balance(practice.users[0].pk)
    practice.perform(cmd.Leave(0, practice.id()))
    assert practice.state.deserted and wallet.balance(practice.users[0].pk) == before
    practice.wait(3)
    tasks.tick_due()
    assert Table.objects.get(pk=practice.table.pk).status == Table.Status.CLOSED
    assert audit.verify_books().breaches == []


def test_computer_players_let_one_go_by_consent(practice: Story) -> None:
    practice.perform(cmd.AskLeave(0, practice.id()))
    result = practice.state.result
    assert result is not None and result["how"] == "void"
    practice.perform(cmd.Stand(0, practice.id()))
    practice.wait(3)
    tasks.tick_due()
    assert practice.state.phase == "closed"


def test_their_acts_are_plain_moves_in_the_log(thinking: Story) -> None:
    command = computers.act_of(thinking.state)
    assert command is not None and command.id is None
    assert format_action(parse_action(command.action)) == command.action


class Loop:
    """An event loop that writes down what it is to do later."""

    def __init__(self) -> None:
        self.later: list[tuple[float, int, int]] = []

    def call_soon_threadsafe(self, call: Any, *args: Any) -> None:
        call(*args)

    def call_later(self, wait_s: float, begin: Any, table_id: int, turn: int) -> None:
        self.later.append((wait_s, table_id, turn))


def test_the_process_that_commits_a_turn_wakes_itself_when_it_is_due(
    practice: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = Loop()
    monkeypatch.setattr(computers, "_driver", computers.Driver(loop))  # type: ignore[arg-type]
    for _ in range(12):
        woken = len(loop.later)
        if practice.state.computer_acts_at is None:
            practice.act()
        else:
            think(practice)
            assert computers.play_due([practice.table.pk]) == (1, 0)
        state = practice.state
        if state.computer_acts_at is None:
            assert len(loop.later) == woken
        else:
            assert loop.later[woken:] == [
                ((state.computer_acts_at - practice.now) / 1000, practice.table.pk, state.turn)
            ]


async def test_a_woken_driver_plays_its_turn_once(thinking: Story) -> None:
    table_id, turn = thinking.table.pk, await sync_to_async(lambda: thinking.state.turn)()
    before = len(await sync_to_async(acts)(thinking))
    await asyncio.gather(*(computers._play(table_id, turn) for _ in range(3)))
    assert len(await sync_to_async(acts)(thinking)) == before + 1
    await computers._play(table_id, turn)
    assert len(await sync_to_async(acts)(thinking)) == before + 1
    await asyncio.to_thread(writer.stop)
    await asyncio.to_thread(database.close_all)
    await sync_to_async(connections.close_all)()
