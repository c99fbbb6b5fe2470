"""The table of three, as players meet it: bidding, hands that lie face down, the ladder, what the deal is worth."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.players import Player, to_move
from tests.servers import Live

pytestmark = pytest.mark.asyncio(loop_scope="module")
taiwan = pytest.mark.parametrize("three", ["taiwan.30"], indirect=True)
mala = pytest.mark.parametrize("three", ["mala.bamboo"], indirect=True)

SLOWER = "from lobby.models import RoomTier; RoomTier.objects.update(turn_seconds=120, start_seconds=120)"
LATER_MS = 30_000
SUITS = "dchs"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def patient(house: Live) -> None:
    """Clocks so long that nothing happens by itself."""
    house.manage("shell", "-c", SLOWER)


@pytest_asyncio.fixture(loop_scope="module")
async def three(
    patient: None, people: list[Player], request: pytest.FixtureRequest
) -> AsyncIterator[list[Player]]:
    """Three people at a table, the cards dealt. At the end the deal is void by consent, and all stand up."""
    players = people[:3]
    for player in players:
        await player.page.goto(f"{player.url}/")
        await player.page.click(f"form:has([name=tier][value='{request.param}']) button")
    for player in players:
        await player.page.wait_for_url("**/tables/**", timeout=LATER_MS)
        await player.at_table()
    for player in players:
        if await player.is_asked_to_start():
            await player.start()
    for player in players:
        await player.page.wait_for_selector("#hand .card", timeout=LATER_MS)
    yield players
    await end_by_consent(players)
    for player in players:
        await player.leave_for_good()
    troubles = {player.name: player.troubles[:] for player in people if player.troubles}
    for player in people:
        player.troubles.clear()
    assert troubles == {}


async def end_by_consent(players: list[Player]) -> None:
    await players[0].page.click("#leave-open")
    await players[0].page.click("#leave button:has(.ico-users)")
    for player in players[1:]:
        await player.page.click("#vote .btn:not(.main)", timeout=LATER_MS)
    for player in players:
        await expect(player.page.locator("#content")).to_have_attribute(
            "data-state", "between", timeout=LATER_MS
        )


async def bid_to_the_landlord(players: list[Player], bid: str = "3") -> Player:
    """Have whoever is first take it; return him once it is his lead."""
    landlord = await to_move(players)
    await landlord.answer(f"bid {bid}")
    for player in players:
        await expect(player.page.locator("#mult")).to_be_visible(timeout=LATER_MS)
    return landlord


def unseen_of(texts: list[str]) -> int:
    return sum(int(text) for text in texts)


@taiwan
async def test_bids_have_keys_and_a_bid_that_is_too_low_has_its_reason(three: list[Player]) -> None:
    first = await to_move(three)
    await expect(first.page.locator("#why")).to_have_text("Will you be landlord? Nobody has bid yet.")
    assert await first.answers() == ["bid 0", "bid 1", "bid 2", "bid 3"]
    await first.page.keyboard.press("1")
    second = await to_move([player for player in three if player is not first])
    page = second.page
    await expect(page.locator(".trick h2")).to_have_text(f"Highest bid: 1, by {first.name}")
    await expect(page.locator("#why")).to_contain_text(f"{first.name} has bid 1.")
    assert await second.answers() == ["bid 0", "bid 2", "bid 3"]
    too_low = page.locator("[data-say='bid 1']")
    await expect(too_low).to_have_attribute("aria-disabled", "true")
    await expect(too_low).to_have_attribute("title", "Must be above 1")
    await page.keyboard.press("1")
    assert await second.is_to_move()
    await expect(page.locator(".seat .tag.gold")).to_have_text("Bids 1")
    await page.keyboard.press("3")
    for player in three:
        marks = player.page.locator(".mark:visible")
        await expect(marks).to_have_count(3, timeout=LATER_MS)
        assert sorted(await marks.all_inner_texts()) == sorted(["主", "农", "农"])
    assert len(await second.hand()) == 20


@taiwan
async def test_landlord_bottom_and_worth_are_on_view_and_suits_do_not_count(three: list[Player]) -> None:
    for player in three:
        await expect(player.page.locator("#bottom .back")).to_have_count(3)
        await expect(player.page.locator("#counter")).to_be_hidden()
    landlord = await bid_to_the_landlord(three)
    bottoms = set()
    for player in three:
        page = player.page
        bottoms.add(
            tuple(await page.eval_on_selector_all("#bottom .card", "all => all.map(c => c.dataset.card)"))
        )
        await expect(page.locator("#mult-open b")).to_have_text("×3")
        await expect(page.locator("#mult-open small")).to_contain_text("90")
        assert unseen_of(await page.locator("#counter b").all_inner_texts()) == 34
        await page.click("#mult-open")
        causes = page.locator("#why-x")
        await expect(causes).to_contain_text("Base stake")
        await expect(causes).to_contain_text("Bid 3")
        await expect(causes).to_contain_text("Spring · Anti-spring")
        await expect(causes).to_contain_text("Landlord 180. Nobody can lose more than 1,200 in this deal.")
        await page.keyboard.press("Escape")
        await expect(causes).to_be_hidden()
    assert len(bottoms) == 1 and None not in bottoms.pop()
    farmer = next(player for player in three if player is not landlord)
    await expect(farmer.page.locator("#me .rank")).to_have_text("Farmer")
    await expect(farmer.page.locator(f".seat[aria-label*='{landlord.name}, ']")).to_have_attribute(
        "aria-label", re.compile("Landlord")
    )
    await expect(farmer.page.locator(".seat[aria-label*='your partner']")).to_have_count(1)
    await plays_any_suit(landlord, three)


async def plays_any_suit(landlord: Player, three: list[Player]) -> None:
    """Lead the highest suit of a rank of which more are held."""
    hand = await landlord.hand()
    by_rank = {
        card[0]: sorted((c for c in hand if c[0] == card[0]), key=lambda c: SUITS.find(c[1])) for card in hand
    }
    card = next(cards[-1] for cards in by_rank.values() if len(cards) > 1 and cards[0][1] != "J")
    page = landlord.page
    await page.click(f"#hand [data-card='{card}']", position={"x": 8, "y": 12})
    await expect(page.locator("#why")).to_contain_text("Ready:")
    await page.keyboard.press("Enter")
    for player in three:
        await expect(player.page.locator(".play.standing [data-card]")).to_have_attribute(
            "data-card", card, timeout=LATER_MS
        )


@taiwan
async def test_who_leaves_is_told_the_fine_and_the_computer_plays_on(three: list[Player]) -> None:
    landlord = await bid_to_the_landlord(three)
    leaver = next(player for player in three if player is not landlord)
    partner = next(player for player in three if player not in (landlord, leaver))
    page = leaver.page
    await page.click("#leave-open")
    await page.click("#leave button:has(.ico-door)")
    await expect(page.locator("#escape-d")).to_contain_text("a fine of 60 coins. The computer plays on")
    sums = page.locator("#escape-sum")
    await expect(sums).to_contain_text("−60")
    await expect(sums).to_contain_text("If the farmers lose, at ×3")
    await expect(sums).to_contain_text(f"{partner.name} takes both shares")
    await page.click("#escape-yes")
    for player in (landlord, partner):
        await expect(player.page.locator(".seat.away .tag.alarm")).to_have_text("Away", timeout=LATER_MS)
    await expect(page.locator("#why")).to_contain_text("The computer plays for you.")
    await page.click("[data-act=resume]")
    for player in (landlord, partner):
        await expect(player.page.locator(".seat.away")).to_have_count(0, timeout=LATER_MS)


async def the_sum_of_an_escape_tells_nothing_of_hidden_cards(player: Player) -> None:
    page = player.page
    await page.click("#leave-open")
    await page.click("#leave button:has(.ico-door)")
    await expect(page.locator("#escape-d")).to_contain_text("costs at least 10 points and 100 coins")
    await expect(page.locator("#escape-hint")).to_contain_text("Each hidden four of a kind doubles it.")
    await page.click("#escape [data-close]")
    await expect(page.locator("#escape")).to_be_hidden()


@mala
async def test_hands_lie_face_down_until_the_ladder_is_over(three: list[Player]) -> None:
    first = await to_move(three)
    for player in three:
        hand = player.page.locator("#hand")
        await expect(hand).to_have_attribute("role", "img")
        await expect(hand).to_have_attribute("aria-label", "Your hand, 17 cards, face down")
        await expect(hand.locator("[data-card]")).to_have_count(0)
        await expect(player.page.locator("#shown [data-card]")).to_have_count(1)
    await the_sum_of_an_escape_tells_nothing_of_hidden_cards(first)
    await expect(first.page.locator(".trick h2")).to_have_text("The shown card is yours")
    assert await first.answers() == ["look", "blind"]
    await first.page.keyboard.press("1")
    raiser = await to_move([player for player in three if player is not first])
    await expect(raiser.page.locator("#why")).to_contain_text("×2: 40 coins")
    await expect(raiser.page.locator(".pair")).to_have_count(2)
    await raiser.page.keyboard.press("1")
    stayer = await to_move([player for player in three if player not in (first, raiser)])
    await stayer.page.keyboard.press("0")
    assert await to_move([first]) is first
    page = first.page
    await expect(page.locator(".steps .done")).to_have_count(1)
    await expect(page.locator(".steps .now")).to_have_text("拉×4")
    await expect(page.locator(".steps .end")).to_have_count(4)
    await expect(page.locator("#why")).to_have_text(
        f"{raiser.name} raised. Raising makes your pair ×4: 80 coins"
    )
    await expect(page.locator("#hand [data-card]")).to_have_count(0)
    await page.keyboard.press("0")
    await expect(page.locator("#hand [data-card]")).to_have_count(20, timeout=LATER_MS)
    await expect(page.locator("#bottom [data-card]")).to_have_count(3)
    await expect(page.locator("#bottom-label")).to_have_text("Yours alone")
    for player in (raiser, stayer):
        await expect(player.page.locator("#hand [data-card]")).to_have_count(17, timeout=LATER_MS)
        await expect(player.page.locator("#bottom .back")).to_have_count(3)
    await expect(raiser.page.locator("#mult-open b")).to_have_text("×4")
    await expect(stayer.page.locator("#mult-open b")).to_have_text("×2")
    await expect(page.locator("#mult-open b")).to_have_text(re.compile("×[24] · ×[24]"))
