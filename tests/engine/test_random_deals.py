"""What holds in every position of every deal, by whole random deals."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from games.engine import record as records
from games.engine.actions import PASS, Action
from games.engine.cards import cards_of
from games.engine.errors import IllegalAction
from games.engine.terms import Fee, Terms
from tests.engine.dealing import BIG_TWO, opening_for, random_deal, shuffled

DEALS = 2000
TERMS = (
    Terms(),
    Terms(10, 2000, Fee("flat", 10)),
    Terms(500, None, Fee("flat", 100)),
    Terms(currency="points"),
)


@pytest.mark.parametrize("ruleset", BIG_TWO)
def test_whole_deals_keep_every_invariant(ruleset):
    chance = random.Random(2024)
    for number in range(DEALS):
        terms = TERMS[number % len(TERMS)]
        deck = shuffled(chance)
        deal = ruleset.start(deck=deck, opening=opening_for(ruleset, chance), terms=terms)
        played = 0
        turns = 0
        while deal.turn is not None:
            seat, action = deal.turn, chance.choice(ruleset.legal(deal))
            deal = ruleset.apply(deal, seat, action)
            turns += 1
            for card in action.cards:
                assert not played >> card & 1
                played |= 1 << card
            left = 0
            for hand in deal.hands:
                assert not hand & left
                left |= hand
            assert left ^ played == (1 << 52) - 1
            assert len(deal.history) == turns
        check_the_end(ruleset, deal, deck, terms, chance)


def check_the_end(ruleset, deal, deck, terms, chance):
    assert deal.phase == "over"
    assert deal.counts[deal.winner] == 0
    balances = [chance.choice([0, 1, 50, 3000, 10**6]) for _ in range(4)]
    outcome = ruleset.outcome(deal)
    settlement = ruleset.settle(terms, balances, outcome)
    assert sum(settlement.points) == 0
    assert settlement.points[deal.winner] >= 0
    assert sum(settlement.gross) == 0
    assert sum(settlement.net) + settlement.house == 0
    for seat, net in enumerate(settlement.net):
        assert balances[seat] + net >= 0
        assert net >= -ruleset.exposure(terms, balances[seat])
    written = records.record_of(deal, deck=deck, balances=balances)
    record = records.parse(written)
    assert records.replay(record) == deal
    assert records.settlement_of(record, deal) == settlement


@pytest.mark.parametrize("ruleset", BIG_TWO)
@pytest.mark.parametrize("seed", range(12))
def test_exactly_the_listed_actions_pass_verification(ruleset, seed):
    """The listing serves hints; the verdict on a play is read from its cards. In no position may they differ."""
    for deal in list(random_deal(ruleset, seed))[:-1:3]:
        hand = cards_of(deal.hands[deal.turn])
        plays = [Action("play", cards) for size in (1, 2, 3, 5) for cards in combinations(hand, size)]
        allowed = [action for action in (PASS, *plays) if verified(ruleset, deal, action)]
        assert sorted(allowed) == sorted(ruleset.legal(deal))


def verified(ruleset, deal, action):
    try:
        ruleset.verify(deal, deal.turn, action)
    except IllegalAction:
        return False
    return True
