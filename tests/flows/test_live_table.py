"""Two people at browsers and two at sockets play whole deals for coins, through a reload and a cut line."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from playwright.async_api import Browser, TimeoutError, WebSocket, async_playwright

from tests.browser.players import Player as Reader
from tests.servers import ROOT, Live
from tests.sockets.player import Player
from tests.sockets.secrecy import leaks
from tests.sockets.visitor import Visitor

Serve = Callable[..., Live]
TIER = "qq.bamboo"
CUT_S = 20.0
DEALS = 2
THINKS_S = 0.5  # a hand is slower than the limit of messages


class House(Protocol):
    """Where a story is played: a server, or many behind one address."""

    @property
    def url(self) -> str: ...
    def manage(self, *arguments: str) -> str: ...


async def read_frames(reader: Reader) -> list[str]:
    """Keep every frame the window's sockets receive."""
    frames: list[str] = []

    def opened(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(str(frame)))

    reader.page.on("websocket", opened)
    return frames


async def come(browser: Browser, live: House, name: str, **options: Any) -> tuple[Reader, list[str], str]:
    reader = await Reader.come(browser, live.url, name, **options)
    frames = await read_frames(reader)
    return reader, frames, await reader.sit(TIER)


async def come_by_socket(live: House, name: str, code: str) -> Player:
    visitor = Visitor(live.url)
    await asyncio.to_thread(visitor.sign_up, name)
    assert await asyncio.to_thread(visitor.sit_in, TIER) == code
    return await Player(live.url, code, visitor.session).connect()


async def play_by_hand(reader: Reader, deals: int, *, reload: bool = False) -> None:
    """Press start and move whenever the page asks for it, until so many deals are over; reload after a move."""
    over, playing = 0, False
    while True:
        state = await reader.page.locator("#content").get_attribute("data-state")
        if state == "playing":
            playing = True
        elif state == "between" and playing:
            over, playing = over + 1, False
            await reader.page.wait_for_selector("#over:not([hidden]) .reckon")
        if over == deals:
            return
        if await reader.is_to_move():
            await reader.move()
            await asyncio.sleep(THINKS_S)
            if reload:
                reload = False
                await reload_once(reader)
        elif state == "between" and await reader.is_asked_to_start():
            # The others may start the deal between the look and the press.
            with suppress(TimeoutError):
                await reader.start(timeout=1_000)
        await asyncio.sleep(0.05)


async def reload_once(reader: Reader) -> None:
    """Reload in the middle of the first deal: the same hand lies there afterwards."""
    before = set(await reader.hand())
    await reader.page.reload()
    await reader.at_table()
    await reader.page.wait_for_selector("#hand .card")
    after = set(await reader.hand())
    assert after <= before and len(before) - len(after) <= 5


async def cut_once(player: Player, seconds: float) -> None:
    """Lose the line for so long, with the turn wherever it is, and come back."""
    await player.until(lambda: player.view.get("phase") == "playing", 60)
    player.cut()
    await player.until(lambda: player.closed is not None)
    await asyncio.sleep(seconds)
    await player.connect()


async def play_cut(player: Player, deals: int, seconds: float) -> None:
    """Play so many deals, with a line that is cut in the first for so many seconds."""
    assert (await player.ready())["type"] == "ack"
    await cut_once(player, seconds)
    while len(_closings(player)) < 1 and player.view["phase"] != "between":
        await player.play(1, say_ready=False)
    await player.play(deals - 1)


def _closings(player: Player) -> list[dict[str, Any]]:
    return [event for event in player.events if event["kind"] == "deal_closed"]


def replay(record: dict[str, Any]) -> dict[str, Any]:
    """Replay a record through the rules console."""
    done = subprocess.run(
        [sys.executable, "-m", "games.engine"],
        input=json.dumps({"op": "replay", "record": record}) + "\n",
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


RECORDS = """
import json
from games import log
from games.models import Deal
from games.table.records import record_of
for deal in Deal.objects.exclude(closed_seq=None).order_by("number"):
    events = [log.parse(body) for _, body in log.bodies(deal.table_id, deal.opened_seq, deal.closed_seq)]
    print("RECORD " + json.dumps(record_of(events)))
"""


def records(live: House) -> list[dict[str, Any]]:
    lines = live.manage("shell", "-c", RECORDS).splitlines()
    return [json.loads(line.removeprefix("RECORD ")) for line in lines if line.startswith("RECORD ")]


async def test_two_browsers_and_two_sockets_play_for_coins(serve: Serve, chromium: dict[str, Any]) -> None:
    await play_the_story(serve(), chromium, {}, {})


async def play_the_story(
    live: House,
    chromium: dict[str, Any],
    meis: dict[str, Any],
    ravis: dict[str, Any],
    *,
    deals: int = DEALS,
    cut_s: float = CUT_S,
) -> None:
    """Play the deals at a house and look at all that is left of them.

    `meis` and `ravis` are the options of their windows; one line at a socket is cut for `cut_s` seconds.
    """
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        mei, mei_frames, code = await come(browser, live, "Mei", **meis)
        ravi, ravi_frames, same = await come(browser, live, "林波", **ravis)
        assert code and same == code
        bo, chen = await come_by_socket(live, "Ravi", code), await come_by_socket(live, "老陈", code)
        await asyncio.gather(
            play_by_hand(mei, deals),
            play_by_hand(ravi, deals, reload=True),
            bo.play(deals),
            play_cut(chen, deals, cut_s),
        )
        await chen.until(lambda: chen.view["result"] is not None and chen.view["result"]["number"] == deals)
        receipts = [await reader.page.locator("#over .reckon").inner_text() for reader in (mei, ravi)]
        assert receipts[0] and _figures(receipts[0]) == _figures(receipts[1])
        assert bo.view["result"] == chen.view["result"]
        assert (mei.troubles, ravi.troubles) == ([], [])
        await browser.close()
    for frames in (mei_frames, ravi_frames, bo.frames, chen.frames):
        assert leaks(frames) == []
    await bo.leave()
    await chen.leave()
    live.manage("verify_books")
    played = records(live)
    assert [record["ruleset"] for record in played] == ["bigtwo.qq"] * deals
    for record in played:
        answer = await asyncio.to_thread(replay, record)
        assert answer["settlement"] == record["settlement"]
    assert played[-1]["settlement"]["net"] == bo.view["result"]["settlement"]["net"]


def _figures(text: str) -> list[str]:
    """Return the figures of a receipt, in order of size: each reader's own column comes first."""
    return sorted(word for word in text.replace("−", "-").split() if any(ch.isdigit() for ch in word))
