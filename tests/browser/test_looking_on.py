"""Around the play, in browsers: who looks on, who talks too much, who is not heard, and the older of two tabs."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright, expect

from tests.browser.conftest import NAMES, POINTS, open_house
from tests.browser.players import Player
from tests.servers import Live

pytestmark = pytest.mark.asyncio(loop_scope="module")
SAFE = "classic.points-safe"
UNHURRIED = "from lobby.models import RoomTier; RoomTier.objects.update(turn_seconds=120, start_seconds=300)"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Live]:
    """Our server behind a proxy, as it takes it: people come from networks of their own."""
    for live in open_house(tmp_path_factory, migrated_sqlite, PAISHE_PROXIES="1"):
        live.manage("shell", "-c", UNHURRIED)
        yield live


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def five(house: Live, chromium: dict[str, Any]) -> AsyncIterator[list[Player]]:
    """Four who play and one who looks on."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        yield [
            await Player.come(
                browser, house.url, name, extra_http_headers={"X-Forwarded-For": f"203.0.113.{n}"}
            )
            for n, name in enumerate((*NAMES, "Guest"))
        ]
        await browser.close()


async def test_one_looks_on_and_the_table_talks(five: list[Player]) -> None:
    *four, guest = five
    me, other = four[0].page, four[1]
    for player in four[:3]:
        await player.sit(POINTS)
    await guest.page.goto(f"{guest.url}/tables/")
    await expect(guest.page.locator("[data-watch]")).to_have_count(1)
    code = await four[3].sit(POINTS)
    for player in four:
        await player.start()
    await me.wait_for_selector("#hand .card")

    await guest.page.goto(f"{guest.url}/tables/")
    await guest.page.click(f".going li:has-text('{code}') .watch")
    assert await guest.at_table() == code
    await expect(guest.page.locator("#watchers")).to_contain_text("You look on")
    await expect(guest.page.locator("#why")).to_contain_text("You look on")
    await expect(guest.page.locator("#say-in")).to_be_disabled()
    assert await guest.page.locator("#acts button:not([hidden]), #hand .card").count() == 0
    await expect(me.locator("#watchers")).to_contain_text("1 looks on")

    await say(other, "good evening")
    line = me.locator("#talk-list li", has_text="good evening")
    await line.get_by_role("button", name=f"Mute {other.name}").click()
    await expect(line).to_have_count(0)
    await say(other, "still there?")
    await say(four[2], "yes")
    await expect(me.locator("#talk-list li", has_text="yes")).to_have_count(1)
    await expect(me.locator("#talk-list li", has_text="still there?")).to_have_count(0)
    await me.get_by_role("button", name=f"Hear {other.name} again").click()
    await expect(me.locator("#talk-list li", has_text="still there?")).to_have_count(1)

    for n in range(6):
        await say(four[0], f"line {n}")
    await expect(me.locator("#why")).to_contain_text("five lines in ten seconds")


async def say(player: Player, words: str) -> None:
    await player.page.fill("#say-in", words)
    await player.page.keyboard.press("Enter")


async def test_of_two_tabs_the_newest_plays_and_the_older_can_take_it_back(five: list[Player]) -> None:
    older = five[0].page
    newer = await five[0].context.new_page()
    await newer.goto(older.url)
    await newer.wait_for_selector("#hand .card")
    for read_only, acting in ((older, newer), (newer, older)):
        await expect(read_only.locator("#why")).to_have_text("Opened in a newer tab; this one is read-only.")
        await expect(read_only.locator("#acts button:not([hidden])")).to_have_text(["Play here"])
        await expect(acting.locator("#content")).to_have_attribute("data-line", "open")
        if read_only is older:
            await older.click("[data-act=here]")
    await newer.close()


async def test_nobody_looks_on_in_an_anti_cheat_room_and_the_page_says_so(five: list[Player]) -> None:
    *four, guest = five
    for player in four:
        await player.leave_for_good()
    for player in four:
        await player.page.click(f"form:has([name=tier][value='{SAFE}']) button")
        await player.page.wait_for_load_state()
    for player in four:
        await player.page.wait_for_url(re.compile("/tables/"))
        await player.page.wait_for_selector("#hand .card")
    page = four[0].page
    await expect(page.locator(".seat .who").first).to_have_text(re.compile(r"Seat \d"))
    await expect(page.locator("#say-why")).to_have_text("No chat during a deal in anti-cheat rooms.")
    await guest.page.goto(page.url)
    await expect(guest.page.locator("#gone-d")).to_have_text("Nobody may look on in an anti-cheat room.")
    assert [player.troubles for player in five] == [[]] * 5
