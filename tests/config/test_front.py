"""The door of `make stack`: who is sent where, and what is carried through it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from config.stack.front import Front, Head, placed
from tests.servers import free_port


def head(*lines: str) -> Head:
    return Head.parse(("\r\n".join(lines) + "\r\n\r\n").encode())


TABLE = head("GET /ws/table/KX2P9/?a=1 HTTP/1.1", "Upgrade: websocket", "Connection: Upgrade")
LOBBY = head("GET / HTTP/1.1", "Host: localhost")


def test_all_sockets_of_a_table_go_to_one_process_and_tables_are_spread() -> None:
    assert {tuple(placed(TABLE, turn, 3)) for turn in range(9)} == {tuple(placed(TABLE, 0, 3))}
    tables = [head(f"GET /ws/table/T{number}/ HTTP/1.1") for number in range(60)]
    assert {placed(table, 0, 3)[0] for table in tables} == {0, 1, 2}


def test_what_belongs_to_no_table_goes_round() -> None:
    assert [placed(LOBBY, turn, 2)[0] for turn in range(4)] == [0, 1, 0, 1]


def test_if_one_is_away_every_other_is_asked() -> None:
    assert placed(LOBBY, 1, 3) == [1, 2, 0]


def test_a_cookie_pins_a_person_whatever_he_asks_for() -> None:
    pinned = head("GET /ws/table/KX2P9/ HTTP/1.1", "Cookie: sessionid=x; paishe_web=1; csrftoken=y")
    other = head("GET / HTTP/1.1", "cookie: paishe_web=0")
    assert [placed(pinned, turn, 2)[0] for turn in range(3)] == [1, 1, 1]
    assert [placed(other, turn, 2)[0] for turn in range(3)] == [0, 0, 0]


def test_what_a_client_says_of_its_way_here_is_overwritten() -> None:
    said = head("GET / HTTP/1.1", "X-Forwarded-For: 10.0.0.1", "Connection: keep-alive", "Host: a").forwarded(
        "1.2.3.4"
    )
    assert said == b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"
    assert b"\r\nConnection: Upgrade\r\n" in TABLE.forwarded("1.2.3.4")


@pytest.mark.parametrize(
    "data", ["GET /\r\n\r\n", "GET / HTTP/1.1\r\nno header\r\n\r\n", "GET / HTTP/1.1\r\n a: b\r\n\r\n"]
)
def test_what_is_no_request_is_refused(data: str) -> None:
    with pytest.raises(ValueError, match="no "):
        Head.parse(data.encode())


class Web:
    """A web process of one answer: it says its name and all that it was asked."""

    def __init__(self, name: str) -> None:
        self.name, self.port = name, free_port()

    async def start(self) -> asyncio.Server:
        return await asyncio.start_server(self._answer, "127.0.0.1", self.port)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(5) if asked.startswith(b"POST") else b""
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + self.name.encode() + b": " + asked + body)
        writer.close()


@pytest.fixture
async def ports() -> AsyncIterator[tuple[int, list[asyncio.Server]]]:
    webs = [Web("first"), Web("second")]
    servers = [await web.start() for web in webs]
    front, port = Front([web.port for web in webs]), free_port()
    await front.open("127.0.0.1", port)
    yield port, servers
    await front.close()
    for server in servers:
        server.close()


async def ask(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    answer = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    return answer


async def test_requests_are_carried_whole_and_answers_come_back(
    ports: tuple[int, list[asyncio.Server]],
) -> None:
    answer = await ask(ports[0], b"POST /quick/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
    assert answer.startswith(b"HTTP/1.1 200 OK") and answer.endswith(
        b"X-Forwarded-For: 127.0.0.1\r\n\r\nhello"
    )


async def test_who_is_away_is_passed_over_and_when_all_are_it_is_503(
    ports: tuple[int, list[asyncio.Server]],
) -> None:
    port, (first, second) = ports
    first.close()
    await first.wait_closed()
    for _ in range(3):
        assert b"second: " in await ask(port, b"GET / HTTP/1.1\r\n\r\n")
    second.close()
    await second.wait_closed()
    assert (await ask(port, b"GET / HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 503 ")


async def test_metrics_are_not_carried(ports: tuple[int, list[asyncio.Server]]) -> None:
    for path in (b"/metrics", b"/metrics?x=1"):
        assert (await ask(ports[0], b"GET " + path + b" HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 404 ")


async def test_nonsense_is_400(ports: tuple[int, list[asyncio.Server]]) -> None:
    assert (await ask(ports[0], b"hello\r\n\r\n")).startswith(b"HTTP/1.1 400 ")
    assert (await ask(ports[0], b"GET / HTTP/1.1\r\nx: " + b"y" * 200_000)).startswith(b"HTTP/1.1 400 ")
