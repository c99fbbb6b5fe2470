"""What a running deal is played for: the same rows as the receipt will have, from what everybody knows."""

from __future__ import annotations

import json
import random

import pytest

from games.engine.terms import Fee, Terms
from tests.engine.dealing import DOU_DIZHU, MALA, QQ, TAIWAN, play, position, random_deal, shuffled

TERMS = Terms(10, None, Fee("flat", 1), initial_multiplier=2)


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_during_the_deal_is_what_the_receipt_says(ruleset, seed):
    *_, deal = random_deal(ruleset, seed, TERMS)
    if deal.phase != "over":
        return
    stakes = ruleset.stakes(ruleset.view(deal, None), TERMS)
    settlement = ruleset.settle(TERMS, None, ruleset.outcome(deal))
    factors = [row for row in settlement.reasons if row["row"] == "factor"]
    springs = [row for row in factors if "spring" in row["cause"]]
    assert [row for row in factors if row not in springs] == list(stakes.rows)
    assert [abs(points) >> len(springs) for points in settlement.points] == list(stakes.score)
    assert not springs or springs[0]["cause"] in stakes.possible


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
@pytest.mark.parametrize("seed", range(5))
def test_every_seat_and_a_spectator_are_told_the_same(ruleset, seed):
    for deal in random_deal(ruleset, seed, TERMS):
        told = {json.dumps(ruleset.stakes(ruleset.view(deal, seat), TERMS)) for seat in (0, 1, 2, None)}
        assert len(told) == 1
        assert (told == {"null"}) == (deal.own.landlord is None)


def test_a_pair_is_asked_raised_and_closed_by_itself():
    deck = shuffled(random.Random(3), 54)
    deal = MALA.start(deck=deck, opening={"first": 0}, terms=TERMS)
    deal = play(MALA, deal, "blind")

    def pairs(deal):
        return [tuple(pair) for pair in MALA.stakes(MALA.view(deal, None), TERMS).pairs]

    assert pairs(deal) == [(1, 0, 1, True), (2, 0, 2, True)]
    deal = play(MALA, deal, "raise 0")
    assert pairs(deal) == [(1, 1, None, True), (2, 0, 2, True)]
    deal = play(MALA, deal, "stay 0")
    assert pairs(deal) == [(1, 1, 0, True), (2, 0, None, False)]
    assert MALA.stakes(MALA.view(deal, None), TERMS).score == (2 * 2 * 2 + 2 * 2, 2 * 2 * 2, 2 * 2)
    deal = play(MALA, deal, "raise 1", "raise 0", "raise 1")
    assert pairs(deal) == [(1, 4, None, False), (2, 0, None, False)]
    assert deal.phase == "play"


def test_spring_is_possible_while_only_the_landlord_has_played():
    deal = position(TAIWAN, "3d 4d 5d", "6c 7c", "8h 9h", landlord=0, bid=3)

    def possible(deal):
        return TAIWAN.stakes(TAIWAN.view(deal, None), TERMS).possible

    assert possible(deal) == ("spring", "anti_spring")
    deal = play(TAIWAN, deal, "play 3d")
    assert possible(deal) == ("spring", "anti_spring")
    after = play(TAIWAN, deal, "play 6c")
    assert possible(after) == ("anti_spring",)
    assert possible(play(TAIWAN, deal, "pass", "pass", "play 4d")) == ("spring",)


def test_a_game_without_a_landlord_has_nothing_that_grows():
    *_, deal = random_deal(QQ, 1)
    assert QQ.stakes(QQ.view(deal, None), Terms()) is None
