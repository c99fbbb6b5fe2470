"""A lean WebSocket client, so that the load costs little beside the server it measures."""

import asyncio
import base64
import os
import struct
from collections.abc import Callable

Heard = Callable[["Line", bytes], None]


class Line(asyncio.Protocol):
    """One socket: hands over each text frame of the server, sends text."""

    def __init__(self, head: bytes, heard: Heard) -> None:
        self._head = head
        self._heard = heard
        self._data = bytearray()
        self._shaken = False
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = False
        self.close_code: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._head)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._shaken:
            end = self._data.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._data.startswith(b"HTTP/1.1 101"):
                self.opened.set_exception(ConnectionError(bytes(self._data[:60]).decode(errors="replace")))
                return
            self._shaken = True
            del self._data[: end + 4]
            self.opened.set_result(None)
        at, data = 0, bytes(self._data)
        while (frame := _frame(data, at)) is not None:
            opcode, start, at = frame
            if opcode == 1:
                self._heard(self, data[start:at])
            elif opcode == 9:
                self._send(10, data[start:at])
            elif opcode == 8:
                self.close_code = struct.unpack(">H", data[start : start + 2])[0] if at - start >= 2 else 1005
        del self._data[:at]

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed"))

    def say(self, text: str) -> None:
        """Send a text frame."""
        self._send(1, text.encode())

    def end(self) -> None:
        """Close the line at once."""
        self._transport.abort()

    def _send(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        self._transport.write(bytes([0x80 | opcode]) + length + bytes(4) + payload)


def _frame(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Return (opcode, start, end) of the frame at a place, None when it is not whole."""
    if len(data) < at + 2:
        return None
    opcode, size, start = data[at] & 15, data[at + 1] & 127, at + 2
    if size == 126:
        size, start = int.from_bytes(data[start : start + 2]), start + 2
    elif size == 127:
        size, start = int.from_bytes(data[start : start + 8]), start + 8
    return (opcode, start, start + size) if len(data) >= start + size else None


async def open_line(port: int, path: str, heard: Heard, *, session: str = "", patience: float = 30.0) -> Line:
    """Open a socket at a server of this machine."""
    head = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nCookie: sessionid={session}\r\n\r\n"
    )
    loop = asyncio.get_running_loop()
    _, line = await loop.create_connection(lambda: Line(head.encode(), heard), "127.0.0.1", port)
    await asyncio.wait_for(line.opened, patience)
    return line
