"""What holds in every position of every deal of Dou Dizhu, by whole random deals; and what two seats that know
the same are told."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine import record as records
from games.engine.actions import BIDS, ESCAPE, PASS, PLAIN, Action, parse_action
from games.engine.cards import cards_of, format_mask
from games.engine.errors import EngineError, IllegalAction
from games.engine.terms import Fee, Terms
from tests.engine.dealing import DOU_DIZHU, MALA, opening_for, random_deal, shuffled

DEALS = 2000
WHOLE_DECK = (1 << 54) - 1
TERMS = (
    Terms(),
    Terms(30, 1200, Fee("percent", 5)),
    Terms(1000, None, Fee("flat", 100), 2),
    Terms(10, 70, Fee("flat", 5)),
    Terms(currency="points"),
)


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_whole_deals_keep_every_invariant(ruleset):
    chance = random.Random(2024)
    phases = set()
    for number in range(DEALS):
        terms = TERMS[number % len(TERMS)]
        deck = shuffled(chance, 54)
        deal = ruleset.start(deck=deck, opening=opening_for(ruleset, chance, deck), terms=terms)
        leaves_after = chance.randrange(400) if ruleset is MALA else None
        turns, played = 0, 0
        while deal.turn is not None:
            legal = ruleset.legal(deal)
            assert len(set(legal)) == len(legal) > 0
            action = chance.choice(legal) if turns != leaves_after else ESCAPE
            deal = ruleset.apply(deal, deal.turn, action)
            turns += 1
            for card in action.cards:
                assert not played >> card & 1
                played |= 1 << card
            check_the_cards(deal, played)
        phases.add(deal.phase)
        assert len(deal.history) == turns
        check_the_end(ruleset, deal, deck, terms, chance)
    assert {"over", "redeal"} <= phases


def check_the_cards(deal, played):
    left = played
    for hand in deal.hands:
        assert not hand & left
        left |= hand
    assert left in (WHOLE_DECK, WHOLE_DECK ^ deal.setup.bottom)


def check_the_end(ruleset, deal, deck, terms, chance):
    balances = [chance.choice([0, 1, 50, 3000, 10**6]) for _ in range(3)]
    away, fined = [], []
    if ruleset.manners.absence == "play_on":
        fined = [seat for seat in range(3) if chance.random() < 0.3]
        away = [seat for seat in fined if chance.random() < 0.7]
    written = records.record_of(deal, deck=deck, balances=balances, away=away, fined=fined)
    record = records.parse(json.loads(json.dumps(written)))
    assert records.replay(record) == deal
    outcome = ruleset.outcome(deal, away=away, fined=fined)
    if deal.phase == "redeal":
        assert outcome is None
        assert records.settlement_of(record, deal) is None
        return
    settlement = ruleset.settle(terms, balances, outcome)
    assert records.settlement_of(record, deal) == settlement
    check_the_coins(ruleset, deal, terms, balances, settlement)


def check_the_coins(ruleset, deal, terms, balances, settlement):
    assert sum(settlement.gross) == 0
    assert sum(settlement.net) + settlement.house == 0
    assert min(*settlement.fees, *settlement.penalties) >= 0
    for seat, net in enumerate(settlement.net):
        assert balances[seat] + net >= 0
        assert net >= -ruleset.exposure(terms, balances[seat])
    json.dumps(settlement.reasons)
    if deal.phase == "over":
        assert sum(settlement.points) == 0
        assert deal.counts[deal.winner] == 0
        won = settlement.points[deal.own.landlord] > 0
        assert won == (deal.winner == deal.own.landlord)
        factors = [line for line in settlement.reasons if line["row"] == "factor"]
        assert all(len(line["values"]) == 3 for line in factors)
        assert reckoned(deal, factors) == [abs(points) for points in settlement.points]


def reckoned(deal, factors):
    """Return the points by seat, as a reader of the receipt reckons them: factors of one seat alone are its
    pair's where they are steps of the ladder, else everybody's."""
    pair = [1, 1, 1]
    for line in factors:
        found = [value for value in line["values"] if value is not None]
        for seat in range(3):
            if line["cause"] == "ladder":
                pair[seat] *= line["values"][seat] or 1
            else:
                pair[seat] *= found[0]
    landlord = deal.own.landlord
    pair[landlord] = sum(pair) - pair[landlord]
    return pair


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
@pytest.mark.parametrize("seed", range(15))
def test_offers_from_the_view_are_the_legal_actions(ruleset, seed):
    for deal in random_deal(ruleset, seed):
        for seat in (None, 0, 1, 2):
            view = ruleset.view(deal, seat)
            assert ruleset.offers(view) == (ruleset.legal(deal) if seat == deal.turn else [])
        if deal.turn is not None:
            choice = ruleset.autoplay(ruleset.view(deal, deal.turn))
            assert choice in ruleset.legal(deal)


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
@pytest.mark.parametrize("seed", range(4))
def test_exactly_the_listed_actions_pass_verification(ruleset, seed):
    """Words and single plays are tried all, of larger sets those of another position as well."""
    chance = random.Random(seed)
    positions = list(random_deal(ruleset, seed))
    words = [
        *PLAIN.values(),
        *BIDS,
        *(parse_action(f"{step} {to}") for step in ("raise", "stay") for to in range(3)),
    ]
    plays = {action for deal in positions for action in ruleset.legal(deal) if action.kind == "play"}
    for deal in positions[:-1:2]:
        lowest = {action for action in plays if only_lowest_suits(action.cards, deal.hands[deal.turn])}
        tried = [*words, *lowest, *(Action("play", (card,)) for card in range(54))]
        tried += [Action("play", tuple(sorted(chance.sample(range(54), 2)))) for _ in range(20)]
        allowed = {action for action in tried if verified(ruleset, deal, action)}
        legal = set(ruleset.legal(deal))
        same_suits = {
            a for a in allowed if a.kind != "play" or only_lowest_suits(a.cards, deal.hands[deal.turn])
        }
        assert same_suits - {PLAIN["void"], PLAIN["escape"]} == {a for a in legal if a in set(tried)}


def only_lowest_suits(cards, hand):
    """Whether a play takes the lowest cards the hand has of each rank."""
    held = cards_of(hand)
    return all(card in held for card in cards) and not any(
        lower not in cards and lower in held
        for card in cards
        for lower in range(card & ~3, card)
        if card < 52 and lower < 52
    )


def verified(ruleset, deal, action):
    try:
        ruleset.verify(deal, deal.turn, action)
    except IllegalAction:
        return False
    return True


# --- non-interference ---


def told(ruleset, deal, seat):
    """Return everything the engine tells a seat, refusals of what it might try included."""
    view = ruleset.view(deal, seat)
    answer = [view, json.dumps(view.as_json()), repr(view), repr(deal), ruleset.offers(view)]
    if seat is not None:
        answer.append(ruleset.leave_price(view, Terms(10, 2000), 15_000))
    if view.my_turn:
        answer.append(ruleset.autoplay(view))
        for action in (PASS, BIDS[1], PLAIN["look"], PLAIN["call"], *map(single, range(54))):
            answer.append(refusal(ruleset, deal, seat, action))
    return answer


def single(card):
    return Action("play", (card,))


def refusal(ruleset, deal, seat, action):
    try:
        ruleset.verify(deal, seat, action)
    except EngineError as error:
        return error.code, error.reason, error.detail
    return None


def with_hidden_cards_moved(ruleset, deal, seat, chance):
    """Return a deal with the same past in which the cards this seat has not seen lie elsewhere."""
    view = ruleset.view(deal, seat)
    hidden = list(cards_of(view.unseen))
    chance.shuffle(hidden)
    dealt = []
    for hand in deal.setup.hands:
        known = cards_of(hand & ~view.unseen)
        dealt.append([*known, *(hidden.pop() for _ in range(hand.bit_count() - len(known)))])
    bottom = [*cards_of(deal.setup.bottom & ~view.unseen), *hidden]
    for cards in dealt:
        chance.shuffle(cards)
    deck = [cards[i] for i in range(17) for cards in dealt] + bottom
    written = records.record_of(deal, deck=deck, balances=None)
    return records.replay(records.parse(written))


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_two_deals_alike_in_all_a_seat_may_know_look_the_same_to_it(ruleset):
    chance = random.Random(5)
    compared = dict.fromkeys(("bidding", "blind", "ladder", "play"), 0)
    for seed in range(90):
        positions = list(random_deal(ruleset, seed))[:-1]
        early = [deal for deal in positions if deal.phase != "play"]
        for deal in [*early, *chance.sample(positions, min(4, len(positions)))]:
            for seat in (None, 0, 1, 2):
                twin = with_hidden_cards_moved(ruleset, deal, seat, chance)
                if twin.hands != deal.hands:
                    assert told(ruleset, deal, seat) == told(ruleset, twin, seat)
                    compared[deal.phase] += 1
    assert compared["bidding"] > 100
    assert compared["play"] > 300
    if ruleset is MALA:
        assert min(compared.values()) > 100


# --- bad input ---


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 60), st.floats(), st.text(max_size=4),
    st.tuples(st.integers(-3, 60)), st.lists(st.integers(0, 53), max_size=5),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_action_whatever_does_more_than_raise_an_engine_error(data):
    ruleset = data.draw(st.sampled_from(DOU_DIZHU))
    positions = list(random_deal(ruleset, data.draw(st.integers(0, 5))))
    deal = data.draw(st.sampled_from(positions))
    kind = data.draw(st.sampled_from(["play", "pass", "bid", "raise", "stay", "look", "fly"]) | JUNK)
    cards = data.draw(st.tuples(JUNK, JUNK) | st.lists(st.integers(0, 53), max_size=6).map(tuple) | JUNK)
    action = data.draw(st.just(Action(kind, cards, data.draw(JUNK))) | JUNK)
    seat = data.draw(st.sampled_from([deal.turn, 0, 1, 2]) | JUNK)
    try:
        after = ruleset.apply(deal, seat, action)
    except EngineError:
        return
    assert len(after.history) == len(deal.history) + 1
    json.dumps(records.record_of(after, deck=shuffled(random.Random(1), 54), balances=None))
    format_mask(after.hands[0])
