"""Talk at a table: not too fast, not by who is muted, all of it in the log; and what anti-cheat rooms never tell."""

from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from accounts import restrictions
from games import log
from games.table.events import Said
from tests.games.stories import Story, StoryMaker
from tests.sockets.conftest import Open, Socket
from tests.sockets.tables_to_meet import enter, playing, seated

pytestmark = pytest.mark.both_databases
make = sync_to_async


async def say(socket: Socket, id: str, **words: Any) -> dict[str, Any]:
    """Say something; return the answer."""
    await socket.say("say", id=id, **(words or {"text": "早"}))
    while (heard := await socket.hear())["type"] not in ("ack", "refused"):
        pass
    return heard


async def lines_of(at: Story) -> list[Said]:
    events = await make(lambda: [event for _, event in log.events_after(at.table.pk, 0)])()
    return [event for event in events if isinstance(event, Said)]


async def test_the_sixth_line_in_ten_seconds_is_too_fast_on_whichever_socket(
    door: Open, story: StoryMaker
) -> None:
    at = await seated(story)
    socket, _ = await enter(door, at, 0)
    for n in range(3):
        assert (await say(socket, f"a{n}"))["type"] == "ack"
    await socket.leave()
    socket, _ = await enter(door, at, 0)  # come back
    assert (await say(socket, "b"))["type"] == "ack"
    tab, _ = await enter(door, at, 0)  # another tab
    assert (await say(tab, "c", phrase="hello"))["type"] == "ack"
    assert (await say(tab, "d"))["code"] == "too_fast"
    assert (await say(tab, "e", phrase="hello"))["code"] == "too_fast"
    assert (await say((await enter(door, at, 1))[0], "f"))["type"] == "ack"
    await make(at.wait)(10)
    assert (await say(tab, "g"))["type"] == "ack"
    assert len(await lines_of(at)) == 7


async def test_a_mute_refuses_with_its_end_and_takes_nothing_else(door: Open, story: StoryMaker) -> None:
    at = await seated(story)
    socket, _ = await enter(door, at, 0)
    assert (await say(socket, "before"))["type"] == "ack"
    ends = timezone.now() + timedelta(days=7)
    await make(restrictions.restrict)(
        user_id=at.users[0].pk, kind="mute", ends=ends, cause="verdict", reference="verdict:1"
    )
    refused = await say(socket, "text")
    assert (refused["code"], refused["detail"]) == ("muted", ends.isoformat())
    assert (await say(socket, "phrase", phrase="hello"))["code"] == "muted"
    assert (await say(socket, "before"))["type"] == "ack", "it was said before"
    await socket.say("ready", id="r")
    assert (await socket.hear("ack"))["id"] == "r"
    assert (await say((await enter(door, at, 1))[0], "other"))["type"] == "ack"
    await make(restrictions.lift)(reference="verdict:1")
    assert (await say(socket, "after"))["type"] == "ack"


async def test_a_mute_for_good_names_no_end(door: Open, story: StoryMaker) -> None:
    at = await seated(story)
    socket, _ = await enter(door, at, 0)
    await make(restrictions.restrict)(
        user_id=at.users[0].pk, kind="mute", ends=None, cause="verdict", reference="verdict:1"
    )
    assert await say(socket, "a") == {"type": "refused", "id": "a", "code": "muted", "detail": ""}


@pytest.mark.parametrize("text", ["a\x00b", "a\x1bb", "a\nb", "a\u202eb", "a\x85b", "x" * 201, " ", ""])
async def test_what_cannot_be_said_is_refused(door: Open, story: StoryMaker, text: str) -> None:
    at = await seated(story)
    socket, _ = await enter(door, at, 0)
    assert (await say(socket, "a", text=text))["code"] in ("bad_message", "bad_text")
    assert await lines_of(at) == []


async def test_an_anti_cheat_room_is_silent_during_a_deal_and_talks_after_it(
    door: Open, story: StoryMaker
) -> None:
    at = await playing(story, anti_cheat=True, spectators=False)
    socket, _ = await enter(door, at, 0)
    for id, words in (("a", {"text": "hi"}), ("b", {"phrase": "hello"})):
        refused = await say(socket, id, **words)
        assert (refused["code"], refused["detail"]) == ("not_allowed_here", "chat")
    await make(at.play_out)()
    assert (await say(socket, "c"))["type"] == "ack"


@pytest.mark.parametrize(
    ("message", "why"),
    [({"type": "trustee", "on": True}, "trustee"), ({"type": "ask_leave"}, "ask_leave")],
)
async def test_an_anti_cheat_room_has_neither_trustee_nor_consent(
    door: Open, story: StoryMaker, message: dict[str, Any], why: str
) -> None:
    at = await playing(story, anti_cheat=True, spectators=False)
    socket, view = await enter(door, at, 0)
    await socket.say(id="a", **message)
    refused = await socket.hear("refused")
    assert (refused["code"], refused["detail"]) == ("not_allowed_here", why)
    assert not view["can"]["trustee"] and not view["can"]["ask_leave"]


async def test_nobody_reads_an_opponents_name_before_the_deal_is_over(door: Open, story: StoryMaker) -> None:
    at = await playing(story, anti_cheat=True, spectators=False)
    socket = await door(at, 2).open()
    first = await socket.hear("view")
    names, ids = [user.username for user in at.users], [user.pk for user in at.users]
    for frame in [first, *[await frame_after_an_act(at, socket) for _ in range(3)]]:
        seats = frame["view"]["seats"]
        assert [(seat["name"], seat["user"]) for seat in seats] == [
            (names[2], ids[2]) if seat == 2 else ("", None) for seat in range(4)
        ]
        assert not any(name in str(frame) for place, name in enumerate(names) if place != 2)
    await make(at.play_out)()
    while (frame := await socket.hear("view"))["view"]["result"] is None:
        pass
    assert [seat["name"] for seat in frame["view"]["seats"]] == names


async def frame_after_an_act(at: Story, socket: Socket) -> dict[str, Any]:
    await make(at.act)()
    return await socket.hear("view")
