"""Preferences belong to the account: chosen in one window they hold in the next, and the other way round."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.browser.players import PASSWORD, Player
from tests.servers import Live

pytestmark = pytest.mark.asyncio(loop_scope="module")
CHOICES = {"theme": "dark", "deck": "4", "hand_sort": "suit"}
KEPT = "() => ['theme', 'deck', 'sound', 'order'].map(name => JSON.parse(localStorage.getItem('paishe.' + name)))"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(chromium: dict[str, Any]) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        yield browser
        await browser.close()


async def other_window(browser: Browser, house: Live, name: str) -> Page:
    """Log in somewhere else."""
    page = await browser.new_page(color_scheme="light")
    await page.goto(f"{house.url}/accounts/login/")
    await page.fill("[name=login]", name)
    await page.fill("[name=password]", PASSWORD)
    await page.click("main button.main")
    await page.wait_for_url("**/")
    return page


async def test_what_is_chosen_on_the_page_holds_at_the_table_elsewhere(browser: Browser, house: Live) -> None:
    player = await Player.come(browser, house.url, "Mei")
    await player.page.goto(f"{house.url}/accounts/preferences/")
    for name, value in CHOICES.items():
        await player.page.click(f"label.pick:has([name={name}][value='{value}'])")
    await player.page.click("label:has([name=sounds])")
    await player.page.click(".choices .btn.main")
    await expect(player.page.locator(".messages")).to_contain_text("Your preferences are saved.")
    there = await other_window(browser, house, "Mei")
    await there.click("form:has([name=tier][value='qq.practice']) button")
    await there.wait_for_selector("#hand .card >> nth=12")
    root = there.locator("html")
    await expect(root).to_have_attribute("data-theme", "dark")
    await expect(root).to_have_attribute("data-deck", "4")
    await expect(there.locator("#sound-switch")).to_have_attribute("aria-pressed", "false")
    cards = await there.locator("#hand .card").evaluate_all("all => all.map(card => card.dataset.card)")
    suits = [card[-1] for card in cards]
    assert len([suit for suit, next_suit in pairwise(suits) if suit != next_suit]) == len(set(suits)) - 1
    assert player.troubles == []


async def test_what_is_switched_on_a_page_is_kept_by_the_account(browser: Browser, house: Live) -> None:
    player = await Player.come(browser, house.url, "Ravi", color_scheme="light")
    async with player.page.expect_response("**/accounts/preferences/set/") as kept:
        await player.page.click(".top [data-theme-switch]")
    assert (await kept.value).status == 204
    there = await other_window(browser, house, "Ravi")
    await expect(there.locator("html")).to_have_attribute("data-theme", "dark")
    assert await there.evaluate(KEPT) == ["dark", 2, True, "rank"]
    await there.goto(f"{house.url}/accounts/preferences/")
    await expect(there.locator("[name=theme][value=dark]")).to_be_checked()


async def test_a_stranger_keeps_his_choice_in_the_browser(browser: Browser, house: Live) -> None:
    page = await browser.new_page(color_scheme="light")
    await page.goto(f"{house.url}/")
    await page.click(".top [data-theme-switch]")
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
