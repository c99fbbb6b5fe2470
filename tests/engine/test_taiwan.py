"""`doudizhu.taiwan`: the auction, the stake, the cap, who is away, leaving fines (RULES §3)."""

from __future__ import annotations

import random

import pytest

from games.engine.deal import Previous
from games.engine.errors import EngineError
from games.engine.fair import Draw
from games.engine.terms import Fee, Terms
from tests.engine.dealing import TAIWAN, legal, play, position, shuffled
from tests.engine.test_dou_dizhu_play import reason

BASE_30 = Terms(30, 1200, Fee("percent", 5))
BASE_50 = Terms(50, 2000, Fee("percent", 5))
RICH = (100_000,) * 3


def auction(*bids: str, first: int = 0):
    deck = shuffled(random.Random(7), 54)
    return play(TAIWAN, TAIWAN.start(deck=deck, opening={"first": first}, terms=BASE_30), *bids)


def settled(terms=BASE_30, balances=RICH, **outcome):
    given = {"landlord": 0, "landlord_won": True, "bid": 1, "doublings": 0, "out": 0, "away": []} | outcome
    return TAIWAN.settle(terms, balances, TAIWAN.parse_outcome(given))


def net(**outcome):
    return list(settled(**outcome).net)


def farmers_win(**outcome):
    return {"landlord_won": False, "out": 1, **outcome}


def row(settlement, name, **fields):
    return [
        line
        for line in settlement.reasons
        if line["row"] == name and all(line.get(key) == value for key, value in fields.items())
    ]


# --- the auction ---


def test_each_bids_once_in_play_order_higher_than_any_before_or_0():
    deal = auction("bid 1", first=1)
    assert (deal.phase, deal.turn) == ("bidding", 2)
    assert legal(TAIWAN, deal) == ["bid 0", "bid 2", "bid 3"]
    assert reason(TAIWAN, deal, 2, "bid 1") == "bid_too_low"
    assert legal(TAIWAN, play(TAIWAN, deal, "bid 0")) == ["bid 0", "bid 2", "bid 3"]


def test_a_3_ends_the_auction():
    deal = auction("bid 0", "bid 3")
    assert (deal.phase, deal.turn, deal.own.landlord, deal.counts) == ("play", 1, 1, (17, 20, 17))


def test_the_highest_bid_is_landlord_and_leads():
    assert auction("bid 1", "bid 2", "bid 0").turn == 1
    assert auction("bid 1", "bid 0", "bid 0", first=2).turn == 2
    assert auction("bid 0", "bid 0", "bid 1").turn == 2


def test_all_0_is_a_new_deal():
    deal = auction("bid 0", "bid 0", "bid 0")
    assert (deal.phase, deal.turn, TAIWAN.outcome(deal, away=[1])) == ("redeal", None, None)
    assert reason(TAIWAN, deal, 0, "bid 1") == "deal_over"


def test_the_computer_bids_0():
    assert str(TAIWAN.autoplay(TAIWAN.view(auction("bid 2"), 1))) == "bid 0"


def test_words_of_mala_say_nothing_here():
    for word in ("blind", "look", "call", "decline", "raise 1", "stay 1", "pass", "play 3d"):
        assert reason(TAIWAN, auction(), 0, word) == "wrong_phase"


def test_the_first_bidder_is_drawn_then_one_seat_on():
    seen = set()
    for number in range(30):
        draw = Draw(bytes(32), f"deal-{number}", ["", "", ""])
        deck = draw.deck(54)
        opening = TAIWAN.next_opening(None, draw, deck)
        seen.add(opening["first"])
        assert TAIWAN.opening_agrees(opening, draw, deck) is None
        for phase in ("over", "redeal", "void"):
            following = TAIWAN.next_opening(Previous(opening, phase, None, False), draw, deck)
            assert following == {"first": (opening["first"] + 1) % 3}
    assert seen == {0, 1, 2}
    assert TAIWAN.opening_agrees({"first": 0, "landlord": 0, "bid": 3}, draw, deck) is False


# --- what is seen ---


def test_nobody_sees_the_bottom_until_the_landlord_is_known_then_all_do():
    before, after = auction("bid 1", "bid 2"), auction("bid 1", "bid 3")
    for seat in (None, 0, 1, 2):
        view = TAIWAN.view(before, seat)
        assert (view.bottom, view.landlord, view.bids) == (None, None, (1, 2, None))
        assert not before.setup.bottom & ~view.unseen
        view = TAIWAN.view(after, seat)
        assert (view.bottom, view.landlord) == (after.setup.bottom, 1)
        assert not after.setup.bottom & view.unseen
        assert view.unseen.bit_count() == {None: 51, 1: 34}.get(seat, 34)
        assert (view.base_score, view.ladder, view.shown) == (None, (0, 0, 0), None)


def test_the_bottom_stays_on_view_when_its_cards_are_played():
    deal = auction("bid 3")
    lowest = deal.setup.bottom & -deal.setup.bottom
    deal = TAIWAN.apply(deal, 0, next(a for a in TAIWAN.legal(deal) if a.cards))
    assert TAIWAN.view(deal, 2).bottom & lowest


# --- the stake ---


def test_the_examples_of_base_30():
    assert net() == [57, -30, -30]
    assert net(**farmers_win()) == [-60, 28, 28]
    assert net(**farmers_win(bid=3, doublings=3)) == [-1200, 570, 570]
    assert net(bid=3, doublings=3) == [1368, -720, -720]
    assert net(bid=3, doublings=4) == [2280, -1200, -1200]
    assert net(**farmers_win(terms=BASE_50)) == [-100, 47, 47]


def test_points_are_the_stake_in_bases_before_the_cap():
    assert settled(bid=3, doublings=4, balances=(0, 0, 0)).points == (96, -48, -48)
    assert settled(**farmers_win(bid=2, doublings=1)).points == (-8, 4, 4)


def test_the_fee_is_5_percent_of_what_was_won_rounded_up():
    for won, fee in ((30, 2), (50, 3), (90, 5), (150, 8)):
        terms = Terms(won, None, Fee("percent", 5))
        assert settled(**farmers_win(terms=terms)).fees == (0, fee, fee)


def test_the_cap_limits_what_one_player_can_lose():
    settlement = settled(**farmers_win(bid=3, doublings=4))
    assert settlement.gross == (-1200, 600, 600)
    assert row(settlement, "cap") == [{"row": "cap", "values": [1200, None, None]}]
    assert row(settlement, "pot")[0]["values"] == [0, 600, 600]


def test_an_odd_coin_goes_to_the_farmer_who_went_out():
    for out, gross in ((1, (-61, 31, 30)), (2, (-61, 30, 31))):
        settlement = settled(**farmers_win(bid=3, out=out, balances=(61, 1200, 1200)))
        assert settlement.gross == gross
        assert row(settlement, "purse") == [{"row": "purse", "values": [61, None, None]}]
        assert row(settlement, "pot")[0]["remainder_to"] == out


def test_a_loser_pays_no_more_than_he_has():
    assert settled(bid=3, balances=(5, 31, 0)).gross == (31, -31, 0)


# --- bombs, spring ---


def ended(*actions, hands=("3d 4d", "5d 6d", "7d 8d"), **opening):
    deal = play(TAIWAN, position(TAIWAN, *hands, landlord=0, bid=2, **opening), *actions)
    assert deal.phase == "over"
    return TAIWAN.outcome(deal)


def causes(outcome):
    return [(doubling.cause, doubling.seat) for doubling in outcome.causes]


def test_spring_is_when_neither_farmer_played_a_card():
    assert causes(ended("play 4d", "pass", "pass", "play 3d")) == [("spring", 0)]
    answered = ended("play 3d", "play 5d", "pass", "play 9d", hands=("3d 9d", "5d 6d", "7d 8d"))
    assert causes(answered) == []


def test_anti_spring_is_when_the_landlord_played_exactly_one_combo():
    assert causes(ended("play 4d", "play 5d", "pass", "pass", "play 6d")) == [("anti_spring", 1)]
    twice = ended("play 3d", "pass", "pass", "play 4d", "play 5d", hands=("3d 4d 9d", "5d", "7d 8d"))
    assert causes(twice) == []
    never = ended("play 7d", hands=("3d", "5d", "7d"), turn=2)
    assert causes(never) == []


def test_each_bomb_and_the_rocket_double_whoever_plays_them():
    hands = ("3d 3c 3h 3s 4d", "5d 5c 5h 5s 7d", "BJ RJ 9d")
    outcome = ended("play 4d", "play 5d 5c 5h 5s", "play BJ RJ", "pass", "pass", "play 9d", hands=hands)
    assert causes(outcome) == [("bomb", 1), ("rocket", 2), ("anti_spring", 2)]
    factors = row(TAIWAN.settle(BASE_30, RICH, outcome), "factor")
    assert [(line["cause"], line["values"]) for line in factors] == [
        ("bid", [2, None, None]),
        ("bomb", [None, 2, None]),
        ("rocket", [None, None, 2]),
        ("anti_spring", [None, None, 2]),
    ]
    assert factors[1]["cards"] == "5d 5c 5h 5s"


def test_fours_and_the_rocket_that_carry_double_nothing():
    assert ended("play 3d 3c 3h 3s 9d", hands=("3d 3c 3h 3s 9d", "5d", "6d")).causes[0].cause == "spring"
    carried = ended("play BJ RJ 3d 4d", hands=("BJ RJ 3d 4d", "5d", "6d"))
    assert causes(carried) == [("spring", 0)]


def test_of_a_study_position_the_standing_combo_counts_as_one_play():
    inside = {"standing": "9d 9c 9h 9s", "standing_by": 1, "passes": 0, "turn": 2}
    outcome = ended("pass", "pass", "play 5d", hands=("3d 4d", "5d", "7d"), **inside)
    assert causes(outcome) == [("bomb", 1)]
    inside = {"standing": "9d", "standing_by": 1, "passes": 1, "turn": 0}
    assert ended("play Td", hands=("Td", "5d", "7d"), **inside).causes == ()


# --- leaving ---


def test_a_farmers_away_share_goes_to_the_other_when_they_win():
    for out in (1, 2):
        settlement = settled(**farmers_win(bid=3, doublings=1, out=out, away=[1]))
        assert settlement.net == (-360, -60, 342)
        assert settlement.points == (-12, 6, 6)
        assert row(settlement, "away_share") == [
            {"row": "away_share", "from": 1, "to": 2, "values": [0, -180, 180]}
        ]


def test_when_they_lose_each_pays_his_own():
    assert net(bid=3, doublings=1, away=[2]) == [342, -180, -240]


def test_with_both_away_the_split_is_the_normal_one():
    assert net(**farmers_win(bid=3, doublings=1, away=[1, 2])) == [-360, 111, 111]
    assert net(**farmers_win(bid=2, away=[0])) == [-180, 57, 57]


def test_who_came_back_keeps_his_fine_and_his_share():
    settlement = settled(**farmers_win(bid=3, doublings=1, fined=[1]))
    assert settlement.net == (-360, 111, 171)
    assert row(settlement, "penalty")[0] == {
        "row": "penalty",
        "cause": "leave",
        "due": 60,
        "values": [0, 60, 0],
    }


def test_the_fine_comes_after_the_settlement_and_takes_no_more_than_is_left():
    assert settled(balances=(1000, 31, 60), away=[1, 2]).penalties == (0, 1, 30)
    assert settled(balances=(0, 0, 0), away=[0, 1, 2]).penalties == (0, 0, 0)


def test_an_outcome_has_to_make_sense():
    for wrong in (
        {"out": 1},
        {"landlord_won": False},
        {"landlord_won": 1},
        {"bid": 0},
        {"bid": 4},
        {"doublings": -1},
        {"doublings": 10**9},
        {"away": [2], "fined": [0]},
        {"away": [1, 1]},
        {"away": 1},
        {"landlord": None},
        {"escaped": 1},
        {"ladder": [0, 0, 0]},
    ):
        with pytest.raises(EngineError) as caught:
            settled(**wrong)
        assert caught.value.code == "bad_request"
    with pytest.raises(EngineError):
        TAIWAN.parse_outcome({"escaped": 1})


def test_what_a_seat_can_lose_is_cap_and_fine():
    assert TAIWAN.exposure(BASE_30, 5000) == 1260
    assert TAIWAN.exposure(BASE_30, 1230) == 1230
    assert TAIWAN.exposure(Terms(30), 5000) == 5000
    assert TAIWAN.exposure(Terms(30, currency="points"), 5000) == 0


def test_the_next_deal_needs_the_cap():
    assert not TAIWAN.can_play_on(BASE_30, 1199)
    assert TAIWAN.can_play_on(BASE_30, 1200)
    assert TAIWAN.can_play_on(Terms(30), 1)
    assert not TAIWAN.can_play_on(Terms(30), 0)
    assert TAIWAN.can_play_on(Terms(30, 1200, currency="points"), 0)


def test_leaving_costs_two_bases_at_most_the_balance():
    view = TAIWAN.view(auction("bid 3"), 0)
    assert TAIWAN.leave_price(view, BASE_30, 5000) == (0, 60, False)
    assert TAIWAN.leave_price(view, BASE_30, 7) == (0, 7, False)
    assert TAIWAN.leave_price(view, BASE_30, None) == (0, 60, False)
    assert TAIWAN.leave_price(view, Terms(30, currency="points"), 0) == (0, 0, False)


def test_in_points_no_coin_moves():
    settlement = settled(**farmers_win(terms=Terms(30, currency="points"), bid=3, away=[1]))
    assert settlement.points == (-6, 3, 3)
    assert not any((*settlement.gross, *settlement.fees, *settlement.penalties))
