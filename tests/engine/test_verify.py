"""`python -m games.engine.verify FILE`: a good record passes, a changed one does not (RULES §7)."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from games.engine import record as records
from games.engine import verify
from games.engine.fair import Draw, fairness_of
from games.engine.terms import Fee, Terms
from tests.engine.dealing import QQ

SEED = bytes(range(100, 132))
NONCES = ["", "00ff", "c0ffee", ""]
BALANCES = [5000, 300, 90000, 4000]


@pytest.fixture(scope="module")
def good():
    chance = random.Random(3)
    draw = Draw(SEED, "d41", NONCES)
    deck = draw.deck(52)
    deal = QQ.start(deck=deck, opening={"lead": "3d"}, terms=Terms(10, 2000, Fee("flat", 10)))
    while deal.turn is not None:
        deal = QQ.apply(deal, deal.turn, chance.choice(QQ.legal(deal)))
    settlement = QQ.settle(deal.setup.terms, BALANCES, QQ.outcome(deal))
    return records.record_of(deal, deck=deck, balances=BALANCES, settlement=settlement) | {
        "fairness": fairness_of(SEED, "d41", NONCES)
    }


def findings(record):
    return {check.name: check.holds for check in verify.verify(json.loads(json.dumps(record)))}


def status(tmp_path, record):
    path = tmp_path / "deal.json"
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    return verify.main([str(path)])


def test_a_good_record_passes(good, tmp_path, capsys):
    assert findings(good) == {
        "commitment": True, "deck": True, "opening": None, "actions": True, "settlement": True
    }  # fmt: skip
    assert status(tmp_path, good) == 0
    said = capsys.readouterr().out
    assert "What this proves" in said
    assert "What it does not prove" in said


def test_each_tampered_field_fails(good, tmp_path, capsys):
    actions, fairness, deck = good["actions"], good["fairness"], good["deck"].split()
    holder = actions[0][0]
    tampered = {
        "deck": " ".join([deck[4], *deck[1:4], deck[0], *deck[5:]]),
        "balances": [5000, 301, 90000, 4000] if good["settlement"]["net"][1] == -300 else [0, 0, 0, 0],
        "terms": good["terms"] | {"base_stake": 11},
        "opening": {"first": (holder + 1) % 4},
        "actions": actions[:-1],
        "settlement": good["settlement"] | {"house": good["settlement"]["house"] + 1},
        "ruleset": "bigtwo.classic",
    }
    for key, value in tampered.items():
        if key != "ruleset":
            assert False in findings(good | {key: value}).values(), key
    for key, value in {
        "deal": "d42",
        "commitment": "0" * 64,
        "server_seed": bytes(32).hex(),
        "nonces": ["0", *NONCES[1:]],
    }.items():
        changed = good | {"fairness": fairness | {key: value}}
        assert False in findings(changed).values(), key
        assert status(tmp_path, changed) == 1
    assert "does not hold" in capsys.readouterr().out


def test_a_changed_action_is_named(good):
    actions = [*good["actions"][:5], [good["actions"][5][0], "play 3d"], *good["actions"][6:]]
    (check,) = [check for check in verify.verify(good | {"actions": actions}) if check.name == "actions"]
    assert check.holds is False
    assert "at action 5" in check.finding


def test_a_record_that_states_no_settlement_is_told_it(good):
    record = {key: value for key, value in good.items() if key != "settlement"}
    assert findings(record)["settlement"] is None
    assert False not in findings(record).values()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: "{", lambda record: "[]", lambda record: "null", lambda record: '{"a":NaN}',
        lambda record: "[" * 100000,
        lambda record: record | {"fairness": None}, lambda record: record | {"fairness": {}},
        lambda record: {key: value for key, value in record.items() if key != "fairness"},
        lambda record: record | {"fairness": record["fairness"] | {"server_seed": "xyz"}},
        lambda record: record | {"fairness": record["fairness"] | {"nonces": ["", "", ""]}},
        lambda record: record | {"fairness": record["fairness"] | {"nonces": ["|", "", "", ""]}},
        lambda record: record | {"fairness": record["fairness"] | {"deal": 5}},
        lambda record: record | {"ruleset": "chess"}, lambda record: record | {"format": 2},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_status_2(good, tmp_path, capsys, spoil):
    assert status(tmp_path, spoil(good)) == 2
    assert "cannot verify" in capsys.readouterr().err


def test_a_study_position_has_no_deck_to_verify(good, tmp_path):
    position = {key: value for key, value in good.items() if key != "deck"} | {
        "hands": ["3d", "4d", "5d", "6d"]
    }
    assert status(tmp_path, position) == 2


def test_the_command(good, tmp_path):
    path = tmp_path / "deal.json"
    path.write_text(json.dumps(good))
    command = [sys.executable, "-m", "games.engine.verify"]
    assert subprocess.run([*command, str(path)], capture_output=True).returncode == 0
    assert subprocess.run(command, capture_output=True).returncode == 2
    assert subprocess.run([*command, str(tmp_path / "none.json")], capture_output=True).returncode == 2
