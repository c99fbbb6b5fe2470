"""Whoever attacks a table's socket gets a typed refusal or a documented close code; the table goes on."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from games.protocol import BAD_MESSAGES, Close
from tests.hostile.frames import hostile
from tests.hostile.raw import Raw, header
from tests.servers import Live
from tests.sockets.player import Player, play_table
from tests.sockets.secrecy import leaks
from tests.sockets.seed import seed

Serve = Callable[..., Live]
MIB = 1024 * 1024
GROWTH = 48 * MIB
OF_WEBSOCKETS = {1002, 1007, 1009}  # what the protocol itself closes broken frames with
DOCUMENTED = {int(code) for code in Close} | OF_WEBSOCKETS
ANSWERS = {"view", "ack", "refused", "head", "watchers", "notice"}


def memory(live: Live, what: str = "VmRSS") -> int:
    """Return the server's memory in bytes."""
    status = Path(f"/proc/{live.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(what))


@contextmanager
def bounded(live: Live) -> Iterator[None]:
    """Fail when the server's memory grew by more than it may."""
    before = memory(live)
    yield
    assert memory(live, "VmHWM") - before < GROWTH, f"{(memory(live, 'VmHWM') - before) / MIB:.0f} MiB more"


class Scene:
    """A table that is played, and a person who attacks it."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.table, other = seed(live.environment, tables=2)
        self.other = other
        self.path = f"/ws/table/{self.table['code']}/"
        self.attackers = [person["session"] for person in other["people"]]
        self.players = [
            Player(live.url, self.table["code"], person["session"], seed=n + 1)
            for n, person in enumerate(self.table["people"])
        ]

    async def plays_on(self) -> None:
        """Play a deal; the table must work as if nothing were."""
        for player in self.players:
            if player.view == {} or player.closed is not None:
                await player.connect()
        await play_table(self.players)
        assert self.players[0].view["result"]["how"] == "over"
        assert all(leaks(player.frames) == [] for player in self.players)

    def raw(self, n: int = 0, **options: Any) -> Raw:
        """Open a raw socket of an attacker at the table."""
        raw = Raw(self.live.port, **options)
        assert raw.shake(self.path, session=self.attackers[n], origin=self.live.url) == 101
        return raw


@pytest.fixture
def scene(serve: Serve) -> Scene:
    return Scene(serve())


async def test_two_thousand_hostile_frames_each_get_an_answer_or_a_documented_close(scene: Scene) -> None:
    frames = list(hostile(seed=8, count=2000))
    answered: dict[str, int] = {}
    closed: dict[int, int] = {}

    async def attack(n: int, mine: list[str | bytes]) -> None:
        """Send all frames, on a new socket whenever the server has had enough."""
        while mine:
            uri = f"{scene.live.socket_url}{scene.path}"
            cookie = {"Cookie": f"sessionid={scene.attackers[n]}"}
            origin: Any = scene.live.url
            async with connect(uri, origin=origin, additional_headers=cookie, compression=None) as socket:
                await socket.recv()  # the first view
                bad = 0
                try:
                    while mine:
                        await socket.send(mine.pop(0))
                        bad += await answer(socket) == "bad_message"
                        if bad == BAD_MESSAGES:
                            await socket.recv()  # nothing but the close
                except ConnectionClosed:
                    code = socket.close_code or 0
                    assert code in DOCUMENTED, code
                    closed[code] = closed.get(code, 0) + 1

    async def answer(socket: Any) -> str:
        async with asyncio.timeout(10):
            while True:
                message = json.loads(await socket.recv())
                assert message["type"] in ANSWERS
                if message["type"] in ("refused", "ack", "head") or message.get("events") == []:
                    kind: str = message.get("code", message["type"])
                    answered[kind] = answered.get(kind, 0) + 1
                    return kind

    with bounded(scene.live):
        shares = [frames[n::4] for n in range(4)]
        await asyncio.gather(scene.plays_on(), *(attack(n, share) for n, share in enumerate(shares)))
    assert answered["bad_message"] > 1000
    assert answered["not_seated"] > 100
    assert closed[1008] > 100
    assert closed[1009] >= 1
    await scene.plays_on()


async def test_what_breaks_the_rules_of_websockets_is_closed_and_costs_no_memory(scene: Scene) -> None:
    big = b"x" * (10 * MIB)

    def attack() -> None:
        with scene.raw() as raw:  # 10 MB in one frame
            raw.send(header(len(big)) + big)
            assert raw.close_code() == 1009
        with scene.raw() as raw:  # 10 MB in pieces that never end
            for n in range(0, len(big), 4096):
                raw.frame(big[n : n + 4096], opcode=0 if n else 1, fin=False)
            assert raw.close_code() == 1009
        with scene.raw() as raw:  # a frame that says it is 2^62 bytes long
            raw.send(header(2**62))
            assert raw.close_code() == 1009
        with scene.raw() as raw:  # not UTF-8
            raw.frame(b"\xff\xfe")
            assert raw.close_code() == 1007
        for frame in (
            {"masked": False},
            {"opcode": 5},
            {"rsv": 7},
            {"opcode": 0},
            {"opcode": 9, "fin": False},
        ):
            with scene.raw() as raw:
                raw.frame(b"{}", **frame)
                assert raw.close_code() == 1002, frame
        with scene.raw() as raw:  # not a WebSocket at all
            raw.send(b"GET / HTTP/1.1\r\n\r\n" * 1000)
            assert raw.close_code() in {1002, 1008, 1009}
        with scene.raw() as raw:  # nine pings of what a ping may hold, and more than it may
            for _ in range(9):
                raw.frame(b"x" * 125, opcode=9)
            raw.frame(b"x" * 126, opcode=9)
            assert raw.close_code() == 1002

    with bounded(scene.live):
        await asyncio.gather(asyncio.to_thread(attack), scene.plays_on())


def flood(k: int) -> bytes:
    payload = b'{"type":"say","id":"%d","text":"flood"}' % k
    return header(len(payload)) + payload


async def test_a_hundred_messages_a_second_are_1008(scene: Scene) -> None:
    def attack(n: int) -> None:
        for _ in range(5):
            with scene.raw(n) as raw:
                raw.send(b"".join(flood(k) for k in range(100)))
                assert raw.close_code() == 1008

    with bounded(scene.live):
        await asyncio.gather(*(asyncio.to_thread(attack, n) for n in range(4)), scene.plays_on())


async def test_whoever_floods_on_after_the_close_gains_nothing(scene: Scene) -> None:
    def attack(n: int) -> None:
        for _ in range(3):
            with scene.raw(n) as raw:
                for k in range(5_000):
                    raw.send(flood(k))
                # A line that is written to after its end is reset, and what was not read is lost.
                assert raw.close_code() in (1008, None)

    with bounded(scene.live):
        await asyncio.gather(*(asyncio.to_thread(attack, n) for n in range(4)), scene.plays_on())


async def test_who_never_reads_is_closed_1013_and_holds_nobody_up(scene: Scene) -> None:
    silent = [scene.raw(n, small=True) for n in range(4)]
    half_open = [Raw(scene.live.port) for _ in range(100)]  # never ask for anything
    with bounded(scene.live):
        await scene.plays_on()
        codes = await asyncio.gather(*(asyncio.to_thread(raw.close_code) for raw in silent))
        assert set(codes) == {1013}
        await scene.plays_on()
    for raw in half_open:
        raw.end()


async def test_other_peoples_seats_turns_and_tables_are_out_of_reach(scene: Scene) -> None:
    first = scene.players[0]
    for player in scene.players:
        await player.connect()
        await player.ready()
    for player in scene.players:
        await player.until(lambda player=player: player.view["phase"] == "playing")
    actor = next(player for player in scene.players if player.my_turn)
    idle = next(player for player in scene.players if not player.my_turn)
    turn, hand = actor.view["deal"]["turn_number"], actor.view["deal"]["state"]["hand"].split()
    play = f"play {hand[0]}"
    assert (await idle.ask("act", turn=turn, action=play))["code"] == "not_your_turn"
    theirs = idle.view["deal"]["state"]["hand"].split()[-1]
    assert (await actor.ask("act", turn=turn, action=f"play {theirs}"))["detail"] == "not_in_hand"
    assert (await actor.ask("act", turn=turn - 1, action=play))["code"] == "stale_turn"
    assert (await actor.ask("act", turn=turn + 1, action=play))["code"] == "stale_turn"
    assert (await actor.ask("act", turn=turn, action="void"))["type"] == "refused"
    assert (await actor.ask("answer_leave", agree=True))["code"] == "nothing_to_answer"
    assert (await actor.ask("stand"))["code"] == "wrong_phase"
    stranger = await Player(scene.live.url, scene.table["code"], scene.attackers[0]).connect()
    for type, fields in (("act", {"turn": turn, "action": play}), ("leave", {}), ("trustee", {"on": True})):
        assert (await stranger.ask(type, **fields))["code"] == "not_seated"
    accepted = await actor.ask("act", id="mine", turn=turn, action=play)
    assert accepted["type"] == "ack"
    assert await actor.ask("act", id="mine", turn=turn, action=play) == accepted
    assert (await idle.ask("act", id="mine", turn=turn, action=play))["type"] == "refused"
    await play_table(scene.players)
    assert first.view["result"]["how"] == "over"


def test_pages_of_other_origins_open_no_socket(scene: Scene) -> None:
    url, port = scene.live.url, scene.live.port
    foreign = [
        url.replace("http", "https"),
        url.replace("127.0.0.1", "evil.example"),
        url.replace("127.0.0.1", "127.0.0.1.evil.example"),
        f"http://127.0.0.1:{port + 1}",
        "http://127.0.0.1",
        f"{url}/page",
        "null",
        "",
        None,
    ]
    for origin in foreign:
        with Raw(port) as raw:
            status = raw.shake(scene.path, session=scene.attackers[0], origin=origin)
            assert status in (400, 403), origin
    with Raw(port) as raw:
        assert raw.shake("/ws/nowhere/", session=scene.attackers[0], origin=url) == 403


def test_who_is_not_signed_in_gets_nothing_but_4401(scene: Scene) -> None:
    for session in ("", "nosuchsession", "x" * 4000, "\x01"):
        with Raw(scene.live.port) as raw:
            assert raw.shake(scene.path, session=session, origin=scene.live.url) == 101
            assert raw.close_code() == 4401, session


def test_tables_that_are_not_there_are_4403(scene: Scene) -> None:
    for code in ("ZZZZZ", "zz", "00000000"):
        with Raw(scene.live.port) as raw:
            shaken = raw.shake(f"/ws/table/{code}/", session=scene.attackers[0], origin=scene.live.url)
            assert (shaken, raw.close_code()) == (101, 4403)
