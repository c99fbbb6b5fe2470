"""A whole deal against the computer players, three times: by mouse, by keys alone, and with a thumb on a phone."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Locator, Page, async_playwright, expect

from tests.browser.conftest import open_house
from tests.browser.listening import Sound, heard, listen, names_heard
from tests.browser.players import PASSWORD
from tests.servers import Live

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
AT_TABLE = re.compile(r"/tables/\w+/$")
LATER_MS = 20_000
LONGEST_MS = 800
CUES = [
    "deal",
    "pick",
    "play",
    "pass",
    "turn",
    "second",
    "last",
    "bomb",
    "rocket",
    "won",
    "lost",
    "coin",
    "message",
]
MY_TURN_OR_OVER = """() => document.querySelector('#over:not([hidden]) .receipt')
  || (document.querySelector('.me.turn') && document.querySelector('[data-act=play]:not([hidden])'))"""
TURN_GONE = "turn => document.querySelector('#content').dataset.turn !== turn"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Live]:
    """A house whose computer players are quick."""
    yield from open_house(tmp_path_factory, migrated_sqlite, PAISHE_COMPUTER_THINKS_MS="60-120")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(chromium: dict[str, Any]) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        yield browser
        await browser.close()


class Hand:
    """Somebody's way of using a page: a mouse, a keyboard, a thumb."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.troubles: list[str] = []
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", lambda said: self.troubles.append(said.text) if said.type == "error" else None)

    async def press(self, what: Locator) -> None:
        await what.click()

    async def write(self, what: Locator, words: str) -> None:
        await self.press(what)
        await self.page.keyboard.type(words)

    async def act(self, name: str) -> None:
        await self.press(self.page.locator(f"[data-act={name}]"))

    async def pick_by_hand(self) -> None:
        """Show that cards can be picked and put back one by one."""
        cards = self.page.locator("#hand .card")
        await self.press(cards.nth(1))
        await expect(cards.nth(1)).to_have_attribute("aria-selected", "true")
        await self.press(cards.nth(1))
        await expect(cards.nth(1)).to_have_attribute("aria-selected", "false")

    async def come_in(self, url: str, name: str) -> None:
        """From the front page to the cards of a practice deal."""
        page = self.page
        await page.goto(url)
        await self.press(page.get_by_role("link", name="Sign up").first)
        await self.write(page.get_by_label("Name", exact=True), name)
        await self.write(page.get_by_label("Password", exact=True), PASSWORD)
        await self.press(page.locator("main").get_by_role("button", name="Sign up"))
        await page.wait_for_url(re.compile(r"/$"))
        await self.press(page.locator("[data-tier='qq.practice']").get_by_role("button", name="Practice"))
        await page.wait_for_url(AT_TABLE)
        await expect(page.locator("#hand .card")).to_have_count(13, timeout=LATER_MS)

    async def play_a_deal(self) -> int:
        """Play what the hint proposes until the receipt lies on the table; return how often it was our turn."""
        page, turns = self.page, 0
        receipt = page.locator("#over:not([hidden]) .receipt")
        while True:
            await page.wait_for_function(MY_TURN_OR_OVER, timeout=LATER_MS)
            if await receipt.count():
                return turns
            turn = await page.locator("#content").get_attribute("data-turn")
            if turns == 0:
                await self.pick_by_hand()
            turns += 1
            if await page.locator("[data-act=hint]:not([hidden])").count():
                await self.take_the_hint()
                await self.act("play")
            else:
                await self.act("pass")
            await page.wait_for_function(TURN_GONE, arg=turn, timeout=LATER_MS)

    async def take_the_hint(self) -> None:
        """Ask for a hint, and once more where nothing came of it, as anybody would."""
        picked = self.page.locator("#hand .card[aria-selected=true]")
        for wait in (LATER_MS // 4, LATER_MS):
            await self.act("hint")
            try:
                await expect(picked).not_to_have_count(0, timeout=wait)
                return
            except AssertionError:
                if wait == LATER_MS:
                    raise

    async def looks_at_the_receipt(self) -> None:
        """The deal is over: everybody's score is there, they sum to 0, and the focus is on what happened."""
        receipt = self.page.locator("#over .receipt")
        await expect(receipt.locator("#out-h")).to_be_focused()
        await expect(receipt.locator("#out-h")).to_have_text(re.compile(" went out first$"))
        scores = await receipt.locator(".reckon tfoot td").all_inner_texts()
        assert len(scores) == 4
        assert sum(int(score.replace("−", "-").replace("+", "").replace(",", "")) for score in scores) == 0
        assert self.troubles == []


class Keys(Hand):
    """Never a pointer: Tab, arrows, Space, Enter and the letters of the table."""

    async def tab_to(self, what: Locator) -> None:
        for _ in range(120):
            if await what.evaluate(
                "it => it === document.activeElement || it.contains(document.activeElement)"
            ):
                await self.sees_the_focus()
                return
            await self.page.keyboard.press("Tab")
        raise AssertionError(f"no way there by Tab: {what}")

    async def sees_the_focus(self) -> None:
        shown = await self.page.evaluate("""() => {
          const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
          return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
        }""")
        assert shown, "the focus cannot be seen"

    async def press(self, what: Locator) -> None:
        await self.tab_to(what)
        await self.page.keyboard.press("Enter")

    async def write(self, what: Locator, words: str) -> None:
        await self.tab_to(what)
        await self.page.keyboard.type(words)

    async def act(self, name: str) -> None:
        await self.page.keyboard.press({"hint": "h", "pass": "p", "play": "Enter"}[name])

    async def pick_by_hand(self) -> None:
        page, cards = self.page, self.page.locator("#hand .card")
        await self.tab_to(page.locator("#hand"))
        for key, at in (("Home", 0), ("ArrowRight", 1), ("End", 12), ("ArrowLeft", 11)):
            await page.keyboard.press(key)
            await expect(cards.nth(at)).to_be_focused()
        await self.sees_the_focus()
        for picked in ("true", "false"):
            await page.keyboard.press("Space")
            await expect(cards.nth(11)).to_have_attribute("aria-selected", picked)


class Thumb(Hand):
    """A touch screen: taps, and a finger drawn across the cards."""

    async def press(self, what: Locator) -> None:
        await what.tap()

    async def pick_by_hand(self) -> None:
        cards = self.page.locator("#hand .card")
        for picked in ("true", "false"):
            await self.draw_across(cards.nth(1), cards.nth(4))
            for at in range(1, 5):
                await expect(cards.nth(at)).to_have_attribute("aria-selected", picked)
            await expect(cards.nth(5)).to_have_attribute("aria-selected", "false")

    async def draw_across(self, first: Locator, last: Locator) -> None:
        """Put a finger on one card and lift it from another."""
        boxes = [await each.bounding_box() for each in (first, last)]
        (x, y), (end, _) = ((box["x"] + 20, box["y"] + 30) for box in boxes if box)
        session = await self.page.context.new_cdp_session(self.page)

        async def touch(kind: str, *at: float) -> None:
            points = [{"x": at[0], "y": at[1]}] if at else []
            await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        await touch("touchStart", x, y)
        for step in range(1, 11):
            await touch("touchMove", x + (end - x) * step / 10, y)
        await touch("touchEnd")
        await session.detach()


async def window(browser: Browser, **options: Any) -> BrowserContext:
    return await browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})


async def test_a_deal_by_mouse_sounds_as_it_goes(browser: Browser, house: Live) -> None:
    """Each cue is heard for its cause, none before the first click on a page, none over 800 ms."""
    context = await window(browser)
    page = await context.new_page()
    await listen(page)
    player = Hand(page)
    await player.come_in(house.url, "Mouse")
    assert await heard(page) == []
    assert await player.play_a_deal() > 0
    await player.looks_at_the_receipt()
    sounds = await heard(page)
    names = {sound["name"] for sound in sounds}
    assert {"pick", "play", "pass", "turn"} <= names
    assert len({"won", "lost"} & names) == 1 and "coin" not in names  # practice moves no coins
    await player.press(page.locator("#over .btn.main"))
    await expect(page.locator("#hand .card")).to_have_count(13, timeout=LATER_MS)
    assert "deal" in await names_heard(page)
    assert [sound for sound in await heard(page) if not 0 < sound["ms"] <= LONGEST_MS] == []
    await context.close()


async def test_a_deal_by_keys_alone(browser: Browser, house: Live) -> None:
    context = await window(browser)
    player = Keys(await context.new_page())
    await player.come_in(house.url, "Keys")
    assert await player.play_a_deal() > 0
    await player.looks_at_the_receipt()
    await player.press(player.page.locator("#over .btn.main"))
    await expect(player.page.locator("#hand .card")).to_have_count(13, timeout=LATER_MS)
    await context.close()


async def test_a_deal_with_a_thumb(browser: Browser, house: Live) -> None:
    context = await window(browser, **PHONE)
    player = Thumb(await context.new_page())
    await player.come_in(house.url, "Thumb")
    assert await player.play_a_deal() > 0
    await player.looks_at_the_receipt()
    await player.press(player.page.locator("#over .btn.main"))
    await expect(player.page.locator("#hand .card")).to_have_count(13, timeout=LATER_MS)
    await context.close()


async def test_a_newcomer_with_a_phone_plays_within_the_first_minute(browser: Browser, house: Live) -> None:
    """He knows the address of the house and nothing else, and follows what he reads."""
    context = await window(browser, **PHONE)
    page = await context.new_page()
    began = time.monotonic()
    await page.goto(house.url)
    await page.get_by_role("button", name="Practice", exact=True).first.tap()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Sign up")
    asked = time.monotonic()
    await page.get_by_label("Name", exact=True).fill("Newcomer")
    await page.get_by_label("Password", exact=True).fill(PASSWORD)
    await page.locator("main").get_by_role("button", name="Sign up").tap()
    await page.wait_for_url(AT_TABLE)
    signed_up = time.monotonic()
    await expect(page.get_by_role("listbox", name="Your hand, 13 cards")).to_be_visible(timeout=LATER_MS)
    await expect(page.locator("#why")).to_be_visible()
    playing = time.monotonic()
    assert signed_up - asked < 30
    assert playing - began < 60
    await context.close()


async def every_cue(page: Page) -> list[Sound]:
    """Have the page sound all it can, also what a deal of Big Two never has; return what was heard."""
    await page.evaluate(
        """async (cues) => {
          const { sound } = await import('/static/js/table/sound.js');
          for (const name of cues) sound.cue(name);
        }""",
        CUES,
    )
    return await heard(page)


async def test_the_switch_silences_and_the_volume_holds_on_the_next_page(
    browser: Browser, house: Live
) -> None:
    context = await window(browser)
    page = await context.new_page()
    await listen(page)
    player = Hand(page)
    await player.come_in(house.url, "Switch")
    switch, card = page.locator("#sound-switch"), page.locator("#hand .card").first
    await switch.click()
    await expect(switch).to_have_attribute("aria-pressed", "false")
    await card.click()
    assert "pick" not in await names_heard(page)
    await switch.click()
    await card.click()
    await page.wait_for_function("() => heard.some(({ name }) => name === 'pick')")
    assert {sound["name"] for sound in await every_cue(page)} >= set(CUES)
    assert [sound for sound in await heard(page) if not 0 < sound["ms"] <= LONGEST_MS] == []
    await page.click("#keys-open")
    volume = page.get_by_role("slider", name="Volume")
    await volume.focus()
    await page.keyboard.press("Home")
    await page.keyboard.press("Escape")
    count = len([sound for sound in await heard(page) if sound["name"] == "pick"])
    await card.click()
    assert len([sound for sound in await heard(page) if sound["name"] == "pick"]) == count
    await page.reload()
    await expect(page.locator("#hand .card")).not_to_have_count(0)
    await page.click("#keys-open")
    await expect(volume).to_have_value("0")
    assert player.troubles == []
    await context.close()
