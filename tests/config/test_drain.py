"""A process that is told to stop: it opens no deal any more, answers what it took, and sends its people to others."""

import asyncio
import json
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games import hub as hubs
from games import watch
from games.table import commands as cmd
from tests.faults.evidence import evidence
from tests.games.stories import StoryMaker, as_another_process
from tests.servers import Live
from tests.sockets.conftest import Open
from tests.sockets.player import Player
from tests.sockets.seed import seed
from tests.sockets.tables_to_meet import an_action, enter, playing, seated, turn_of

Serve = Callable[..., Live]
SPREAD_S = 2.0

MARKS = """
import json
from games.models import TableEvent
bodies = TableEvent.objects.filter(table_id=%d).values_list("body", flat=True)
print("MARKS " + json.dumps([event["cmd"] for event in map(json.loads, bodies) if "cmd" in event]))
"""


def marks_of(live: Live, table: int) -> list[str]:
    """Return the ids of all commands that are in a table's log."""
    said = live.manage("shell", "-c", MARKS % table)
    marks: list[str] = json.loads(said.partition("MARKS ")[2].splitlines()[0])
    return marks


async def play_on(player: Player) -> float:
    """Play until the line is closed; return the moment."""
    with suppress(ConnectionError):
        await player.play(99)
    await player.until(lambda: player.closed is not None)
    return time.monotonic()


@pytest.mark.parametrize(("kind", "database"), [("one", ""), ("daphne", "postgres")])
async def test_all_that_a_stopped_process_committed_was_acknowledged(
    serve: Serve, kind: str, database: str
) -> None:
    live = serve(kind, database=database, PAISHE_DRAIN_S=str(SPREAD_S))
    table = (await asyncio.to_thread(lambda: seed(live.environment)))[0]
    players = [Player(live.url, table["code"], person["session"]) for person in table["people"]]
    for player in players:
        await player.connect()
    playing_on = [asyncio.create_task(play_on(player)) for player in players]
    for player in players:
        await player.until(lambda player=player: len(player.answers) >= 4)
    live.process.send_signal(signal.SIGTERM)
    closed_at = await asyncio.gather(*playing_on)
    assert [player.closed for player in players] == [1012] * 4
    assert max(closed_at) - min(closed_at) > SPREAD_S / 5, "all were sent away at the same moment"
    assert await asyncio.to_thread(live.process.wait, 30) == 0
    acked = {
        id: answer["seq"]
        for player in players
        for id, answer in player.answers.items()
        if answer["type"] == "ack"
    }
    assert set(await asyncio.to_thread(marks_of, live, table["id"])) == set(acked)
    found = await asyncio.to_thread(evidence, live.environment, table["id"], acked)
    assert (found["lost"], found["doubled"], found["breaches"]) == ([], [], [])


async def test_a_draining_process_opens_no_deal_and_another_one_does(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    sockets = [(await enter(door, one, seat))[0] for seat in range(4)]
    for seat, socket in enumerate(sockets[:3]):
        await socket.say("ready", id=f"r{seat}", nonce="")
        await socket.hear("ack")
    hubs.here().draining = True
    await sockets[3].say("ready", id="last", nonce="")
    assert (await sockets[3].hear("closed"))["code"] == 1012
    assert (await sync_to_async(lambda: one.state)()).phase == "between"
    hubs.here().draining = False  # what follows happens in another process

    def again() -> Any:
        with as_another_process():
            return one.perform(cmd.Ready(3, "last", ""))

    assert (await sync_to_async(again)()).state.phase == "playing"


async def test_who_is_sent_away_has_the_answer_to_what_was_taken_before(
    door: Open, story: StoryMaker
) -> None:
    one = await playing(story)
    seat = turn_of((await enter(door, one, 0))[1])
    socket, view = await enter(door, one, seat)
    await socket.say("act", id="mine", turn=view["deal"]["turn_number"], action=an_action(view))
    await asyncio.sleep(0)
    leaving = asyncio.create_task(watch.drain())
    assert (await socket.hear("ack"))["id"] == "mine"
    assert (await socket.hear("closed"))["code"] == 1012
    await leaving


async def test_commands_after_the_last_call_are_left_for_another_process(
    door: Open, story: StoryMaker
) -> None:
    one = await playing(story)
    state = await sync_to_async(lambda: one.state)()
    assert state.deal is not None and state.deal.clock is not None
    socket, view = await enter(door, one, state.deal.clock.seat)
    (viewer,) = hubs.here().viewers()
    viewer.outbox.last_call = True
    await socket.say("act", id="late", turn=view["deal"]["turn_number"], action=an_action(view))
    assert await socket.hears_nothing()
    assert (await sync_to_async(lambda: one.state)()).seq == view["seq"]
