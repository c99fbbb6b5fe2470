"""The console: golden answers, and nothing that can break it (RULES §6)."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.engine.console import OPERATIONS, answer
from games.engine.errors import EngineError
from tests.engine.dealing import subset_of

VECTORS = sorted((Path(__file__).parent / "vectors").glob("*.jsonl"))
CODES = {"bad_request", "bad_card", "duplicate_card", "unknown_ruleset", "bad_record", "illegal_action"}


def ask(request):
    return json.loads(answer(request if isinstance(request, str) else json.dumps(request)))


def code(request):
    return ask(request)["error"]["code"]


def in_one_process(lines):
    """Return the answers of one console process to these lines."""
    text = "".join(line + "\n" for line in lines)
    ended = subprocess.run(
        [sys.executable, "-m", "games.engine"],
        input=text.encode(),
        capture_output=True,
        timeout=300,
        check=True,
    )
    assert ended.stderr == b""
    return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_golden_answers(path):
    vectors = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    answers = in_one_process([v["raw"] if "raw" in v else json.dumps(v["request"]) for v in vectors])
    assert len(answers) == len(vectors)
    for vector, got in zip(vectors, answers, strict=True):
        want = vector["answer"]
        if "error" in want:
            want = {
                "error": {k: want["error"][k] for k in ("code", "reason") if want["error"].get(k) is not None}
            }
        else:
            assert "error" not in got, vector["name"]
        assert subset_of(want, got), f"{vector['name']}: {want} expected, {got} found"


def test_golden_deals_end_the_same_under_the_version_they_were_played_under():
    replayed = 0
    for path in VECTORS:
        for vector in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            request = vector.get("request", {})
            if request.get("op") == "replay" and "error" not in vector["answer"]:
                record = request["record"] | {"rules_version": 1}
                assert subset_of(vector["answer"], ask({"op": "replay", "record": record})), vector["name"]
                replayed += 1
    assert replayed > 40


def test_there_are_golden_answers():
    games = {"bigtwo_classic", "bigtwo_qq", "doudizhu_mala", "doudizhu_taiwan"}
    assert games <= {path.stem for path in VECTORS}


TAIWAN_RECORD = {
    "format": 1,
    "ruleset": "doudizhu.taiwan",
    "hands": ["3d 3c 8d BJ", "Td Ts Jc RJ", "Kh 4d"],
    "bottom": "5d",
    "opening": {"landlord": 0, "bid": 2, "standing": "9d", "standing_by": 2, "passes": 0, "turn": 0},
    "terms": {"base_stake": 30, "cap": 1200, "fee": {"kind": "percent", "value": 5}},
    "balances": [1200, 50, 7],
    "actions": [[0, "play BJ"], [1, "play RJ"]],
    "away": [1],
    "fined": [1, 2],
}
MALA_RECORD = {
    "format": 1,
    "ruleset": "doudizhu.mala",
    "hands": ["3d 3c 8d BJ", "Td Ts Jc RJ", "Kh 4d"],
    "bottom": "5d 6d 7d",
    "opening": {"first": 1, "shown": "Jc"},
    "terms": {"base_stake": 10, "initial_multiplier": 2, "fee": {"kind": "flat", "value": 10}},
    "balances": [1200, 50, 7],
    "actions": [[1, "blind"], [2, "raise 1"], [0, "stay 1"], [1, "raise 2"]],
}
RECORD = {
    "format": 1,
    "ruleset": "bigtwo.classic",
    "hands": ["3d 5c Kh", "4s", "6d 6c", "7d 7c"],
    "opening": {"first": 0},
    "terms": {"base_stake": 10, "cap": None, "fee": {"kind": "flat", "value": 1}},
    "balances": [100, 100, 100, 100],
    "actions": [[0, "play Kh"]],
}
REQUESTS = [
    {"op": "classify", "ruleset": "bigtwo.qq", "cards": "3d 3h"},
    {"op": "beats", "ruleset": "bigtwo.qq", "standing": "3d", "cards": "4d"},
    {"op": "legal", "record": RECORD},
    {"op": "autoplay", "record": RECORD},
    {"op": "perft", "record": RECORD, "depth": 2},
    {"op": "replay", "record": RECORD},
    {"op": "view", "record": RECORD, "seat": 1},
    {"op": "settle", "ruleset": "bigtwo.qq", "terms": {"base_stake": 5}, "balances": None, "outcome": {"escaped": 1}},
    {"op": "verdict", "ruleset": "bigtwo.qq", "terms": {}, "kind": "collusion", "offenders": [0, 1],
     "landlord": None, "deals": [{"gross": [6, -2, -2, -2], "fees": [1, 1, 1, 1]}], "complainant": 2},
    {"op": "legal", "record": TAIWAN_RECORD},
    {"op": "view", "record": TAIWAN_RECORD, "seat": 0},
    {"op": "replay", "record": TAIWAN_RECORD | {"actions": [[0, "void"]]}},
    {"op": "settle", "ruleset": "doudizhu.taiwan", "terms": {"cap": 9}, "balances": [9, 9, 9], "outcome": {
     "landlord": 1, "landlord_won": False, "bid": 3, "doublings": 2, "out": 0, "away": [2], "fined": [2]}},
    {"op": "autoplay", "record": MALA_RECORD},
    {"op": "perft", "record": MALA_RECORD, "depth": 2},
    {"op": "view", "record": MALA_RECORD, "seat": 1},
    {"op": "replay", "record": MALA_RECORD | {"actions": [[1, "blind"], [0, "escape"]]}},
    {"op": "settle", "ruleset": "doudizhu.mala", "terms": {"cap": 9}, "balances": [9, 9, 9], "outcome": {
     "landlord": 1, "landlord_won": False, "base_score": 2, "ladder": [4, 0, 1], "bombs": 2, "spring": True, "out": 0}},
    {"op": "settle", "ruleset": "doudizhu.mala", "outcome": {"escaped": 1, "landlord": None, "base_score": 1,
     "ladder": [0, 0, 0], "bombs_dealt": 2}},
    {"op": "verdict", "ruleset": "doudizhu.mala", "terms": {}, "kind": "reveal", "offenders": [0],
     "landlord": 0, "deals": [{"gross": [6, -3, -3], "fees": [1, 1, 1]}], "complainant": 2},
]  # fmt: skip


def test_every_operation_answers():
    assert {request["op"] for request in REQUESTS} == set(OPERATIONS)
    for request in REQUESTS:
        assert "error" not in ask(request), request


def test_the_hostile_lines_are_answered_one_by_one():
    lines = [
        "", " ", "{", "[]", "5", "null", "true", '"x"', "{}", '{"op":5}',
        '{"op":"fly"}', '{"op":null}', '{"op":["legal"]}',
        '{"op":"classify","op":"classify"}', '{"op":"classify","ruleset":"bigtwo.qq","cards":NaN}',
        '{"op":"perft","record":{},"depth":1' + "0" * 5000 + "}", "1" * 10000, "[" * 200000, '{"a":' * 50000,
        '{"op":"classify","ruleset":"bigtwo.qq","cards":"\\ud800"}', "\x00", "\ufeff{}", "{}\r", "\u2028",
    ]  # fmt: skip
    answers = in_one_process([*lines, json.dumps(REQUESTS[0])])
    assert len(answers) == len(lines) + 1
    for line, got in zip(lines, answers, strict=False):
        assert set(got) == {"error"}, line[:60]
    assert answers[-1] == {"readings": [{"type": "pair", "rank": "3", "size": 2}]}


def test_bytes_that_are_no_text_are_answered():
    ended = subprocess.run(
        [sys.executable, "-m", "games.engine"], input=b"\xff\xfe{}\n\xc3\n{}", capture_output=True, check=True
    )
    assert [json.loads(line)["error"]["code"] for line in ended.stdout.splitlines()] == ["bad_request"] * 3


@pytest.mark.parametrize("seat", [4, -1, True, "0", 1.0, []])
def test_a_view_is_of_a_seat_or_of_a_spectator(seat):
    assert code({"op": "view", "record": RECORD, "seat": seat}) == "bad_request"
    assert code({"op": "view", "record": RECORD}) == "bad_request"
    assert ask({"op": "view", "record": RECORD, "seat": None})["hand"] is None


def test_nothing_classifies_as_nothing():
    assert ask({"op": "classify", "ruleset": "bigtwo.qq", "cards": ""}) == {"readings": []}


def test_beats_refuses_a_standing_set_that_is_nothing():
    request = {"op": "beats", "ruleset": "bigtwo.qq"}
    assert code(request | {"standing": "", "cards": "3d"}) == "bad_request"
    assert code(request | {"standing": "3d 4d", "cards": "5d"}) == "bad_request"
    assert code(request | {"standing": "3d", "cards": "3d 3h"}) == "duplicate_card"
    assert ask(request | {"standing": "3d", "cards": ""}) == {"beats": False}
    assert ask(request | {"standing": "3d", "cards": "4d 5d"}) == {"beats": False}


def test_perft_counts_sequences_of_exactly_that_length():
    deal = RECORD | {"hands": ["3d", "4d", "5d", "6d"], "actions": []}
    counts = [ask({"op": "perft", "record": deal, "depth": depth})["nodes"] for depth in range(4)]
    assert counts == [1, 1, 0, 0]
    assert ask({"op": "perft", "record": RECORD, "depth": 10**17}) == {"nodes": 0}


def test_perft_has_a_bound_on_its_work(monkeypatch):
    monkeypatch.setattr("games.engine.perft.MOST_POSITIONS", 50)
    assert code({"op": "perft", "record": RECORD | {"ruleset": "bigtwo.qq"}, "depth": 12}) == "bad_request"


def test_terms_are_judged_by_the_place_they_stand_in():
    bad = {"currency": "gold"}
    assert code({"op": "replay", "record": RECORD | {"terms": bad}}) == "bad_record"
    assert code(REQUESTS[7] | {"terms": bad}) == "bad_request"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["3d", "3d 4d", "bigtwo.qq", "play 3d", "pass", "void", "escape", 10**400, -(10**20)]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def places(value, path=()):
    """Yield the path of everything inside a JSON value."""
    yield path
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, inner in entries:
        yield from places(inner, (*path, key))


def put(value, path, new):
    """Return a copy with something else at a path."""
    if not path:
        return new
    changed = copy.deepcopy(value)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return changed


def check_answer(text):
    """Check that a line's answer is a result or a typed error, on one line."""
    given_back = answer(text)
    assert "\n" not in given_back
    got = json.loads(given_back)
    if "error" in got:
        assert got["error"]["code"] in CODES


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_a_request_with_anything_anywhere_gets_a_typed_answer(data):
    request = data.draw(st.sampled_from(REQUESTS))
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from(list(places(request))))
        request = put(request, path, data.draw(JSON))
    if isinstance(request, dict) and type(request.get("depth")) is int:
        request["depth"] = min(request["depth"], 3)
    check_answer(json.dumps(request))


@settings(max_examples=300, deadline=None)
@given(st.text() | st.binary())
def test_any_line_gets_a_typed_answer(line):
    check_answer(line)


def test_errors_carry_code_reason_detail_and_place():
    error = EngineError("bad_record", "why", at=3)
    assert error.as_json() == {"code": "bad_record", "detail": "why", "at": 3}
    refused = ask({"op": "replay", "record": RECORD | {"actions": [[0, "play Kh"], [0, "pass"]]}})["error"]
    assert (refused["code"], refused["reason"], refused["at"]) == ("illegal_action", "not_your_turn", 1)
