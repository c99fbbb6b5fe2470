"""The table page, as a player meets it: four browsers, a real server."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import WebSocketRoute, expect

from tests.browser.conftest import COINS
from tests.browser.listening import listen, names_heard
from tests.browser.players import Player, to_move
from tests.servers import Live

pytestmark = pytest.mark.asyncio(loop_scope="module")
for_coins = pytest.mark.parametrize("four", [COINS], indirect=True)

PATIENT = "classic.coins"
REASON = "#why"
LATER_MS = 15_000


async def until_receipt(players: list[Player]) -> None:
    """Play a deal to its end."""
    while not await players[0].page.locator("#over .receipt").count():
        await (await to_move(players)).move()
    for player in players:
        await expect(player.page.locator("#over .receipt")).to_be_visible()


HEAR_ALOUD = """() => {
  window.aloud = [];
  window.warned = false;
  for (const id of ['say-now', 'say-then']) {
    const line = document.getElementById(id);
    new MutationObserver(() => {
      aloud.push([id, line.textContent]);
      warned ||= document.querySelector('.seat.last-card') !== null;
    }).observe(line, { childList: true, characterData: true, subtree: true });
  }
}"""


BINDS = (
    r"To beat: .+ by ({others})",
    r"Nothing of yours beats the .+",
    r"You lead: play any combination",
    r".+ has one card left.+",
)


async def with_an_ear(player: Player) -> None:
    """Load the table anew with an ear on it, and touch a key: before that a page makes no sound."""
    await listen(player.page)
    await player.page.reload()
    await player.at_table()
    await player.page.keyboard.press("Tab")


@for_coins
async def test_who_does_not_see_the_table_hears_what_happens(dealt: list[Player]) -> None:
    leader = await to_move(dealt)
    listener, other = [player for player in dealt if player is not leader][:2]
    page = listener.page
    await with_an_ear(listener)
    await page.evaluate(HEAR_ALOUD)
    await other.page.fill("#say-in", "Good luck")
    await other.page.keyboard.press("Enter")
    await expect(page.locator("#talk-list li").last).to_contain_text("Good luck")
    await until_receipt(dealt)
    aloud: list[tuple[str, str]] = [tuple(said) for said in await page.evaluate("() => aloud")]
    polite = " ".join(words for line, words in aloud if line == "say-then")
    urgent = [words for line, words in aloud if line == "say-now"]
    others = "|".join(player.name for player in dealt if player is not listener)
    assert re.search(rf"{leader.name} leads .+\.", polite)
    for sentence in (r"plays .+\.", r"passes\."):
        assert re.search(rf"({others}) {sentence}", polite), polite
    assert f"{listener.name} plays" not in polite  # he knows
    binds = "|".join(BINDS).format(others=others)
    turn = rf"Your turn, \d+ seconds\. ({binds})\."
    assert urgent and all(re.fullmatch(turn, words) for words in urgent if words.startswith("Your turn"))
    assert any(words.startswith("Your turn") for words in urgent)
    sounds = await names_heard(page)
    assert {"message", "play", "turn"} <= sounds
    if await page.evaluate("() => warned"):
        assert re.search(rf"({others}) has one card left\.", polite)
        assert "last" in sounds
    assert len({"won", "lost"} & sounds) == 1
    richer = await page.locator(".outcome .net.up").count() > 0
    assert ("coin" in sounds) == richer
    assert re.search(r"goes out and wins the deal\.", polite)


@pytest.fixture(scope="module")
def patient_room(house: Live) -> None:
    """A room where a turn lasts so long that it ends by our hand alone."""
    house.manage(
        "shell",
        "-c",
        f"from lobby.models import RoomTier; RoomTier.objects.filter(code='{PATIENT}').update(turn_seconds=120)",
    )


@pytest.mark.usefixtures("patient_room")
@pytest.mark.parametrize("four", [PATIENT], indirect=True)
async def test_the_last_five_seconds_are_said_and_ticked(dealt: list[Player]) -> None:
    leader = await to_move(dealt)
    browser = leader.context.browser
    assert browser is not None
    context = await browser.new_context(storage_state=await leader.context.storage_state())
    page = await context.new_page()
    await page.clock.install()  # a window of its own, whose time is moved by hand
    await listen(page)
    await page.goto(leader.page.url)
    shown = page.locator("#me .secs")
    await expect(shown).to_have_text(re.compile(r"^\d+$"), timeout=LATER_MS)
    await page.keyboard.press("Tab")
    await page.wait_for_function("() => navigator.userActivation.hasBeenActive")
    await page.clock.fast_forward((int(await shown.inner_text()) - 5) * 1000)
    await expect(page.locator("#say-now")).to_have_text("5 seconds.")
    await expect(shown).to_have_text(re.compile("^[1-5]$"))
    assert "second" in await names_heard(page)
    await context.close()


@for_coins
async def test_a_deal_from_the_chair_to_the_receipt(dealt: list[Player]) -> None:
    hands = [await player.hand() for player in dealt]
    assert len({card for hand in hands for card in hand}) == 52
    leader = await to_move(dealt)
    assert "3d" in await leader.hand()
    await expect(leader.page.locator(REASON)).to_have_text("Your first play must contain the 3 of diamonds")
    await expect(leader.page.locator("[data-act=pass]")).to_have_attribute("aria-disabled", "true")
    await expect(leader.page.locator("#say-now")).to_contain_text("Your turn, 20 seconds.")
    await until_receipt(dealt)
    for player in dealt:
        net = [await cell.inner_text() for cell in await player.page.locator(".reckon tfoot td").all()]
        assert sum(int(text.replace("−", "-").replace("+", "").replace(",", "")) for text in net) == -40
        assert await player.page.evaluate("document.activeElement.id") == "out-h"


async def test_play_waits_with_its_reason_for_cards_that_may_be_played(dealt: list[Player]) -> None:
    leader = await to_move(dealt)
    page = leader.page
    others = page.locator("#hand .card:not([data-card='3d'])")
    await others.nth(0).click()
    await others.nth(2).click()
    await expect(page.locator("[data-act=play]")).to_have_attribute("aria-disabled", "true")
    assert await page.locator("[data-act=play]").get_attribute("aria-describedby") == "why"
    await expect(page.locator(REASON)).to_contain_text("These cards can’t be played now.")
    await page.locator("[data-act=play]").click(force=True)
    assert len(await leader.hand()) == 13
    await page.keyboard.press("Escape")
    await page.click("#hand [data-card='3d']")
    await expect(page.locator(REASON)).to_have_text("Ready: 3 of diamonds")
    await page.locator("[data-act=play]").click()
    await expect(page.locator("#hand .card")).to_have_count(12)
    for player in dealt:
        by = "by you" if player is leader else f"by {leader.name}"
        await expect(player.page.locator(".play.standing .cap")).to_have_text(f"3 of diamonds{by}")


async def test_the_keyboard_alone_plays_a_card(dealt: list[Player]) -> None:
    leader = await to_move(dealt)
    page = leader.page
    await page.keyboard.press("3")
    focused = await page.evaluate("document.activeElement.dataset.card")
    assert focused[0] == "3"
    for _ in range(4):
        if await page.evaluate("document.activeElement.dataset.card") == "3d":
            break
        await page.keyboard.press("3")
    await page.keyboard.press("Space")
    await expect(page.locator("#hand [aria-selected=true]")).to_have_attribute("data-card", "3d")
    await page.keyboard.press("Enter")
    await expect(page.locator("#hand .card")).to_have_count(12)
    follower = await to_move(dealt)
    await follower.page.keyboard.press("p")
    await expect(leader.page.locator(".said")).to_have_text("Pass")


async def test_only_one_card_is_a_tab_stop_and_arrows_move_it(dealt: list[Player]) -> None:
    page = dealt[0].page
    cards = page.locator("#hand .card")
    assert await cards.evaluate_all("all => all.filter(c => c.tabIndex === 0).length") == 1
    await cards.nth(0).focus()
    await page.keyboard.press("ArrowRight")
    await expect(cards.nth(1)).to_be_focused()
    await page.keyboard.press("End")
    await expect(cards.nth(12)).to_be_focused()
    assert await cards.evaluate_all("all => all.filter(c => c.tabIndex === 0).length") == 1


async def test_dragging_across_picks_every_card_on_the_way(dealt: list[Player]) -> None:
    page = dealt[0].page
    boxes = [await page.locator("#hand .card").nth(n).bounding_box() for n in (2, 5)]
    start, end = ((box["x"] + 30, box["y"] + 60) for box in boxes if box)
    await page.mouse.move(*start)
    await page.mouse.down()
    await page.mouse.move(*end, steps=20)
    await page.mouse.up()
    await expect(page.locator("#hand [aria-selected=true]")).to_have_count(4)


async def test_sorting_by_suit_and_back_keeps_the_cards(dealt: list[Player]) -> None:
    player = dealt[0]
    before = await player.hand()
    await player.press("sort")
    suits = [card[1] for card in await player.hand()]
    assert suits == sorted(suits, key="shcd".index)
    await player.press("sort")
    assert await player.hand() == before


async def test_a_newer_tab_takes_over_and_the_older_is_read_only(dealt: list[Player]) -> None:
    player = dealt[0]
    newer = await player.context.new_page()
    await newer.goto(player.page.url)
    await expect(newer.locator("#hand .card")).to_have_count(13)
    await expect(player.page.locator(REASON)).to_contain_text("read-only")
    assert not await player.can("play")
    await player.press("here")
    await expect(newer.locator(REASON)).to_contain_text("read-only")
    await expect(player.page.locator(REASON)).not_to_contain_text("read-only")


async def test_a_move_the_line_swallowed_is_sent_again_after_a_reload(four: list[Player]) -> None:
    swallowed: list[str] = []

    async def through(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if '"act"' in str(message) and not swallowed:
                swallowed.append(str(message))
            elif not swallowed or reloaded:
                server.send(message)

        route.on_message(pass_on)

    reloaded: list[bool] = []
    for player in four:
        await player.page.route_web_socket(re.compile("/ws/"), through)
        await player.page.reload()
        await player.at_table()
    for player in four:
        await player.start()
    leader = await to_move(four)
    await leader.press("hint")
    picked = leader.page.locator("#hand .card[aria-selected=true]")
    await expect(picked).not_to_have_count(0)
    played = await picked.count()
    await leader.press("play")
    await expect(leader.page.locator(REASON)).to_have_text("Sending…")
    assert len(await leader.hand()) == 13
    reloaded.append(True)
    await leader.page.reload()
    await expect(leader.page.locator("#hand .card")).to_have_count(13 - played, timeout=LATER_MS)
    for player in four:
        await player.page.unroute_all()


@for_coins
async def test_the_leaving_dialogue_names_the_exact_sum_and_no_changes_nothing(dealt: list[Player]) -> None:
    page = dealt[0].page
    await page.click("#leave-open")
    await page.locator("#leave button", has_text="Leave now").click()
    dialogue = page.locator("#escape")
    await expect(dialogue).to_contain_text(
        "Leaving now costs 200 points and 2,000 coins. Do you really want to leave?"
    )
    await expect(dialogue.locator("dd.total")).to_have_text(re.compile(r"^\d{1,2},\d{3}$"))
    await expect(dialogue.locator("[data-close]")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialogue).to_be_hidden()
    assert len(await dealt[0].hand()) == 13


@for_coins
async def test_an_escape_ends_the_deal_and_is_told_to_everyone(dealt: list[Player]) -> None:
    page = dealt[0].page
    await page.click("#leave-open")
    await page.locator("#leave button", has_text="Leave now").click()
    await page.click("#escape-yes")
    name = dealt[0].name
    told = f"〖{name}〗 forced his way out and loses 200 points and 2,000 coins. The deal is over."
    await expect(page.locator("#gone")).to_contain_text(told)
    for other in dealt[1:]:
        await expect(other.page.locator("#over .told")).to_have_text(told)
        await expect(other.page.locator("#over h1")).to_have_text(f"{name} escaped")
    await page.click("#gone .btn.main")
    await page.wait_for_url(re.compile(r"/$"))
    await expect(page.locator(".purse")).to_have_text(re.compile(r"Balance\d,\d{3}"))


async def test_a_deal_ends_by_consent_when_all_agree(dealt: list[Player]) -> None:
    await dealt[1].page.click("#leave-open")
    await dealt[1].page.locator("#leave button", has_text="Ask to end the deal").click()
    for player in (dealt[0], dealt[2], dealt[3]):
        await expect(player.page.locator("#vote")).to_contain_text(f"{dealt[1].name} asks to end the deal.")
        await player.page.locator("#vote button", has_text="Agree").click()
    for player in dealt:
        await expect(player.page.locator("#over h1")).to_have_text("The deal is void")


async def test_a_refusal_goes_on_with_the_deal(dealt: list[Player]) -> None:
    await dealt[1].page.click("#leave-open")
    await dealt[1].page.locator("#leave button", has_text="Ask to end the deal").click()
    await dealt[0].page.locator("#vote button", has_text="Play on").click()
    await expect(dealt[2].page.locator("#vote")).to_be_hidden()
    assert len(await dealt[2].hand()) == 13


async def test_the_trustee_plays_until_taken_back(dealt: list[Player]) -> None:
    resting, page = dealt[0], dealt[0].page
    await page.click("#leave-open")
    await page.locator("#leave button", has_text="Let the trustee play").click()
    await expect(page.locator("#me .tags")).to_contain_text("Trustee")
    await expect(dealt[2].page.locator(".seat.north .tags")).to_contain_text("Trustee")
    await resting.press("resume")
    await expect(page.locator("#me .tags")).not_to_contain_text("Trustee")


async def test_hide_folds_the_receipt_over_open_hands(dealt: list[Player]) -> None:
    await until_receipt(dealt)
    page = dealt[0].page
    await page.click("#over .fold")
    await expect(page.locator("#over")).to_be_hidden()
    await expect(page.locator(".trick.opened .play.opened")).to_have_count(4)
    await expect(page.locator("[data-act=start]")).to_contain_text(re.compile(r"Next deal\s+\d+"))
    await page.keyboard.press("r")
    await expect(page.locator("#over")).to_be_visible()


async def test_a_lost_line_is_counted_down_for_the_others(dealt: list[Player]) -> None:
    await dealt[2].page.goto("about:blank")
    tag = dealt[0].page.locator(".seat.north .tag.alarm")
    await expect(tag).to_contain_text(re.compile(r"Offline [12]:\d\d"), timeout=LATER_MS)
    await dealt[2].page.go_back()
    await expect(tag).to_have_count(0, timeout=LATER_MS)


async def test_what_is_said_stands_in_the_chat_and_beside_its_speaker(four: list[Player]) -> None:
    await four[1].page.fill("#say-in", "<b>Good luck</b>")
    await four[1].page.keyboard.press("Enter")
    await expect(four[0].page.locator("#talk-list li").last).to_contain_text("<b>Good luck</b>")
    await expect(four[0].page.locator(".seat.east .bubble")).to_have_text("<b>Good luck</b>")
    await four[0].page.locator("#phrases button", has_text="Any day now").click()
    await expect(four[3].page.locator("#talk-list li").last).to_contain_text("Any day now…")


async def test_the_next_player_sits_to_my_right(four: list[Player]) -> None:
    """Play runs counter-clockwise (RULES §0)."""
    for seat, player in enumerate(four):
        names = [four[(seat + step) % 4].name for step in (1, 2, 3)]
        for place, name in zip(("east", "north", "west"), names, strict=True):
            await expect(player.page.locator(f".seat.{place} .who")).to_have_text(name)


async def test_with_reduced_motion_nothing_is_animated(dealt: list[Player]) -> None:
    mover = await to_move(dealt)
    await mover.page.emulate_media(reduced_motion="reduce")
    await mover.move()
    assert await mover.page.evaluate("document.getAnimations().length") == 0
    await mover.page.emulate_media(reduced_motion="no-preference")
