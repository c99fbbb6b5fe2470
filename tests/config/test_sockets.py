"""Only pages of our own origins open sockets: scheme, host and port must all agree."""

from typing import Any

import pytest

from config.sockets import OnlyFromOurPages


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
