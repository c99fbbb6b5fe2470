"""`doudizhu.mala`: hands face down, the blind grab, the ladder 倒拉垒沃, two pairs, escapes (RULES §4)."""

from __future__ import annotations

import random

import pytest

from games.engine.actions import ESCAPE
from games.engine.cards import format_cards, format_mask, parse_cards
from games.engine.deal import Previous
from games.engine.errors import EngineError
from games.engine.fair import Draw
from games.engine.terms import Fee, Terms
from tests.engine.dealing import MALA, legal, play, position, shuffled
from tests.engine.test_dou_dizhu_play import reason

N1000 = Terms(1000, None, Fee("flat", 100))
FREE = Terms(1000, None, Fee("flat", 0))
RICH = (1_000_000,) * 3
DECK = shuffled(random.Random(3), 54)
SHOWN = format_cards((DECK[6],))


def dealt(*words: str, terms: Terms = N1000):
    """Return a deal whose seat 0 acts first, after some words."""
    return play(MALA, MALA.start(deck=DECK, opening={"first": 0, "shown": SHOWN}, terms=terms), *words)


def settled(terms=N1000, balances=RICH, **outcome):
    given = {"landlord": 0, "landlord_won": True, "base_score": 2, "ladder": [0, 4, 0], "bombs": 0,
             "spring": False, "out": 0} | outcome  # fmt: skip
    return MALA.settle(terms, balances, MALA.parse_outcome(given))


def lost(**outcome):
    return {"landlord_won": False, "out": 1, **outcome}


def escaped(seat, terms=N1000, balances=RICH, **outcome):
    given = {"escaped": seat, "landlord": 0, "base_score": 1, "ladder": [0, 0, 0], "bombs_dealt": 0} | outcome
    return MALA.settle(terms, balances, MALA.parse_outcome(given))


def rows(settlement, name):
    return [line for line in settlement.reasons if line["row"] == name]


# --- the opening ---


def test_the_owner_of_the_shown_card_grabs_blind_or_looks():
    deal = dealt()
    assert (deal.phase, deal.turn) == ("blind", 0)
    assert legal(MALA, deal) == ["blind", "look"]
    for word in ("call", "decline", "raise 0", "pass", "play 3d", "bid 1"):
        assert reason(MALA, deal, 0, word) == "wrong_phase"
    assert reason(MALA, deal, 1, "look") == "not_your_turn"


def test_who_looks_calls_or_declines_first_then_the_next_two():
    deal = dealt("look")
    assert (deal.phase, deal.turn) == ("bidding", 0)
    assert legal(MALA, deal) == ["call", "decline"]
    deal = play(MALA, deal, "decline")
    assert (deal.phase, deal.turn) == ("bidding", 1)
    assert reason(MALA, deal, 1, "blind") == "wrong_phase"


def test_the_first_call_is_landlord_and_takes_the_bottom_at_once():
    deal = dealt("look", "decline", "call")
    assert (deal.phase, deal.turn, deal.own.landlord, deal.own.bid) == ("ladder", 2, 1, 1)
    assert deal.counts == (17, 20, 17)


def test_three_declines_are_a_new_deal():
    deal = dealt("look", "decline", "decline", "decline")
    assert (deal.phase, deal.turn, MALA.outcome(deal)) == ("redeal", None, None)


def test_who_grabs_blind_is_landlord_and_takes_the_bottom_after_the_ladder():
    deal = dealt("blind")
    assert (deal.phase, deal.turn, deal.own.landlord, deal.own.bid) == ("ladder", 1, 0, 2)
    assert deal.counts == (17, 17, 17)
    deal = play(MALA, deal, "stay 0", "stay 0")
    assert (deal.phase, deal.turn, deal.counts) == ("play", 0, (20, 17, 17))


def test_a_card_that_the_first_seat_does_not_hold_is_not_shown():
    for opening in ({"first": 1, "shown": SHOWN}, {"first": 0, "shown": format_cards(DECK[51:52])},
                    {"first": 0, "shown": ""}, {"first": 0, "shown": "3d 4d"}, {"first": 0, "shown": 5},
                    {"first": 0, "shown": SHOWN, "bid": 1}):  # fmt: skip
        with pytest.raises(EngineError) as caught:
            MALA.start(deck=DECK, opening=opening, terms=N1000)
        assert caught.value.code == "bad_record"
    assert MALA.start(deck=DECK, opening={"first": 1}, terms=N1000).own.shown is None


def test_the_shown_card_is_drawn_among_those_dealt_and_names_its_owner():
    owners, shown = set(), set()
    for number in range(120):
        draw = Draw(bytes(32), f"deal-{number}", ["", "", ""])
        deck = draw.deck(54)
        opening = MALA.next_opening(Previous({"first": 1}, "redeal", None, True), draw, deck)
        deal = MALA.start(deck=deck, opening=opening, terms=N1000)
        assert deal.setup.hands[opening["first"]] >> deal.own.shown & 1
        owners.add(opening["first"])
        shown.add(opening["shown"])

        def again(number=number):
            draw = Draw(bytes(32), f"deal-{number}", ["", "", ""])
            draw.deck(54)
            return draw

        assert MALA.opening_agrees(opening, again(), deck) is True
        assert MALA.opening_agrees({"first": opening["first"]}, again(), deck) is True
        assert MALA.opening_agrees({"first": (opening["first"] + 1) % 3}, again(), deck) is False
        assert MALA.opening_agrees(opening | {"landlord": 0}, again(), deck) is False
    assert owners == {0, 1, 2}
    assert len(shown) > 40


# --- the ladder ---


def test_farmers_are_asked_in_play_order_then_the_landlord_answers_in_the_same():
    deal = dealt("look", "decline", "call")
    asked = []
    for word in ("raise 1", "raise 1", "raise 2", "raise 0", "raise 1", "raise 1", "raise 2", "raise 0"):
        asked.append((deal.turn, legal(MALA, deal)))
        deal = play(MALA, deal, word)
    assert asked == [
        (2, ["raise 1", "stay 1"]),
        (0, ["raise 1", "stay 1"]),
        (1, ["raise 2", "stay 2"]),
        (1, ["raise 0", "stay 0"]),
        (2, ["raise 1", "stay 1"]),
        (0, ["raise 1", "stay 1"]),
        (1, ["raise 2", "stay 2"]),
        (1, ["raise 0", "stay 0"]),
    ]
    assert (deal.phase, deal.turn, deal.own.ladder) == ("play", 1, (4, 0, 4))


def test_a_stay_ends_that_pairs_ladder_and_never_touches_the_other():
    deal = dealt("blind", "stay 0", "raise 0")
    assert (deal.turn, legal(MALA, deal)) == (0, ["raise 2", "stay 2"])
    deal = play(MALA, deal, "raise 2", "raise 0", "stay 2")
    assert (deal.phase, deal.own.ladder) == ("play", (0, 0, 3))


def test_a_step_toward_another_seat_is_the_wrong_phase():
    deal = dealt("blind", "raise 0", "raise 0")
    for word in ("raise 2", "stay 2", "raise 0", "call", "pass"):
        assert reason(MALA, deal, 0, word) == "wrong_phase"
    assert play(MALA, deal, "raise 1").own.asked == ((0, 2),)


@pytest.mark.parametrize("steps", range(5))
def test_each_step_doubles_up_to_16(steps):
    words = ["raise 0", "raise 1", "raise 0", "raise 1"][:steps] + ["stay 0", "stay 1"][
        steps % 2 : steps % 2 + 1
    ]
    deal = dealt("look", "call", words[0], "stay 0", *words[1 : 4 if steps == 4 else None])
    assert (deal.phase, deal.own.ladder) == ("play", (0, steps, 0))


def test_the_computer_looks_declines_and_stays():
    for words, choice in ((), "look"), (("look",), "decline"), (("blind",), "stay 0"):
        deal = dealt(*words)
        assert str(MALA.autoplay(MALA.view(deal, deal.turn))) == choice


# --- what is seen ---


def seen(deal, seat):
    return MALA.view(deal, seat).as_json()


def test_hands_are_hidden_from_their_owners_until_one_looks():
    for words, phase in ((), "blind"), (("blind",), "ladder"), (("blind", "raise 0"), "ladder"):
        deal = dealt(*words)
        for seat in (None, 0, 1, 2):
            view = seen(deal, seat)
            assert (view["phase"], view["hand"], view["hands"], view["bottom"]) == (phase, None, None, None)
            assert (view["shown"], view["counts"]) == (SHOWN, [17, 17, 17])
            assert len(view["unseen"].split()) == 53
    looked = dealt("look")
    for seat in range(3):
        assert seen(looked, seat)["hand"] == format_mask(looked.hands[seat])


def test_after_a_call_everybody_sees_the_bottom_before_the_ladder():
    deal = dealt("look", "call")
    for seat in (None, 0, 1, 2):
        view = seen(deal, seat)
        assert view["bottom"] == format_mask(deal.setup.bottom)
        assert (view["landlord"], view["base_score"], view["bids"]) == (0, 1, [1, None, None])
        assert not set(view["bottom"].split()) & set(view["unseen"].split())


def test_after_a_blind_grab_the_landlord_alone_ever_sees_the_bottom():
    deal = dealt("blind", "raise 0", "stay 0", "stay 1")
    assert seen(deal, 0)["bottom"] == format_mask(deal.setup.bottom)
    assert (seen(deal, 0)["base_score"], seen(deal, 0)["ladder"]) == (2, [0, 1, 0])
    for seat in (None, 1, 2):
        view = seen(deal, seat)
        assert view["bottom"] is None
        assert set(format_mask(deal.setup.bottom).split()) <= set(view["unseen"].split())
    assert seen(deal, 1)["hand"] == format_mask(deal.hands[1])


def test_at_the_end_all_hands_and_the_bottom_lie_open():
    for deal in (dealt("look", "decline", "decline", "decline"), MALA.apply(dealt("blind"), 2, ESCAPE)):
        for seat in (None, 0, 1):
            view = seen(deal, seat)
            assert view["hands"] == [format_mask(hand) for hand in deal.hands]
            assert (view["bottom"], view["unseen"]) == (format_mask(deal.setup.bottom), "")


# --- the score ---


def test_the_sources_example():
    settlement = settled()
    assert settlement.points == (34, -32, -2)
    assert settlement.net == (33900, -32100, -2100)
    factors = [(line["cause"], line["values"]) for line in rows(settlement, "factor")]
    assert factors == [
        ("blind", [2, None, None]),
        ("ladder", [None, 16, None]),
        ("doublings", [1, 1, 1]),
    ]


def test_called_one_bomb_landlord_loses():
    assert settled(**lost(base_score=1, ladder=[0, 0, 0], bombs=1)).net == (-4100, 1900, 1900)


def test_called_spring_landlord_wins():
    assert settled(base_score=1, ladder=[0, 1, 0], spring=True).gross == (6000, -4000, -2000)


def test_the_initial_multiplier_multiplies_both_pairs():
    assert settled(N1000._replace(initial_multiplier=3), ladder=[0, 1, 2], bombs=2).points == (144, -48, -96)


def test_a_losing_landlords_purse_is_split_in_proportion_the_remainder_to_who_went_out():
    poor = (20_000, 50_000, 50_000)
    settlement = settled(FREE, poor, **lost())
    assert settlement.gross == (-20_000, 18_824, 1_176)
    assert settled(FREE, poor, **lost(out=2)).gross == (-20_000, 18_823, 1_177)
    assert rows(settlement, "purse")[0]["values"] == [20_000, None, None]
    assert rows(settlement, "pot")[0] == {
        "row": "pot", "total": 20_000, "values": [0, 18_824, 1_176], "remainder_to": 1
    }  # fmt: skip


def test_the_cap_is_his_purse_for_the_deal_a_farmers_for_his_pair():
    capped = FREE._replace(cap=3000)
    assert settled(capped, **lost(ladder=[0, 1, 0])).gross == (-3000, 2000, 1000)
    won = settled(capped, ladder=[0, 1, 0])
    assert won.gross == (5000, -3000, -2000)
    assert rows(won, "cap")[0]["values"] == [None, 3000, None]


def test_a_winner_cannot_win_from_one_opponent_more_than_he_carries():
    settlement = settled(FREE, (10_000, 50_000, 50_000))
    assert settlement.gross == (12_000, -10_000, -2_000)
    assert rows(settlement, "carried")[0]["values"] == [None, 10_000, None]
    assert settled(FREE, (50_000, 3_000, 50_000), **lost()).gross == (-5_000, 3_000, 2_000)


def test_farmers_never_cover_each_other():
    assert settled(FREE, (50_000, 0, 50_000)).gross == (2_000, 0, -2_000)
    assert settled(FREE, (0, 50_000, 50_000), **lost()).gross == (0, 0, 0)
    assert settled(FREE, (50_000, 0, 0), **lost()).gross == (0, 0, 0)


def test_who_owes_2000_and_has_1500_pays_1500_and_no_fee():
    settlement = settled(N1000, (50_000, 1_500, 50_000), ladder=[0, 0, 0])
    assert settlement.gross == (3_500, -1_500, -2_000)
    assert settlement.fees == (100, 0, 100)


def test_in_points_no_coin_moves():
    settlement = settled(Terms(1000, currency="points"))
    assert (settlement.points, settlement.net, settlement.house) == ((34, -32, -2), (0, 0, 0), 0)


def test_an_outcome_has_to_make_sense():
    for wrong in ({"out": 1}, {"base_score": 3}, {"ladder": [1, 0, 0]}, {"ladder": [0, 5, 0]},
                  {"ladder": [0, 0]}, {"bombs": -1}, {"spring": 1}, {"spring": None}, {"bid": 3}):  # fmt: skip
        with pytest.raises(EngineError) as caught:
            settled(**wrong)
        assert caught.value.code == "bad_request"
    for wrong in ({"landlord": None, "base_score": 2}, {"landlord": None, "ladder": [0, 1, 0]},
                  {"bombs_dealt": None}, {"escaped": 3}, {"out": 1}):  # fmt: skip
        with pytest.raises(EngineError):
            escaped(1, **wrong)


# --- escapes ---


def test_what_an_escape_costs():
    assert escaped(0).points == (-20, 0, 0)
    assert escaped(0).penalties == (20_000, 0, 0)
    assert escaped(1).net == (0, -10_000, 0)
    assert escaped(0, ladder=[0, 4, 4]).net == (-64_000, 0, 0)
    assert escaped(1, ladder=[0, 4, 4]).net == (0, -32_000, 0)
    assert escaped(0, ladder=[0, 4, 0]).net == (-42_000, 0, 0)
    assert escaped(1, base_score=2).net == (0, -20_000, 0)
    assert escaped(1, landlord=None).net == (0, -10_000, 0)
    assert escaped(2, ladder=[0, 0, 3]).points == (0, 0, -10)
    assert escaped(2, ladder=[0, 0, 3], bombs_dealt=1).points == (0, 0, -32)


def test_no_cap_limits_an_escape_but_the_balance_does():
    settlement = escaped(0, N1000._replace(cap=5), (3_000, 5, 5))
    assert settlement.penalties == (3_000, 0, 0)
    assert (settlement.house, settlement.fees) == (3_000, (0, 0, 0))


FOURS = ("3d 3c 3h 3s BJ RJ", "4d 4c 4h 4s 9d", "5d 6d 7d")


def test_fours_and_both_jokers_count_played_or_not():
    deal = position(MALA, *FOURS, landlord=0, base_score=2, ladder=[0, 1, 0])
    played = play(MALA, deal, "play 3d 3c 3h 3s", "pass", "pass")
    for now in (deal, played):
        outcome = MALA.outcome(MALA.apply(now, 1, ESCAPE))
        assert outcome.doublings == 3
        settlement = MALA.settle(N1000, RICH, outcome)
        assert settlement.points == (0, -2 * 2 * 16, 0)
        assert [line["cause"] for line in rows(settlement, "factor")] == [
            "blind", "ladder", "bomb_dealt", "rocket_dealt", "bomb_dealt", "escape"
        ]  # fmt: skip


def test_of_a_study_position_the_standing_combo_was_in_its_hand():
    inside = {"standing": "5c", "standing_by": 2, "passes": 0, "turn": 0}
    deal = position(MALA, "3d", "4d", "5d 5h 5s", landlord=0, base_score=1, ladder=[0, 0, 0], **inside)
    assert MALA.outcome(MALA.apply(deal, 1, ESCAPE)).doublings == 1


def test_during_the_ladder_the_bottom_counts_in_the_landlords_hand():
    ranks = [rank + suit for rank in "3456789TJQKA2" for suit in "dchs"]
    hidden = ["3d", "3c", "3h"]
    others = [name for name in ranks if name not in (*hidden, "3s")]
    hands = (["3s", *others[:16]], others[16:33], [*others[33:48], "BJ", "RJ"])
    deck = " ".join(name for cards in zip(*hands, strict=True) for name in cards) + " " + " ".join(hidden)
    deal = MALA.start(deck=parse_cards(deck), opening={"first": 0}, terms=N1000)

    def dealt_bombs(now):
        return {(d.cause, format_cards(d.cards[:1])) for d in MALA.outcome(MALA.apply(now, 1, ESCAPE)).causes}

    before = dealt_bombs(deal)
    assert ("bomb", "3d") not in before
    assert ("rocket", "BJ") in before
    assert dealt_bombs(play(MALA, deal, "blind")) == before | {("bomb", "3d")}
    assert dealt_bombs(play(MALA, deal, "look", "decline", "call")) == before


# --- what the dialogue says ---


def price(deal, seat, terms=N1000, balance=None):
    return MALA.leave_price(MALA.view(deal, seat), terms, balance)


def test_the_dialogue_says_at_least_what_the_seat_has_seen():
    deal = position(MALA, *FOURS, landlord=0, base_score=1, ladder=[0, 2, 0])
    assert price(deal, 0) == (10 + 32, 42_000, True)  # 2^2 and 1, his four and his jokers
    assert price(deal, 1) == (10, 10_000, True)
    after = play(MALA, deal, "play 3d 3c 3h 3s")
    assert price(after, 1) == (32, 32_000, True)
    after = play(MALA, after, "pass", "pass", "play BJ RJ")
    assert price(after, 1) == (64, 64_000, False)


def test_it_names_the_exact_sum_when_no_four_can_be_hidden():
    deal = position(MALA, "3d 4d", "3c 5d", "3h 6d", landlord=0, base_score=1, ladder=[0, 0, 0])
    assert price(deal, 0) == (20, 20_000, False)
    assert price(deal, 0, balance=700) == (20, 700, False)
    assert price(deal, 0, Terms(1000, currency="points")) == (20, 0, False)


def test_it_is_the_farmers_rule_before_a_landlord_is_known():
    for words in ((), ("look",), ("look", "decline")):
        assert price(dealt(*words), 0).points == 10
    assert price(dealt("blind"), 0).points == 40
    assert price(dealt("blind"), 1).points == 20


def test_the_receipt_has_the_true_sum_never_less_than_was_said():
    chance = random.Random(8)
    for _ in range(200):
        deck = shuffled(chance, 54)
        deal = MALA.start(deck=deck, opening={"first": 0}, terms=N1000)
        for _ in range(chance.randrange(40)):
            if deal.turn is not None:
                deal = MALA.apply(deal, deal.turn, chance.choice(MALA.legal(deal)))
        if deal.turn is None:
            continue
        for seat in range(3):
            said = price(deal, seat)
            true = MALA.settle(N1000, None, MALA.outcome(MALA.apply(deal, seat, ESCAPE)))
            assert said.points <= -true.points[seat]
            if not said.at_least:
                assert said.points == -true.points[seat]


def test_everything_may_be_lost():
    assert MALA.exposure(N1000._replace(cap=5), 777) == 777
    assert MALA.exposure(Terms(currency="points"), 777) == 0
