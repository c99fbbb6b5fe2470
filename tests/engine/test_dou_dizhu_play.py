"""Playing a deal of Dou Dizhu: tricks, refusals, study positions, autoplay (RULES §0, §2, §5, §6, §7)."""

from __future__ import annotations

import random

import pytest

from games.engine import record as records
from games.engine.actions import ESCAPE, PASS, VOID, Action, parse_action
from games.engine.cards import format_mask
from games.engine.errors import EngineError, IllegalAction
from games.engine.terms import Terms
from tests.engine.dealing import DOU_DIZHU, MALA, TAIWAN, legal, play, position, shuffled, study

AT_PLAY = {
    TAIWAN.code: {"landlord": 0, "bid": 1},
    MALA.code: {"landlord": 0, "base_score": 1, "ladder": [0, 0, 0]},
}
HANDS = ("3d 3c 8d 8c Tc BJ", "Td Ts Jc Kc Ks RJ", "9d 9c 9h 9s Kh")


def at_play(ruleset, *hands, actions=(), **opening):
    return position(ruleset, *(hands or HANDS), actions=actions, **{**AT_PLAY[ruleset.code], **opening})


def reason(ruleset, deal, seat, text):
    with pytest.raises(IllegalAction) as caught:
        ruleset.apply(deal, seat, parse_action(text) if isinstance(text, str) else text)
    return caught.value.reason


def refused(ruleset, *hands, **opening):
    """Return the code a study position is refused with."""
    with pytest.raises(EngineError) as caught:
        position(ruleset, *(hands or HANDS), **opening)
    return caught.value.code


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_the_landlord_leads_and_may_not_pass(ruleset):
    deal = at_play(ruleset)
    assert (deal.phase, deal.turn) == ("play", 0)
    assert "pass" not in legal(ruleset, deal)
    assert reason(ruleset, deal, 0, "pass") == "cannot_pass_lead"


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_pass_binds_only_that_turn(ruleset):
    deal = play(ruleset, at_play(ruleset), "play 3d", "pass", "play Kh", "play BJ")
    assert deal.turn == 1
    assert legal(ruleset, deal) == ["pass", "play RJ"]


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_trick_ends_when_both_others_have_passed_in_a_row(ruleset):
    deal = play(ruleset, at_play(ruleset), "play 3d", "play Td", "play Kh", "pass", "pass")
    assert (deal.turn, deal.standing) == (2, None)


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_deal_ends_when_one_seat_is_out(ruleset):
    deal = at_play(ruleset, "3d 4d", "5d", "6d")
    assert play(ruleset, deal, "play 3d", "play 5d").winner == 1
    deal = play(ruleset, deal, "play 3d", "pass", "pass", "play 4d")
    assert (deal.phase, deal.turn, deal.winner) == ("over", None, 0)
    assert ruleset.legal(deal) == []


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_the_first_reason_that_applies(ruleset):
    deal = at_play(ruleset)
    assert reason(ruleset, deal, 1, "play 3d 4d") == "not_your_turn"
    assert reason(ruleset, deal, 0, "bid 1") == "wrong_phase"
    assert reason(ruleset, deal, 0, "raise 1") == "wrong_phase"
    assert reason(ruleset, deal, 0, "look") == "wrong_phase"
    assert reason(ruleset, deal, 0, "play 3d 4d") == "not_in_hand"
    assert reason(ruleset, deal, 0, "play 3d 8d") == "not_a_combo"
    after = play(ruleset, deal, "play 8d")
    assert reason(ruleset, after, 1, "play Td Jc") == "not_a_combo"
    assert reason(ruleset, after, 1, "play Td Ts") == "must_beat"
    over = play(ruleset, at_play(ruleset, "3d", "4d", "5d"), "play 3d")
    for text in ("pass", "play 3d", "void", "escape", "bid 1"):
        assert reason(ruleset, over, 2, text) == "deal_over"


def test_there_is_no_escape_from_taiwan():
    deal = at_play(TAIWAN)
    for seat in range(3):
        assert reason(TAIWAN, deal, seat, "escape") == "wrong_phase"
    assert at_play(MALA, actions=((2, "escape"),)).phase == "escaped"


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_the_whole_table_may_end_a_deal_at_any_time(ruleset):
    deck = shuffled(random.Random(4), 54)
    for deal in (at_play(ruleset), ruleset.start(deck=deck, opening={"first": 1}, terms=Terms())):
        for seat in (None, 0, 1, 2):
            ended = ruleset.apply(deal, seat, VOID)
            assert ended.phase == "void"
            settlement = ruleset.settle(Terms(30), [9, 9, 9], ruleset.outcome(ended, fined=[1]))
            assert settlement.as_json()["net"] == [0, 0, 0]


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_cards_may_be_played_in_any_order_and_with_any_suits(ruleset):
    deal = ruleset.apply(at_play(ruleset, "3d 3c 3h 3s 5d", "4d", "6d"), 0, Action("play", (3, 8, 1, 2)))
    assert (deal.standing.text, deal.standing.kind) == ("3c 3h 3s 5d", "triple_single")
    assert format_mask(deal.hands[0]) == "3d"


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_what_is_no_play_is_refused_without_a_crash(ruleset):
    deal = at_play(ruleset)
    for cards in ((), (0, 0), (-1,), (99,), (0, 1, 1), ((0,),), ("3d",), (None,), (0.5,)):
        with pytest.raises(EngineError):
            ruleset.verify(deal, 0, Action("play", cards))
    for action in (None, ("pass",), "pass", Action("fly"), Action("bid", (), 9)):
        with pytest.raises(EngineError):
            ruleset.verify(deal, 0, action)
    for seat in (True, 3, -1, "0", None):
        with pytest.raises(EngineError):
            ruleset.verify(deal, seat, PASS)


# --- study positions ---


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_study_position_may_start_inside_a_trick(ruleset):
    deal = at_play(ruleset, "Td", "3d", "4d 4c", standing="9h", standing_by=1, passes=1, turn=0)
    assert legal(ruleset, deal) == ["pass", "play Td"]
    assert play(ruleset, deal, "pass").turn == 1


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_standing_set_is_read_as_a_leaders(ruleset):
    cards = "3d 3c 3h 4d 4c 4h 5d 5c 5h 6d 6c 6h"
    deal = at_play(ruleset, "Td", "3s", "4s", standing=cards, standing_by=2, passes=0, turn=0)
    assert deal.standing.kind == "airplane"


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_without_a_standing_combo_turn_names_the_leader(ruleset):
    deal = at_play(ruleset, turn=2)
    assert (deal.turn, deal.standing) == (2, None)


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_of_given_hands_the_landlord_has_the_bottom_of_a_deck_he_takes_it(ruleset):
    deal = records.replay(
        records.parse(study(ruleset, *HANDS, **AT_PLAY[ruleset.code]) | {"bottom": "3d 8d Tc"})
    )
    assert deal.counts == (6, 6, 5)
    deck = shuffled(random.Random(1), 54)
    deal = ruleset.start(deck=deck, opening=AT_PLAY[ruleset.code], terms=Terms())
    assert (deal.phase, deal.turn, deal.counts) == ("play", 0, (20, 17, 17))


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_position_that_cannot_be_is_refused(ruleset):
    opening = AT_PLAY[ruleset.code]
    inside = {"standing": "7d", "standing_by": 2, "passes": 0, "turn": 0}
    assert refused(ruleset, "3d", "4d", "", **opening) == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d") == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d", first=3) == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d", **opening | {"landlord": 3}) == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d", first=0, **inside) == "bad_record"
    for wrong in (
        {"turn": 1},
        {"passes": 2, "turn": 2},
        {"standing": "7d 8d"},
        {"standing": ""},
        {"standing": 5},
        {"standing_by": 3},
        {"turn": None},
    ):
        assert refused(ruleset, "3d", "4d", "5d", **opening | inside | wrong) == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d", **opening | inside | {"standing": "5d"}) == "duplicate_card"
    assert refused(ruleset, "3d", "4d", "5d", **opening | {"standing_by": 1}) == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d", **opening | {"lead": "3d"}) == "bad_record"
    assert refused(ruleset, "3d", "4d", "5d", first=0, turn=1) == "bad_record"


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_a_bottom_lies_nowhere_else(ruleset):
    def code(bottom, **opening):
        with pytest.raises(EngineError) as caught:
            records.replay(records.parse(study(ruleset, "3d", "4d", "5d", **opening) | {"bottom": bottom}))
        return caught.value.code

    assert code("3d 6d 7d", first=0) == "duplicate_card"
    assert code("6d 7d 8d 9d", first=0) == "bad_record"
    assert code("4d 6d 7d", **AT_PLAY[ruleset.code]) == "bad_record"


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_hands_are_not_larger_than_hands_can_be(ruleset):
    suit = [f"{rank}{suit}" for suit in "dc" for rank in "3456789TJ"]
    many = " ".join(suit)
    assert refused(ruleset, "3h", many, "4h", **AT_PLAY[ruleset.code]) == "bad_record"
    assert refused(ruleset, many, "3h", "4h", first=0) == "bad_record"
    assert at_play(ruleset, many, "3h", "4h").counts[0] == 18


# --- what the computer does ---


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_autoplay_passes_and_leads_its_smallest_single(ruleset):
    deal = at_play(ruleset, "8d 3c 3h BJ", *HANDS[1:])
    assert str(ruleset.autoplay(ruleset.view(deal, 0))) == "play 3c"
    deal = play(ruleset, deal, "play 3c")
    assert ruleset.autoplay(ruleset.view(deal, 1)) == PASS
    assert reason_of_autoplay(ruleset, deal, 0) == "not_your_turn"
    assert reason_of_autoplay(ruleset, ruleset.apply(deal, None, VOID), 0) == "deal_over"


def reason_of_autoplay(ruleset, deal, seat):
    with pytest.raises(IllegalAction) as caught:
        ruleset.autoplay(ruleset.view(deal, seat))
    return caught.value.reason


def test_an_escape_is_logged_and_ends_the_deal():
    deal = MALA.apply(at_play(MALA), 1, ESCAPE)
    assert (deal.phase, deal.turn, deal.gone) == ("escaped", None, 1)
