"""The form of a complaint as one fills it in, and the question whether to withdraw it, by mouse and by keyboard."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright, expect

from tests import servers
from tests.servers import Live

pytestmark = pytest.mark.asyncio(loop_scope="module")

# A finished deal at a table of base 30, where a complaint of collusion costs 300; the second player has 100 coins.
SCENE = """
import json
import re
import django
django.setup()
from games.models import Deal
from tests.browser.stage import Setting, session_of
from wallet import services as wallet
at = Setting("doudizhu.taiwan", "over", people=3).start().play(1_000)
deal = Deal.objects.filter(table=at.table, closed_seq__isnull=False).latest("closed_seq")
poor = at.people[1].pk
spent = wallet.balance(poor).total - 100
wallet.post(code="test", reference="spent", legs=[wallet.Leg(poor, -spent), wallet.Leg("issuance", spent)])
print(json.dumps({"deal": deal.pk, "sessions": [session_of(user) for user in at.people]}))
"""

Open = Callable[[int, str], Awaitable[Page]]


@pytest.fixture(scope="module")
def scene(house: Live) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", SCENE], cwd=servers.ROOT, env=house.environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    built: dict[str, Any] = json.loads(done.stdout)
    return built


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(house: Live, scene: dict[str, Any], chromium: dict[str, Any]) -> AsyncIterator[Open]:
    """Open an address ({deal} is the deal) in a window of the player at a seat."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)

        async def open_window(seat: int, path: str) -> Page:
            context = await browser.new_context(reduced_motion="reduce", locale="en-GB")
            session = {"name": "sessionid", "value": scene["sessions"][seat], "url": house.url}
            await context.add_cookies([session])  # type: ignore[list-item]
            page = await context.new_page()
            await page.goto(house.url + path.format(**scene))
            return page

        yield open_window
        await browser.close()


FORM = "/complaints/new/?deal={deal}"


async def test_the_button_says_the_fee_and_one_is_chosen_where_a_kind_names_one(visit: Open) -> None:
    page = await visit(0, FORM)
    send, accused = page.locator("[data-send]"), page.locator("[name=accused]")
    await page.check("[value=collusion]")
    await expect(send).to_have_text("File and pay 300 coins", use_inner_text=True)
    await accused.nth(0).check()
    await accused.nth(1).check()
    await page.check("[value=reveal]")
    await expect(send).to_have_text("File the complaint", use_inner_text=True)
    await expect(accused.nth(0)).to_be_checked()
    await expect(accused.nth(1)).not_to_be_checked()
    await accused.nth(1).check()
    await expect(accused.nth(0)).not_to_be_checked()
    await page.fill("#what", "He told his cards.")
    await expect(page.locator("[data-count]")).to_have_text("18 / 2,000")


async def test_who_is_too_poor_reads_why_the_button_is_off(visit: Open) -> None:
    page = await visit(1, FORM)
    send = page.locator("[data-send]")
    await page.check("[value=collusion]")
    for n in (0, 1):
        await page.locator("[name=accused]").nth(n).check()
    await page.fill("#what", "They told each other their cards.")
    await expect(send).to_have_attribute("aria-disabled", "true")
    await expect(send).to_have_accessible_description(
        "You have 100 free coins: too few for the fee of this complaint."
    )
    await send.focus()
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(re.compile("/complaints/new/"))
    await page.check("[value=spoiling]")
    await expect(send).not_to_have_attribute("aria-disabled", "true")


async def test_filed_read_and_withdrawn_by_keyboard(visit: Open) -> None:
    page = await visit(2, FORM)
    await page.focus("[value=collusion]")
    await page.keyboard.press("Space")
    for n in (0, 1):
        await page.locator("[name=accused]").nth(n).focus()
        await page.keyboard.press("Space")
    await page.focus("#what")
    await page.keyboard.type("They told each other their cards.")
    await page.keyboard.press("Tab")
    async with page.expect_response(lambda answer: answer.url.endswith("/read/")) as told:
        await page.keyboard.press("Enter")
    assert (await told.value).status == 204
    await page.reload()
    await expect(page.locator(".top .news")).to_have_count(0)
    dialog = page.locator("dialog")
    await page.focus("[data-confirm] button")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog).not_to_be_visible()
    await page.focus("[data-confirm] button")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator("main .page-head .chip")).to_have_text("Withdrawn")
    await expect(page.locator("main tfoot td")).to_have_text("0")
