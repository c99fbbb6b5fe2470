"""How sockets hear of what happened: whatever way the news came, or got lost, each event once and in order."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from games import hints, log, presence, tables, tasks, watch, writer
from games import hub as hubs
from games.errors import TableError
from games.hub import Hub
from games.models import Connection, ServerProcess
from games.table.commands import Lost
from tests.games.stories import Story, StoryMaker
from tests.sockets.conftest import Open, Socket
from tests.sockets.tables_to_meet import enter, playing, seated, sitter, turn_of

pytestmark = pytest.mark.both_databases
make = sync_to_async
Here = Callable[[], Hub]


async def numbers(socket: Socket, upto: int) -> list[int]:
    """Return the numbers of all events a socket hears until it is at `upto`."""
    heard: list[int] = []
    while not heard or heard[-1] < upto:
        heard += [event["seq"] for event in (await socket.hear("view"))["events"]]
    return heard


async def head(story: Story) -> int:
    return (await make(log.heads)([story.table.pk]))[story.table.pk]


def tell(story: Story, first: int, last: int) -> None:
    """Wake the hub as a commit of the events first to last does."""
    state = tables.state_of(story.table.pk)
    events = [(seq, event) for seq, event in log.events_after(story.table.pk, first - 1) if seq <= last]
    hubs.wake(story.table.pk, state, events)


# ---- lost news


async def test_a_lost_last_message_comes_with_the_comparison_of_heads(
    door: Open, story: StoryMaker, hub: Here, untold: None
) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    await make(one.play_out)()
    assert await socket.hears_nothing()
    await watch.compare_heads(hub())
    last = await head(one)
    assert await numbers(socket, last) == list(range(view["seq"] + 1, last + 1))


async def test_a_hole_is_read_from_the_log(door: Open, story: StoryMaker, untold: None) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    for _ in range(3):
        await make(one.act)()
    last = await head(one)
    await make(tell)(one, last, last)  # the two before it were another process's
    assert await numbers(socket, last) == list(range(view["seq"] + 1, last + 1))


async def test_doubled_and_late_news_change_nothing(door: Open, story: StoryMaker, untold: None) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    for _ in range(2):
        await make(one.act)()
    first, last = view["seq"] + 1, await head(one)
    for a, b in ((first, last), (first, last), (first, first), (last, last)):
        await make(tell)(one, a, b)
    assert await numbers(socket, last) == list(range(first, last + 1))
    assert await socket.hears_nothing()


async def test_a_wrong_hint_changes_nothing(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    hub().hear({one.table.pk: view["seq"] + 1000, 999_999: 5})
    assert await socket.hears_nothing()
    await make(one.act)()
    assert (await socket.hear("view"))["seq"] == view["seq"] + 1


async def test_nothing_falls_between_joining_and_the_first_view(
    door: Open, story: StoryMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await playing(story)
    reading, moved = hubs._read, asyncio.Event()
    loop = asyncio.get_running_loop()

    def read_and_then_somebody_acts(table_id: int, after: int) -> Any:
        found = reading(table_id, after)
        if not moved.is_set():
            one.act()
            loop.call_soon_threadsafe(moved.set)
        return found

    monkeypatch.setattr(hubs, "_read", read_and_then_somebody_acts)
    _, view = await enter(door, one, 0)
    assert view["seq"] == await head(one)


async def test_two_who_come_in_at_once_both_hear_everything(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    (first, seen), (second, also_seen) = await asyncio.gather(enter(door, one, 0), enter(door, one, 1))
    await make(one.act)()
    last = await head(one)
    for socket, view in ((first, seen), (second, also_seen)):
        assert await numbers(socket, last) == list(range(view["seq"] + 1, last + 1))


async def test_a_view_is_made_once_for_each_audience(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    from tests.games.stories import make_user

    sockets = [(await enter(door, one, seat))[0] for seat in range(4)]
    for n in range(5):
        sockets.append((await enter(door, one, await make(make_user)(f"stranger{n}")))[0])
    before = hub().views
    await make(one.act)()
    for socket in sockets:
        await socket.hear("view")
    assert hub().views - before == 5  # four seats and the spectators


async def test_the_room_is_gone_with_its_last_viewer(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    socket, _ = await enter(door, one, 0)
    await socket.leave()
    assert hub().rooms == {}


# ---- presence


async def test_a_socket_is_a_row_and_its_end_too(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    socket, _ = await enter(door, one, 0)
    await hub().presence.flushed()
    row = await Connection.objects.aget()
    assert (row.table_id, row.user_id, row.closed_ms) == (one.table.pk, one.users[0].pk, None)
    assert row.process_id == hub().presence.process
    one.wait(5)
    await socket.leave()
    await hub().presence.flushed()
    assert (await Connection.objects.aget()).closed_ms == one.now


async def test_a_reload_within_three_seconds_is_no_event(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    sockets = [(await enter(door, one, seat))[0] for seat in range(4)]
    await sockets[0].leave()
    one.wait(2.9)
    await enter(door, one, 0)
    await hub().presence.flushed()
    await make(tasks.mark_lost)()
    assert all(seat.lost_since is None for seat in (await make(lambda: one.state)()).seats if seat)


async def test_who_comes_back_is_not_lost_any_more(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    sockets = [(await enter(door, one, seat))[0] for seat in range(4)]
    await sockets[0].leave()
    await hub().presence.flushed()
    left = one.now
    one.wait(4)
    await make(tasks.mark_lost)()
    assert (await sitter(one, 0)).lost_since == left
    socket, view = await enter(door, one, 0)
    assert view["seats"][0]["lost_ms"] > 0
    assert (await socket.hear("view"))["events"][0]["kind"] == "absence_ended"


async def test_a_process_taken_for_dead_writes_its_sockets_again(
    door: Open, story: StoryMaker, hub: Here
) -> None:
    one = await playing(story)
    socket, _ = await enter(door, one, 0)
    rows = hub().presence
    await rows.flushed()
    await ServerProcess.objects.all().adelete()
    await rows.beat(10**9)
    await rows.flushed()
    assert await Connection.objects.filter(closed_ms=None, process=rows.process).acount() == 1
    await socket.leave()
    await rows.flushed()
    assert await Connection.objects.filter(closed_ms=None).acount() == 0


async def test_a_seat_lost_by_mistake_is_welcomed_back_at_once(
    door: Open, story: StoryMaker, hub: Here
) -> None:
    one = await playing(story)
    await enter(door, one, 0)
    await hub().presence.flushed()
    await Connection.objects.all().adelete()  # as if we had slept for a minute
    one.wait(4)
    await make(tasks.mark_lost)()
    while (await sitter(one, 0)).lost_since is not None:
        await asyncio.sleep(0.01)


async def test_a_welcome_that_failed_is_given_again(
    door: Open, story: StoryMaker, hub: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await playing(story)
    await make(one.perform)(Lost(0, one.now))

    def away(*_: object) -> None:
        raise TableError("unavailable")

    with monkeypatch.context() as without_database:
        without_database.setattr(writer.Writer, "submit", away)
        await enter(door, one, 0)
        await hub().presence.flushed()
        await asyncio.sleep(0)
        assert (await sitter(one, 0)).lost_since is not None
    await watch.feel_pulse(hub())
    while (await sitter(one, 0)).lost_since is not None:
        await asyncio.sleep(0.01)


async def test_a_socket_written_twice_is_present_once(
    door: Open, story: StoryMaker, hub: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows were written and the answer was lost: who leaves later leaves no row behind."""
    one = await playing(story)
    real, broken = presence._record, [True]

    def record(*args: Any) -> list[int]:
        pks = real(*args)
        if broken.pop() if broken else False:
            raise OperationalError("connection lost after COMMIT")
        return pks

    monkeypatch.setattr(presence, "_record", record)
    monkeypatch.setattr(presence, "_AGAIN_S", 0.0)
    socket, _ = await enter(door, one, 0)
    await hub().presence.flushed()
    assert await Connection.objects.filter(closed_ms=None).acount() == 1
    await socket.leave()
    await hub().presence.flushed()
    assert await Connection.objects.filter(closed_ms=None).acount() == 0


async def test_a_newer_tab_in_another_process_replaces_this_one(
    door: Open, story: StoryMaker, hub: Here
) -> None:
    one = await playing(story)
    socket, _ = await enter(door, one, 0)
    await hub().presence.flushed()
    other = await ServerProcess.objects.acreate(id="00000000-0000-0000-0000-000000000001", beat_ms=one.now)
    await Connection.objects.acreate(process=other, table=one.table, user=one.users[0], opened_ms=one.now)
    await watch.feel_pulse(hub())
    assert (await socket.hear())["code"] == "replaced"
    assert await socket.hear() == {"type": "closed", "code": 4409}


# ---- deadlines


async def test_a_deadline_rings_where_somebody_looks_on_without_waiting_for_the_sweep(
    door: Open, story: StoryMaker, hub: Here
) -> None:
    one = await playing(story)
    _, view = await enter(door, one, 0)
    turn = turn_of(view)
    socket, _ = await enter(door, one, turn)
    await socket.say("trustee", id="a", on=True)
    assert (await socket.hear("view"))["view"]["seats"][turn]["trustee"]
    one.wait(2)
    event = (await socket.hear("view"))["events"][0]
    assert (event["kind"], event["seat"], event["auto"]) == ("acted", turn, "trustee")


async def test_an_alarm_that_rings_too_early_does_nothing(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    room = hub().rooms[one.table.pk]
    hub()._ring(room)
    assert await socket.hears_nothing()
    assert await head(one) == view["seq"]


# ---- signs of life


async def test_an_idle_socket_hears_of_its_head(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await seated(story)
    socket, view = await enter(door, one, 0)
    viewer = hub().viewers()[0]
    viewer.outbox.last_put -= 15
    await watch.feel_pulse(hub())
    assert await socket.hear() == {"type": "head", "seq": view["seq"]}


async def test_thirty_seconds_without_a_pong_close_1013(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await seated(story)
    socket, view = await enter(door, one, 0)
    other, _ = await enter(door, one, 1)
    await other.say("pong", seq=view["seq"])
    await asyncio.sleep(0)
    for viewer in hub().viewers():
        viewer.outbox._marks = type(viewer.outbox._marks)(
            (s, b, at - 31) for s, b, at in viewer.outbox._marks
        )
    await watch.feel_pulse(hub())
    assert await socket.hear() == {"type": "closed", "code": 1013}
    assert await other.hears_nothing()


async def test_draining_sends_everybody_away_to_come_back(door: Open, story: StoryMaker, hub: Here) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 0)
    await watch.drain()
    assert await socket.hear() == {"type": "closed", "code": 1012}
    assert await Connection.objects.filter(closed_ms=None).acount() == 0
    late = await door(one, 1).open()
    assert await late.hear() == {"type": "closed", "code": 1012}


async def test_one_process_has_nobody_to_tell() -> None:
    assert not hints.wanted()
