"""The registry of rule sets and the face they show."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import games.engine
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


def test_the_engine_imports_the_standard_library_and_itself_and_knows_no_chance_and_no_clock():
    for path in Path(games.engine.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                top = name.split(".")[0]
                assert (
                    top not in {"random", "secrets", "time", "datetime", "django", "os"}
                    or path.stem == "__main__"
                )
                assert top != "games" or name.startswith("games.engine")
