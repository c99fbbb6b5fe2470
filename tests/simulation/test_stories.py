"""The house keeps its promises while everything fails around it; and a seed tells the same story each time."""

from pathlib import Path
from typing import Any

import pytest

from games import failpoints
from tests.simulation import planted, shards

DEALS = 40


@pytest.fixture(scope="module")
def told(migrated_sqlite: Path) -> dict[str, Any]:
    return shards.story("1", 0, DEALS, migrated_sqlite)


def test_every_promise_is_kept(told: dict[str, Any]) -> None:
    assert told["fault"] == ""
    assert told["deals"] >= DEALS


def test_something_went_wrong_in_every_way(told: dict[str, Any]) -> None:
    figures = told["figures"]
    assert set(figures["failpoints"]) >= set(failpoints.NAMES)
    struck = figures["struck"]
    for kind in ("crash ", "database ", "others first "):
        assert any(name.startswith(kind) for name in struck), struck
    assert min(struck["hints lost"], struck["hints doubled"]) > 0
    assert figures["deals"]["over"] > 0
    assert figures["acknowledged"] > 500


def test_the_same_seed_tells_the_same_story_and_another_seed_another(
    told: dict[str, Any], migrated_sqlite: Path
) -> None:
    once, again = (shards.story("2", 0, 5, migrated_sqlite) for _ in range(2))
    assert (once["fault"], once["chain"], once["steps"]) == ("", again["chain"], again["steps"])
    assert once["chain"] != told["chain"]


def test_a_broken_promise_is_broken_again_at_the_same_step(tmp_path: Path, migrated_sqlite: Path) -> None:
    bug = next(bug for bug in planted.BUGS if bug.name == "no_compare_and_swap")
    (tmp_path / "first").mkdir()
    (tmp_path / "again").mkdir()
    first = planted.find(bug, tmp_path / "first", migrated_sqlite)
    again = planted.find(bug, tmp_path / "again", migrated_sqlite)
    assert first["fault"]
    assert (first["steps"], first["chain"]) == (again["steps"], again["chain"])


def test_a_patch_that_does_not_fit_is_said_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bugs"
    folder.mkdir()
    (folder / "gone.patch").write_text(
        "--- games/log.py\n+++ games/log.py\n@@ -1 +1 @@\n-not there\n+at all\n"
    )
    monkeypatch.setattr(planted, "FOLDER", folder)
    with pytest.raises(ValueError, match="does not fit"):
        planted.plant("gone", tmp_path / "copy")
