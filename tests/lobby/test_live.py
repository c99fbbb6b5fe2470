"""The live lobby: one look a second for all sockets of a process; each is told what changed, and what is its own."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import ApplicationCommunicator
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import services as accounts
from games import database, tables, writer
from games import selectors as games
from games.table.commands import Stand
from lobby import live, matchmaking, services
from lobby.consumers import LobbyConsumer
from lobby.live import Hall
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from wallet import services as wallet

SAFE, PICK = "classic.points-safe", "qq.bamboo"
pytestmark = pytest.mark.both_databases
House = Callable[[str], RoomTier]


class Socket:
    """One socket in the lobby, driven message by message."""

    def __init__(self, user: Any) -> None:
        self.session = SessionStore()
        scope = {"type": "websocket", "user": user, "session": self.session}
        self._line = ApplicationCommunicator(LobbyConsumer.as_asgi(), scope)

    async def open(self) -> "Socket":
        await sync_to_async(self.session.create)()
        await self._line.send_input({"type": "websocket.connect"})
        assert (await self._line.receive_output(5))["type"] == "websocket.accept"
        return self

    async def say(self, text: str | None, **more: Any) -> None:
        await self._line.send_input({"type": "websocket.receive", "text": text, **more})

    async def hear(self, type: str | None = None) -> dict[str, Any]:
        """Return the next message, or the next of a type."""
        while True:
            message = await self._line.receive_output(5)
            if message["type"] == "websocket.close":
                return {"type": "closed", "code": message["code"]}
            heard: dict[str, Any] = json.loads(message["text"])
            if type is None or heard["type"] == type:
                return heard

    async def hears_nothing(self) -> bool:
        quiet: bool = await self._line.receive_nothing(0.1, 0.01)
        return quiet

    async def leave(self) -> None:
        await self._line.send_input({"type": "websocket.disconnect", "code": 1001})
        await self._line.wait(5)


Open = Callable[[Any], Socket]


@pytest.fixture
async def door(
    transactional_db: None, house: House, quiet: Any, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Open]:
    """Make sockets; the poller looks once by itself, and then when the test says so (`look`)."""
    monkeypatch.setattr(live, "PERIOD_S", 3600.0)
    opened: list[Socket] = []

    def make(user: Any) -> Socket:
        opened.append(Socket(user))
        return opened[-1]

    yield make
    for socket in opened:
        with suppress(Exception, asyncio.CancelledError):
            await socket.leave()
    await asyncio.to_thread(writer.stop)
    await asyncio.to_thread(database.close_all)
    await sync_to_async(connections.close_all)()
    live._hall = None


@pytest.fixture
def hall() -> Callable[[], Hall]:
    """The hall of the running test."""
    return live.here


@pytest.fixture
def look() -> Callable[[], Any]:
    """Look once: what a second's passing does."""
    return lambda: live.here().poll()


def do(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return sync_to_async(function)(*args, **kwargs)


async def enter(door: Open, user: Any) -> Socket:
    """Come in and hear what a newcomer hears."""
    socket = await door(user).open()
    await socket.hear("lobby")
    if user is not None:
        await live.here().poll()
        await socket.hear("you")
    return socket


# ---- what everybody sees


async def test_somebody_signed_out_sees_the_whole_house_at_once(door: Open, people: People) -> None:
    (mei,) = await do(people, 1)
    found = await do(services.quick_match, user=mei, tier_code=PICK)
    await do(services.quick_match, user=(await do(people, 1))[0], tier_code=SAFE)
    first = await (await door(AnonymousUser()).open()).hear()
    assert (first["type"], first["seq"]) == ("lobby", 1)
    assert first["tiers"][PICK] == {"players": 1, "tables": 1, "waiting": 0, "open": True}
    assert first["tiers"][SAFE] == {"players": 0, "tables": 0, "waiting": 1, "open": True}
    assert first["tables"] == {PICK: [{"code": found.table_code, "seats": [mei.username, None, None, None]}]}
    assert first["busy"] == {"people": 1, "tables": 1, "waiting": 1, "here": 2}


async def test_only_what_changed_is_sent(door: Open, people: People, look: Any) -> None:
    socket = await enter(door, None)
    await look()
    assert await socket.hears_nothing()
    (mei,) = await do(people, 1)
    found = await do(services.quick_match, user=mei, tier_code=PICK)
    await look()
    news = await socket.hear()
    assert set(news["tiers"]) == {PICK}
    assert news["tables"] == {PICK: [{"code": found.table_code, "seats": [mei.username, None, None, None]}]}
    assert news["busy"] == {"people": 1, "tables": 1, "here": 1}
    await look()
    assert await socket.hears_nothing()


async def test_a_full_table_leaves_the_list_of_free_chairs(door: Open, people: People, look: Any) -> None:
    for user in await do(people, 3):
        await do(services.quick_match, user=user, tier_code=PICK)
    socket = await enter(door, None)
    await do(services.quick_match, user=(await do(people, 1))[0], tier_code=PICK)
    await look()
    news = await socket.hear()
    assert (news["tables"], news["tiers"][PICK]["players"]) == ({PICK: []}, 4)


async def test_a_table_everybody_has_left_is_not_named(door: Open, people: People, look: Any) -> None:
    (mei,) = await do(people, 1)
    await do(services.quick_match, user=mei, tier_code=PICK)
    socket = await enter(door, None)
    seat = await do(games.seat_of, mei)
    await do(tables.perform, seat.table_id, Stand(seat.seat))
    await look()
    assert (await socket.hear())["tables"] == {PICK: []}


async def test_a_tier_the_desk_closes_is_told_closed(door: Open, house: House, look: Any) -> None:
    socket = await enter(door, None)
    await RoomTier.objects.filter(code=PICK).aupdate(is_open=False)
    await look()
    assert (await socket.hear())["tiers"] == {PICK: {"players": 0, "tables": 0, "waiting": 0, "open": False}}


async def test_names_at_anti_cheat_tables_are_nobodys_to_see(door: Open, people: People, look: Any) -> None:
    users = await do(people, 4)
    for user in users:
        await do(services.quick_match, user=user, tier_code=SAFE)
    socket = await door(None).open()
    first = await socket.hear()
    assert first["tiers"][SAFE]["players"] == 4
    assert not [user for user in users if user.username in json.dumps(first)]


# ---- however many look on


async def test_many_sockets_share_one_look(
    door: Open, people: People, hall: Callable[[], Hall], look: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[object] = []
    real = live.look

    def counted(*asked: Any) -> Any:
        looked.append(asked)
        return real(*asked)

    monkeypatch.setattr(live, "look", counted)
    users = await do(people, 6)
    sockets = [await door(user).open() for user in [*users, None, None]]
    for socket in sockets:
        await socket.hear("lobby")
    assert (len(looked), hall().looks, len(hall().viewers)) == (1, 1, 8)
    await look()
    assert len(looked) == 2
    for socket in sockets[:6]:
        assert (await socket.hear())["type"] == "you"


def test_a_look_takes_as_many_queries_for_one_as_for_fifty(people: People) -> None:
    def queries(users: set[int]) -> int:
        with CaptureQueriesContext(connection) as captured:
            live.look(users, {"a", "b"}, ())
        return len(captured)

    users = people(50)
    for user in users[:19]:
        services.quick_match(user=user, tier_code=PICK)
    for user in users[20:30]:
        services.quick_match(user=user, tier_code=SAFE)
    every = {user.pk for user in users}
    assert queries({users[0].pk}) == queries(every) == 11


async def test_polling_begins_with_the_first_socket_and_ends_with_the_last(
    door: Open, house: House, hall: Callable[[], Hall]
) -> None:
    assert hall()._poller is None
    one, other = await enter(door, None), await enter(door, None)
    poller = hall()._poller
    assert poller is not None
    await one.leave()
    assert not poller.done()
    await other.leave()
    await asyncio.wait([poller], timeout=5)
    assert poller.cancelled() and hall()._poller is None
    await enter(door, None)


async def test_a_look_that_fails_is_followed_by_the_next(
    door: Open, hall: Callable[[], Hall], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PERIOD_S", 0.01)
    real, failures = live.look, iter([OSError("the database is away")] * 3)

    def failing(*asked: Any) -> Any:
        if (error := next(failures, None)) is not None:
            raise error
        return real(*asked)

    monkeypatch.setattr(live, "look", failing)
    socket = await door(None).open()
    assert (await socket.hear())["type"] == "lobby"
    monkeypatch.setattr(live, "PERIOD_S", 3600.0)


# ---- what is one's own


async def test_each_is_told_his_own_and_nobody_elses(door: Open, people: People, look: Any) -> None:
    ravi, mei = await do(people, 2)
    await do(wallet.grant, user_id=mei.pk, amount=7, reference="gift")
    at_ravis, at_meis, stranger = await door(ravi).open(), await door(mei).open(), await enter(door, None)
    await look()
    own = {"seat": None, "ticket": None, "refused": False}
    for socket, balance in ((at_ravis, 10_000), (at_meis, 10_007)):
        told = await socket.hear("you")
        assert told == {"type": "you", "seq": told["seq"], "balance": balance, **own}
    await do(wallet.grant, user_id=mei.pk, amount=1, reference="another")
    await look()
    assert (await at_meis.hear())["balance"] == 10_008
    assert await at_ravis.hears_nothing()
    assert await stranger.hears_nothing()


async def test_a_seat_taken_on_another_page_is_told_here(door: Open, people: People, look: Any) -> None:
    (ravi,) = await do(people, 1)
    here, there = await enter(door, ravi), await enter(door, ravi)
    found = await do(services.quick_match, user=ravi, tier_code=PICK)
    await look()
    for socket in (here, there):
        assert (await socket.hear("you"))["seat"] == found.table_code


async def test_who_waits_is_told_of_the_match_on_all_his_pages_and_nobody_else_is(
    door: Open, people: People, look: Any
) -> None:
    ravi, *others = await do(people, 4)
    here, there, stranger = await enter(door, ravi), await enter(door, ravi), await enter(door, None)
    await do(services.quick_match, user=ravi, tier_code=SAFE)
    await look()
    assert (await here.hear("you"))["ticket"] == SAFE
    for other in others:
        await do(services.quick_match, user=other, tier_code=SAFE)
    await look()
    seat = await do(games.seat_of, ravi)
    for socket in (here, there):
        assert await socket.hear("match") == {"type": "match", "table": seat.table_code}
    heard = [await stranger.hear(), await stranger.hear()]
    assert {message["type"] for message in heard} == {"lobby"}
    assert await stranger.hears_nothing()


async def test_a_refused_ticket_is_told(door: Open, people: People, look: Any) -> None:
    (ravi,) = await do(people, 1)
    await do(services.quick_match, user=ravi, tier_code=SAFE)
    socket = await enter(door, ravi)
    await QueueTicket.objects.aupdate(refusal="tier_closed")
    await look()
    told = await socket.hear("you")
    assert (told["ticket"], told["refused"]) == (SAFE, True)


async def test_an_open_page_keeps_its_owners_ticket_alive_and_no_other(
    door: Open, people: People, hall: Callable[[], Hall]
) -> None:
    ravi, mei = await do(people, 2)
    for user in (ravi, mei):
        await do(services.quick_match, user=user, tier_code=SAFE)
    await enter(door, ravi)
    await QueueTicket.objects.aupdate(last_seen=timezone.now() - timedelta(seconds=29))
    hall().looks = live.LIFE_EVERY
    await hall().poll()
    await do(matchmaking.match_all, now=timezone.now() + timedelta(seconds=20))
    assert [ticket.user_id async for ticket in QueueTicket.objects.all()] == [ravi.pk]


# ---- rights, limits, leaving


async def rights(hall: Hall) -> None:
    hall.looks = live.RIGHTS_EVERY
    await hall.poll()


async def test_who_signs_out_is_closed_4401(door: Open, people: People, hall: Callable[[], Hall]) -> None:
    ravi, mei = await do(people, 2)
    one, other, stranger = await enter(door, ravi), await enter(door, mei), await enter(door, None)
    await do(one.session.delete)
    await rights(hall())
    assert await one.hear() == {"type": "closed", "code": 4401}
    assert await other.hears_nothing() and await stranger.hears_nothing()


async def test_a_ban_is_4403_and_changed_access_comes_back(
    door: Open, people: People, hall: Callable[[], Hall]
) -> None:
    ravi, mei = await do(people, 2)
    one, other = await enter(door, ravi), await enter(door, mei)
    await do(accounts.ban, user=ravi)
    await do(mei.raise_access_version)
    await rights(hall())
    assert await one.hear() == {"type": "closed", "code": 4403}
    assert await other.hear() == {"type": "closed", "code": 1012}


async def test_a_message_over_eight_kibibytes_closes_1009(door: Open) -> None:
    socket = await enter(door, None)
    await socket.say('{"type":"pong","seq":' + " " * 8192 + "1}")
    assert await socket.hear() == {"type": "closed", "code": 1009}


async def test_the_fifth_message_that_has_no_place_here_closes_1008(door: Open) -> None:
    socket = await enter(door, None)
    for text in ('{"type":"ready","id":"a"}', "no json", None, '{"type":"pong","seq":9}'):
        await socket.say(text)
        assert (await socket.hear())["code"] == "bad_message"
    await socket.say('{"type":"resync","seq":0}')
    assert (await socket.hear("closed"))["code"] == 1008


async def test_pongs_have_a_limit_too(door: Open) -> None:
    socket = await enter(door, None)
    for _ in range(21):
        await socket.say('{"type":"pong","seq":1}')
    assert await socket.hear() == {"type": "closed", "code": 1008}


async def test_who_reads_nothing_is_closed_1013(
    door: Open, hall: Callable[[], Hall], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, sleeper = await enter(door, None), await enter(door, None)
    await reader.say('{"type":"pong","seq":1}')
    assert await reader.hears_nothing()
    later = monotonic() + 31
    monkeypatch.setattr(live, "monotonic", lambda: later)
    hall()._feel_pulse()
    assert await sleeper.hear("closed") == {"type": "closed", "code": 1013}
    assert await reader.hear() == {"type": "head", "seq": 1}


async def test_on_a_stop_everybody_is_sent_away_to_come_back(door: Open, hall: Callable[[], Hall]) -> None:
    socket = await enter(door, None)
    await live.drain()
    assert await socket.hear() == {"type": "closed", "code": 1012}
    late = await door(None).open()
    assert await late.hear() == {"type": "closed", "code": 1012}
    assert hall()._poller is None
