"""Every page of the house, walked: axe-core finds nothing grave in either theme, wide or narrow, and no page is wider
than a window of 360 px.

The walk asks the URL resolver what there is: who adds a page adds it here, or the walk fails.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from django.contrib.admin.utils import quote
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from playwright.async_api import Browser, Page, async_playwright, expect

from games.engine.rulesets import all_codes
from tests import servers
from tests.admin.pages import registered, url
from tests.browser.axe import BOTH_SIZES, Look, faults, must_be_fine
from tests.browser.stage import Stage
from tests.servers import Live

walked = pytest.mark.asyncio(loop_scope="module")

RULESETS = ("qq", "mala", "taiwan")
NOBODY = ""
# Every address that shows something of its own: who goes there, and where it is ({…} is filled from the stage).
PAGES: dict[str, list[tuple[str, str]]] = {
    "lobby:lobby": [(NOBODY, "/"), ("Mei", "/"), ("qq_over", "/")],
    "lobby:tables": [(NOBODY, "/tables/"), ("Mei", "/tables/")],
    "lobby:waiting": [],  # below: one has to wait first
    "lobby:me": [("qq_over", "/me/")],
    "lobby:profile": [("Mei", "/people/{qq_over}/")],
    "lobby:deals": [("qq_over", "/deals/"), ("Mei", "/deals/")],
    "lobby:ranks": [("qq_over", "/ranks/"), ("Mei", "/ranks/")],
    "lobby:wallet": [("qq_over", "/wallet/"), ("Mei", "/wallet/"), ("Owes", "/wallet/")],
    "complaints:list": [("qq_over", "/complaints/"), ("mala_over", "/complaints/"), ("Mei", "/complaints/")],
    "complaints:new": [("qq_over", "{case_report}")],
    "complaints:case": [(f"{game}_over", f"{{case_{game}}}") for game in RULESETS],
    "games:table": [],  # below: it has many faces
    "games:deal": [(f"{game}_over", f"{{deal_{game}}}") for game in RULESETS],
    "rules": [(NOBODY, "/rules/")],
    "rules_of": [(NOBODY, f"/rules/{code}/") for code in all_codes()],
    "accounts:preferences": [("Mei", "/accounts/preferences/")],
    "accounts:second_factor": [("Clerk", "/accounts/second-factor/")],
    "accounts:set_up_second_factor": [("Chief", "/accounts/second-factor/set-up/")],
    "accounts:recovery_codes": [("Chief", "/accounts/second-factor/codes/")],
    "account_login": [(NOBODY, "/accounts/login/")],
    "account_signup": [(NOBODY, "/accounts/signup/")],
    "account_logout": [("Mei", "/accounts/logout/")],
    "account_inactive": [(NOBODY, "/accounts/inactive/")],
    "account_reauthenticate": [("Mei", "/accounts/reauthenticate/")],
    "account_email": [("Mei", "/accounts/email/")],
    "account_change_password": [("Mei", "/accounts/password/change/")],
    "account_reset_password": [(NOBODY, "/accounts/password/reset/")],
    "account_reset_password_done": [(NOBODY, "/accounts/password/reset/done/")],
    "account_reset_password_from_key": [
        (NOBODY, "{reset}"),
        (NOBODY, "/accounts/password/reset/key/1-no-such/"),
    ],
    "account_reset_password_from_key_done": [(NOBODY, "/accounts/password/reset/key/done/")],
    "account_confirm_email": [(NOBODY, "{confirm}"), (NOBODY, "/accounts/confirm-email/no-such/")],
}
# What only leads on, or answers a script.
NO_PAGES = {
    "healthz", "metrics", "set_language", "games:record", "games:words", "lobby:resume", "lobby:quick", "lobby:cancel",
    "lobby:sit", "lobby:go", "lobby:relief", "complaints:read", "complaints:read_all",
    "complaints:appeal", "complaints:withdraw",
    "complaints:answer", "accounts:set_preference",
    # allauth's, never led to: codes by mail and accounts without a password are not ours
    "account_request_reauthentication_code", "account_confirm_reauthentication_code", "account_confirm_login_code",
    "account_email_verification_sent", "account_set_password",
}  # fmt: skip
WALK = [(who, path) for visits in PAGES.values() for who, path in visits]


def addresses(resolver: URLResolver, path: str = "", space: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield (namespace, name, path) of everything that hangs below a resolver."""
    for entry in resolver.url_patterns:
        here = path + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield space, f"{space}:{entry.name}" if space else str(entry.name), here
        else:
            yield from addresses(entry, here, entry.namespace or space)


def test_every_address_of_the_house_is_walked_or_is_no_page() -> None:
    there = {name for space, name, _path in addresses(get_resolver()) if space != "admin"}
    assert there - NO_PAGES == set(PAGES)


# --- the house ---


@pytest.fixture(scope="module")
def stage(house: Live) -> Stage:
    done = subprocess.run(
        [sys.executable, "-m", "tests.browser.stage"],
        cwd=servers.ROOT,
        env=house.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    built: Stage = json.loads(done.stdout)
    return built


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(chromium: dict[str, Any]) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        yield browser
        await browser.close()


class Visitors:
    """Windows of the people on the stage, and of a stranger."""

    def __init__(self, browser: Browser, stage: Stage, url: str) -> None:
        self.browser, self.stage, self.url = browser, stage, url
        self.pages: dict[str, Page] = {}

    async def page(self, who: str) -> Page:
        """Return somebody's window, the same one each time."""
        if who not in self.pages:
            context = await self.browser.new_context(reduced_motion="reduce")
            if who:
                session = {"name": "sessionid", "value": self.stage["sessions"][who], "url": self.url}
                await context.add_cookies([session])  # type: ignore[list-item]
            self.pages[who] = await context.new_page()
        return self.pages[who]

    def address(self, path: str) -> str:
        """Fill in what only the stage knows."""
        known = {
            **self.stage["names"],
            **self.stage["letters"],
            **{f"deal_{game}": path for game, path in self.stage["deals"].items()},
            **{f"case_{name}": path for name, path in self.stage["cases"].items()},
        }
        return self.url + path.format(**known)

    async def go(self, who: str, path: str, status: int = 200) -> Page:
        page = await self.page(who)
        answer = await page.goto(self.address(path))
        assert answer is not None and answer.status == status, (path, answer and answer.status)
        return page

    async def sit(self, who: str) -> Page:
        """Go to somebody's table and wait for its first view."""
        page = await self.go(who, self.stage["tables"][who])
        await expect(page.locator("#content")).not_to_have_attribute("data-state", "joining", timeout=15_000)
        return page


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visitors(browser: Browser, stage: Stage, house: Live) -> Visitors:
    """Everybody's window; who sits at a table has his open from the first, so that nobody is away."""
    visitors = Visitors(browser, stage, house.url)
    for who in stage["tables"]:
        await visitors.sit(who)
    return visitors


# --- pages on paper ---


@walked
@pytest.mark.parametrize(("who", "path"), WALK)
async def test_a_page_has_no_grave_fault(visitors: Visitors, who: str, path: str) -> None:
    page = await visitors.go(who, path)
    assert await page.locator("h1").count() == 1
    assert await page.locator("main").count() == 1
    await must_be_fine(page)


@walked
async def test_what_opens_in_the_head_of_a_page_has_no_grave_fault(visitors: Visitors) -> None:
    page = await visitors.go("Mei", "/")
    await page.click(".top button.me")
    await expect(page.locator("#me-menu")).to_be_visible()
    await must_be_fine(page)


@walked
async def test_a_form_that_was_filled_in_wrongly_has_no_grave_fault(visitors: Visitors) -> None:
    for path, fields in {
        "/accounts/signup/": {"username": "Newcomer", "password1": "password"},
        "/accounts/login/": {"login": "Nobody", "password": "wrong-and-long"},
    }.items():
        page = await visitors.go(NOBODY, path)
        for name, value in fields.items():
            await page.fill(f"main [name={name}]", value)
        await page.click("main button.main")
        await expect(page.locator("main .errorlist, main [role=alert]").first).to_be_visible()
        await must_be_fine(page)


@walked
async def test_the_page_that_waits_for_a_match_has_no_grave_fault(visitors: Visitors) -> None:
    page = await visitors.go("Mei", "/")
    await page.locator("form:has([name=tier][value='classic.points-safe']) button").click()
    await page.wait_for_url("**/waiting/")
    await must_be_fine(page)
    await page.locator("main form button", has_text="Stop waiting").click()
    await page.wait_for_url(re.compile(r"/$"))


@walked
async def test_pages_of_refusal_have_no_grave_fault(visitors: Visitors) -> None:
    for who, path, status in (
        (NOBODY, "/nowhere/", 404),
        ("Mei", "/nowhere/", 404),
        ("Clerk", "/admin/games/table/", 403),
    ):
        page = await visitors.go(who, path, status)
        await must_be_fine(page)
    page = await visitors.go(NOBODY, "/")
    async with page.expect_navigation():  # a form whose token is too old
        await page.evaluate("""() => {
          const form = Object.assign(document.createElement('form'), { method: 'post', action: '/language/' });
          document.body.append(form);
          form.submit();
        }""")
    await expect(page.locator("h1")).to_have_text("Not allowed")
    await must_be_fine(page)


@walked
async def test_the_page_of_a_broken_house_has_no_grave_fault(visitors: Visitors) -> None:
    page = await visitors.page(NOBODY)
    await page.route(
        "**/broken/",
        lambda route: route.fulfill(status=500, content_type="text/html", body=visitors.stage["broken"]),
    )
    await visitors.go(NOBODY, "/broken/", 500)
    await must_be_fine(page)


# --- the table ---

FACES = ("between", "first", "follows", "looks_on", "over")


@walked
@pytest.mark.parametrize("role", [f"{game}_{face}" for game in RULESETS for face in FACES])
async def test_the_table_has_no_grave_fault_in_any_phase(visitors: Visitors, role: str) -> None:
    page = visitors.pages[role]
    if role.endswith("_over"):
        await expect(page.locator("#over .receipt")).to_be_visible()
    await must_be_fine(page)


@walked
async def test_what_opens_over_the_table_has_no_grave_fault(visitors: Visitors) -> None:
    page = visitors.pages["qq_follows"]
    await page.set_viewport_size({"width": 1440, "height": 900})
    found = {}
    for name, key, box in (("menu", "l", "#leave"), ("keys", "?", "#keys"), ("fair", "", "#fair")):
        if key:
            await page.keyboard.press(key)
        else:
            await page.click("#fair-chip")
        await expect(page.locator(box)).to_be_visible()
        found[name] = await faults(page)
        await page.keyboard.press("Escape")
        await page.set_viewport_size({"width": 1440, "height": 900})
    await page.keyboard.press("l")
    await page.locator("#leave button:has(.ico-door)").click()
    await expect(page.locator("#escape")).to_be_visible()
    found["escape"] = await faults(page)
    await page.keyboard.press("Escape")  # now on a phone, where talk is a sheet
    await page.click("#talk-open")
    await expect(page.locator("#talk")).to_be_visible()
    found["talk"] = await faults(page)
    wrong = [f"{name}: {fault}" for name, faults_there in found.items() for fault in faults_there]
    assert not wrong, "\n".join(wrong)


@walked
async def test_a_vote_over_the_table_has_no_grave_fault(visitors: Visitors) -> None:
    page, other = visitors.pages["qq_follows"], visitors.pages["qq_looks_on"]
    await other.keyboard.press("l")
    await other.locator("#leave button", has_text="Ask to end the deal").click()
    await expect(page.locator("#vote")).to_be_visible()
    await must_be_fine(page)


# --- the desk ---


def desk_paths(stage: Stage) -> Iterator[str]:
    """Yield the address of every kind of page of the desk, with a row where there is one."""
    yield reverse("admin:index")
    yield reverse("admin:app_list", args=["games"])
    yield reverse("admin:password_change")
    yield reverse("admin:games_table_log", args=[stage["rows"]["games.table"]])
    for model, _admin in registered():
        yield url(model, "changelist")
        yield url(model, "add")
        if key := stage["rows"].get(model._meta.label_lower):
            yield url(model, "change", quote(key))


@walked
@pytest.mark.parametrize("look", BOTH_SIZES, ids=lambda look: f"{look[0]} {look[1]}")
async def test_no_page_of_the_desk_has_a_grave_fault(visitors: Visitors, look: Look) -> None:
    """The desk puts its theme on as a page comes, so each look has a walk of its own."""
    found: list[str] = []
    page = await visitors.page("Chief")
    await page.emulate_media(color_scheme=look[1])
    for path in desk_paths(visitors.stage):
        answer = await page.goto(visitors.url + path)
        assert answer is not None
        if answer.status == 200:
            found += [f"{path}: {fault}" for fault in await faults(page, looks=(look,))]
        else:
            assert (answer.status, path.endswith("/add/")) == (403, True), path
    assert not found, "\n".join(found)
