"""The wallet's page: every line with its reason, what is reserved and where, the balance as a drawing."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from games import service_time
from games.table import commands as cmd
from lobby import chart, seeds
from tests.games.stories import Story, make_user
from wallet import services as wallet
from wallet.services import Point

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def told(transactional_db: None) -> Iterator[Any]:
    """Tell stories at tables of a house with its tiers."""
    seeds.seed_tiers()
    stories: list[Story] = []

    def tell(*args: Any, **options: Any) -> Story:
        stories.append(Story(*args, **options).sit())
        return stories[-1]

    yield tell
    for story in reversed(stories):
        story.end()
    service_time.forget()


def page(user: Any, query: str = "") -> Any:
    client = Client()
    client.force_login(user)
    return client.get(f"/wallet/{query}")


def test_a_deal_says_what_was_won_or_lost_and_the_fee(told: Any) -> None:
    at = told()
    settlement = at.deal().result["settlement"]
    for seat, user in enumerate(at.users):
        gross, fee = settlement["gross"][seat], settlement["fees"][seat]
        if gross == fee:  # nothing moved for him: there is no line
            continue
        line = page(user).context["lines"][0]
        words = f"{'won' if gross > 0 else 'lost'} {abs(gross):,}, fee {fee}"
        assert line["why"] == (words if gross else f"fee {fee}")
        assert line["amount"] == gross - fee
        assert line["name"] == "Big Two, QQ · Bamboo, deal 1"


def test_an_escape_says_its_fine(told: Any) -> None:
    at = told()
    at.start()
    at.perform(cmd.Leave(1, "c-escape"))
    line = page(at.users[1]).context["lines"][0]
    assert (line["why"], line["amount"]) == ("escaped, fine 2,000", -2_000)


def test_lines_are_narrowed_and_keep_their_balances(told: Any) -> None:
    at = told()
    at.deal()
    at.start()
    at.perform(cmd.Leave(1, "c-escape"))
    escaped, grant = at.users[1], 10
    wallet.grant(user_id=escaped.pk, amount=grant, reference="festival")
    every = page(escaped).context["lines"]
    known = {line["reference"]: line["running"] for line in every}

    def kinds(show: str) -> list[str]:
        lines = page(escaped, f"?show={show}").context["lines"]
        assert all(line["running"] == known[line["reference"]] for line in lines)
        return [line["reference"] for line in lines]

    deals = [line["reference"] for line in every if line["code"] == "settlement"]
    assert kinds("deals") == deals
    assert kinds("fees") == deals[:1]
    assert kinds("grants") == ["festival"]


def test_what_is_reserved_names_its_table(told: Any) -> None:
    at = told()
    at.start()
    answer = page(at.users[0])
    assert answer.context["reserved"] == [{"amount": 2_010, "table": at.table.code}]
    assert f'<a href="/tables/{at.table.code}/">{at.table.code}</a>' in answer.content.decode()


def test_a_page_of_deals_takes_few_queries(told: Any, django_assert_max_num_queries: Any) -> None:
    at = told(coins=100_000)
    for _ in range(4):
        at.deal()
    client = Client()
    client.force_login(at.users[0])
    with django_assert_max_num_queries(16):
        client.get("/wallet/?show=deals")


@pytest.mark.parametrize("query", ["?show=secrets", "?span=1", "?before=x"])
def test_what_cannot_be_shown_is_not_found(db: None, query: str) -> None:
    assert page(make_user("Mei", 100), query).status_code == 404


def test_the_filter_and_the_span_go_along(db: None) -> None:
    context = page(make_user("Mei", 100), "?show=deals&span=7").context
    assert dict(context["shows"])["fees"] == "?show=fees&span=7"
    assert dict(context["spans"])["all"] == "?show=deals&span=all"


def test_the_drawing_says_in_words_what_it_shows(db: None) -> None:
    body = page(make_user("Mei", 1_250), "?span=all").content.decode()
    assert body.count('role="img" aria-label="The balance went from 1,250 to 1,250"') == 2


def test_an_empty_wallet_has_no_drawing(db: None) -> None:
    assert page(make_user("Mei")).context["charts"] == []


# --- the drawing -------------------------------------------------------------------------------------------


def course(*balances: int) -> list[Point]:
    return [Point(NOW + timedelta(days=n), balance) for n, balance in enumerate(balances)]


def places(drawn: chart.Chart) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"([\d.]+),([\d.]+)", drawn.trend)]


@pytest.mark.parametrize(
    "balances", [(8_000, 12_480), (0, 1), (5, 5), (0, 0, 9_007_199_254_740_991), (1_000, 0, 30)]
)
def test_a_drawing_keeps_to_its_sheet(balances: tuple[int, ...]) -> None:
    for drawn in chart.charts_of(course(*balances)):
        sheet = drawn.sheet
        for x, y in places(drawn):
            assert sheet.left <= x <= sheet.right
            assert sheet.top <= y <= sheet.bottom
        assert 2 <= len(drawn.grid) <= 6
        assert all(sheet.top <= mark.at <= sheet.bottom for mark in drawn.grid)


def test_more_coins_are_higher_up() -> None:
    wide, _ = chart.charts_of(course(8_000, 12_000, 10_000))
    first, second, third = (y for _, y in places(wide))
    assert first > third > second


def test_the_grid_has_round_levels() -> None:
    wide, phone = chart.charts_of(course(8_000, 12_480))
    assert [mark.text for mark in wide.grid] == ["6k", "8k", "10k", "12k"]
    assert len(phone.dates) <= phone.sheet.dates


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ["999", "12.5k", "3M"]),
        ("zh-hans", ["999", "1.25万", "300万"]),
        ("zh-hant", ["999", "1.25萬", "300萬"]),
    ],
)
def test_large_figures_are_short_as_the_language_counts(language: str, words: list[str]) -> None:
    with translation.override(language):
        assert [chart.short(n) for n in (999, 12_500, 3_000_000)] == words
