"""A view holds what its seat may know, and nothing that depends on more (RULES §6 `view`)."""

from __future__ import annotations

import json
import random

import pytest

from games.engine import record as records
from games.engine.actions import ESCAPE, PASS, Action
from games.engine.cards import cards_of
from games.engine.errors import EngineError, IllegalAction
from games.engine.terms import Terms
from tests.engine.dealing import BIG_TWO, CLASSIC, QQ, play, position, random_deal

KEYS = {"phase", "turn", "hand", "counts", "bottom", "shown", "landlord", "standing", "bids", "base_score",
        "ladder", "hands", "unseen"}  # fmt: skip
HANDS = ("3d 5c Kh", "4s 9s", "6d 6c", "7d 7c")


def test_a_seat_sees_its_hand_the_counts_and_the_table():
    deal = play(QQ, position(QQ, *HANDS, first=0), "play 5c")
    assert QQ.view(deal, 1).as_json() == {
        "phase": "play",
        "turn": 1,
        "hand": "4s 9s",
        "counts": [2, 2, 2, 2],
        "bottom": "",
        "shown": None,
        "landlord": None,
        "standing": {"seat": 0, "cards": "5c", "type": "single"},
        "bids": [None] * 4,
        "base_score": None,
        "ladder": [0] * 4,
        "hands": None,
        "unseen": "3d 6d 6c 7d 7c Kh",
    }


def test_a_spectator_sees_no_hand():
    view = QQ.view(position(QQ, *HANDS, first=0), None).as_json()
    assert view["hand"] is None
    assert view["hands"] is None
    assert view["unseen"] == "3d 4s 5c 6d 6c 7d 7c 9s Kh"


def test_at_the_end_all_hands_lie_open():
    deal = QQ.apply(position(QQ, *HANDS, first=0), 2, ESCAPE)
    for seat in (None, 0, 1):
        view = QQ.view(deal, seat).as_json()
        assert view["hands"] == list(HANDS)
        assert view["unseen"] == ""


@pytest.mark.parametrize("seat", [4, -1, True, "0", 1.0])
def test_there_is_no_view_of_what_is_no_seat(seat):
    with pytest.raises(EngineError):
        QQ.view(position(QQ, *HANDS, first=0), seat)


def test_a_view_tells_the_duty_of_the_seat_to_act():
    assert CLASSIC.view(position(CLASSIC, *HANDS, lead="3d"), None).duty == "3d"
    bound = position(CLASSIC, "3d 5c Kh", "4s", *HANDS[2:], first=0)
    assert CLASSIC.view(bound, 3).duty == "last_card"
    assert QQ.view(position(QQ, "3d 5c Kh", "4s", *HANDS[2:], first=0), 3).duty is None


@pytest.mark.parametrize("ruleset", BIG_TWO)
@pytest.mark.parametrize("seed", range(25))
def test_offers_from_the_view_are_the_legal_actions(ruleset, seed):
    for deal in random_deal(ruleset, seed):
        for seat in (None, 0, 1, 2, 3):
            view = ruleset.view(deal, seat)
            assert set(view.as_json()) == KEYS
            assert ruleset.offers(view) == (ruleset.legal(deal) if seat == deal.turn else [])


def knowledge(ruleset, deal, seat):
    """Return everything the engine tells a seat, refusals of what it might try included."""
    view = ruleset.view(deal, seat)
    told = [view, json.dumps(view.as_json()), repr(view), repr(deal), ruleset.offers(view)]
    told.append(ruleset.leave_price(view, Terms(10, 2000), 1500))
    if view.my_turn:
        told.append(ruleset.autoplay(view))
        held = cards_of(view.hand)
        for action in (PASS, *(Action("play", (card,)) for card in range(52)), Action("play", held[:2])):
            told.append(refusal(ruleset, deal, seat, action))
    return told


def refusal(ruleset, deal, seat, action):
    try:
        ruleset.verify(deal, seat, action)
    except IllegalAction as error:
        return error.reason, error.detail
    return None


def with_hidden_cards_moved(ruleset, deal, seat, chance):
    """Return a deal with the same past and the same hand of `seat` in which the hidden cards lie elsewhere.

    None when the past would not have been the same with other cards: the last-card duty shows something of a hand,
    and who leads in an opening with the `3d` shows who holds it.
    """
    others = [other for other in range(4) if other != seat]
    hidden = [card for other in others for card in cards_of(deal.hands[other])]
    chance.shuffle(hidden)
    moved = {}
    for other in others:
        moved[other] = [hidden.pop() for _ in range(deal.counts[other])]
    for other, action in deal.history:
        if other != seat and other is not None:
            moved[other] += action.cards
    dealt = [moved.get(other, cards_of(deal.setup.hands[other])) for other in range(4)]
    deck = [hand[i] for i in range(13) for hand in dealt]
    written = records.record_of(deal, deck=deck, balances=None)
    try:
        twin = records.replay(records.parse(written))
    except IllegalAction:
        return None
    return twin if twin.turn == deal.turn else None


@pytest.mark.parametrize("ruleset", BIG_TWO)
def test_two_deals_alike_in_all_a_seat_may_know_look_the_same_to_it(ruleset):
    chance = random.Random(5)
    compared = 0
    for seed in range(60):
        positions = list(random_deal(ruleset, seed))[:-1]
        for deal in chance.sample(positions, 6):
            for seat in (None, 0, 1, 2, 3):
                twin = with_hidden_cards_moved(ruleset, deal, seat, chance)
                if twin is not None:
                    compared += twin.hands != deal.hands
                    assert knowledge(ruleset, deal, seat) == knowledge(ruleset, twin, seat)
    assert compared > 1000
