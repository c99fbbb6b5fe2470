"""The server itself: bounded sockets, a clean stop, files, health, and who may open a socket."""

import asyncio
import contextlib
import json
import re
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests import servers

Serve = Callable[..., servers.Live]


def get(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of a GET; redirects and errors are answers too."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


async def close_code(connection: ClientConnection) -> int:
    """Read until the server closes and return its code."""
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            await asyncio.wait_for(connection.recv(), 10)
    received = closed.value.rcvd
    assert received is not None, "dropped without a code"
    return received.code


def peak_mib(live: servers.Live) -> float:
    """Return the most memory the process ever had, in MiB."""
    status = Path(f"/proc/{live.process.pid}/status").read_text()
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert match
    return int(match[1]) / 1024


@pytest.fixture(scope="module")
def stubborn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Live]:
    """A server of sockets that do not read or do not stop talking (tests/config/stubborn.py)."""
    folder = tmp_path_factory.mktemp("stubborn")
    live = servers.launch(
        "daphne", folder=folder, database="sqlite:///unused", application="tests.config.stubborn:application"
    )
    yield live
    assert live.stop() == 0
    assert live.trouble() == [], live.log()


class TestLimits:
    async def test_a_message_of_8_KiB_passes_and_one_more_byte_closes_with_1009(
        self, stubborn: servers.Live
    ) -> None:
        async with connect(f"{stubborn.socket_url}/echo/") as connection:
            await connection.send("x" * 8192)
            assert await connection.recv() == "8192"
            await connection.send("x" * 8193)
            assert await close_code(connection) == 1009

    async def test_a_message_in_many_frames_is_measured_whole(self, stubborn: servers.Live) -> None:
        async with connect(f"{stubborn.socket_url}/echo/") as connection:
            with contextlib.suppress(ConnectionClosed):
                await connection.send(["x" * 1000] * 9)
            assert await close_code(connection) == 1009

    async def test_a_message_in_endless_empty_frames_is_cut(self, stubborn: servers.Live) -> None:
        async with connect(f"{stubborn.socket_url}/echo/") as connection:
            with contextlib.suppress(ConnectionClosed):
                await connection.send(["x", *[""] * 100])
            assert await close_code(connection) == 1009

    async def test_what_we_send_may_be_longer(self, stubborn: servers.Live) -> None:
        async with connect(f"{stubborn.socket_url}/talks/", close_timeout=0.2) as connection:
            assert len(await connection.recv()) == 65536

    async def test_an_announced_gigabyte_is_refused_by_its_header(self, stubborn: servers.Live) -> None:
        async with connect(f"{stubborn.socket_url}/echo/") as connection:
            connection.transport.write(b"\x81\xff" + struct.pack(">Q", 1 << 30) + b"\0\0\0\0")
            assert await close_code(connection) == 1009

    async def test_a_flood_into_a_deaf_consumer_closes_with_1008(self, stubborn: servers.Live) -> None:
        async with connect(f"{stubborn.socket_url}/deaf/") as connection:
            with contextlib.suppress(ConnectionClosed):
                for _ in range(1000):
                    await connection.send("x" * 8000)
            assert await close_code(connection) == 1008
        assert peak_mib(stubborn) < 200

    async def test_a_client_that_does_not_read_is_cut_off(self, stubborn: servers.Live) -> None:
        before = psutil.Process(stubborn.process.pid).memory_info().rss
        connection = await connect(f"{stubborn.socket_url}/talks/", max_queue=1)
        connection.transport.pause_reading()
        grown = 0
        for _ in range(40):
            await asyncio.sleep(0.1)
            grown = max(grown, psutil.Process(stubborn.process.pid).memory_info().rss - before)
        assert grown < 30 * 1024 * 1024
        connection.transport.resume_reading()
        assert await drained(connection) in (1013, 1006)

    def test_pings_that_nobody_reads_the_answers_of_do_not_fill_the_memory(
        self, stubborn: servers.Live
    ) -> None:
        before = psutil.Process(stubborn.process.pid).memory_info().rss
        with raw_socket(stubborn, "/echo/") as line:
            line.settimeout(0.5)
            ping = b"\x89\xfd\0\0\0\0" + b"p" * 125
            sent = 0
            with contextlib.suppress(OSError):
                while sent < 64 * 1024 * 1024:
                    sent += line.send(ping * 500)
            grown = psutil.Process(stubborn.process.pid).memory_info().rss - before
        assert sent < 64 * 1024 * 1024, "the server never stopped reading"
        assert grown < 30 * 1024 * 1024


async def drained(connection: ClientConnection) -> int:
    """Read all that is still on the line; return the close code, 1006 if it was cut."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await asyncio.wait_for(connection.recv(), 10)
    return connection.close_code or 1006


@contextlib.contextmanager
def raw_socket(live: servers.Live, path: str) -> Iterator[socket.socket]:
    """Open a WebSocket by hand, to break its rules."""
    with socket.create_connection(("127.0.0.1", live.port)) as line:
        line.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        assert b"101" in line.recv(4096)
        yield line


class TestStop:
    async def test_sockets_are_told_to_come_back_and_the_server_ends_with_0(self, tmp_path: Path) -> None:
        live = servers.launch(
            "daphne",
            folder=tmp_path,
            database="sqlite:///unused",
            application="tests.config.stubborn:application",
        )
        async with connect(f"{live.socket_url}/echo/") as polite, connect(f"{live.socket_url}/deaf/"):
            began = time.monotonic()
            live.process.terminate()
            assert await close_code(polite) == 1012
            status = await asyncio.to_thread(live.process.wait, 10)
        assert status == 0
        assert time.monotonic() - began < 4
        assert "disconnected" in live.log(), "the consumer must hear of the end"
        assert live.trouble() == [], live.log()

    def test_the_single_process_stops_at_once(self, serve: Serve) -> None:
        live = serve()
        get(f"{live.url}/healthz")
        began = time.monotonic()
        assert live.stop() == 0
        assert time.monotonic() - began < 4

    def test_a_taken_port_is_said_and_ends_with_1(self, serve: Serve) -> None:
        first = serve()
        second = subprocess.run(
            servers.command("one", first.port, ""),
            env=first.environment,
            cwd=servers.ROOT,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert second.returncode == 1
        assert "in use" in second.stderr


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Live]:
    """The single process, as `make run` starts it."""
    folder = tmp_path_factory.mktemp("pages")
    live = servers.launch("one", folder=folder, database=f"sqlite:///{folder}/paishe.sqlite3")
    yield live
    assert live.stop() == 0
    assert live.trouble() == [], live.log()


class TestPages:
    def test_the_first_start_makes_staff_and_shows_the_password_once(self, live: servers.Live) -> None:
        assert len(re.findall(r"admin, password \S{12,}", live.log())) == 1
        assert "password" not in live.manage("make_staff")

    def test_health_tells_of_database_and_sweep(self, live: servers.Live) -> None:
        status, headers, body = get(f"{live.url}/healthz")
        assert status == 200
        assert json.loads(body)["database"] == "ok"
        assert "no-store" in headers["Cache-Control"]

    def test_files_are_served_and_asked_for_anew(self, live: servers.Live) -> None:
        status, headers, body = get(f"{live.url}/static/admin/css/base.css")
        assert status == 200
        assert "max-age=0" in headers["Cache-Control"]
        assert len(body) == int(headers["Content-Length"])
        status, _, body = get(f"{live.url}/static/admin/css/base.css", If_Modified_Since="never")
        assert status == 200

    def test_a_page_that_is_not_there_is_a_plain_404(self, live: servers.Live) -> None:
        assert get(f"{live.url}/no/such/page")[0] == 404

    def test_a_strange_host_is_refused(self, live: servers.Live) -> None:
        assert get(f"{live.url}/healthz", Host="evil.example")[0] == 400

    async def test_a_socket_nobody_knows_is_refused_without_a_traceback(self, live: servers.Live) -> None:
        with pytest.raises(InvalidStatus) as refused:
            await connect(f"{live.socket_url}/ws/nothing/", origin=live.url)  # type: ignore[arg-type]
        assert refused.value.response.status_code == 403


def test_a_second_start_makes_nothing_anew_and_is_cheap(serve: Serve, tmp_path: Path) -> None:
    """Measured as work of the processor, so that a busy machine changes nothing: under 4 s of it to serve."""
    database = f"sqlite:///{tmp_path}/again.sqlite3"
    serve(database=database).stop()
    second = serve(database=database)
    used = psutil.Process(second.process.pid).cpu_times()
    assert used.user + used.system < 4
    assert "Staff account made" not in second.log()
