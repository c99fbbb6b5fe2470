"""What leaving costs, as the dialogue says it (RULES §5): exact before and at the yes, and never what is hidden."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from games.engine import rulesets
from games.engine.cards import cards_of, format_cards, mask_of
from games.engine.deal import Deal
from games.engine.terms import Terms
from games.table import commands as c
from games.table import events as e
from tests.table.rooms import (
    ALL,
    AUCTIONS,
    ESCAPE,
    RICH,
    TAIWAN,
    WAITING,
    by_itself,
    deal,
    dealt,
    in_play,
    pass_or_play,
    result_of,
    room,
)
from tests.table.tabletop import Tabletop
from tests.table.test_each_time_out import words
from tests.table.test_leaving_dou_dizhu import DECK as FOURS

MALA = rulesets.get("doudizhu.mala")


def price(table: Tabletop, seat: int) -> dict[str, Any] | None:
    said: dict[str, Any] | None = table.view(seat)["can"]["leave_price"]
    return said


def paid(table: Tabletop, seat: int) -> dict[str, int]:
    """What a seat paid for leaving, after a look that nobody else gained or lost."""
    settlement = result_of(table)["settlement"]
    for name in ("points", "net", "fees", "gross"):
        assert [value for other, value in enumerate(settlement[name]) if other != seat and value] == []
    assert settlement["house"] == settlement["penalties"][seat] == -settlement["net"][seat]
    return {"points": -settlement["points"][seat], "coins": settlement["penalties"][seat]}


@pytest.mark.parametrize("code", ["bigtwo.classic", "bigtwo.qq"])
@pytest.mark.parametrize("seat", range(4))
def test_in_big_two_it_is_200_points_and_200_stakes_at_any_time(code: str, seat: int) -> None:
    table = in_play(code)
    for _ in range(5):
        assert price(table, seat) == ESCAPE[code]
        table.act()
    table.must(c.Leave(seat, "go"))
    assert paid(table, seat) == {"points": 200, "coins": ESCAPE[code]["coins"]}


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("acts", range(8))
def test_in_mala_it_is_at_least_what_was_said_and_exactly_that_where_nothing_can_hide(
    seat: int, acts: int
) -> None:
    table = dealt("doudizhu.mala", deck=FOURS if acts % 2 else _deck(acts))
    for action in ("look", "call", "raise 0", "stay 0")[:acts]:
        if action.split()[0] in " ".join(table.offers()):
            table.act(next(offer for offer in table.offers() if offer.startswith(action.split()[0])))
    said = price(table, seat)
    assert said is not None
    table.must(c.Leave(seat, "go"))
    cost = paid(table, seat)
    assert cost["coins"] == 10 * cost["points"]
    assert (cost["points"] > said["points"]) <= said["at_least"]
    assert cost["points"] >= said["points"] and cost["coins"] >= said["coins"]


def _deck(number: int) -> tuple[int, ...]:
    cards = list(range(54))
    random.Random(number).shuffle(cards)
    return tuple(cards)


@pytest.mark.parametrize("code", WAITING)
def test_never_more_than_the_balance(code: str) -> None:
    table = room(code)
    deal(table, (RICH, 57, *[RICH] * (table.rules.seats - 2)))
    said = price(table, 1)
    assert said is not None and said["coins"] == 57
    table.must(c.Leave(1, "go"))
    assert paid(table, 1)["coins"] == 57


def test_in_taiwan_it_is_the_fine_and_no_points_and_the_deal_goes_on() -> None:
    table = in_play(TAIWAN)
    seat = table.turn
    assert price(table, seat) == {"points": 0, "coins": 60, "at_least": False}
    assert table.view(seat)["terms"]["leaves"], "the dialogue says fine and computer, not escape"
    table.must(c.Leave(seat, "go"))
    result = by_itself(table, *({0, 1, 2} - {seat}))
    assert result["how"] == "over" and result["settlement"]["penalties"][seat] == 60


@pytest.mark.parametrize("code", ALL)
def test_no_changes_nothing_and_the_sum_is_taken_as_it_is_at_the_yes(code: str) -> None:
    """The dialogue is the page's own: to open and close it is no command, and the clock runs on behind it."""
    table = in_play(code)
    seat, before = table.turn, table.state
    assert price(table, seat) == price(table.after(7_000), seat)
    assert table.state is before
    assert table.view(seat)["deal"]["clock"]["ms"] == 13_000


def test_the_sum_grows_with_the_ladder_behind_an_open_dialogue() -> None:
    table = dealt("doudizhu.mala", deck=_deck(3))
    table.act("look")
    table.act("call")
    landlord, asked = result_landlord(table), table.turn
    before = price(table, landlord)
    for step in range(4):
        raises = [offer for offer in table.offers() if offer.startswith("raise")]
        if not raises or (step == 1 and table.turn == asked):
            break
        table.act(raises[0])
    while table.state.deal is not None and table.state.deal.deal.phase == "ladder":
        table.act(next(offer for offer in table.offers() if offer.startswith("raise")))
    after = price(table, landlord)
    assert before is not None and after is not None
    assert (before["points"], after["points"]) == (20, 2 * 2 * 16), "both pairs at sixteen"
    table.must(c.Leave(landlord, "go"))
    assert paid(table, landlord)["points"] >= after["points"]


def result_landlord(table: Tabletop) -> int:
    landlord: int = table.view(None)["deal"]["state"]["landlord"]
    return landlord


# ---- before the cards: a match is found, or a redeal is owed


@pytest.mark.parametrize("code", ALL)
def test_from_a_complete_match_on_the_price_is_said_and_is_what_it_costs(code: str) -> None:
    table = Tabletop(code, **{**_terms(code), "seating": "match"})
    for seat in range(table.rules.seats - 1):
        table.must(c.Sit(seat, 100 + seat, f"Player {seat}"))
    assert price(table, 0) is None and table.view(0)["can"]["stand"], "until it is complete leaving is free"
    table.fill()
    can = table.view(1)["can"]
    assert can["leave"] and not can["stand"] and can["leave_price"] == ESCAPE[code]
    table.must(c.Leave(1, "go"))
    assert price(table, 1) is None and not table.view(1)["can"]["leave"]
    table.must(table.opening_command(balances=(RICH,) * table.rules.seats))
    if code == TAIWAN:
        by_itself(table, 0, 2)
        assert result_of(table)["settlement"]["penalties"][1] == 60
    else:
        assert paid(table, 1) == {"points": ESCAPE[code]["points"], "coins": ESCAPE[code]["coins"]}


def _terms(code: str) -> dict[str, Any]:
    return dict(room(code).state.terms.raw)


@pytest.mark.parametrize("code", WAITING)
def test_the_second_who_leaves_a_match_is_told_that_it_costs_nothing(code: str) -> None:
    table = room(code, seating="match")
    table.must(c.Leave(2, "first"))
    assert price(table, 0) == {"points": 0, "coins": 0, "at_least": False}
    table.must(c.Leave(0, "second"))
    table.must(table.opening_command(balances=(RICH,) * table.rules.seats))
    paid(table, 2)


@pytest.mark.parametrize("code", AUCTIONS)
def test_between_a_redeal_and_its_cards_too_and_never_more_than_he_has(code: str) -> None:
    table = deal(room(code), (RICH, 45, RICH))
    while table.state.deal is not None:
        pass_or_play(table)
    assert table.state.carry is not None
    assert price(table, 0) == ESCAPE[code]
    assert price(table, 1) == {**ESCAPE[code], "coins": 45}
    table.must(c.Leave(1, "go"))
    events = table.must(table.opening_command(balances=(RICH, 45, RICH)))
    if code == TAIWAN:
        assert isinstance(events[-1], e.AwaySet) and events[-1].fined
    else:
        assert paid(table, 1) == {"points": 10, "coins": 45}


def test_in_points_rooms_no_coin_is_named_and_practice_names_no_price() -> None:
    points = room("bigtwo.classic", currency="points", seating="match")
    assert price(points, 0) == {"points": 200, "coins": 0, "at_least": False}
    practice = room("bigtwo.classic", currency="none", practice=True, seating="match")
    assert price(practice, 0) is None and practice.view(0)["can"]["leave"]


# ---- the words


@pytest.mark.parametrize(
    ("said", "hans", "hant"),
    [
        (
            "〖{name}〗 forced his way out and loses {n} points. The deal is over.",
            "由于〖{name}〗强行退出，他被扣{n}分。游戏结束。",
            "由於〖{name}〗強行退出，他被扣{n}分。遊戲結束。",
        ),
        (
            "〖{name}〗 forced his way out and loses {n} points and {c} {coins}. The deal is over.",
            "由于〖{name}〗强行退出，他被扣{n}分，另扣{c}{coins}。游戏结束。",
            "由於〖{name}〗強行退出，他被扣{n}分，另扣{c}{coins}。遊戲結束。",
        ),
        (
            "Leaving now costs {p} points. Do you really want to leave?",
            "现在退出将会扣{p}积分。你真的要退出吗？",
            "現在退出將會扣{p}積分。你真的要退出嗎？",
        ),
        (
            "Leaving now costs at least {p} points. Do you really want to leave?",
            "现在退出将会至少扣{p}积分。你真的要退出吗？",
            "現在退出將會至少扣{p}積分。你真的要退出嗎？",
        ),
    ],
)
def test_the_dialogue_and_the_news_of_an_escape_say_what_the_rules_say(
    said: str, hans: str, hant: str
) -> None:
    assert [words(language).gettext(said) for language in ("zh_Hans", "zh_Hant")] == [hans, hant]


# ---- what is hidden


def reshuffled(deal: Deal, seat: int, dice: random.Random) -> Deal:
    """The same deal as far as a seat may know it: all it has not seen is dealt anew."""
    view = MALA.view(deal, seat)
    unseen = list(cards_of(view.unseen))
    dice.shuffle(unseen)
    hidden = set(unseen)
    taken = iter(unseen)

    def anew(mask: int) -> int:
        return mask_of(tuple(next(taken) if card in hidden else card for card in cards_of(mask)))

    bottom = deal.setup.bottom
    own_bottom = any(hand & bottom for hand in deal.hands)
    hands = tuple(anew(hand) for hand in deal.hands)
    left = mask_of(tuple(taken))
    setup = deal.setup if own_bottom else deal.setup._replace(bottom=left | (bottom & ~view.unseen))
    return deal._replace(hands=hands, setup=setup)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**9), acts=st.integers(0, 25), seat=st.integers(0, 2))
def test_two_deals_that_differ_only_in_hidden_cards_say_the_same_price(
    seed: int, acts: int, seat: int
) -> None:
    dice = random.Random(seed)
    terms = Terms.from_json({"base_stake": 10, "initial_multiplier": dice.choice([1, 2])})
    deck = _deck(seed)
    one = MALA.start(deck=deck, opening={"first": 0, "shown": format_cards(deck[:1])}, terms=terms)
    for _ in range(acts):
        if one.turn is not None:
            one = MALA.apply(one, one.turn, dice.choice(MALA.offers(MALA.view(one, one.turn))))
    assume(one.turn is not None)
    said = MALA.leave_price(MALA.view(one, seat), terms, RICH)
    for _ in range(5):
        other = reshuffled(one, seat, dice)
        assert MALA.view(other, seat) == MALA.view(one, seat), "nothing it may know has changed"
        assert MALA.leave_price(MALA.view(other, seat), terms, RICH) == said
