"""The one door of `make stack`: a small proxy in front of the web processes. For a desk, not for a real house.

It does what the balancer of config/deploy does: sockets of one table go to one process, by the table's code; all else
goes round; what answers nowhere is 503; `/metrics` is not for the outside. A connection carries one request, so each
is placed by itself, and whatever follows the head is carried as bytes. The cookie `paishe_web=N` puts a person on one
process, whatever he asks for: with it a test has two people of one table in two.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple
from zlib import crc32

HEAD_BYTES = 64 * 1024
HEAD_S = 60.0
CONNECT_S = 5.0
PIN = "paishe_web"
_CHUNK = 64 * 1024
_TABLE = re.compile(r"/ws/table/([^/?]+)/")
_PIN = re.compile(rf"(?:^|;)\s*{PIN}=(\d{{1,3}})\s*(?:;|$)")
_HOP = (b"connection", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-port")


class Head(NamedTuple):
    """The head of a request: its first line, its headers as they came, and what the choice depends on."""

    line: bytes
    headers: list[tuple[bytes, bytes]]

    @classmethod
    def parse(cls, data: bytes) -> Head:
        """Return the head in `data` (with the empty line at its end); raise ValueError for anything else."""
        line, *rest = data[:-4].split(b"\r\n")
        if len(line.split(b" ")) != 3:
            raise ValueError("no request line")
        headers = []
        for one in rest:
            name, colon, value = one.partition(b":")
            if not colon or not name or name != name.strip():
                raise ValueError("no header")
            headers.append((name, value.strip()))
        return cls(line, headers)

    @property
    def path(self) -> str:
        return self.line.split(b" ")[1].decode("latin-1")

    def all_of(self, name: bytes) -> list[str]:
        """Return every value of a header."""
        return [value.decode("latin-1") for header, value in self.headers if header.lower() == name]

    @property
    def is_upgrade(self) -> bool:
        return any(value.lower() == "websocket" for value in self.all_of(b"upgrade"))

    def forwarded(self, address: str) -> bytes:
        """Return the head as it is passed on: for whom, and for this one request unless it becomes a socket."""
        kept = [b"%b: %b" % header for header in self.headers if header[0].lower() not in _HOP]
        kept.append(b"Connection: " + (b"Upgrade" if self.is_upgrade else b"close"))
        kept.append(b"X-Forwarded-For: " + address.encode())
        return b"\r\n".join([self.line, *kept]) + b"\r\n\r\n"


def placed(head: Head, turn: int, webs: int) -> list[int]:
    """Return the web processes to ask, the right one first; `turn` counts what belongs to none."""
    pin = next((found for cookie in head.all_of(b"cookie") if (found := _PIN.search(cookie))), None)
    table = _TABLE.match(head.path)
    if pin is not None:
        first = int(pin[1])
    elif table is not None:
        first = crc32(table[1].encode())
    else:
        first = turn
    return [(first + step) % webs for step in range(webs)]


class Front:
    """Listens on one port and carries connections to the ports of the web processes."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = list(ports)
        self._turn = 0
        self._carried: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> None:
        """Begin to listen; raise OSError when the port is taken."""
        self._server = await asyncio.start_server(self._accept, host, port, limit=HEAD_BYTES)

    def refuse_more(self) -> None:
        """Take no new connection; those that are carried go on."""
        if self._server is not None:
            self._server.close()

    async def close(self) -> None:
        """End everything."""
        self.refuse_more()
        for task in self._carried:
            task.cancel()
        await asyncio.gather(*self._carried, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._carried.add(task)
        task.add_done_callback(self._carried.discard)
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._carry(reader, writer)
        writer.close()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = Head.parse(await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_S))
        except (ValueError, asyncio.LimitOverrunError):
            await _answer(writer, "400 Bad Request")
            return
        if head.path.partition("?")[0] == "/metrics":
            await _answer(writer, "404 Not Found")
            return
        self._turn += 1
        for index in placed(head, self._turn, len(self._ports)):
            try:
                web = await asyncio.wait_for(
                    asyncio.open_connection("127.0.0.1", self._ports[index]), CONNECT_S
                )
            except (OSError, TimeoutError):
                continue
            await self._tunnel(head, (reader, writer), web)
            return
        await _answer(writer, "503 Service Unavailable")

    async def _tunnel(
        self,
        head: Head,
        person: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        web: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Carry bytes both ways until the web process has said all, or one side is gone."""
        address = person[1].get_extra_info("peername")[0]
        web[1].write(head.forwarded(address))
        asking = asyncio.create_task(_pump(person[0], web[1]))
        try:
            await _pump(web[0], person[1])
        finally:
            asking.cancel()
            web[1].close()


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Carry bytes one way to their end; a line that breaks on one side is broken on the other."""
    try:
        while data := await source.read(_CHUNK):
            sink.write(data)
            await sink.drain()
        sink.write_eof()
    except OSError:
        sink.transport.abort()


async def _answer(writer: asyncio.StreamWriter, status: str) -> None:
    body = f"{status}\n".encode()
    writer.write(
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
        "Retry-After: 1\r\nConnection: close\r\n\r\n".encode()
        + body
    )
    await writer.drain()
