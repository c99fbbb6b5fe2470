"""What a player of so many points is called (RULES §1 Rank titles)."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import rulesets, titles
from games.engine.errors import EngineError
from games.engine.titles import OFFICE, VILLAGE, Title, ladder_of, title_of
from tests.table import toy

# The two ladders as the rule book prints them.
MOST = {
    "科员": 10, "主任": 100, "副科长": 200, "科长": 350, "副处长": 550, "处长": 900, "副局长": 1400, "局长": 2000,
    "副县长": 3000, "县长": 4500, "副厅长": 7000, "厅长": 10000, "副市长": 15000, "市长": 20000, "副部长": 40000,
    "部长": 80000, "副省长": 100000, "省长": 150000, "副总理": 250000, "总理": 500000,
}  # fmt: skip
FEWEST = {
    "包身工": 0, "短工": 1000, "長工": 2000, "佃戶": 4000, "貧農": 5000, "漁夫": 7000, "獵人": 9000, "中農": 11000,
    "富農": 13000, "掌柜": 18000, "商人": 25000, "小財主": 35000, "大財主": 45000, "小地主": 55000, "大地主": 65000,
    "知縣": 75000, "通判": 85000, "知府": 100000, "總督": 200000, "巡撫": 300000, "丞相": 400000, "帝王": 500000,
}  # fmt: skip
OTHERS = ["bigtwo.qq", "doudizhu.mala", "doudizhu.taiwan"]
points_of_any_size = st.integers(-1_000_000, 1_000_000)


@pytest.mark.parametrize(("place", "most"), [*enumerate(MOST.values())])
def test_in_classic_a_figure_is_the_most_points_a_title_goes_with(place, most):
    assert title_of("bigtwo.classic", most).code == OFFICE[place].code
    assert title_of("bigtwo.classic", most + 1).code == OFFICE[place + 1].code


@pytest.mark.parametrize("ruleset", OTHERS)
@pytest.mark.parametrize(("place", "fewest"), [*enumerate(FEWEST.values())][1:])
def test_elsewhere_a_figure_is_the_fewest_points_a_title_goes_with(ruleset, place, fewest):
    assert title_of(ruleset, fewest).code == VILLAGE[place].code
    assert title_of(ruleset, fewest - 1).code == VILLAGE[place - 1].code


def test_each_ladder_has_as_many_titles_as_the_rule_book():
    assert (len(OFFICE), len(VILLAGE)) == (len(MOST) + 1, len(FEWEST))


@pytest.mark.parametrize(
    ("ruleset", "points", "code"),
    [
        ("bigtwo.classic", 10, "clerk"),  # 科员
        ("bigtwo.classic", 11, "director"),  # 主任
        ("bigtwo.classic", 500_000, "premier"),  # 总理
        ("bigtwo.classic", 500_001, "chairman"),  # 主席
        ("bigtwo.qq", 999, "bondsman"),  # 包身工
        ("bigtwo.qq", 1_000, "odd_jobber"),  # 短工
        ("doudizhu.taiwan", 499_999, "chancellor"),  # 丞相
        ("doudizhu.mala", 500_000, "emperor"),  # 帝王
    ],
)
def test_the_edges_of_the_ladders(ruleset, points, code):
    assert title_of(ruleset, points).code == code


@pytest.mark.parametrize("ruleset", rulesets.all_codes())
@pytest.mark.parametrize("points", [0, -1, -200, -(10**9)])
def test_points_below_zero_hold_the_lowest_title(ruleset, points):
    assert title_of(ruleset, points).code == ladder_of(ruleset)[0].code


@pytest.mark.parametrize(
    ("ruleset", "points", "title"),
    [
        ("bigtwo.qq", 11_420, Title("middle_farmer", "rich_farmer", 1_580, 2_000)),
        ("bigtwo.qq", -50, Title("bondsman", "odd_jobber", 1_050, 1_000)),
        ("bigtwo.classic", 10, Title("clerk", "director", 1, 11)),
        ("bigtwo.classic", -200, Title("clerk", "director", 211, 11)),
        ("bigtwo.classic", 10**9, Title("chairman", None, 0, 0)),
        ("doudizhu.mala", 500_000, Title("emperor", None, 0, 0)),
    ],
)
def test_a_title_says_what_comes_next_and_how_far_it_is(ruleset, points, title):
    assert title_of(ruleset, points) == title


@given(st.sampled_from(rulesets.all_codes()), points_of_any_size)
def test_whoever_gains_the_points_to_go_holds_the_next_title(ruleset, points):
    title = title_of(ruleset, points)
    if title.next_code is not None:
        assert title_of(ruleset, points + title.to_go).code == title.next_code
        assert title_of(ruleset, points + title.to_go - 1).code == title.code


@given(st.sampled_from(rulesets.all_codes()), points_of_any_size, points_of_any_size)
def test_more_points_are_never_a_lower_title(ruleset, one, other):
    order = [rung.code for rung in ladder_of(ruleset)]
    fewer, more = sorted((one, other))
    assert order.index(title_of(ruleset, fewer).code) <= order.index(title_of(ruleset, more).code)


def test_a_rule_set_without_a_ladder_of_its_own_climbs_the_villages():
    with toy.registered():
        assert ladder_of(toy.WAIT.code) is VILLAGE


def test_an_unknown_rule_set_has_no_titles():
    with pytest.raises(EngineError) as refused:
        title_of("bigtwo.moon", 0)
    assert refused.value.code == "unknown_ruleset"


def test_the_example_of_the_module_holds():
    assert doctest.testmod(titles).failed == 0
