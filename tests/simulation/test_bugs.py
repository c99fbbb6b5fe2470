"""Each planted bug is found, and found as what it is."""

import re
from pathlib import Path

import pytest

from tests.simulation import planted


def test_each_patch_has_its_bug_and_each_bug_its_patch() -> None:
    assert {path.stem for path in planted.FOLDER.glob("*.patch")} == {bug.name for bug in planted.BUGS}


@pytest.mark.parametrize("bug", planted.BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_found(bug: planted.Bug, tmp_path: Path, migrated_sqlite: Path) -> None:
    report = planted.find(bug, tmp_path, migrated_sqlite)
    assert re.search(bug.found_as, report["fault"]), report
