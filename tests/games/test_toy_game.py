"""A fifth game at the real tables: database, ledger, record and pages, with nothing changed outside the engine."""

import json
from collections.abc import Iterator
from unittest.mock import patch

import pytest
from django.test import Client

from games.engine import rulesets
from games.engine.verify import verify
from games.models import Deal, SeatResult
from games.table import commands as cmd
from tests.fifth.game import FIFTH
from tests.games.stories import BAMBOO, Story, StoryMaker
from wallet import audit

TERMS = {"tier": "fifth.bamboo", "cap": None, "fee": None}
STAKE = BAMBOO["base_stake"]


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """Have the fifth game known while the test runs."""
    with patch.dict(rulesets._VERSIONS, {FIFTH.code: {FIFTH.version: FIFTH}}):
        yield


def over(at: Story) -> Story:
    """Play until a deal is over, through redeals."""
    at.deal()
    assert at.state.result is not None and at.state.result["how"] == "over"
    return at


@pytest.fixture
def played(story: StoryMaker) -> Story:
    return over(story(FIFTH.code, people=3, **TERMS).sit())


def as_user(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return client


def test_its_deal_is_settled_in_the_ledger(played: Story) -> None:
    deal = Deal.objects.latest("number")
    net = sorted(SeatResult.objects.filter(deal=deal).values_list("net", flat=True))
    assert net == [-STAKE, -STAKE, 2 * STAKE]
    assert sorted(played.balances()) == [10_000 - STAKE, 10_000 - STAKE, 10_000 + 2 * STAKE]
    assert played.held() == [0, 0, 0]
    assert audit.verify_books().breaches == []


def test_its_record_proves_the_deal(played: Story) -> None:
    deal = Deal.objects.latest("number")
    answer = as_user(played.users[1]).get(f"/deals/{deal.pk}/record.json")
    checks = verify(json.loads(answer.content))
    assert {check.name for check in checks} >= {"commitment", "deck", "actions", "settlement"}
    assert all(check.holds is not False for check in checks)


def test_every_page_that_shows_a_game_shows_it_by_its_code(played: Story) -> None:
    client = as_user(played.users[0])
    deal = Deal.objects.latest("number")
    for path in (f"/tables/{played.table.code}/", f"/deals/{deal.pk}/", "/deals/", "/me/"):
        page = client.get(path, follow=True)
        assert page.status_code == 200, path
        assert FIFTH.code in page.content.decode(), path
    for path in ("/", "/ranks/", "/wallet/", f"/go/deal:{deal.pk}"):
        assert client.get(path, follow=True).status_code == 200, path


def test_who_leaves_it_pays_its_own_fine_and_the_computer_plays_on(story: StoryMaker) -> None:
    at = story(FIFTH.code, people=3, **TERMS).sit()
    state = at.start()
    while state.deal is not None and state.deal.deal.phase == "bidding":
        state = at.act("bid 1").state
    assert at.perform(cmd.Leave(1, at.id())).refusal is None
    while (clock := at.state.deal and at.state.deal.clock) is not None:
        if clock.seat == 1:
            at.wait(2)
            at.perform(cmd.Tick())
        else:
            at.act()
    penalties = at.state.result["settlement"]["penalties"]  # type: ignore[index]
    assert list(penalties) == [0, 2 * STAKE, 0]
