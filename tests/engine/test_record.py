"""Records: strict to read, exact to replay (RULES §6, §7)."""

from __future__ import annotations

import pytest

from games.engine import record as records
from games.engine.cards import format_cards
from games.engine.errors import EngineError
from games.engine.terms import Fee, Terms
from tests.engine.dealing import QQ, legal, position, random_deal, study

DECK = format_cards(range(52))
WHOLE = {
    "format": 1,
    "ruleset": "bigtwo.qq",
    "deck": DECK,
    "opening": {"first": 0},
    "terms": {"base_stake": 10, "cap": 2000, "fee": {"kind": "flat", "value": 10}},
    "balances": [5000, 5000, 5000, 5000],
    "actions": [[0, "play 3d"], [1, "play 3c"], [2, "pass"]],
}
STUDY = study(QQ, "3d 5c Kh", "4s 9s", "6d 6c", "7d 7c", first=0)


def code(record):
    with pytest.raises(EngineError) as caught:
        records.replay(records.parse(record))
    return caught.value.code


def without(record, *keys):
    return {key: value for key, value in record.items() if key not in keys}


def test_a_record_needs_nothing_else():
    deal = records.replay(records.parse(WHOLE))
    assert (deal.turn, deal.passes, deal.standing_by) == (3, 1, 1)


def test_what_has_a_default_may_be_left_out():
    record = records.parse(without(WHOLE, "terms", "balances"))
    assert record.terms == Terms(1, None, None, 1, "coins")
    assert record.balances is None


def test_what_stands_beside_a_record_is_left_alone():
    assert records.parse(WHOLE | {"fairness": {}, "played": "yesterday"}) == records.parse(WHOLE)


@pytest.mark.parametrize("key", ["format", "deck", "opening", "actions"])
def test_what_is_needed_may_not_be_left_out(key):
    assert code(without(WHOLE, key)) == "bad_record"


def test_without_a_known_rule_set_there_is_no_record():
    for ruleset in ("bigtwo", "", None, 5, [], "doudizhu"):
        assert code(WHOLE | {"ruleset": ruleset}) == "unknown_ruleset"
    assert code(without(WHOLE, "ruleset")) == "unknown_ruleset"
    assert code(WHOLE | {"rules_version": 99}) == "unknown_ruleset"


@pytest.mark.parametrize(
    "change",
    [
        {"undealt": 1},
        {"format": 2}, {"format": True}, {"format": 1.0}, {"format": "1"}, {"deck": 5}, {"deck": None},
        {"deck": DECK[3:]}, {"deck": ""}, {"bottom": ""}, {"hands": ["3d", "4d", "5d", "6d"]},
        {"opening": []}, {"opening": None}, {"opening": {"first": 4}}, {"opening": {"first": -1}},
        {"opening": {"first": 0, "landlord": 1}}, {"terms": None}, {"terms": {"stake": 1}},
        {"terms": {"base_stake": 0}}, {"terms": {"base_stake": True}}, {"terms": {"base_stake": 10**30}},
        {"terms": {"cap": -1}}, {"terms": {"cap": 1.5}}, {"terms": {"fee": 5}}, {"terms": {"fee": {"kind": "flat"}}},
        {"terms": {"fee": {"kind": "share", "value": 1}}}, {"terms": {"fee": {"kind": "percent", "value": 101}}},
        {"terms": {"currency": "gold"}}, {"terms": {"currency": None}}, {"terms": {"initial_multiplier": 0}},
        {"balances": [1, 2, 3]}, {"balances": [1, 2, 3, -1]}, {"balances": [1, 2, 3, True]}, {"balances": 5},
        {"actions": {}}, {"actions": "pass"}, {"actions": ["pass"]}, {"actions": [[0]]}, {"actions": [[0, "pass", 1]]},
        {"actions": [[4, "pass"]]}, {"actions": [[-1, "pass"]]}, {"actions": [[None, "pass"]]},
        {"actions": [[True, "pass"]]}, {"actions": [[0, 5]]}, {"actions": [[0, "jump"]]}, {"actions": [["0", "pass"]]},
        {"actions": [[0, "play"]]}, {"actions": [[0, "play "]]}, {"away": [1]}, {"away": 1}, {"fined": [9]},
        {"rules_version": 0}, {"rules_version": "1"},
    ],
)  # fmt: skip
def test_a_wrong_shape_is_a_bad_record(change):
    assert code(WHOLE | change) == "bad_record"


def test_cards_have_their_own_errors():
    assert code(WHOLE | {"deck": DECK[:-2] + "1d"}) == "bad_card"
    assert code(WHOLE | {"deck": DECK[:-2] + "BJ"}) == "bad_card"
    assert code(WHOLE | {"deck": DECK[:-2] + "3d"}) == "duplicate_card"
    assert code(WHOLE | {"actions": [[0, "play 1d"]]}) == "bad_card"
    assert code(STUDY | {"hands": ["3d", "3d", "4d", "5d"]}) == "duplicate_card"


def test_a_record_is_an_object():
    for value in (None, 5, [], "record"):
        assert code(value) == "bad_request"


def test_an_error_names_the_action_it_stopped_at():
    for text, expected in (("pass", "illegal_action"), ("jump", "bad_record"), ("play 1d", "bad_card")):
        with pytest.raises(EngineError) as caught:
            records.replay(records.parse(WHOLE | {"actions": [[0, "play 3d"], [1, "pass"], [0, text]]}))
        assert (caught.value.code, caught.value.at) == (expected, 2)


class TestStudyPositions:
    @pytest.mark.parametrize(
        "hands",
        [["3d", "4d"], ["3d", "4d", "5d", ""], "3d", ["3d", "4d", "5d", 6],
         ["3d", "4d", "5d", " ".join(DECK.split()[20:34])]],
    )  # fmt: skip
    def test_four_hands_of_one_to_thirteen_cards(self, hands):
        assert code(STUDY | {"hands": hands}) == "bad_record"

    def test_a_lead_with_the_3d_needs_the_3d(self):
        assert code(STUDY | {"hands": ["3c", "4d", "5d", "6d"], "opening": {"lead": "3d"}}) == "bad_record"

    def test_there_is_no_bottom(self):
        assert records.parse(STUDY | {"bottom": ""}).bottom == 0
        assert code(STUDY | {"bottom": "2s"}) == "bad_record"
        assert code(STUDY | {"bottom": None}) == "bad_record"

    def test_a_turn_without_a_standing_combo_names_the_leader(self):
        deal = position(QQ, "3d", "4d", "5d", "6d", turn=2)
        assert (deal.turn, deal.standing) == (2, None)
        assert position(QQ, "3d", "4d", "5d", "6d", first=0, turn=2).turn == 2

    @pytest.mark.parametrize(("passes", "turn"), [(0, 1), (1, 2), (2, 3)])
    def test_inside_a_trick_the_turn_follows_from_the_passes(self, passes, turn):
        deal = position(QQ, "3d 5c", "4d", "5d", "6d", standing="3c", standing_by=0, passes=passes, turn=turn)
        assert (deal.turn, deal.passes, deal.standing.text) == (turn, passes, "3c")
        assert legal(QQ, deal)[0] == "pass"

    @pytest.mark.parametrize(
        "change",
        [{"turn": 2}, {"passes": 3, "turn": 0}, {"passes": -1, "turn": 0}, {"passes": "0"}, {"standing_by": 4},
         {"standing_by": None}, {"standing": "3c 4c"}, {"standing": ""}, {"standing": 5}, {"lead": "3d"},
         {"turn": None}, {"turn": True}],
    )  # fmt: skip
    def test_a_trick_that_cannot_be_is_a_bad_record(self, change):
        trick = {"standing": "3c", "standing_by": 0, "passes": 0, "turn": 1}
        hands = ("3d 5c", "4d", "5d", "6d")
        assert position(QQ, *hands, **trick).turn == 1
        assert code(study(QQ, *hands, **(trick | change))) == "bad_record"

    def test_a_standing_card_is_in_no_hand(self):
        trick = {"standing_by": 0, "passes": 0, "turn": 1}
        assert code(study(QQ, "3d", "4d", "5d", "6d", standing="4d", **trick)) == "duplicate_card"
        assert code(study(QQ, "3d", "4d", "5d", "6d", standing="1d", **trick)) == "bad_card"


def test_a_deal_is_written_as_a_record_that_replays_it():
    terms = Terms(10, 2000, Fee("flat", 10))
    *_, deal = random_deal(QQ, 7, terms)
    deck = [
        sorted(c for c in range(52) if deal.setup.hands[s] >> c & 1)[i] for i in range(13) for s in range(4)
    ]
    written = records.record_of(deal, deck=deck, balances=[1, 2, 3, 4])
    assert written["rules_version"] == 1
    record = records.parse(written)
    assert record.terms == terms
    assert records.replay(record) == deal
