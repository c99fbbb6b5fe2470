"""The lobby in real browsers: figures move by themselves, a match leads to its table, lines come back."""

from __future__ import annotations

import re
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests import servers
from tests.browser.players import PASSWORD, Player
from tests.servers import Live

SAFE, PICK, PRACTICE = "classic.points-safe", "qq.bamboo", "classic.practice"
pytestmark = pytest.mark.asyncio(loop_scope="module")
CLOSE = f"from lobby.models import RoomTier; RoomTier.objects.filter(code='{PICK}').update(is_open=False)"
AT_TABLE = re.compile(r"/tables/\w+/$")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Live]:
    """Our server, for all tests of this file; it must end well and have logged no error."""
    folder = tmp_path_factory.mktemp("house")
    database = folder / "paishe.sqlite3"
    database.write_bytes(migrated_sqlite.read_bytes())
    live = servers.launch("one", folder=folder, database=f"sqlite:///{database}", PAISHE_PROXIES="1")
    yield live
    assert live.stop() == 0, live.log()
    assert not live.trouble(), live.log()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(chromium: dict[str, Any]) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(**chromium)
        yield opened
        await opened.close()


@pytest_asyncio.fixture(loop_scope="module")
async def come(house: Live, browser: Browser) -> AsyncIterator[Callable[[str], Any]]:
    """Make players by name; at the end none of their pages may have complained, and all windows close."""
    here: list[Player] = []

    async def one(name: str) -> Player:
        # each from a network of his own: of one, no two sit at an anti-cheat table
        from_afar = {"X-Forwarded-For": f"203.0.113.{len(here)}"}
        here.append(await Player.come(browser, house.url, name, extra_http_headers=from_afar))
        return here[-1]

    yield one
    troubles = {player.name: player.troubles for player in here if player.troubles}
    for player in here:
        await player.leave_for_good()
        await player.context.close()
    assert troubles == {}


@pytest_asyncio.fixture(loop_scope="module")
async def stranger(house: Live, browser: Browser) -> AsyncIterator[Page]:
    """A window of somebody signed out, in the lobby."""
    page = await browser.new_page()
    await page.goto(house.url)
    yield page
    await page.close()


def row(page: Page, tier: str) -> Any:
    return page.locator(f"[data-tier='{tier}']")


async def test_figures_and_free_chairs_move_by_themselves(come: Any, stranger: Page) -> None:
    online = row(stranger, PICK).locator("[data-online] b")
    before = await online.bounding_box()
    await expect(online).to_have_text("0")
    mei = await come("Mei")
    code = await mei.sit(PICK)
    await expect(online).to_have_text("1")
    assert await online.bounding_box() == before
    await expect(stranger.locator("#busy")).to_contain_text("1 person is here, at a table.")
    chair = stranger.locator("#chairs li")
    await expect(chair).to_contain_text("Mei")
    assert await chair.locator("form").get_attribute("action") == f"/tables/{code}/sit/"
    await mei.leave_for_good()
    await expect(online).to_have_text("0")
    await expect(chair).to_have_count(0)


async def test_a_match_leads_everybody_to_the_table_also_from_another_page(come: Any, stranger: Page) -> None:
    four = [await come(name) for name in ("Ravi", "Otto", "Hana", "Wen")]
    for player in four[:3]:
        await player.sit(SAFE)
    other = await four[0].context.new_page()
    await other.goto(f"{four[0].url}/")
    await expect(other.locator("#waits")).to_be_visible()
    await expect(four[0].page.locator("[data-waiting]")).to_have_text("3")
    await expect(row(stranger, SAFE).locator("[data-queue]")).to_contain_text("3/4")
    await four[3].sit(SAFE)
    for player in four[1:]:
        await player.page.wait_for_url(AT_TABLE)
    for _ in range(100):  # of his two pages one goes there, the other shows him the way
        if any(AT_TABLE.search(page.url) for page in (four[0].page, other)):
            break
        await other.wait_for_timeout(50)
    else:
        raise AssertionError("nobody led him to his table")
    await other.close()


async def test_the_seat_bar_comes_and_goes_with_the_seat(come: Any) -> None:
    shu = await come("Shu")
    here = await shu.context.new_page()
    await here.goto(f"{shu.url}/")
    bar = here.locator("#seat-bar")
    await expect(bar).to_be_hidden()
    code = await shu.sit(PICK)
    await expect(bar).to_be_visible()
    await expect(bar).to_contain_text(f"table {code}")
    await here.goto(f"{shu.url}/wallet/")
    await expect(bar.locator("a")).to_have_attribute("href", f"/tables/{code}/")
    await here.goto(f"{shu.url}/")
    await shu.leave_for_good()
    await expect(bar).to_be_hidden()
    await here.close()


async def test_who_escaped_reads_what_it_cost_until_he_has_read_it(come: Any) -> None:
    four = [await come(name) for name in ("Jia", "Noor", "Ming", "Ben")]
    for player in four:
        await player.sit("classic.points")
    for player in four:
        await player.start()
    await four[0].page.wait_for_selector("#hand .card >> nth=12")
    await four[0].leave_for_good()
    page = four[0].page
    await expect(page.locator(".note.danger")).to_contain_text(
        "〖Jia〗 forced his way out and loses 200 points."
    )
    await page.click("[data-read]")
    await page.reload()
    await expect(page.locator(".recent li")).to_contain_text("−200")
    await expect(page.locator(".note.danger")).to_have_count(0)


async def test_from_the_front_page_to_a_practice_deal(stranger: Page) -> None:
    await row(stranger, PRACTICE).locator("button").click()
    await expect(stranger.locator("main")).to_contain_text(
        "Then you sit down at Big Two, classic · Practice."
    )
    await stranger.fill("[name=username]", "Newcomer")
    await stranger.fill("[name=password1]", PASSWORD)
    await stranger.click("main button.main")
    await stranger.wait_for_url(AT_TABLE)
    await stranger.wait_for_selector("#hand .card >> nth=12")


async def test_the_anti_cheat_switch_hides_other_rooms_and_is_remembered(stranger: Page) -> None:
    await stranger.locator(".switch").click()
    for _ in range(2):
        await expect(row(stranger, PICK)).to_be_hidden()
        await expect(row(stranger, SAFE)).to_be_visible()
        await stranger.reload()
    await stranger.locator(".switch").click()
    await stranger.reload()
    await expect(row(stranger, PICK)).to_be_visible()


async def test_a_page_without_scripts_does_the_same_by_forms(house: Live, browser: Browser) -> None:
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(house.url)
    await row(page, SAFE).locator("button").click()
    await page.fill("[name=username]", "Plain")
    await page.fill("[name=password1]", PASSWORD)
    await page.click("main button.main")
    await page.wait_for_url(re.compile(r"/waiting/$"))
    await page.click("main button")
    await page.wait_for_url(re.compile(r"/$"))
    await context.close()


async def test_the_line_comes_back_after_a_restart(
    browser: Browser, tmp_path: Path, migrated_sqlite: Path
) -> None:
    database = tmp_path / "paishe.sqlite3"
    database.write_bytes(migrated_sqlite.read_bytes())
    live = servers.launch("one", folder=tmp_path, database=f"sqlite:///{database}")
    page = await browser.new_page()
    await page.goto(live.url)
    opened: list[str] = []
    page.on("websocket", lambda line: opened.append(line.url))
    await expect(page.locator("#busy")).to_contain_text("quiet")
    live.process.send_signal(signal.SIGTERM)
    assert live.process.wait(10) == 0
    again = servers.launch("one", folder=tmp_path, database=f"sqlite:///{database}", PORT=str(live.port))
    again.manage("shell", "-c", CLOSE)
    try:
        await expect(row(page, PICK).locator("[data-locked=closed]")).to_be_visible(timeout=15_000)
    finally:
        await page.close()
        assert again.stop() == 0
