"""The door of a table: who may come in, what each message is answered by, and what closes a socket."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser

from games import protocol, tables, watch
from games.hub import Hub
from games.log import FORMAT
from games.models import Table
from tests.games.stories import StoryMaker, make_user
from tests.sockets.conftest import Open
from tests.sockets.tables_to_meet import an_action, enter, playing, seated, sitter, turn_of

pytestmark = pytest.mark.both_databases
make = sync_to_async


# ---- coming in


async def test_who_is_not_signed_in_is_let_in_only_to_hear_4401(door: Open, story: StoryMaker) -> None:
    socket = await door(await seated(story), AnonymousUser()).open()
    assert await socket.hear() == {"type": "closed", "code": 4401}


async def test_a_table_that_is_not_there_is_4403(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    socket = await door(one, 0, code="NOSUCH").open()
    assert await socket.hear() == {"type": "closed", "code": 4403}


async def test_the_first_message_is_a_whole_view(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    socket = await door(one, 2).open()
    first = await socket.hear()
    assert (first["type"], first["seq"], first["events"]) == ("view", first["view"]["seq"], [])
    assert first["view"]["me"] == 2
    assert len(first["view"]["deal"]["state"]["hand"].split()) == 13


async def test_who_has_no_seat_may_look_on_and_do_nothing(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    stranger = await make(make_user)("stranger")
    socket, view = await enter(door, one, stranger)
    assert view["me"] is None
    assert view["deal"]["state"]["hand"] is None
    await socket.say("act", id="a", turn=view["deal"]["turn_number"], action="pass")
    assert await socket.hear("refused") == {"type": "refused", "id": "a", "code": "not_seated", "detail": ""}


@pytest.mark.parametrize(
    ("terms", "why"),
    [({"spectators": False}, "tier"), ({"anti_cheat": True, "spectators": True}, "anti_cheat")],
)
async def test_where_nobody_may_look_on_a_stranger_hears_why_and_4403(
    door: Open, story: StoryMaker, terms: dict[str, Any], why: str
) -> None:
    one = await seated(story, **terms)
    socket = await door(one, await make(make_user)("stranger")).open()
    assert await socket.hear() == {"type": "notice", "code": "no_spectators", "detail": why}
    assert await socket.hear() == {"type": "closed", "code": 4403}


async def test_a_table_of_a_newer_release_is_1012(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    await make(Table.objects.filter(pk=one.table.pk).update)(format=FORMAT + 1)
    tables.forget()
    socket = await door(one, 0).open()
    assert await socket.hear() == {"type": "closed", "code": 1012}


async def test_what_is_said_before_the_first_view_is_answered_after_it(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    socket = await door(one, 0).open()
    await socket.say("ready", id="early")
    assert (await socket.hear())["type"] == "view"
    assert (await socket.hear())["type"] == "ack"


# ---- commands


async def test_an_ack_comes_first_and_the_view_it_led_to_after_it(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    turn = turn_of((await enter(door, one, 0))[1])
    socket, view = await enter(door, one, turn)
    await socket.say("act", id="mine", turn=view["deal"]["turn_number"], action=an_action(view))
    ack, news = await socket.hear(), await socket.hear()
    assert ack == {"type": "ack", "id": "mine", "seq": view["seq"] + 1}
    assert news["type"] == "view"
    assert news["seq"] >= ack["seq"]
    assert [event["seq"] for event in news["events"]] == list(range(view["seq"] + 1, news["seq"] + 1))


async def test_everybody_at_the_table_gets_the_view_of_his_own_seat(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    sockets = [(await enter(door, one, seat))[0] for seat in range(4)]
    await make(one.act)()
    views = [(await socket.hear("view"))["view"] for socket in sockets]
    assert [view["me"] for view in views] == [0, 1, 2, 3]
    assert len({view["deal"]["state"]["hand"] for view in views}) == 4


async def test_an_accepted_id_sent_again_gets_its_first_answer_and_changes_nothing(
    door: Open, story: StoryMaker
) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 1)
    await socket.say("ready", id="once")
    ack = await socket.hear("ack")
    view = await socket.hear("view")
    await socket.say("ready", id="once")
    assert await socket.hear() == ack
    assert (await make(lambda: one.state.seq)()) == view["seq"]


async def test_an_accepted_id_is_known_on_a_new_socket_too(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 1)
    await socket.say("ready", id="once")
    ack = await socket.hear("ack")
    await socket.leave()
    socket, _ = await enter(door, one, 1)
    await socket.say("ready", id="once")
    assert await socket.hear() == ack


async def test_a_late_click_never_becomes_the_next_move(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    while turn_of(view) != 0:
        await make(one.act)()
        view = (await socket.hear("view"))["view"]
    await socket.say("act", id="late", turn=view["deal"]["turn_number"] - 1, action=an_action(view))
    assert (await socket.hear("refused"))["code"] == "stale_turn"


async def test_a_refusal_has_a_code_and_the_engines_reason(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    view = (await enter(door, one, 0))[1]
    turn = turn_of(view)
    socket, view = await enter(door, one, turn)
    await socket.say("act", id="a", turn=view["deal"]["turn_number"], action="pass")
    refused = await socket.hear("refused")
    assert (refused["code"], refused["detail"]) == ("illegal", "cannot_pass_lead")


async def test_a_command_for_another_seat_cannot_be_said(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 1)
    await socket.say("ready", id="a", seat=2)
    assert (await socket.hear("refused"))["code"] == "bad_message"
    assert not any(seat.ready for seat in (await make(lambda: one.state)()).seats if seat)


# ---- hints


async def test_a_hint_names_good_plays_as_places_in_the_hand(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    turn = turn_of((await enter(door, one, 0))[1])
    socket, view = await enter(door, one, turn)
    await socket.say("hint", id="h")
    hint = await socket.hear()
    assert (hint["type"], hint["id"], hint["turn"]) == ("hint", "h", view["deal"]["turn_number"])
    assert 0 < len(hint["plays"]) <= 8
    legal = [play for plays in view["can"]["plays"].values() for play in plays]
    assert set(hint["plays"]) <= set(legal)
    other, _ = await enter(door, one, (turn + 1) % 4)
    await other.say("hint", id="too-early")
    assert (await other.hear())["plays"] == []
    assert await socket.hears_nothing(), "nothing happened at the table"


async def test_who_only_looks_on_gets_no_hint(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    socket = await door(one, await make(make_user)("guest")).open()
    assert (await socket.hear())["view"]["me"] is None
    await socket.say("hint", id="h")
    assert (await socket.hear("refused"))["code"] == "not_seated"


# ---- resync


async def test_resync_sends_again_what_came_after(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    for _ in range(3):
        await make(one.act)()
    while (await socket.hear("view"))["seq"] < view["seq"] + 3:
        pass
    await socket.say("resync", seq=view["seq"] + 1)
    again = await socket.hear()
    assert [event["seq"] for event in again["events"]] == [view["seq"] + 2, view["seq"] + 3]


async def test_resync_from_before_this_process_remembers_is_a_snapshot(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    await socket.say("resync", seq=1)
    again = await socket.hear()
    assert (again["type"], again["seq"], again["events"]) == ("view", view["seq"], [])


async def test_resync_with_nothing_newer_is_answered_by_the_head(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    socket, view = await enter(door, one, 0)
    await socket.say("resync", seq=view["seq"])
    assert await socket.hear() == {"type": "head", "seq": view["seq"]}


# ---- abuse


async def test_the_twenty_first_message_in_five_seconds_closes_1008(door: Open, story: StoryMaker) -> None:
    socket, view = await enter(door, await seated(story), 0)
    for _ in range(protocol.MESSAGES):
        await socket.say("resync", seq=view["seq"])
    for _ in range(protocol.MESSAGES):
        assert (await socket.hear())["type"] == "head"
    await socket.say("resync", seq=view["seq"])
    assert await socket.hear() == {"type": "closed", "code": 1008}


async def test_the_fifth_bad_message_closes_1008(door: Open, story: StoryMaker) -> None:
    socket, _ = await enter(door, await seated(story), 0)
    for text in ("{", "[]", "NaN", '{"type":"win"}', '{"type":"pong","seq":1,"seq":1}'):
        await socket.put({"type": "websocket.receive", "text": text})
        assert (await socket.hear())["code"] == "bad_message"
    assert await socket.hear() == {"type": "closed", "code": 1008}


async def test_a_binary_frame_is_a_bad_message(door: Open, story: StoryMaker) -> None:
    socket, _ = await enter(door, await seated(story), 0)
    await socket.put({"type": "websocket.receive", "bytes": b"\x00\xff"})
    assert (await socket.hear())["detail"] == "binary"


@pytest.mark.parametrize(("text", "closes"), [("x" * 8192, False), ("x" * 8193, True), ("牌" * 2731, True)])
async def test_more_than_8_kib_closes_1009(door: Open, story: StoryMaker, text: str, closes: bool) -> None:
    socket, _ = await enter(door, await seated(story), 0)
    await socket.put({"type": "websocket.receive", "text": text})
    assert ((await socket.hear()).get("code") == 1009) is closes


async def test_a_pong_for_what_was_never_sent_is_a_bad_message(door: Open, story: StoryMaker) -> None:
    socket, view = await enter(door, await seated(story), 0)
    await socket.say("pong", seq=view["seq"] + 1)
    assert (await socket.hear())["code"] == "bad_message"


# ---- two tabs


async def test_the_newest_tab_acts_and_the_older_one_hears_4409(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    older, _ = await enter(door, one, 0)
    newer, _ = await enter(door, one, 0)
    assert (await older.hear())["code"] == "replaced"
    assert await older.hear() == {"type": "closed", "code": 4409}
    await newer.say("ready", id="a")
    assert (await newer.hear())["type"] == "ack"


async def test_the_older_tab_can_do_nothing_any_more(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    older, _ = await enter(door, one, 0)
    await enter(door, one, 0)
    await older.say("ready", id="a")
    assert [(await older.hear())["type"] for _ in range(2)] == ["notice", "closed"]
    assert not (await sitter(one, 0)).ready


# ---- rights


async def test_a_session_that_ended_closes_4401(
    door: Open, story: StoryMaker, hub: Callable[[], Hub]
) -> None:
    socket, _ = await enter(door, await seated(story), 0)
    await make(socket.session.delete)()
    await watch.check_rights(hub())
    assert await socket.hear() == {"type": "closed", "code": 4401}


async def test_who_may_not_play_any_more_is_closed_4403(
    door: Open, story: StoryMaker, hub: Callable[[], Hub]
) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 0)
    one.users[0].is_active = False
    await make(one.users[0].save)()
    await watch.check_rights(hub())
    assert await socket.hear() == {"type": "closed", "code": 4403}


async def test_a_changed_access_with_a_living_session_comes_back(
    door: Open, story: StoryMaker, hub: Callable[[], Hub]
) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 0)
    other, _ = await enter(door, one, 1)
    await make(one.users[0].raise_access_version)()
    await watch.check_rights(hub())
    assert await socket.hear() == {"type": "closed", "code": 1012}
    assert await other.hears_nothing()


async def test_no_command_is_taken_on_rights_older_than_five_seconds(
    door: Open, story: StoryMaker, hub: Callable[[], Hub]
) -> None:
    one = await seated(story)
    socket, _ = await enter(door, one, 0)
    await make(socket.session.delete)()
    hub().rights_at -= watch.RIGHTS_S + 1
    await socket.say("ready", id="a")
    assert await socket.hear() == {"type": "closed", "code": 4401}
    assert not (await sitter(one, 0)).ready


# ---- losing the seat


async def test_who_escapes_where_nobody_may_look_on_sees_the_end_and_is_closed(
    door: Open, story: StoryMaker
) -> None:
    one = await playing(story, spectators=False)
    socket, _ = await enter(door, one, 0)
    await socket.say("leave", id="bye")
    last = await socket.hear("view")
    assert last["view"]["me"] is None
    assert last["view"]["result"]["how"] == "escaped"
    heard = [await socket.hear() for _ in range(2)]
    if heard[0]["type"] == "ack":
        heard = [*heard[1:], await socket.hear()]
    assert [message["type"] for message in heard] == ["notice", "closed"]
    assert heard[1]["code"] == 4403


async def test_frames_are_what_the_document_says(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    socket, view = await enter(door, one, 0)
    assert json.dumps(view)
    await socket.say("say", id="hello", text="早")
    assert (await socket.hear("ack"))["seq"] == view["seq"] + 1
    said = (await socket.hear("view"))["events"]
    assert [(event["kind"], event["text"], event["seat"]) for event in said] == [("said", "早", 0)]
