"""Only pages of our own origins open sockets: scheme, host and port must all agree; and nobody opens too many."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from accounts import devices
from accounts.devices import Origin
from accounts.models import Device, User
from config.sockets import NotTooOften, OnlyFromOurPages, SignedIn
from games import database


async def opens(*origins: bytes) -> bool:
    """Tell whether a socket with these Origin headers reaches the application behind the guard."""
    reached = False
    sent: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        nonlocal reached
        reached = True

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "websocket", "headers": [(b"origin", origin) for origin in origins]}
    await OnlyFromOurPages(application)(scope, receive, send)
    assert reached != bool(sent), "let through or closed, never both"
    return reached


@pytest.fixture(autouse=True)
def our_pages(settings: Any) -> None:
    settings.SOCKET_ORIGINS = ["https://play.example", "http://localhost:8000"]


@pytest.mark.parametrize(
    "origin", [b"https://play.example", b"https://play.example:443", b"http://localhost:8000"]
)
async def test_our_own_pages_may(origin: bytes) -> None:
    assert await opens(origin)


@pytest.mark.parametrize(
    "origin",
    [
        b"http://play.example",
        b"https://play.example:8443",
        b"https://evil.play.example",
        b"https://play.example.evil.example",
        b"https://play.example@evil.example",
        b"http://localhost",
        b"null",
        b"",
        b"https://play.example/\xff",
        b"https://[::1",
        b"https://play.example:notaport",
    ],
)
async def test_anything_else_may_not(origin: bytes) -> None:
    assert not await opens(origin)


async def test_no_origin_or_two_of_them_may_not() -> None:
    assert not await opens()
    assert not await opens(b"https://play.example", b"https://play.example")


# ---- not too often


class Door:
    """The guard against sockets that are opened over and over, and what becomes of each."""

    def __init__(self, settings: Any, a_person: int = 3, a_network: int = 5) -> None:
        settings.SOCKETS_PER_MINUTE = (a_person, a_network)
        self.now = 0.0
        self.guard = NotTooOften(self._application, clock=lambda: self.now)
        self._reached = False

    async def _application(self, scope: Any, receive: Any, send: Any) -> None:
        self._reached = True

    async def opens(self, who: int | None, network: str = "203.0.113.5") -> list[Any]:
        """Open a socket; return what was sent to it when it was turned away, nothing when it was let in."""
        self._reached, sent = False, []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        user = None if who is None else SimpleNamespace(pk=who)
        await self.guard({"type": "websocket", "user": user, "network": network}, receive, send)
        assert self._reached != bool(sent)
        return sent


TURNED_AWAY = [{"type": "websocket.accept"}, {"type": "websocket.close", "code": 4429}]


async def test_one_person_opens_so_many_sockets_a_minute_from_wherever(settings: Any) -> None:
    door = Door(settings)
    for n in range(3):
        assert await door.opens(1, f"198.51.100.{n}") == []
    assert await door.opens(1, "198.51.100.9") == TURNED_AWAY
    assert await door.opens(2, "198.51.100.9") == []
    door.now = 59.9
    assert await door.opens(1) == TURNED_AWAY
    door.now = 60.0
    assert await door.opens(1) == []


async def test_one_network_opens_so_many_for_whomever(settings: Any) -> None:
    door = Door(settings)
    for who in (1, 2, None, None, 3):
        assert await door.opens(who) == []
    assert await door.opens(4) == TURNED_AWAY
    assert await door.opens(None) == TURNED_AWAY
    assert await door.opens(4, "198.51.100.1") == []
    door.now = 60.0
    assert await door.opens(None) == []


async def test_whoever_is_turned_away_all_the_time_gets_in_a_minute_after_he_was_let_in(
    settings: Any,
) -> None:
    door = Door(settings)
    for _ in range(3):
        await door.opens(1)
    for second in range(1, 60):
        door.now = float(second)
        assert await door.opens(1) == TURNED_AWAY
    door.now = 60.0
    assert await door.opens(1) == []


async def test_who_is_gone_is_forgotten(settings: Any) -> None:
    door = Door(settings)
    for n in range(50):
        await door.opens(n, f"198.51.100.{n}")
    door.now = 120.0
    await door.opens(1)
    assert len(door.guard._people) == len(door.guard._networks) == 1


# ---- whose it is, and from where


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("proxies", "network"), [(0, "198.51.100.7"), (1, "203.0.113.9")])
async def test_a_socket_notes_where_its_person_comes_from(settings: Any, proxies: int, network: str) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    client, told = Client(), []
    user = await sync_to_async(User.objects.create_user)("Ravi")
    await sync_to_async(client.force_login)(user)
    cookies = {"sessionid": client.cookies["sessionid"].value, devices.COOKIE: devices.signed("phone")}
    scope = {
        "type": "websocket",
        "client": ["198.51.100.7", 4000],
        "headers": [
            (b"cookie", "; ".join(f"{name}={value}" for name, value in cookies.items()).encode()),
            (b"x-forwarded-for", b"192.0.2.1, 203.0.113.9"),
        ],
    }

    async def application(scope: Any, receive: Any, send: Any) -> None:
        told.append((scope["user"], scope["network"]))

    await SignedIn(application)(scope, None, None)
    assert told == [(user, network)]
    rows = await sync_to_async(lambda: set(Device.objects.filter(user=user).values_list("kind", "mark")))()
    assert rows == set(devices.marks(Origin(network, "phone")))
    await asyncio.to_thread(database.close_all)
