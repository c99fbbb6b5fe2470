"""What cards are, and what beats what (RULES §1)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from games.engine.actions import format_action
from games.engine.big_two_combos import beats, combo_of, fives, follows, leads, leads_without_singles
from games.engine.cards import cards_of, mask_of, parse_cards
from tests.engine.dealing import QQ


def kind(text: str) -> str | None:
    combo = combo_of(mask_of(parse_cards(text)))
    return None if combo is None else combo.kind


def beaten(standing: str, cards: str) -> bool:
    return QQ.beats(parse_cards(standing), parse_cards(cards))


def test_all_hands_of_five_cards_are_counted_right():
    bits = [1 << card for card in range(52)]
    counts = Counter(combo.kind for mask in map(sum, combinations(bits, 5)) if (combo := combo_of(mask)))
    assert counts == {
        "straight_flush": 40,
        "quads": 624,
        "full_house": 3744,
        "flush": 5108,
        "straight": 10200,
    }


def test_all_hands_of_one_to_four_cards_are_counted_right():
    counts = Counter(
        combo.kind
        for size in (1, 2, 3, 4)
        for cards in combinations(range(52), size)
        if (combo := combo_of(mask_of(cards)))
    )
    assert counts == {"single": 52, "pair": 78, "triple": 52}


@pytest.mark.parametrize(
    "ranks", ["A2345", "23456", "34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA"]
)
def test_there_are_ten_straights(ranks):
    assert kind(" ".join(rank + suit for rank, suit in zip(ranks, "dchsd", strict=True))) == "straight"
    assert kind(" ".join(rank + "h" for rank in ranks)) == "straight_flush"


@pytest.mark.parametrize("ranks", ["JQKA2", "QKA23", "KA234"])
def test_a_straight_does_not_go_round_the_corner(ranks):
    assert kind(" ".join(rank + suit for rank, suit in zip(ranks, "dchsd", strict=True))) is None
    assert kind(" ".join(rank + "h" for rank in ranks)) == "flush"


def test_ace_and_two_are_low_in_the_two_lowest_straights():
    assert beaten("Ad 2c 3h 4s 5s", "2d 3c 4h 5d 6d")
    assert beaten("2s 3c 4h 5d 6s", "3d 4c 5h 6d 7d")
    assert not beaten("Td Jc Qh Kd Ad", "As 2s 3h 4s 5c")


def test_the_top_card_of_a_straight_decides_by_rank_then_suit():
    assert beaten("3s 4s 5s 6s 7h", "3d 4d 5d 6c 7s")
    assert not beaten("3d 4d 5d 6c 7s", "3s 4s 5s 6s 7h")


def test_four_cards_alone_and_two_pairs_are_nothing():
    assert kind("9d 9c 9h 9s") is None
    assert kind("3d 3c 4d 4c 5d") is None
    assert kind("3d 3c 3h 4d 5d") is None


def test_the_pair_with_the_spade_wins():
    assert beaten("Kd Kh", "Kc Ks")
    assert not beaten("Kd Ks", "Kc Kh")


def test_flushes_compare_by_their_highest_card_alone():
    assert beaten("9s Ts Js Ks As", "3d 4d 5d 6d 2d")
    assert beaten("9d Td Jd Kd Ad", "3c 4c 5c 7c Ac")
    assert not beaten("3c 4c 5c 7c Ac", "9d Td Jd Kd Ad")


def test_full_houses_and_fours_compare_by_the_triple_and_the_four():
    assert beaten("3d 3c 3h 2s 2h", "4d 4c 4h 5s 5h")
    assert beaten("3d 3c 3h 3s 2h", "4d 4c 4h 4s 5h")


def test_the_order_of_five_card_combos():
    rising = ["Td Jc Qh Ks As", "3d 5d 7d 9d Jd", "3c 3h 3s 4d 4c", "5c 5h 5s 5d 6d", "3h 4h 5h 6h 7h"]
    for lower, higher in combinations(rising, 2):
        assert beaten(lower, higher)
        assert not beaten(higher, lower)


def test_only_combos_of_the_same_number_of_cards_compare():
    assert not beaten("3d 3c", "2s")
    assert not beaten("3d", "4d 4c")
    assert not beaten("3d 3c 3h", "5c 5h 5s 5d 6d")


def test_of_two_combos_of_one_size_that_share_no_card_one_beats_the_other():
    chance = random.Random(11)
    for _ in range(300):
        deck = chance.sample(range(52), 26)
        for mine in fives(mask_of(deck[:13]))[::7]:
            for yours in fives(mask_of(deck[13:]))[::7]:
                assert beats(mine, yours) != beats(yours, mine)


def every_combo(hand: int) -> list:
    """Return all combos of a hand by reading each of its subsets."""
    cards = cards_of(hand)
    masks = [mask_of(chosen) for size in (1, 2, 3, 5) for chosen in combinations(cards, size)]
    return [combo for mask in masks if (combo := combo_of(mask))]


@pytest.mark.parametrize("seed", range(120))
def test_listing_the_plays_of_a_hand_agrees_with_reading_its_subsets(seed):
    chance = random.Random(seed)
    pool = chance.choice(
        [range(52), range(20), [card for card in range(52) if card % 4 < 2], range(0, 52, 3)]
    )
    hand = mask_of(chance.sample(list(pool), min(13, len(pool) - 1)))
    combos = every_combo(hand)
    listed = leads(hand)
    assert sorted(map(format_action, listed)) == sorted(format_action(combo.action) for combo in combos)
    assert sorted(leads_without_singles(hand)) == sorted(c.action for c in combos if c.size > 1)
    rest = [card for card in range(52) if not hand >> card & 1]
    standings = every_combo(mask_of(chance.sample(rest, 13)))
    for standing in chance.sample(standings, min(len(standings), 25)):
        expected = sorted(combo.action for combo in combos if beats(combo, standing))
        assert sorted(follows(hand, standing)) == expected


def test_a_whole_suit_and_a_whole_deck_are_no_trouble():
    spades = mask_of(range(3, 52, 4))
    assert len(fives(spades)) == 1287
    assert len(leads((1 << 52) - 1)) == 52 + 78 + 52 + 19716
