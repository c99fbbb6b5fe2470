"""The fair deal: exact bytes, so that anyone can write the check again."""

from __future__ import annotations

import doctest
import hashlib
import hmac
from collections import Counter

import pytest

from games.engine import fair
from games.engine.fair import Draw, commitment, fairness_of

SEED = bytes(range(32))


def test_the_description_runs():
    assert doctest.testmod(fair) == (0, 6)


def test_the_commitment_is_the_hash_of_the_seed():
    assert commitment(SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


@pytest.mark.parametrize(
    ("deal_id", "nonces", "size", "first_cards", "bound", "then"),
    [
        ("deal-1", ["", "00ff", "", ""], 52, (38, 5, 42, 37, 43, 49, 23, 27), 54, 21),
        ("deal-2", ["", "00ff", ""], 54, (30, 53, 19, 31, 10, 27, 21, 8), 51, 24),
    ],
)
def test_vectors(deal_id, nonces, size, first_cards, bound, then):
    draw = Draw(SEED, deal_id, nonces)
    deck = draw.deck(size)
    assert deck[: len(first_cards)] == first_cards
    assert sorted(deck) == list(range(size))
    assert draw.below(bound) == then


def test_the_stream_is_what_the_description_says():
    numbers = []
    for counter in range(20):
        block = hmac.new(SEED, b"deal-1|a|b|c|%d" % counter, hashlib.sha256).digest()
        numbers += [int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4)]
    cards = list(range(54))
    for i in range(53, 0, -1):
        number = numbers.pop(0)
        assert number < 2**32 - 2**32 % (i + 1)
        j = number % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    draw = Draw(SEED, "deal-1", ["a", "b", "c"])
    assert draw.deck(54) == tuple(cards)
    assert draw.below(3) == numbers[0] % 3


def test_numbers_that_would_favour_some_results_are_drawn_again():
    class Scripted(Draw):
        numbers = (2**32 - 1, 2**32 - 2**32 % 48, 47)

        def _number(self):
            number, *self.numbers = self.numbers
            return number

    assert 2**32 % 48 != 0
    assert Scripted(SEED, "d", []).below(48) == 47


def test_every_place_is_equally_likely():
    decks = [Draw(SEED, f"deal-{number}", []).deck(6) for number in range(6000)]
    for place in range(6):
        counts = Counter(deck[place] for deck in decks)
        assert all(850 < counts[card] < 1150 for card in range(6))


def test_any_change_of_seed_deal_or_nonce_gives_another_deck():
    deck = Draw(SEED, "deal-1", ["", ""]).deck(52)
    assert Draw(bytes(32), "deal-1", ["", ""]).deck(52) != deck
    assert Draw(SEED, "deal-2", ["", ""]).deck(52) != deck
    assert Draw(SEED, "deal-1", ["0", ""]).deck(52) != deck
    assert Draw(SEED, "deal-1", ["", "0"]).deck(52) != Draw(SEED, "deal-1", ["0", ""]).deck(52)


def test_the_deck_is_drawn_first():
    draw = Draw(SEED, "deal-1", [])
    draw.below(4)
    with pytest.raises(ValueError, match="first"):
        draw.deck(52)


@pytest.mark.parametrize(
    ("seed", "deal_id", "nonces"),
    [(b"short", "d", []), (SEED, "", []), (SEED, "a|b", []), (SEED, "d", ["|"]), (SEED, "d", ["AB"]),
     (SEED, "d", ["0" * 65]), (SEED, "d\n", [])],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_is_refused(seed, deal_id, nonces):
    with pytest.raises(ValueError, match=r"32 bytes|well-formed"):
        Draw(seed, deal_id, nonces)


def test_a_draw_shows_nothing():
    assert SEED.hex() not in repr(Draw(SEED, "deal-1", []))
    assert fairness_of(SEED, "d", ["", "ab"]) == {
        "deal": "d", "commitment": commitment(SEED), "server_seed": SEED.hex(), "nonces": ["", "ab"]
    }  # fmt: skip
