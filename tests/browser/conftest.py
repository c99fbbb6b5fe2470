"""A house with four people in it, each at a browser of his own; they meet at a new table in every test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import async_playwright

from tests import servers
from tests.browser.players import Player
from tests.servers import Live

NAMES = ("Mei", "林波", "陈伯", "Ravi")
CARDS_LIE = (
    "() => [...document.querySelectorAll('#hand .card')].every(card => card.getAnimations().length === 0)"
)
POINTS, COINS = "classic.points", "qq.bamboo"


def open_house(factory: pytest.TempPathFactory, migrated: Path, **environment: str) -> Iterator[Live]:
    """Run our server with more in its environment; it must end well and have logged no error."""
    folder = factory.mktemp("house")
    database = folder / "paishe.sqlite3"
    database.write_bytes(migrated.read_bytes())
    live = servers.launch("one", folder=folder, database=f"sqlite:///{database}", **environment)
    yield live
    assert live.stop() == 0, live.log()
    assert not live.trouble(), live.log()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: Path) -> Iterator[Live]:
    """Our server, for all tests of a file."""
    yield from open_house(tmp_path_factory, migrated_sqlite)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def people(house: Live, chromium: dict[str, Any]) -> AsyncIterator[list[Player]]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        yield [await Player.come(browser, house.url, name) for name in NAMES]
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def four(people: list[Player], request: pytest.FixtureRequest) -> AsyncIterator[list[Player]]:
    """Four people at one table before the first deal, for points unless the test asks for another tier.

    At the end they stand up, and none of their pages may have complained.
    """
    people.append(
        people.pop(0)
    )  # they change places, so that at a table they were at before the 3 of diamonds leads again
    tier = getattr(request, "param", POINTS)
    codes = {await player.sit(tier) for player in people}
    assert len(codes) == 1
    yield people
    await people[0].leave_for_good()
    for player in people[1:]:
        await player.leave_for_good()
    troubles = {player.name: player.troubles[:] for player in people if player.troubles}
    for player in people:
        player.troubles.clear()
    assert troubles == {}


@pytest_asyncio.fixture(loop_scope="module")
async def dealt(four: list[Player]) -> list[Player]:
    """Four people who have just been dealt their cards."""
    for player in four:
        await player.start()
    for player in four:
        await player.page.wait_for_selector("#hand .card >> nth=12")
        await player.page.wait_for_function(CARDS_LIE)
    return four
