"""Cards and actions as text (RULES §0, §7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.actions import Action, format_action, parse_action
from games.engine.cards import NAMES, cards_of, format_cards, format_mask, mask_of, parse_cards
from games.engine.errors import EngineError


def refusal(text: str, **options: int) -> str:
    with pytest.raises(EngineError) as caught:
        parse_action(text, **options)
    return caught.value.code


def test_the_order_of_cards_is_the_order_of_singles():
    assert NAMES[0] == "3d"
    assert NAMES[51] == "2s"
    assert format_cards(sorted(parse_cards("RJ 2s 3d As 3s 3h 3c BJ Ad"))) == "3d 3c 3h 3s Ad As 2s BJ RJ"


@pytest.mark.parametrize(
    "text", ["1d", "3x", "10d", "3D", "3d  4d", " 3d", "3d ", " ", "3d,4d", "3d\t4d", "3d\n"]
)
def test_cards_are_parted_by_exactly_one_space(text):
    with pytest.raises(EngineError) as caught:
        parse_cards(text)
    assert caught.value.code == "bad_card"


def test_there_are_no_jokers_in_a_deck_of_52():
    assert parse_cards("BJ RJ") == (52, 53)
    with pytest.raises(EngineError) as caught:
        parse_cards("3d BJ", 52)
    assert caught.value.code == "bad_card"


def test_a_card_twice_is_an_error_of_its_own():
    with pytest.raises(EngineError) as caught:
        parse_cards("3d 4d 3d")
    assert caught.value.code == "duplicate_card"


@given(st.sets(st.integers(0, 53)))
def test_masks_and_text_keep_the_cards(cards):
    assert cards_of(mask_of(cards)) == tuple(sorted(cards))
    assert parse_cards(format_mask(mask_of(cards))) == tuple(sorted(cards))


@pytest.mark.parametrize(
    "text",
    [
        "play 3d 3h",
        "pass",
        "bid 0",
        "bid 3",
        "blind",
        "look",
        "call",
        "decline",
        "raise 2",
        "stay 0",
        "escape",
        "void",
    ],
)
def test_an_action_is_read_and_written_the_same(text):
    assert format_action(parse_action(text)) == text
    assert str(parse_action(text)) == text


def test_a_play_holds_its_cards_ascending():
    assert parse_action("play 3h 3d") == Action("play", (0, 2))


@pytest.mark.parametrize(
    "text",
    ["", "jump", "Pass", "pass ", "pass 3d", "play", "play ", "bid", "bid 4", "bid 01", "bid -1", "bid ²", "raise",
     "raise 4", "stay x", "escape 1", "PLAY 3d"],
)  # fmt: skip
def test_a_malformed_action_is_a_bad_record(text):
    assert refusal(text) == "bad_record"


def test_the_cards_of_a_play_have_their_own_errors():
    assert refusal("play 1d") == "bad_card"
    assert refusal("play  3d") == "bad_card"
    assert refusal("play 3d 3d") == "duplicate_card"
    assert refusal("play BJ", deck_size=52) == "bad_card"


def test_a_ladder_step_names_a_seat_of_the_table():
    assert refusal("raise 3", seats=3) == "bad_record"


@given(st.text() | st.from_regex(r"(play|bid|raise|stay|pass)( [0-9A-Za-z]{1,3}){0,4}", fullmatch=True))
def test_any_text_is_an_action_or_a_typed_error(text):
    try:
        action = parse_action(text)
    except EngineError as error:
        assert error.code in {"bad_record", "bad_card", "duplicate_card"}
    else:
        assert parse_action(str(action)) == action
