"""The computer player and the hints: they know one seat's view, keep the rules, and do not miss what is certain."""

from __future__ import annotations

import random

import pytest

from games.engine import bots, rulesets
from games.engine.big_two_bot import SURE_TO_GO_OUT, Judge
from games.engine.big_two_combos import combo_of, fives, leads
from games.engine.big_two_odds import Odds
from games.engine.cards import cards_of, mask_of, parse_cards
from games.engine.errors import IllegalAction
from games.engine.terms import Terms
from tests.benchmarks.bench_bots import at_random, series, smallest
from tests.engine.dealing import BIG_TWO, CLASSIC, QQ, legal, play, position, random_deal, shuffled


def choice(ruleset, deal):
    return str(bots.choose(ruleset, ruleset.view(deal, deal.turn)))


def choice_at(ruleset, *hands, actions=(), **opening):
    return choice(ruleset, position(ruleset, *hands, actions=actions, **opening))


@pytest.mark.parametrize("ruleset", BIG_TWO)
@pytest.mark.parametrize("seed", range(25))
def test_it_always_does_something_legal_and_always_the_same(ruleset, seed):
    for deal in list(random_deal(ruleset, seed))[:-1]:
        view = ruleset.view(deal, deal.turn)
        action = bots.choose(ruleset, view)
        assert action in ruleset.legal(deal)
        assert bots.choose(ruleset, view) == action
        hints = bots.hints(ruleset, view)
        assert len(set(hints)) == len(hints) <= bots.MOST_HINTS
        assert set(hints) <= set(ruleset.legal(deal))
        assert all(hint.kind == "play" for hint in hints)
        assert bool(hints) == any(text != "pass" for text in legal(ruleset, deal))
        if action.kind == "play":
            assert hints[0] == action, "the first hint is what the computer player would do"


@pytest.mark.parametrize("ruleset", BIG_TWO)
@pytest.mark.parametrize("seed", range(12))
def test_cards_it_cannot_see_change_nothing(ruleset, seed):
    """The others' cards are dealt out anew behind its back: the same view, the same choice, the same hints."""
    chance = random.Random(seed)
    for deal in list(random_deal(ruleset, seed))[:-1:2]:
        seat = deal.turn
        hidden = list(cards_of(ruleset.view(deal, seat).unseen))
        chance.shuffle(hidden)
        hands = list(deal.hands)
        for other, count in enumerate(deal.counts):
            if other != seat:
                hands[other] = mask_of(hidden[:count])
                del hidden[:count]
        changed = deal._replace(hands=tuple(hands))
        before, after = ruleset.view(deal, seat), ruleset.view(changed, seat)
        assert before == after
        assert bots.choose(ruleset, before) == bots.choose(ruleset, after)
        assert bots.hints(ruleset, before) == bots.hints(ruleset, after)


@pytest.mark.parametrize("ruleset", BIG_TWO)
def test_nobody_is_asked_out_of_turn(ruleset):
    deal = position(ruleset, "3d 4d", "5d 6d", "7d 8d", "9d Td", first=1)
    view = ruleset.view(deal, 0)
    with pytest.raises(IllegalAction):
        bots.choose(ruleset, view)
    assert bots.hints(ruleset, view) == []
    assert bots.hints(ruleset, ruleset.view(deal, None)) == []


@pytest.mark.parametrize("ruleset", BIG_TWO)
class TestWhatIsCertain:
    def test_a_play_that_goes_out_is_played(self, ruleset):
        assert choice_at(ruleset, "3d 3h", "5d 6d", "7d 8d", "9d Td", first=0) == "play 3d 3h"
        assert choice_at(ruleset, "4d 5c 6h 7h 8s", "9d", "9c", "9h 2s", first=0) == "play 4d 5c 6h 7h 8s"

    def test_it_never_passes_when_a_play_goes_out(self, ruleset):
        deal = position(ruleset, "3d 2s", "5d 5c", "7d 8d", "9d Td", first=1)
        deal = play(ruleset, deal, "play 5c", "play 7d", "play 9d", "play 2s", "pass", "pass", "pass")
        assert choice(ruleset, deal) == "play 3d"
        following = position(ruleset, "As", "5d 5c", "7d 8d", "9d Td", first=3)
        assert choice(ruleset, play(ruleset, following, "play Td")) == "play As"

    def test_the_unbeatable_goes_first_and_the_weak_last(self, ruleset):
        assert choice_at(ruleset, "3d 2s", "5d 6d", "7d 8d", "9d Td", first=0) == "play 2s"
        assert choice_at(ruleset, "3d 3h 2s", "5d 6d", "7d 8d", "9d Td Tc", first=0) == "play 2s"
        assert choice_at(ruleset, "3d Ah As", "5d 5c 6d", "Kd Kc", "9d Td 2s", first=0) == "play Ah As"

    def test_a_set_nobody_has_cards_enough_for_is_unbeatable(self, ruleset):
        found = choice_at(ruleset, "3d 4d 4h", "5d 5c 2s", "Kd", "9d", first=0)
        assert found == "play 3d" or found == "play 4d 4h"
        assert choice_at(ruleset, "3d 4d 4h", "2s", "Kd", "9d", first=0) == "play 4d 4h"

    def test_it_takes_the_trick_when_that_ends_the_deal(self, ruleset):
        deal = position(ruleset, "4d 4h 2s", "5d 6d 7d", "Kd Ks 3s", "9d Tc Js", first=3)
        assert choice(ruleset, play(ruleset, deal, "play 9d")) == "play 2s"

    def test_a_weak_card_goes_first_when_the_trick_can_be_taken_back(self, ruleset):
        """3d, 4d and the 2s against hands too long to go out: lead low, take the trick with the 2s, go out."""
        assert choice_at(ruleset, "3d 4d 2s", "5d 6d 7c", "7d 8d Jc", "9d Td Qs", first=0) in (
            "play 3d",
            "play 4d",
        )

    @pytest.mark.parametrize("seed", range(150))
    def test_what_it_holds_for_sure_no_play_of_the_others_breaks(self, ruleset, seed):
        """Once it says so, it goes out, whatever the others do at random or by greed."""
        chance = random.Random(seed)
        deal = ruleset.start(deck=shuffled(chance), opening={"lead": "3d"}, terms=Terms())
        others = chance.choice([at_random, smallest, strongest])
        sure = None
        while deal.turn is not None:
            seat = deal.turn
            if seat != 0:
                deal = ruleset.apply(deal, seat, others(ruleset, deal, chance))
                continue
            view = ruleset.view(deal, 0)
            judge, action = Judge(view), bots.choose(ruleset, view)
            if sure is None and judge.loss(action) <= SURE_TO_GO_OUT:
                sure = str(deal.hands[0])
            deal = ruleset.apply(deal, 0, action)
        assert sure is None or deal.winner == 0


def strongest(ruleset, deal, chance):
    """Play whenever possible, as high as may be."""
    plays = [action for action in ruleset.legal(deal) if action.kind == "play"]
    return (
        max(plays, key=lambda action: (combo_of(mask_of(action.cards)).power, action.cards), default=None)
        or (ruleset.legal(deal)[0])
    )


class TestTheLastCardDuty:
    def test_the_highest_single_when_the_next_seat_holds_one_card(self):
        deal = position(CLASSIC, "4d Kd Ac 2c", "5d", "7d 8d 9h", "9d Td 2s", first=3)
        assert choice(CLASSIC, play(CLASSIC, deal, "play 9d")) == "play 2c"

    def test_a_leader_prefers_what_the_next_seat_cannot_answer(self):
        found = choice_at(CLASSIC, "4d 4h 9d Kd", "5d", "7d 8d 9h", "Jd Td 2s", first=0)
        assert found == "play 4d 4h"
        assert choice_at(QQ, "4d 4h 9d Kd", "5d", "7d 8d 9h", "Jd Td 2s", first=0) == "play 4d 4h"

    def test_a_sure_line_keeps_the_duty(self):
        """With the next seat at its last card a single must be the highest: the pair of twos goes before the ace."""
        assert choice_at(CLASSIC, "3d As 2h 2s", "5d", "7d 8d 9h", "9d Td Ks", first=0) == "play 2h 2s"


@pytest.mark.parametrize("ruleset", BIG_TWO)
class TestPlainSense:
    def test_it_does_not_break_a_straight_for_a_low_single(self, ruleset):
        deal = position(
            ruleset,
            "5c 6h 7h 8s 9c Jd 2s",
            "3d 3c 4d 4c Td Tc Qd Qc",
            "6d 6c 9h 9s Kd Kc Ad",
            "4h 4s 7c 7s 8d Js Ts Ks",
            first=3,
        )
        found = choice(ruleset, play(ruleset, deal, "play 4h"))
        assert found in ("play Jd", "pass")

    def test_it_keeps_its_twos_for_what_needs_them(self, ruleset):
        deal = position(
            ruleset,
            "3h 5c 6d 9s Jd Qc Kd 2c 2s",
            "3d 3c 4d 4c Td Tc Qd Qs 7d",
            "6h 6c 9h 9d Kh Kc Ad Ac 8c",
            "4h 4s 7c 7s 8d Js Ts Ks 5d",
            first=3,
        )
        found = parse_cards(choice(ruleset, play(ruleset, deal, "play 5d"))[5:])
        assert len(found) == 1 and found[0] < parse_cards("2d")[0]

    def test_it_leads_low_before_high(self, ruleset):
        found = choice_at(
            ruleset,
            "3h 5c 9s Jd Kd 2c 2s",
            "3d 3c 4d 4c Td Tc Qd",
            "6h 6c 9h 9d Kh Kc Ad",
            "4h 4s 7c 7s 8d Js Ts",
            first=0,
        )
        assert found in ("play 3h", "play 5c")


class TestTheOdds:
    @pytest.mark.parametrize("seed", range(40))
    def test_unbeatable_is_a_promise(self, seed):
        """What is called unbeatable no hand of the unseen cards beats, however they are dealt."""
        chance = random.Random(seed)
        deck = chance.sample(range(52), 52)
        hand, unseen = mask_of(deck[:8]), mask_of(deck[8 : 8 + chance.randint(3, 20)])
        odds = Odds(unseen, (unseen.bit_count(),) * 3, 4.5, 1.2)
        answers = [combo_of(mask_of(action.cards)) for action in leads(unseen)]
        for action in leads(hand):
            combo = combo_of(mask_of(action.cards))
            beaten = any(other.size == combo.size and other.power > combo.power for other in answers)
            assert (odds.standing_chance(combo) == 1.0) is not beaten, combo.text
            assert 0 < odds.standing_chance(combo) <= 1

    def test_too_few_cards_cannot_answer(self):
        unseen = mask_of(parse_cards("2d 2c 2h 2s Ad Ac Ah As"))
        straight = fives(mask_of(parse_cards("3d 4c 5c 6c 7c")))[0]
        assert Odds(unseen, (4, 4, 0), 4.5, 1.2).standing_chance(straight) == 1.0
        assert Odds(unseen, (5, 3, 0), 4.5, 1.2).standing_chance(straight) < 1.0


@pytest.mark.parametrize("ruleset", [ruleset.code for ruleset in BIG_TWO])
def test_it_goes_out_first_in_most_deals_against_random_players(ruleset):
    tally = series(ruleset, 160, 1, at_random)
    assert tally.rate >= 0.60 and tally.score > 0
    assert tally.mean_ms < 5


@pytest.mark.parametrize("ruleset", [ruleset.code for ruleset in BIG_TWO])
def test_it_beats_those_who_play_their_smallest_card(ruleset):
    assert series(ruleset, 120, 1, smallest).rate > 0.30


def test_a_hand_of_one_suit_is_no_trap():
    """The most plays a hand can have, 1,300."""
    spades = " ".join(f"{rank}s" for rank in "3456789TJQKA2")
    others = [" ".join(f"{rank}{suit}" for rank in "3456789TJQKA2") for suit in "dch"]
    for ruleset in BIG_TWO:
        deal = position(ruleset, spades, *others, first=0)
        assert len(legal(ruleset, deal)) == 1300
        assert choice(ruleset, deal) in legal(ruleset, deal)


def test_only_rule_sets_with_a_brain_are_played_well():
    assert bots.has_brain("bigtwo.qq") and not bots.has_brain("chess")
    assert {code for code in rulesets.all_codes() if bots.has_brain(code)} >= {"bigtwo.classic", "bigtwo.qq"}
