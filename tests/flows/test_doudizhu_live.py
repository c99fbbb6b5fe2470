"""Whole deals of both Dou Dizhu rule sets: a desktop, a phone that is touched and a player at a socket."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from playwright.async_api import Browser, TimeoutError, WebSocket, async_playwright

from tests.browser.players import Player as Reader
from tests.servers import ROOT, Live
from tests.sockets.player import Player, View, actions_of, eagerly
from tests.sockets.secrecy import leaks
from tests.sockets.visitor import Visitor

Serve = Callable[..., Live]
SLOWER = "from lobby.models import RoomTier; RoomTier.objects.update(turn_seconds=90, start_seconds=120)"
RECEIPT = "#over:not([hidden]) .reckon"
PATIENCE_S = 90.0
THINKS_S = 0.1


class Finger(Reader):
    """A player at a phone: he touches where others click, and picks his cards one by one."""

    async def press(self, act: str) -> None:
        await self.page.tap(f"[data-act={act}]")
        if act == "hint":
            await self._pick_again()

    async def _pick_again(self) -> None:
        """Put down what the hint has picked, and pick it up by hand."""
        await self.page.wait_for_selector("#hand .card[aria-selected=true]")
        picked = await self.page.eval_on_selector_all(
            "#hand .card[aria-selected=true]", "all => all.map(card => card.dataset.card)"
        )
        if len(picked) > 2:
            return
        for selected in ("false", "true"):
            for card in picked:
                box = f"#hand [data-card='{card}']"
                await self.page.tap(box, position={"x": 8, "y": 12})
                await self.page.wait_for_selector(f"{box}[aria-selected={selected}]")


def any_word(chance: random.Random) -> Callable[[View], str | None]:
    """Say anything before the play, then play eagerly."""

    def choose(view: View) -> str | None:
        if view["deal"]["state"]["phase"] == "play":
            return eagerly(view)
        return chance.choice(sorted(actions_of(view)))

    return choose


async def come(kind: type[Reader], browser: Browser, live: Live, name: str, **options: Any) -> Any:
    reader = await kind.come(browser, live.url, name, **options)
    frames: list[str] = []

    def opened(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(str(frame)))

    reader.page.on("websocket", opened)
    if "has_touch" in options:
        await reader.page.set_viewport_size({"width": 390, "height": 844})
    return reader, frames


async def join(reader: Reader, tier: str) -> None:
    """Press the tier's button; a match may take a while."""
    await reader.page.goto(f"{reader.url}/")
    await reader.page.click(f"form:has([name=tier][value='{tier}']) button")


async def join_by_socket(live: Live, name: str, tier: str, chance: random.Random) -> Player:
    visitor = Visitor(live.url)

    def sit() -> str:
        visitor.sign_up(name)
        visitor.get("/")
        assert visitor.post("/quick/", tier=tier) == 200, visitor.page
        until = time.monotonic() + PATIENCE_S
        while not visitor.at.startswith("/tables/") and time.monotonic() < until:
            time.sleep(0.3)
            visitor.get("/resume/")
        assert visitor.at.startswith("/tables/"), visitor.at
        return visitor.at.removeprefix("/tables/").removesuffix("/")

    code = await asyncio.to_thread(sit)
    return await Player(live.url, code, visitor.session, policy=any_word(chance)).connect()


async def play_by_hand(reader: Reader, chance: random.Random) -> None:
    """Press start and move whenever the page asks for it, until the receipt lies there; redeals go by."""
    await reader.page.wait_for_url("**/tables/**", timeout=PATIENCE_S * 1_000)
    await reader.at_table()
    while not await reader.page.locator(RECEIPT).count():
        if await reader.is_to_move():
            answers = await reader.answers()
            if answers:
                await reader.answer(chance.choice(answers))
            else:
                await reader.move()
        elif await reader.is_asked_to_start():
            # The others may start the deal between the look and the press.
            with suppress(TimeoutError):
                await reader.start(timeout=1_000)
        await asyncio.sleep(THINKS_S)


async def play_at_socket(player: Player) -> None:
    """Play until a deal is over that was no redeal."""
    while player.view.get("result") is None:
        await player.play(1, pace=THINKS_S)
        with suppress(asyncio.TimeoutError):
            await player.until(lambda: player.view["result"] is not None or player.view["phase"] == "playing")


RECORDS = """
import json
from games import log
from games.models import Deal
from games.table.records import record_of
for deal in Deal.objects.exclude(closed_seq=None).order_by("number"):
    events = [log.parse(body) for _, body in log.bodies(deal.table_id, deal.opened_seq, deal.closed_seq)]
    print("RECORD " + json.dumps(record_of(events)))
"""


def last_record(live: Live) -> dict[str, Any]:
    lines = live.manage("shell", "-c", RECORDS).splitlines()
    found: dict[str, Any] = json.loads(
        [line for line in lines if line.startswith("RECORD ")][-1].removeprefix("RECORD ")
    )
    return found


def replayed(record: dict[str, Any]) -> dict[str, Any]:
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


async def cells(reader: Reader) -> list[str]:
    """Return what stands in the receipt's columns; each reader's own column comes first."""
    return sorted(await reader.page.locator("#over .reckon td").all_inner_texts())


@pytest.mark.parametrize(
    ("ruleset", "tier"), [("doudizhu.taiwan", "taiwan.30"), ("doudizhu.mala", "mala.bamboo")]
)
async def test_a_desktop_a_phone_and_a_socket_play_a_deal_for_coins(
    serve: Serve, chromium: dict[str, Any], ruleset: str, tier: str
) -> None:
    live = serve()
    live.manage("shell", "-c", SLOWER)
    chance = random.Random(f"{ruleset} 2")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        mei, mei_frames = await come(Reader, browser, live, "Mei")
        bo, bo_frames = await come(Finger, browser, live, "林波", has_touch=True)
        await join(mei, tier)
        await join(bo, tier)
        ravi = await join_by_socket(live, "Ravi", tier, chance)
        await asyncio.gather(play_by_hand(mei, chance), play_by_hand(bo, chance), play_at_socket(ravi))
        receipts = [await cells(reader) for reader in (mei, bo)]
        assert receipts[0] == receipts[1] and len(receipts[0]) > 9
        assert await mei.page.locator("#over .role.lord").count() == 1
        assert await mei.page.locator("#over .role.farmer").count() == 2
        nets = [await cell.inner_text() for cell in await mei.page.locator(".reckon tfoot td").all()]
        assert (mei.troubles, bo.troubles) == ([], [])
        await browser.close()
    for frames in (mei_frames, bo_frames, ravi.frames):
        assert leaks(frames) == []
    settlement = ravi.view["result"]["settlement"]
    await ravi.leave()
    live.manage("verify_books")
    assert sum(settlement["net"]) + settlement["house"] == 0
    assert sorted(int(net.replace("−", "-").replace(",", "")) for net in nets) == sorted(settlement["net"])
    record = last_record(live)
    assert record["ruleset"] == ruleset and record["settlement"] == settlement
    assert (await asyncio.to_thread(replayed, record))["settlement"] == settlement
