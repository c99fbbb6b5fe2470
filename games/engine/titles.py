"""Rank titles: what a player of so many points is called (RULES §1 Rank titles).

Two ladders, each from its lowest title up. Classic's figures are the most points a title goes with, the other
ladder's the fewest; whoever is below the ladder holds its lowest title. Names are for the edge: here are codes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from games.engine import rulesets


class Title(NamedTuple):
    """A title, the one above it, the points still to go to that, and those between the two; None and 0 at the top."""

    code: str
    next_code: str | None
    to_go: int
    step: int


class Rung(NamedTuple):
    """A title and the fewest points that go with it; the lowest title goes with fewer as well."""

    code: str
    fewest: int


def _up_to(top: str, most: Mapping[str, int]) -> tuple[Rung, ...]:
    """Make a ladder of the most points each title goes with; `top` is the title above them all."""
    fewest = [0, *(points + 1 for points in most.values())]
    return tuple(Rung(code, points) for code, points in zip([*most, top], fewest, strict=True))


# 科员 … 主席
OFFICE = _up_to(
    "chairman",
    {
        "clerk": 10,
        "director": 100,
        "deputy_section_chief": 200,
        "section_chief": 350,
        "deputy_division_chief": 550,
        "division_chief": 900,
        "deputy_bureau_chief": 1_400,
        "bureau_chief": 2_000,
        "deputy_county_head": 3_000,
        "county_head": 4_500,
        "deputy_department_head": 7_000,
        "department_head": 10_000,
        "deputy_mayor": 15_000,
        "mayor": 20_000,
        "deputy_minister": 40_000,
        "minister": 80_000,
        "deputy_governor": 100_000,
        "governor": 150_000,
        "vice_premier": 250_000,
        "premier": 500_000,
    },
)

# 包身工 … 帝王
VILLAGE = (
    Rung("bondsman", 0),
    Rung("odd_jobber", 1_000),
    Rung("farmhand", 2_000),
    Rung("tenant", 4_000),
    Rung("poor_farmer", 5_000),
    Rung("fisherman", 7_000),
    Rung("hunter", 9_000),
    Rung("middle_farmer", 11_000),
    Rung("rich_farmer", 13_000),
    Rung("shopkeeper", 18_000),
    Rung("merchant", 25_000),
    Rung("small_moneybags", 35_000),
    Rung("big_moneybags", 45_000),
    Rung("small_landlord", 55_000),
    Rung("big_landlord", 65_000),
    Rung("county_magistrate", 75_000),
    Rung("vice_prefect", 85_000),
    Rung("prefect", 100_000),
    Rung("viceroy", 200_000),
    Rung("grand_coordinator", 300_000),
    Rung("chancellor", 400_000),
    Rung("emperor", 500_000),
)

LADDERS: Mapping[str, tuple[Rung, ...]] = {"bigtwo.classic": OFFICE}
"""The ladders of rule sets that have one of their own; all others climb the village's."""


def ladder_of(ruleset: str) -> tuple[Rung, ...]:
    """Return a rule set's titles, the lowest first. Raises EngineError unknown_ruleset."""
    return LADDERS.get(rulesets.get(ruleset).code, VILLAGE)


def title_of(ruleset: str, points: int) -> Title:
    """Return the title that goes with so many points of a rule set. Raises EngineError unknown_ruleset.

    >>> title_of("bigtwo.qq", 11_420)
    Title(code='middle_farmer', next_code='rich_farmer', to_go=1580, step=2000)
    """
    ladder = ladder_of(ruleset)
    place = max(0, bisect_right(ladder, points, key=lambda rung: rung.fewest) - 1)
    if place + 1 == len(ladder):
        return Title(ladder[place].code, None, 0, 0)
    here, above = ladder[place], ladder[place + 1]
    return Title(here.code, above.code, above.fewest - points, above.fewest - here.fewest)
