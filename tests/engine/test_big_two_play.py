"""How a deal of Big Two runs (RULES §0, §1, §7)."""

from __future__ import annotations

import pytest

from games.engine.actions import ESCAPE, PASS, VOID, Action, parse_action
from games.engine.cards import format_mask, parse_cards
from games.engine.deal import Previous
from games.engine.errors import EngineError, IllegalAction
from games.engine.terms import Terms
from tests.engine.dealing import BIG_TWO, CLASSIC, QQ, legal, play, position, random_deal

HANDS = ("3d 5c Kh 2s", "4s 4d 9s", "6d 6c Td", "7d 7c Jd")


def reason(ruleset, deal, seat, text):
    with pytest.raises(IllegalAction) as caught:
        ruleset.apply(deal, seat, parse_action(text))
    with pytest.raises(IllegalAction) as verified:
        ruleset.verify(deal, seat, parse_action(text))
    assert verified.value.reason == caught.value.reason
    return caught.value.reason


@pytest.mark.parametrize("ruleset", BIG_TWO)
class TestTheOpening:
    def test_card_i_goes_to_seat_i_mod_4(self, ruleset):
        deal = ruleset.start(deck=range(52), opening={"first": 2}, terms=Terms())
        assert format_mask(deal.hands[1]) == "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2c"
        assert deal.turn == 2

    def test_the_holder_of_the_3d_leads_with_it(self, ruleset):
        deal = position(ruleset, "4s 9s", "3d 3h 5c", "6d 6c", "7d 7c", lead="3d")
        assert deal.turn == 1
        assert legal(ruleset, deal) == ["play 3d", "play 3d 3h"]
        assert reason(ruleset, deal, 1, "play 5c") == "must_contain_3d"
        assert reason(ruleset, deal, 1, "play 3h") == "must_contain_3d"
        assert reason(ruleset, deal, 1, "pass") == "cannot_pass_lead"

    def test_the_3d_duty_ends_with_the_first_play(self, ruleset):
        deal = play(
            ruleset, position(ruleset, "3d 3h 5c", *HANDS[1:], lead="3d"), "play 3d", "pass", "pass", "pass"
        )
        assert deal.turn == 0
        assert legal(ruleset, deal) == ["play 3h", "play 5c"]

    def test_the_last_winner_leads_freely(self, ruleset):
        deal = position(ruleset, *HANDS, first=1)
        assert legal(ruleset, deal) == ["play 4d", "play 4d 4s", "play 4s", "play 9s"]

    def test_who_opens_the_next_deal(self, ruleset):
        over = Previous({"lead": "3d"}, "over", 2, True)
        assert ruleset.next_opening(over, None, ()) == {"first": 2}
        for previous in (
            None,
            over._replace(same_members=False),
            over._replace(phase="escaped", winner=None),
            over._replace(phase="void", winner=None),
        ):
            assert ruleset.next_opening(previous, None, ()) == {"lead": "3d"}

    @pytest.mark.parametrize(
        "opening",
        [{}, {"first": 4}, {"first": True}, {"first": "0"}, {"lead": "3c"}, {"lead": "3d", "first": 0}, {"first": None},
         {"passes": 1, "first": 0}, {"standing_by": 1, "first": 0}, {"first": 0, "bid": 1}, {"lead": "3d", "turn": 3},
         {"standing": "4d", "standing_by": 0, "passes": 0, "turn": 1, "lead": "3d"}],
    )  # fmt: skip
    def test_a_wrong_opening_is_a_bad_record(self, ruleset, opening):
        with pytest.raises(EngineError) as caught:
            ruleset.start(deck=range(52), opening=opening, terms=Terms())
        assert caught.value.code == "bad_record" or "standing" in opening

    def test_a_wrong_deck_is_a_bad_record(self, ruleset):
        for deck in (range(51), (*range(51), 0), range(1, 53)):
            with pytest.raises(EngineError) as caught:
                ruleset.start(deck=deck, opening={"first": 0}, terms=Terms())
            assert caught.value.code == "bad_record"


@pytest.mark.parametrize("ruleset", BIG_TWO)
class TestTheTrick:
    def test_a_follower_beats_the_standing_combo_or_passes(self, ruleset):
        deal = play(ruleset, position(ruleset, *HANDS, first=0), "play 5c")
        assert deal.turn == 1
        assert legal(ruleset, deal) == ["pass", "play 9s"]
        assert reason(ruleset, deal, 1, "play 4s") == "must_beat"
        assert reason(ruleset, deal, 1, "play 4d 4s") == "must_beat"

    def test_a_pass_binds_only_that_turn(self, ruleset):
        deal = play(
            ruleset, position(ruleset, *HANDS, first=0), "play 5c", "pass", "play Td", "play Jd", "play Kh"
        )
        assert deal.turn == 1
        assert deal.passes == 0
        assert legal(ruleset, deal) == ["pass"]

    def test_a_trick_ends_when_all_others_have_passed_in_a_row(self, ruleset):
        deal = play(ruleset, position(ruleset, *HANDS, first=0), "play 5c", "pass", "play Td", "pass", "pass")
        assert (deal.turn, deal.passes) == (1, 2)
        deal = play(ruleset, deal, "pass")
        assert (deal.turn, deal.standing, deal.standing_by, deal.passes) == (2, None, None, 0)
        assert reason(ruleset, deal, 2, "pass") == "cannot_pass_lead"

    def test_the_deal_ends_when_a_seat_is_out_of_cards(self, ruleset):
        deal = play(ruleset, position(ruleset, "3d 3h", *HANDS[1:], first=0), "play 3d 3h")
        assert (deal.phase, deal.turn, deal.winner) == ("over", None, 0)
        assert ruleset.legal(deal) == []
        assert reason(ruleset, deal, 0, "pass") == "deal_over"
        assert reason(ruleset, deal, 1, "escape") == "deal_over"


@pytest.mark.parametrize("ruleset", BIG_TWO)
class TestTheFirstReasonThatApplies:
    """RULES §7: deal_over, not_your_turn, wrong_phase, not_in_hand, not_a_combo, must_contain_3d, must_beat …"""

    def test_out_of_turn_comes_before_everything_about_the_cards(self, ruleset):
        deal = position(ruleset, *HANDS, first=0)
        for text in ("pass", "play 2d", "look", "play 4s 9s"):
            assert reason(ruleset, deal, 1, text) == "not_your_turn"

    def test_an_action_of_another_game_is_the_wrong_phase(self, ruleset):
        deal = position(ruleset, *HANDS, first=0)
        for text in ("bid 1", "look", "call", "decline", "blind", "raise 1", "stay 1"):
            assert reason(ruleset, deal, 0, text) == "wrong_phase"

    def test_not_in_hand_comes_before_not_a_combo(self, ruleset):
        deal = position(ruleset, *HANDS, lead="3d")
        assert reason(ruleset, deal, 0, "play 4s 9s") == "not_in_hand"
        assert reason(ruleset, deal, 0, "play 5c Kh") == "not_a_combo"
        assert reason(ruleset, deal, 0, "play 5c") == "must_contain_3d"

    def test_cards_may_be_named_in_any_order(self, ruleset):
        deal = position(ruleset, "3d 3h 5c", *HANDS[1:], lead="3d")
        after = ruleset.apply(deal, 0, Action("play", tuple(parse_cards("3h 3d"))))
        assert after.standing.text == "3d 3h"


@pytest.mark.parametrize("ruleset", BIG_TWO)
class TestEscapeAndVoid:
    def test_any_seat_may_escape_at_any_time(self, ruleset):
        for seat in range(4):
            deal = ruleset.apply(position(ruleset, *HANDS, first=0), seat, ESCAPE)
            assert (deal.phase, deal.turn, deal.winner, deal.gone) == ("escaped", None, None, seat)
            assert reason(ruleset, deal, 0, "void") == "deal_over"

    def test_a_void_needs_no_seat(self, ruleset):
        for seat in (None, 3):
            deal = ruleset.apply(position(ruleset, *HANDS, first=0), seat, VOID)
            assert (deal.phase, deal.turn, deal.winner) == ("void", None, None)
            assert reason(ruleset, deal, 0, "pass") == "deal_over"

    @pytest.mark.parametrize("seat", [4, -1, True, 1.0, "1", None])
    def test_only_a_seat_of_the_deal_may_act(self, ruleset, seat):
        deal = position(ruleset, *HANDS, first=1)
        for action in (ESCAPE, PASS):
            with pytest.raises(EngineError) as caught:
                ruleset.apply(deal, seat, action)
            assert caught.value.code == "bad_record"

    @pytest.mark.parametrize("action", [None, "pass", ("pass",), ("pass", (), None), 5])
    def test_only_an_action_is_an_action(self, ruleset, action):
        with pytest.raises(EngineError) as caught:
            ruleset.apply(position(ruleset, *HANDS, first=1), 1, action)
        assert caught.value.code == "bad_record"

    @pytest.mark.parametrize(
        "cards", [(), (0, 0), (99,), (-1,), ("3d",), None, 5, [7], (None,), ((1,),), ([],)]
    )
    def test_a_play_of_what_are_no_cards_is_refused(self, ruleset, cards):
        with pytest.raises(EngineError):
            ruleset.apply(position(ruleset, *HANDS, first=0), 0, Action("play", cards))


class TestTheLastCardDuty:
    """RULES §1, bigtwo.classic only: the seat that acts next after me holds exactly one card."""

    HANDS = ("3d 5c Kh", "4s", "6d 6c", "7d 7c")

    def test_on_a_lead_a_single_must_be_my_highest(self):
        deal = position(CLASSIC, *self.HANDS, first=0)
        assert legal(CLASSIC, deal) == ["play Kh"]
        assert reason(CLASSIC, deal, 0, "play 3d") == "must_play_highest_single"

    def test_leading_any_combo_that_is_no_single_is_free(self):
        deal = position(CLASSIC, "3d 5c 5h Kh", *self.HANDS[1:], first=0)
        assert legal(CLASSIC, deal) == ["play 5c 5h", "play Kh"]

    def test_i_may_not_pass_if_my_highest_card_beats_the_single(self):
        deal = position(CLASSIC, *self.HANDS, standing="Qs", standing_by=3, passes=0, turn=0)
        assert legal(CLASSIC, deal) == ["play Kh"]
        assert reason(CLASSIC, deal, 0, "pass") == "must_play_last_card_duty"
        assert reason(CLASSIC, deal, 0, "play 5c") == "must_beat"

    def test_a_single_that_beats_but_is_not_my_highest_is_refused(self):
        deal = position(CLASSIC, *self.HANDS, standing="3c", standing_by=3, passes=0, turn=0)
        assert legal(CLASSIC, deal) == ["play Kh"]
        assert reason(CLASSIC, deal, 0, "play 5c") == "must_play_highest_single"

    def test_if_my_highest_card_does_not_beat_the_single_i_may_pass(self):
        deal = position(CLASSIC, *self.HANDS, standing="Ad", standing_by=3, passes=0, turn=0)
        assert legal(CLASSIC, deal) == ["pass"]
        assert play(CLASSIC, deal, "pass").turn == 1

    def test_it_binds_for_combos_of_any_size(self):
        pairs = position(
            CLASSIC, "5d 5c 8h 8s Kh", *self.HANDS[1:], standing="4d 4c", standing_by=3, passes=0, turn=0
        )
        assert legal(CLASSIC, pairs) == ["play 5d 5c", "play 8h 8s"]
        assert reason(CLASSIC, pairs, 0, "pass") == "must_play_last_card_duty"
        fives = position(
            CLASSIC,
            "5d 6h 7h 8s 9h",
            "4s",
            "6d Jc",
            "7d 7c",
            standing="3d 4c 5h 6s 7s",
            standing_by=3,
            passes=0,
            turn=0,
        )
        assert legal(CLASSIC, fives) == ["play 5d 6h 7h 8s 9h"]
        assert reason(CLASSIC, fives, 0, "pass") == "must_play_last_card_duty"

    def test_only_the_seat_before_the_one_with_one_card_is_bound(self):
        deal = position(
            CLASSIC, "3d 5c Kh", "4s 4d", "6d", "7d 7c", standing="3c", standing_by=3, passes=0, turn=0
        )
        assert legal(CLASSIC, deal) == ["pass", "play 5c", "play Kh"]

    def test_while_the_3d_duty_holds_it_does_not(self):
        deal = position(CLASSIC, *self.HANDS, lead="3d")
        assert legal(CLASSIC, deal) == ["play 3d"]
        assert str(CLASSIC.autoplay(CLASSIC.view(deal, 0))) == "play 3d"

    def test_qq_does_not_know_it(self):
        deal = position(QQ, *self.HANDS, standing="3c", standing_by=3, passes=0, turn=0)
        assert legal(QQ, deal) == ["pass", "play 5c", "play Kh"]
        assert legal(QQ, position(QQ, *self.HANDS, first=0)) == ["play 3d", "play 5c", "play Kh"]


class TestAutoplay:
    """RULES §5: pass when following, the smallest single when leading, the largest play under the last-card duty."""

    def autoplay(self, ruleset, *hands, **opening):
        deal = position(ruleset, *hands, **opening)
        return str(ruleset.autoplay(ruleset.view(deal, deal.turn)))

    @pytest.mark.parametrize("ruleset", BIG_TWO)
    def test_without_a_duty(self, ruleset):
        assert self.autoplay(ruleset, *HANDS, first=1) == "play 4d"
        assert self.autoplay(ruleset, *HANDS, lead="3d") == "play 3d"
        assert self.autoplay(ruleset, *HANDS, standing="4c", standing_by=3, passes=0, turn=0) == "pass"

    def test_under_the_last_card_duty_the_largest_play_of_the_tricks_size(self):
        others = ("4s", "6d 6c", "7d 7c")
        assert self.autoplay(CLASSIC, "3d 5c 5h Kh", *others, first=0) == "play Kh"
        following = {"standing_by": 3, "passes": 0, "turn": 0}
        assert self.autoplay(CLASSIC, "3d 5c Kh", *others, standing="Qs", **following) == "play Kh"
        assert self.autoplay(CLASSIC, "3d 5c Kh", *others, standing="Ad", **following) == "pass"
        assert self.autoplay(CLASSIC, "5d 5c 8h 8s", *others, standing="4d 4c", **following) == "play 8h 8s"

    def test_among_equals_the_first_in_the_sorted_list(self):
        hands = ("Kd Kc Kh 3c 3h", "4s", "6d 6c", "7d 7c")
        assert (
            self.autoplay(CLASSIC, *hands, standing="Jd Jc", standing_by=2, passes=1, turn=0) == "play Kc Kh"
        )

    def test_it_acts_only_for_the_seat_to_act(self):
        deal = position(QQ, *HANDS, first=1)
        with pytest.raises(IllegalAction) as caught:
            QQ.autoplay(QQ.view(deal, 0))
        assert caught.value.reason == "not_your_turn"
        with pytest.raises(IllegalAction):
            QQ.autoplay(QQ.view(QQ.apply(deal, 0, ESCAPE), 1))

    @pytest.mark.parametrize("ruleset", BIG_TWO)
    @pytest.mark.parametrize("seed", range(40))
    def test_what_it_does_is_always_legal(self, ruleset, seed):
        for deal in random_deal(ruleset, seed):
            if deal.turn is not None:
                assert ruleset.autoplay(ruleset.view(deal, deal.turn)) in ruleset.legal(deal)


def test_a_deal_shows_no_card():
    deal = position(QQ, *HANDS, first=0)
    for shown in (repr(deal), str(deal), repr(deal.setup), f"{deal}", repr([deal]), repr(QQ.view(deal, 0))):
        assert not any(card in shown for hand in HANDS for card in hand.split())
        assert str(deal.hands[0]) not in shown
