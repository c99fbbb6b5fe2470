"""The registry of rule sets and the face they show."""

from __future__ import annotations

import pytest

from games.engine import rulesets
from games.engine.errors import EngineError
from games.engine.terms import Fee, Terms


def test_rule_sets_are_found_by_code_and_version():
    assert "bigtwo.classic" in rulesets.all_codes()
    assert rulesets.get("bigtwo.qq") is rulesets.get("bigtwo.qq", 1)
    for code, version in (("bigtwo", None), ("bigtwo.qq", 99), (None, None), ([], None), ("", None)):
        with pytest.raises(EngineError) as caught:
            rulesets.get(code, version)
        assert caught.value.code == "unknown_ruleset"


@pytest.mark.parametrize("code", rulesets.all_codes())
def test_manners_are_complete(code):
    ruleset = rulesets.get(code)
    manners = ruleset.manners
    assert (manners.third_time_out == "escape") == manners.has_escape
    assert manners.absence in {"wait", "play_on"}
    assert manners.turn_s == 20
    assert ruleset.deck_size == (54 if ruleset.has_landlord else 52)


def test_terms_are_written_and_read_back():
    for terms in (Terms(), Terms(10, 2000, Fee("flat", 10)), Terms(30, 1200, Fee("percent", 5), 2, "points")):
        assert Terms.from_json(terms.to_json()) == terms
