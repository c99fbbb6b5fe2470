"""People in front of browsers: each has a window of his own and does what a hand and an eye can do."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page, expect

PASSWORD = "seven-red-lanterns"
FIRST_VIEW_MS = 15_000


@dataclass
class Player:
    """One person with one window; `troubles` gathers what the page complained about."""

    name: str
    context: BrowserContext
    page: Page
    url: str
    troubles: list[str] = field(default_factory=list)

    @classmethod
    async def come(cls, browser: Browser, url: str, name: str, **options: Any) -> Player:
        """Open a window and sign up."""
        context = await browser.new_context(viewport={"width": 1440, "height": 900}, **options)
        page = await context.new_page()
        player = cls(name, context, page, url)
        page.on("pageerror", lambda error: player.troubles.append(str(error)))
        page.on("console", lambda said: player.troubles.append(said.text) if said.type == "error" else None)
        await page.goto(f"{url}/accounts/signup/")
        await page.fill("[name=username]", name)
        await page.fill("[name=password1]", PASSWORD)
        await page.click("main button.main")
        await page.wait_for_url(re.compile(r"/$"))
        return player

    async def sit(self, tier: str) -> str:
        """Press the tier's button in the lobby; return the code of the table, or "" while waiting."""
        await self.page.goto(f"{self.url}/")
        await self.page.click(f"form:has([name=tier][value='{tier}']) button")
        await self.page.wait_for_load_state()
        return await self.at_table()

    async def at_table(self) -> str:
        """Return the code of the table this window shows."""
        found = re.search(r"/tables/(\w+)/$", self.page.url)
        if not found:
            return ""
        content = self.page.locator("#content")
        await expect(content).not_to_have_attribute("data-state", "joining", timeout=FIRST_VIEW_MS)
        return found[1]

    async def press(self, act: str) -> None:
        """Press one of the buttons under the cloth."""
        await self.page.click(f"[data-act={act}]")

    async def start(self, **options: Any) -> None:
        """Press start, under the cloth or on the receipt."""
        receipt = self.page.locator("#over:not([hidden]) .btn.main")
        await (receipt if await receipt.count() else self.page.locator("[data-act=start]")).click(**options)

    async def is_asked_to_start(self) -> bool:
        return (
            await self.page.locator("#over:not([hidden]) .btn.main, [data-act=start]:not([hidden])").count()
            > 0
        )

    async def is_to_move(self) -> bool:
        return await self.page.locator(".me.turn").count() > 0

    async def can(self, act: str) -> bool:
        """Say whether a button is there and takes a press."""
        return await self.page.locator(f"[data-act={act}]:not([hidden]):not([aria-disabled])").count() > 0

    async def answers(self) -> list[str]:
        """Return what may be said before the play, as the record writes it; the quiet answers first."""
        said: list[str] = await self.page.eval_on_selector_all(
            "#acts [data-say]:not([aria-disabled])", "all => all.map(one => one.dataset.say)"
        )
        return said

    async def answer(self, action: str) -> None:
        """Press the button of an answer before the play, and wait until it is taken."""
        turn = await self.page.locator("#content").get_attribute("data-turn")
        await self.page.click(f"#acts [data-say='{action}']")
        await self._is_taken(turn)

    async def _is_taken(self, turn: str | None) -> None:
        await self.page.wait_for_function(
            "turn => document.querySelector('#content').dataset.turn !== turn", arg=turn
        )

    async def move(self, *, boldly: bool = True) -> None:
        """Play what the hint proposes, or pass; before the play give the loudest answer, or the quietest."""
        turn = await self.page.locator("#content").get_attribute("data-turn")
        if answers := await self.answers():
            await self.answer(answers[-1 if boldly else 0])
            return
        if await self.can("hint"):
            await self.press("hint")
            await self.press("play")
        else:
            await self.press("pass")
        await self._is_taken(turn)

    async def leave_for_good(self) -> None:
        """Go back to the lobby without a seat, whatever state the table is in."""
        await self.page.goto(f"{self.url}/resume/")
        if not await self.at_table():
            return
        if await self.page.locator("#content").get_attribute("data-state") == "playing":
            await self.page.click("#leave-open")
            await self.page.locator("#leave button:has(.ico-door)").click()
            await self.page.click("#escape-yes")
            await self.page.click("#gone .btn.main")
        else:
            on_receipt = "#over:not([hidden]) footer .end .btn:not(.main)"
            await self.page.locator(f"{on_receipt}, .act:not([inert]) [data-act=stand]").click()
        await self.page.wait_for_url(re.compile(r"/$"))

    async def hand(self) -> list[str]:
        """Return my cards as they lie."""
        cards: list[str] = await self.page.eval_on_selector_all(
            "#hand .card", "all => all.map(c => c.dataset.card)"
        )
        return cards


async def to_move(players: list[Player]) -> Player:
    """Wait for the player whose turn it is."""
    for _ in range(1_200):
        for player in players:
            if await player.is_to_move():
                return player
        await asyncio.sleep(0.05)
    raise AssertionError("nobody is to move")
