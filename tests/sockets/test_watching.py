"""Who looks on sees what everybody may see, is counted, and does nothing; and of two tabs the newest acts."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games import watch
from games.hub import Hub
from games.models import Connection, ServerProcess
from tests.games.stories import Story, StoryMaker, make_user
from tests.sockets.conftest import Open, Socket
from tests.sockets.secrecy import leaks
from tests.sockets.tables_to_meet import enter, playing, seated, sitter

pytestmark = pytest.mark.both_databases
make = sync_to_async

TABLES: dict[str, dict[str, Any]] = {
    "bigtwo.classic": {"currency": "points", "cap": None, "fee": None, "base_stake": 1},
    "bigtwo.qq": {},
    "doudizhu.mala": {"people": 3, "cap": None},
    "doudizhu.taiwan": {"people": 3, "fee": {"kind": "percent", "value": 5}},
}


async def looks_on(door: Open, at: Story, name: str = "guest") -> Socket:
    return await door(at, await make(make_user)(name)).open()


async def heard(socket: Socket) -> list[dict[str, Any]]:
    """Return all that was sent by now."""
    frames = []
    while not await socket.hears_nothing():
        frames.append(await socket.hear())
    return frames


# ---- what he sees


@pytest.mark.parametrize("ruleset", TABLES)
async def test_no_frame_to_a_watcher_has_a_card_he_may_not_know(
    door: Open, story: StoryMaker, ruleset: str
) -> None:
    at = await seated(story, ruleset=ruleset, **TABLES[ruleset])
    early = await looks_on(door, at, "early")
    frames = [await early.hear()]
    await make(at.start)()
    phases = set()
    late: list[Socket] = []
    for _ in range(400):
        state = await make(lambda: at.state)()
        if state.phase != "playing":
            break
        assert state.deal is not None
        phase = state.deal.deal.phase
        if phase not in phases:  # one who comes in the middle of bidding, of the ladder, of play
            phases.add(phase)
            late.append(await looks_on(door, at, f"late-{phase}"))
        await make(at.act)()
    assert phases & {"play"} and len(phases) == (1 if ruleset.startswith("bigtwo") else len(phases))
    frames += await heard(early)
    views = [frame["view"] for frame in frames if frame["type"] == "view"]
    assert views and all(view["me"] is None for view in views)
    playing_ = [view["deal"]["state"] for view in views if view["deal"]]
    assert playing_ and all(state["hand"] is None for state in playing_)
    assert all(not view["can"]["acts"] and view["can"]["plays"] is None for view in views)
    assert leaks([json.dumps(frame) for frame in frames]) == []
    for socket in late:
        assert leaks([json.dumps(frame) for frame in await heard(socket)]) == []


@pytest.mark.parametrize(
    "message",
    [
        {"type": "act", "turn": 1, "action": "pass"},
        {"type": "ready", "nonce": ""},
        {"type": "stand"},
        {"type": "trustee", "on": True},
        {"type": "leave"},
        {"type": "ask_leave"},
        {"type": "answer_leave", "agree": True},
        {"type": "say", "text": "play the two!"},
        {"type": "say", "phrase": "hello"},
        {"type": "hint"},
    ],
    ids=lambda message: message["type"],
)
async def test_who_looks_on_can_do_nothing(door: Open, story: StoryMaker, message: dict[str, Any]) -> None:
    at = await playing(story)
    seq = await make(lambda: at.state.seq)()
    socket = await looks_on(door, at)
    await socket.say(id="a", **message)
    assert (await socket.hear("refused"))["code"] == "not_seated"
    assert await make(lambda: at.state.seq)() == seq


# ---- how many


async def count_heard(socket: Socket) -> int:
    n: int = (await socket.hear("watchers"))["n"]
    return n


async def test_everybody_hears_how_many_look_on(door: Open, story: StoryMaker) -> None:
    at = await playing(story)
    player, _ = await enter(door, at, 0)
    first = await looks_on(door, at, "first")
    assert await count_heard(player) == await count_heard(first) == 1
    second = await looks_on(door, at, "second")
    assert [await count_heard(socket) for socket in (player, first, second)] == [2, 2, 2]
    await second.leave()
    assert [await count_heard(socket) for socket in (player, first)] == [1, 1]
    await first.leave()
    assert await count_heard(player) == 0


async def test_a_watcher_with_two_tabs_counts_once_and_one_who_plays_does_not(
    door: Open, story: StoryMaker
) -> None:
    at = await playing(story)
    guest = await make(make_user)("guest")
    player, _ = await enter(door, at, 0)
    for _ in range(2):
        await door(at, guest).open()
    assert await count_heard(player) == 1
    await enter(door, at, 1)
    late, _ = await enter(door, at, 2)
    assert await count_heard(late) == 1


async def test_who_looks_on_by_another_process_is_counted_too(
    door: Open, story: StoryMaker, hub: Callable[[], Hub]
) -> None:
    at = await playing(story)
    player, _ = await enter(door, at, 0)
    await hub().presence.flushed()
    other = await ServerProcess.objects.acreate(id="00000000-0000-0000-0000-000000000001", beat_ms=at.now)
    for user in (await make(make_user)("guest"), at.users[1]):
        await Connection.objects.acreate(process=other, table=at.table, user=user, opened_ms=at.now)
    await watch.feel_pulse(hub())
    assert await count_heard(player) == 1


async def test_who_stands_up_becomes_a_watcher(door: Open, story: StoryMaker) -> None:
    at = await seated(story)
    player, _ = await enter(door, at, 0)
    other, _ = await enter(door, at, 1)
    await other.say("stand", id="up")
    assert await count_heard(player) == 1


# ---- two tabs


async def test_the_older_tab_takes_the_seat_back_and_the_newer_one_is_read_only_then(
    door: Open, story: StoryMaker
) -> None:
    at = await seated(story)
    first, _ = await enter(door, at, 0)
    second, _ = await enter(door, at, 0)
    for tab in (first,):
        assert (await tab.hear("notice"))["code"] == "replaced"
        assert await tab.hear("closed") == {"type": "closed", "code": 4409}
    await second.say("say", id="a", text="here I am")
    assert (await second.hear("ack"))["id"] == "a"
    again, view = await enter(door, at, 0)  # "Play here" in the first tab
    assert view["me"] == 0
    assert (await second.hear("notice"))["code"] == "replaced"
    assert await second.hear("closed") == {"type": "closed", "code": 4409}
    await second.say("ready", id="b")
    await again.say("say", id="c", text="and here")
    assert (await again.hear("ack"))["id"] == "c"
    assert not (await sitter(at, 0)).ready
