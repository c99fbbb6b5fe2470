"""Take pictures of the pages, as four people play on a server of their own: `python -m tests.browser.shots [NAME …]`.

They go to var/shots. Every screen size in light and dark, the table also in Chinese. Not a test: something to look at.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, async_playwright

from tests import chromium, servers
from tests.browser.players import Player, to_move

OUT = servers.ROOT / "var" / "shots"
SIZES = {
    "wide": (1440, 900),
    "tablet": (1180, 820),
    "phone": (390, 844),
    "side": (844, 390),
    "small": (360, 640),
}
PAPER = ("wide", "phone")
NAMES = ("Mei", "林波", "陈伯", "Ravi")
SETTLE_MS = 450
SLOWER = "from lobby.models import RoomTier; RoomTier.objects.update(turn_seconds=120, start_seconds=300)"


class Album:
    """Where the pictures go; only those whose name begins with one of `wanted`, if any."""

    def __init__(self, wanted: list[str]) -> None:
        self.wanted = wanted
        OUT.mkdir(parents=True, exist_ok=True)

    def wants(self, *begins: str) -> bool:
        """Say whether any picture is wanted whose name begins so."""
        return not self.wanted or any(
            name.startswith(begin) or begin.startswith(name) for name in self.wanted for begin in begins
        )

    async def take(
        self, page: Page, name: str, *, sizes: tuple[str, ...] = tuple(SIZES), whole: bool = False
    ) -> None:
        """Take a page at every size, light and dark."""
        if self.wanted and not any(name.startswith(each) for each in self.wanted):
            return
        for size in sizes:
            width, height = SIZES[size]
            await page.set_viewport_size({"width": width, "height": height})
            for theme in ("light", "dark"):
                await page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
                await page.wait_for_timeout(SETTLE_MS)
                await page.screenshot(path=OUT / f"{name}-{size}-{theme}.png", full_page=whole)
        await page.set_viewport_size({"width": 1440, "height": 900})


@asynccontextmanager
async def table_of_four(url: str) -> AsyncIterator[list[Player]]:
    """Sign four people up and bring them to one table."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium.launch_options())
        players = [await Player.come(browser, url, name) for name in NAMES]
        yield players
        await browser.close()


async def speak(player: Player, language: str) -> None:
    """Set a player's language by the switch in the head of the lobby."""
    await player.page.goto(f"{player.url}/")
    await player.page.click(f".top form.seg button[value={language}]")


async def play(players: list[Player], moves: int) -> None:
    for _ in range(moves):
        await (await to_move(players)).move()


async def until_mine(players: list[Player], me: Player) -> None:
    while await to_move(players) is not me:
        await (await to_move(players)).move()


async def pages(album: Album, url: str, me: Player, mark: str) -> None:
    """The pages on paper, in the language that is spoken just now."""
    page = me.page
    visits = {
        "lobby": "/",
        "wallet": "/wallet/",
        "chairs": "/tables/",
        "profile": "/me/",
        "deals": "/deals/",
        "ranks": "/ranks/",
        "preferences": "/accounts/preferences/",
        "address": "/accounts/email/",
        "password": "/accounts/password/change/",
        "lost": "/nowhere/",
    }
    for name, path in visits.items():
        await page.goto(f"{url}{path}")
        await album.take(page, f"{mark}-{name}", sizes=PAPER, whole=True)
    await page.goto(f"{url}/deals/")
    await page.locator("main a[href^='/deals/']").first.click()
    await page.wait_for_load_state()
    await album.take(page, f"{mark}-deal", sizes=PAPER, whole=True)
    await complain(album, page, mark)
    me.troubles[:] = [trouble for trouble in me.troubles if "404" not in trouble]


async def complain(album: Album, page: Page, mark: str) -> None:
    """From a deal's page to its complaint, what is told of it, and the question whether to withdraw it."""
    await page.click("main a[href*='/complaints/new/']")
    await page.check("main [name=kind][value=collusion]")
    for name in (0, 1):
        await page.locator("main [name=accused]").nth(name).check()
    await page.fill("#what", "Both passed on small pairs, and the third time within a second.")
    await album.take(page, f"{mark}-complaint", sizes=PAPER, whole=True)
    await page.click("main [data-send]")
    await page.wait_for_url("**/complaints/*/")
    await album.take(page, f"{mark}-case", sizes=PAPER, whole=True)
    await page.click("main [data-confirm] button")
    await album.take(page, f"{mark}-withdraw", sizes=PAPER)
    await page.click("dialog[open] [data-yes]")
    await page.wait_for_load_state()
    await page.goto(page.url.rsplit("/", 2)[0] + "/")
    await album.take(page, f"{mark}-complaints", sizes=PAPER, whole=True)


async def pages_of_strangers(album: Album, url: str, me: Player, mark: str) -> None:
    """What somebody sees who has not signed in."""
    browser = me.context.browser
    assert browser is not None
    locale = {"zh-hans": "zh-CN", "zh-hant": "zh-TW"}.get(mark, "en-GB")
    stranger = await browser.new_page(locale=locale)
    for name, path in {"login": "login", "signup": "signup", "reset": "password/reset"}.items():
        await stranger.goto(f"{url}/accounts/{path}/")
        await album.take(stranger, f"{mark}-{name}", sizes=PAPER)
    await stranger.goto(url)
    await album.take(stranger, f"{mark}-front", sizes=PAPER, whole=True)
    await stranger.close()


async def deal(album: Album, url: str, players: list[Player], mark: str) -> None:
    """One deal from the empty chair to the receipt."""
    me, page = players[0], players[0].page
    await me.sit("qq.bamboo")
    await album.take(page, f"{mark}-chairs", sizes=("wide", "phone"))
    for player in players[1:]:
        await player.sit("qq.bamboo")
    await album.take(page, f"{mark}-start", sizes=("wide", "phone"))
    for player in players:
        await player.start()
    await page.wait_for_selector("#hand .card")
    await album.take(page, f"{mark}-dealt", sizes=PAPER)
    await play(players, 5)
    await until_mine(players, me)
    await album.take(page, f"{mark}-turn")
    await page.click("#hand .card:nth-child(3)")
    await page.click("#hand .card:nth-child(6)")
    await album.take(page, f"{mark}-cannot", sizes=("wide", "phone", "side"))
    await page.keyboard.press("Escape")
    if await me.can("hint"):
        await me.press("hint")
        await page.wait_for_selector("#hand .card[aria-selected=true]")
        await album.take(page, f"{mark}-ready", sizes=("wide", "phone", "side", "small"))
    await page.click("#leave-open")
    await album.take(page, f"{mark}-menu", sizes=("wide", "phone"))
    await page.click("#leave button:nth-child(3)")
    await album.take(page, f"{mark}-escape", sizes=("wide", "phone", "side"))
    await page.keyboard.press("Escape")
    await me.move()
    await album.take(page, f"{mark}-wait", sizes=("wide", "phone"))
    await away_and_trusted(album, players, mark)
    await players[1].page.click("#leave-open")
    await players[1].page.click("#leave button:nth-child(1)")
    await page.wait_for_selector("#vote:not([hidden])")
    await album.take(page, f"{mark}-vote", sizes=("wide", "phone", "side"))
    await page.click("#vote .btn.main")
    warned = False
    while not await page.locator(".receipt").count():
        await (await to_move(players)).move()
        if not warned and await page.locator(".seat.last-card").count():
            warned = True
            await album.take(page, f"{mark}-last", sizes=("wide", "phone", "side"))
    await album.take(page, f"{mark}-receipt")
    await page.keyboard.press("r")
    await album.take(page, f"{mark}-open")
    await page.keyboard.press("r")
    for player in players:
        await player.page.click(".receipt .end .btn:not(.main)")
        await player.page.wait_for_url("**/")


async def away_and_trusted(album: Album, players: list[Player], mark: str) -> None:
    """Somebody lost his line, then the trustee plays for me; and what was said."""
    me, page = players[0], players[0].page
    lost = players[2].page
    await lost.goto("about:blank")
    await page.wait_for_selector(".seat .tag.alarm")
    await album.take(page, f"{mark}-away", sizes=PAPER)
    await lost.go_back()
    await players[2].at_table()
    await page.wait_for_selector(".seat .tag.alarm", state="detached")
    await page.click("#leave-open")
    await page.click("#leave button:nth-child(2)")
    await page.wait_for_selector("[data-act=resume]:not([hidden])")
    await album.take(page, f"{mark}-trustee", sizes=PAPER)
    await me.press("resume")
    await players[1].page.fill("#say-in", "Good luck, 祝大家好运")
    await players[1].page.keyboard.press("Enter")
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.click("#talk-open")
    await album.take(page, f"{mark}-talk", sizes=("phone",))
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await page.wait_for_selector("#keys[open]")
    await album.take(page, f"{mark}-keys", sizes=PAPER)
    await page.keyboard.press("Escape")


async def finish(players: list[Player]) -> None:
    """Play the deal to its receipt, then all stand up."""
    page = players[0].page
    while not await page.locator(".receipt").count():
        await (await to_move(players)).move()


async def stand_up(players: list[Player]) -> None:
    for player in players:
        await player.page.click(".receipt .end .btn:not(.main)")
        await player.page.wait_for_url("**/")


async def taiwan(album: Album, players: list[Player], mark: str) -> None:
    """Bidding, play and receipt where the bottom is open to all."""
    me, page = players[0], players[0].page
    for player in players:
        await player.sit("taiwan.30")
    for player in players:
        await player.start()
    await page.wait_for_selector("#hand .card")
    for _ in range(2):
        if await me.is_to_move():
            break
        await (await to_move(players)).move(boldly=False)
    if await me.answers():
        await album.take(page, f"{mark}-bidding")
        await me.answer("bid 2")
    while not await page.locator("#counter:not([hidden])").count():
        await (await to_move(players)).move(boldly=False)
    await play(players, 5)
    await until_mine(players, me)
    await album.take(page, f"{mark}-turn")
    if await me.can("hint"):
        await me.press("hint")
        await page.wait_for_selector("#hand .card[aria-selected=true]")
    await page.click("#mult-open")
    await album.take(page, f"{mark}-causes")
    await page.keyboard.press("Escape")
    await page.click("#leave-open")
    await page.click("#leave button:nth-child(3)")
    await album.take(page, f"{mark}-leaving", sizes=("wide", "phone", "side"))
    await page.keyboard.press("Escape")
    await finish(players)
    await album.take(page, f"{mark}-receipt")
    await page.keyboard.press("r")
    await album.take(page, f"{mark}-open")
    await page.keyboard.press("r")
    await stand_up(players)


async def mala(album: Album, players: list[Player], mark: str) -> None:
    """Hands face down, the ladder, play and receipt where only the landlord sees the bottom."""
    for player in players:
        await player.page.goto(f"{player.url}/")
        await player.page.click("form:has([name=tier][value='mala.bamboo']) button")
    for player in players:
        await player.page.wait_for_url("**/tables/**", timeout=30_000)
        await player.page.wait_for_selector("#hand .card")
    first = await to_move(players)
    other = next(player for player in players if player is not first)
    await album.take(first.page, f"{mark}-blind")
    await album.take(other.page, f"{mark}-waits", sizes=("wide", "phone"))
    await first.answer("blind")
    raiser = await to_move([player for player in players if player is not first])
    await raiser.move()
    await (await to_move([player for player in players if player not in (first, raiser)])).move(boldly=False)
    await to_move([first])
    await album.take(first.page, f"{mark}-ladder")
    await first.move()
    while not await first.page.locator("#counter:not([hidden])").count():
        await (await to_move(players)).move(boldly=False)
    await album.take(first.page, f"{mark}-landlord")
    await play(players, 4)
    await until_mine(players, other)
    await other.page.click("#mult-open")
    await album.take(other.page, f"{mark}-farmer", sizes=("wide", "phone", "side"))
    await other.page.keyboard.press("Escape")
    await other.page.click("#leave-open")
    await other.page.click("#leave button:nth-child(3)")
    await album.take(other.page, f"{mark}-escape", sizes=("wide", "phone"))
    await other.page.keyboard.press("Escape")
    await finish(players)
    await album.take(first.page, f"{mark}-receipt")
    await stand_up(players)


async def three_seats(album: Album, players: list[Player]) -> None:
    """Both Dou Dizhu rule sets, in the first player's three languages."""
    for language, mark in (("en", ""), ("zh-hans", "-hans"), ("zh-hant", "-hant")):
        for player in players:
            await speak(player, language)
        await taiwan(album, players, f"taiwan{mark}")
        await mala(album, players, f"mala{mark}")


async def everything(album: Album, url: str) -> list[str]:
    """Go through all pages; return what they complained about."""
    async with table_of_four(url) as players:
        if album.wants("taiwan", "mala"):
            await three_seats(album, players[:3])
        for language in ("en", "zh-hans", "zh-hant"):
            if not album.wants(language):
                continue
            await speak(players[0], language)
            await deal(album, url, players, language)
            await pages(album, url, players[0], language)
            await pages_of_strangers(album, url, players[0], language)
        return [f"{player.name}: {trouble}" for player in players for trouble in player.troubles]


def main(wanted: list[str]) -> int:
    """Take the pictures; return 1 when a page complained."""
    with tempfile.TemporaryDirectory() as folder:
        live = servers.launch("one", folder=Path(folder), database=f"sqlite:///{folder}/shots.sqlite3")
        live.manage("shell", "-c", SLOWER)  # a picture takes its time
        try:
            troubles = asyncio.run(everything(Album(wanted), live.url))
        finally:
            live.stop()
    print("\n".join(troubles) or f"Pictures are in {OUT}")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
