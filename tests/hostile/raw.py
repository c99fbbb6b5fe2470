"""A WebSocket client that breaks the rules of WebSockets: raw bytes over a TCP connection."""

import base64
import os
import socket
import struct
from typing import Any


class Raw:
    """One TCP connection to a server. Blocking."""

    def __init__(self, port: int, *, small: bool = False) -> None:
        self.line = socket.socket()
        if small:
            self.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.line.settimeout(60)
        self.line.connect(("127.0.0.1", port))
        self._rest = b""

    def shake(self, path: str, *, session: str = "", origin: str | None = None, **headers: str) -> int:
        """Ask for a WebSocket and return the HTTP status."""
        asked = {
            "Host": "127.0.0.1",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
            **({"Origin": origin} if origin is not None else {}),
            **({"Cookie": f"sessionid={session}"} if session else {}),
            **headers,
        }
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items()), "", ""]
        self.line.sendall("\r\n".join(lines).encode())
        head = b""
        while b"\r\n\r\n" not in head:
            more = self.line.recv(65536)
            if not more:
                return 0
            head += more
        head, self._rest = head.split(b"\r\n\r\n", 1)
        return int(head.split(b" ", 2)[1])

    def frame(
        self, payload: bytes, *, opcode: int = 1, fin: bool = True, masked: bool = True, rsv: int = 0
    ) -> None:
        """Send one frame."""
        self.send(header(len(payload), opcode=opcode, fin=fin, masked=masked, rsv=rsv) + payload)

    def send(self, data: bytes) -> None:
        """Send bytes; a line that the server has closed is no error."""
        try:
            self.line.sendall(data)
        except OSError:
            return

    def close_code(self) -> int | None:
        """Read to the end and return the code of the close frame; None when there was none."""
        data = self._rest
        try:
            while more := self.line.recv(65536):
                data += more
        except OSError:
            pass
        return _close_code(data)

    def end(self) -> None:
        self.line.close()

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()


def header(size: int, *, opcode: int = 1, fin: bool = True, masked: bool = True, rsv: int = 0) -> bytes:
    """Return the head of a frame; its mask is four zeros, so the payload stands as it is."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    bit = 0x80 if masked else 0
    if size < 126:
        length = bytes([bit | size])
    elif size < 65536:
        length = bytes([bit | 126]) + struct.pack(">H", size)
    else:
        length = bytes([bit | 127]) + struct.pack(">Q", size)
    return bytes([first]) + length + (bytes(4) if masked else b"")


def _close_code(data: bytes) -> int | None:
    """Walk through a server's frames and return what its close frame says."""
    at = 0
    while at + 2 <= len(data):
        opcode, size = data[at] & 15, data[at + 1] & 127
        at += 2
        if size == 126:
            size, at = struct.unpack(">H", data[at : at + 2])[0], at + 2
        elif size == 127:
            size, at = struct.unpack(">Q", data[at : at + 8])[0], at + 8
        if opcode == 8:
            return struct.unpack(">H", data[at : at + 2])[0] if size >= 2 else 1005
        at += size
    return None
