"""What cards are in Dou Dizhu, and what beats what (RULES §2)."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from games.engine.actions import format_action
from games.engine.cards import cards_of, mask_of
from games.engine.dou_dizhu_combos import beats, rank_of
from tests.engine.dealing import DOU_DIZHU, MALA, TAIWAN, ranks


def kinds(ruleset, text: str) -> list[str]:
    return [combo.kind for combo in ruleset.readings(ranks(text))]


def beaten(ruleset, standing: str, cards: str) -> bool:
    return ruleset.beats(ranks(standing), ranks(cards))


EXAMPLES = [
    # cards, taiwan, mala
    ("3", "single", "single"),
    ("B", "single", "single"),
    ("33", "pair", "pair"),
    ("BR", "rocket", "rocket"),
    ("222", "triple", "triple"),
    ("2222", "bomb", "bomb"),
    ("34", None, None),
    ("333 6", "triple_single", "triple_single"),
    ("333 B", "triple_single", "triple_single"),
    ("333 55", "triple_pair", None),
    ("222 33", "triple_pair", None),
    ("999 23", None, None),
    ("333 BR", None, None),
    ("34567", "straight", "straight"),
    ("TJQKA", "straight", "straight"),
    ("3456789TJQKA", "straight", "straight"),
    ("3456", None, None),
    ("23456", None, None),
    ("JQKA2", None, None),
    ("34568", None, None),
    ("334455", "pair_straight", "pair_straight"),
    ("3344", None, None),
    ("QQKKAA", "pair_straight", "pair_straight"),
    ("KKAA22", None, None),
    ("667778", None, None),
    ("333444", "airplane", "airplane"),
    ("KKKAAA", "airplane", "airplane"),
    ("AAA222", None, None),
    ("333555", None, None),
    ("444555 79", "airplane_singles", "airplane_singles"),
    ("444555 77", "airplane_singles", None),
    ("3333 444 5", "airplane_singles", "airplane_singles"),
    ("3333 4444", "airplane_singles", "airplane_singles"),
    ("333444 BR", "airplane_singles", "airplane_singles"),
    ("333444 5", None, None),
    ("333444 5566", "airplane_pairs", None),
    ("333444 5 66", None, None),
    ("333444 5555", None, None),
    ("222333 45", None, None),
    ("5555 7", "quad_single", None),
    ("5555 38", "quad_singles", "quad_singles"),
    ("5555 77", "quad_singles", None),
    ("5555 BR", "quad_singles", "quad_singles"),
    ("5555 7788", "quad_pairs", None),
    ("5555 7777", None, None),
    ("5555 BR 77", None, None),
    ("BR 34", "rocket_singles", None),
    ("BR 33", "rocket_singles", None),
    ("BR 3344", "rocket_pairs", None),
    ("BR 3333", "quad_singles", "quad_singles"),
    ("BR 3", None, None),
    ("333444555666 7777", "airplane_singles", None),
    ("333344445555", "airplane_singles", "airplane_singles"),
]


@pytest.mark.parametrize(("text", "taiwan", "mala"), EXAMPLES)
def test_what_cards_are_led_as(text, taiwan, mala):
    assert kinds(TAIWAN, text)[:1] == ([] if taiwan is None else [taiwan])
    assert kinds(MALA, text)[:1] == ([] if mala is None else [mala])


def test_one_set_can_have_several_readings_in_a_leaders_priority():
    led = TAIWAN.readings(ranks("333444555666"))
    assert [(combo.kind, combo.as_json()["rank"]) for combo in led] == [
        ("airplane", "6"),
        ("airplane_singles", "6"),
        ("airplane_singles", "5"),
    ]
    assert kinds(MALA, "333444555666") == ["airplane"]
    sixteen = TAIWAN.readings(ranks("3334445556667777"))
    assert [combo.as_json()["rank"] for combo in sixteen] == ["7", "6"]


def test_a_follower_is_read_as_the_highest_body_that_beats():
    standing = TAIWAN.readings(ranks("333444555 789"))[0]
    follower = ranks("444555666777")
    combo = TAIWAN.combos.played(mask_of(follower), follower, standing)
    assert (combo.kind, combo.as_json()["rank"]) == ("airplane_singles", "7")
    assert TAIWAN.combos.played(mask_of(follower), follower, None).kind == "airplane"


def test_four_of_a_rank_are_never_three_with_one():
    assert kinds(TAIWAN, "3333") == ["bomb"]
    assert beaten(TAIWAN, "777 A", "3333")


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_the_order_of_single_cards(ruleset):
    rising = "3456789TJQKA2BR"
    for lower, higher in pairwise(rising):
        assert beaten(ruleset, lower, higher)
        assert not beaten(ruleset, higher, lower)


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_suits_never_count(ruleset):
    assert not beaten(ruleset, "3", "3")
    assert not beaten(ruleset, "33", "33")


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_the_rocket_beats_everything_and_a_bomb_all_but_it_and_higher_bombs(ruleset):
    for standing in ("2", "R", "AA", "34567", "5555 38", "333444 79", "3333", "2222"):
        assert beaten(ruleset, standing, "BR") or "R" in standing
    assert not ruleset.beats(ranks("BR"), ranks("2222"))
    assert beaten(ruleset, "3333", "4444")
    assert not beaten(ruleset, "4444", "3333")
    assert beaten(ruleset, "5555 38", "4444")
    assert beaten(ruleset, "R", "3333")


def test_fours_and_rockets_that_carry_are_no_bombs():
    assert not beaten(TAIWAN, "3333", "5555 7")
    assert not beaten(TAIWAN, "4", "BR 34")
    assert beaten(TAIWAN, "BR 34", "5555")
    assert beaten(TAIWAN, "BR 3344", "5555")
    assert not beaten(TAIWAN, "5555 77", "BR 34")


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
def test_only_the_same_type_and_number_compares_by_its_body(ruleset):
    assert beaten(ruleset, "777 A", "888 9")
    assert not beaten(ruleset, "888 9", "777 A")
    assert beaten(ruleset, "KKK 3", "222 3")
    assert not beaten(ruleset, "34567", "456789")
    assert beaten(ruleset, "9TJQK", "TJQKA")
    assert beaten(ruleset, "6666 78", "9999 34")
    assert not beaten(ruleset, "333444", "445566")


def test_triples_with_one_and_with_a_pair_do_not_compare():
    assert not beaten(TAIWAN, "777 AA", "888 9")
    assert not beaten(TAIWAN, "6666 78", "9999 3344")
    assert beaten(TAIWAN, "6666 77", "9999 34")
    assert not beaten(TAIWAN, "333444", "777888 9922")


def test_kickers_of_an_airplane_never_count():
    assert beaten(TAIWAN, "333444 BR", "555666 22")
    assert beaten(TAIWAN, "333444555 JQK", "666777888999")
    assert not beaten(MALA, "333444555 JQK", "666777888999")


def every_set(hand: int):
    """Yield each choice of ranks from a hand, with its lowest suits."""
    held = [[card for card in cards_of(hand) if rank_of(card) == rank] for rank in range(15)]
    for counts in product(*[range(len(cards) + 1) for cards in held]):
        chosen = tuple(card for cards, count in zip(held, counts, strict=True) for card in cards[:count])
        if chosen:
            yield chosen


def some_hand(chance: random.Random, size: int) -> int:
    """Return a hand, often from few ranks, so that it has chains, airplanes and fours."""
    pool = chance.choice([range(54), range(28), range(24, 54), [*range(20), 52, 53]])
    return mask_of(chance.sample(list(pool), min(size, len(pool))))


@pytest.mark.parametrize("ruleset", DOU_DIZHU)
@pytest.mark.parametrize("size", range(1, 21))
def test_listing_the_plays_of_a_hand_agrees_with_reading_its_subsets(ruleset, size):
    chance = random.Random(size)
    for _ in range(4 if size < 14 else 1):
        hand = some_hand(chance, size)
        read = {cards: ruleset.readings(cards) for cards in every_set(hand)}
        listed = [play.cards for play in ruleset.plays.leads(hand)]
        assert sorted(listed) == sorted(cards for cards, combos in read.items() if combos)
        others = mask_of(chance.sample([card for card in range(54) if not hand >> card & 1], 20))
        standings = ruleset.plays.leads(others)
        for play in chance.sample(standings, min(len(standings), 8)):
            for standing in ruleset.readings(play.cards):
                answers = [action.cards for action in ruleset.plays.follows(hand, standing)]
                assert sorted(answers) == sorted(
                    cards for cards, combos in read.items() if any(beats(combo, standing) for combo in combos)
                )


def test_plays_that_differ_only_in_suits_are_one_with_the_lowest():
    listed = [format_action(play) for play in TAIWAN.plays.leads(mask_of((1, 2, 3, 17)))]
    assert listed == ["play 3c", "play 3c 3h", "play 3c 3h 3s", "play 7c", "play 3c 3h 3s 7c"]


def test_a_set_with_two_readings_is_listed_once():
    hand = mask_of(ranks("333444555666"))
    for plays in (TAIWAN.plays.leads(hand), TAIWAN.plays.follows(hand, TAIWAN.readings(ranks("777"))[0])):
        assert len(plays) == len(set(plays))
