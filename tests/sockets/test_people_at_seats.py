"""Titles and points at the seats: beside the view, outside the log, and at no cost to a move."""

from collections.abc import Callable, Collection
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from games import history, openings, tables
from games.engine.titles import title_of
from games.models import PlayerRecord
from games.table import commands as cmd
from tests.games.stories import StoryMaker, make_user
from tests.sockets.conftest import Open, Socket
from tests.sockets.tables_to_meet import enter, playing, seated

pytestmark = pytest.mark.both_databases
make = sync_to_async
TAIWAN: dict[str, Any] = {"ruleset": "doudizhu.taiwan", "people": 3, "base_stake": 30, "cap": 1_200}


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Whose points were read from the database, each time."""
    read: list[tuple[int, ...]] = []
    points_of = history.points_of

    def count(user_ids: Collection[int], ruleset: str) -> dict[int, int]:
        read.append(tuple(user_ids))
        return points_of(user_ids, ruleset)

    monkeypatch.setattr(history, "points_of", count)
    return read


async def people_until(socket: Socket, done: Callable[[dict[str, Any]], bool]) -> list[Any]:
    """Return the people beside the first view that is as it should be."""
    while True:
        heard = await socket.hear("view")
        if done(heard["view"]):
            people: list[Any] = heard["people"]
            return people


async def first_people(door: Open, at: Any, who: Any) -> list[Any]:
    heard = await (await door(at, who).open()).hear("view")
    people: list[Any] = heard["people"]
    return people


async def test_each_seat_tells_what_its_player_has_come_to_in_this_game(
    door: Open, story: StoryMaker
) -> None:
    at = await seated(story, **TAIWAN)
    records = [
        PlayerRecord(user=at.users[0], ruleset="doudizhu.taiwan", points=7_000),
        PlayerRecord(user=at.users[0], ruleset="bigtwo.qq", points=500_000),
        PlayerRecord(user=at.users[1], ruleset="doudizhu.taiwan", points=-12),
    ]
    await make(PlayerRecord.objects.bulk_create)(records)
    expected = [
        {"title": "fisherman", "points": 7_000},
        {"title": "bondsman", "points": -12},
        {"title": "bondsman", "points": 0},
    ]
    stranger = await make(make_user)("stranger")
    for who in (0, 1, stranger):
        assert await first_people(door, at, who) == expected


@pytest.mark.parametrize(
    "terms",
    [{}, TAIWAN, {"ruleset": "doudizhu.mala", "people": 3, "cap": None, "entry": 1_000}],
    ids=["qq", "taiwan", "mala"],
)
async def test_a_closed_deal_changes_them_and_a_move_reads_nothing(
    door: Open, story: StoryMaker, readings: list[tuple[int, ...]], terms: dict[str, Any]
) -> None:
    at = await playing(story, **terms)
    socket, view = await enter(door, at, 0)
    assert len(readings) == 1
    closed = 0
    while not await make(lambda: at.state.result is not None)():
        before = await make(lambda: at.state.number)()
        await make(at.act)()
        closed += await make(lambda: at.state.number)() - before  # dealt again
    closed += 1
    people = await people_until(socket, lambda view: view["result"] is not None)
    points = [seat["points"] for seat in people]
    result = await make(lambda: at.state.result)()
    assert result is not None
    assert points == list(result["settlement"]["points"])
    assert [seat["title"] for seat in people] == [title_of(view["ruleset"], n).code for n in points]
    assert len(readings) <= 1 + closed
    assert (await make(lambda: at.state.seq)()) - view["seq"] > len(readings)


async def test_a_free_chair_has_nobody_and_who_sits_down_is_read_once(
    door: Open, story: StoryMaker, readings: list[tuple[int, ...]]
) -> None:
    at = await make(story)()
    first, second, *_ = at.users
    await make(lambda: tables.take_seat(user=first, table=at.table))()
    socket, _ = await enter(door, at, 0)
    await make(lambda: tables.take_seat(user=second, table=at.table))()
    people = await people_until(socket, lambda view: view["seats"][1] is not None)
    nobody = {"title": "bondsman", "points": 0}
    assert people == [nobody, nobody, None, None]
    await make(at.perform)(cmd.Stand(1, "up"))
    people = await people_until(socket, lambda view: view["seats"][1] is None)
    assert people == [nobody, None, None, None]
    assert readings == [(first.pk,), (first.pk, second.pk)]


async def test_where_names_are_hidden_so_are_their_ranks(door: Open, story: StoryMaker) -> None:
    at = await playing(story, anti_cheat=True, spectators=False)
    socket = await door(at, 2).open()
    people = (await socket.hear("view"))["people"]
    assert [seat is not None for seat in people] == [False, False, True, False]
    await make(at.play_out)()
    people = await people_until(socket, lambda view: view["result"] is not None)
    assert None not in people


async def test_a_computer_player_has_none(door: Open, story: StoryMaker) -> None:
    at = await make(lambda: story(people=1, currency="none", practice=True))()
    await make(at.sit)()
    await make(at.perform)(cmd.Sit(1, None, "Bamboo", "", True))
    assert await first_people(door, at, 0) == [{"title": "bondsman", "points": 0}, None, None, None]


async def test_views_go_out_without_ranks_that_cannot_be_read(
    door: Open, story: StoryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    points_of = history.points_of

    def away(user_ids: Collection[int], ruleset: str) -> dict[int, int]:
        raise OperationalError("away")

    at = await playing(story)
    monkeypatch.setattr(history, "points_of", away)
    socket = await door(at, 0).open()
    heard = await socket.hear("view")
    assert heard["people"] == [None] * 4
    monkeypatch.setattr(history, "points_of", points_of)
    await make(at.act)()
    heard = await socket.hear("view")
    assert heard["events"][0]["kind"] == "acted" and None not in heard["people"]


@pytest.mark.parametrize("bar", ["suspended", "owes"])
async def test_why_somebody_is_barred_is_told_to_him_alone(
    door: Open, story: StoryMaker, monkeypatch: pytest.MonkeyPatch, bar: str
) -> None:
    at = await seated(story)
    sockets = [(await enter(door, at, seat))[0] for seat in range(2)]
    monkeypatch.setattr(openings, "_barred", lambda state, users: {1: bar})
    for seat in range(4):
        await make(at.perform)(cmd.Ready(seat, at.id(), ""))
    for seat, socket in enumerate(sockets):
        told, frames = None, []
        while told is None:
            frames.append(await socket.hear())
            told = next((event for event in frames[-1].get("events", ()) if event["kind"] == "stood"), None)
        assert told["reason"] == "barred"
        said = [frame["detail"] for frame in frames if frame["type"] == "notice"]
        assert said == ([bar] if seat == 1 else [])
        assert bar not in str(frames) or seat == 1
