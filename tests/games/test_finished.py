"""Finished deals are open to those who sat there; live ones to nobody."""

import json

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User
from games.engine.verify import verify
from games.models import Deal
from tests.games.stories import Story, StoryMaker, make_user


def as_user(user: object) -> Client:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return client


@pytest.fixture
def played(story: StoryMaker) -> Story:
    at = story().sit()
    at.deal()
    return at


def test_a_player_opens_the_deal_that_moved_his_coins(played: Story) -> None:
    deal = Deal.objects.get()
    page = as_user(played.users[2]).get(f"/deals/{deal.pk}/")
    assert page.status_code == 200
    receipt = page.context["receipt"]
    assert receipt["me"] == 2
    assert receipt["result"]["settlement"] == played.state.result["settlement"]  # type: ignore[index]
    assert all(check.holds is not False for check in page.context["checks"])
    assert {check.name for check in page.context["checks"]} >= {"commitment", "deck", "actions", "settlement"}


def test_a_statement_line_leads_to_its_deal(played: Story) -> None:
    deal = Deal.objects.get()
    client = as_user(played.users[0])
    found = client.get(f"/go/deal:{deal.pk}")
    if found.status_code == 404:
        found = client.get(f"/go/deal:{deal.pk}/")
    assert found.status_code == 302 and found["Location"] == f"/deals/{deal.pk}/"


def test_the_record_to_take_away_verifies(played: Story) -> None:
    deal = Deal.objects.get()
    answer = as_user(played.users[1]).get(f"/deals/{deal.pk}/record.json")
    assert "attachment" in answer["Content-Disposition"]
    checks = verify(json.loads(answer.content))
    assert all(check.holds is not False for check in checks)


def test_who_did_not_sit_there_finds_nothing(played: Story) -> None:
    deal = Deal.objects.get()
    stranger = as_user(make_user("stranger"))
    for path in (f"/deals/{deal.pk}/", f"/deals/{deal.pk}/record.json"):
        assert stranger.get(path).status_code == 404
        assert Client().get(path).status_code == 302


def test_of_the_staff_only_who_may_look_at_deals_finds_those_of_others(played: Story) -> None:
    path = f"/deals/{Deal.objects.get().pk}/"
    clerk = make_user("clerk")
    User.objects.filter(pk=clerk.pk).update(is_staff=True)
    assert as_user(clerk).get(path).status_code == 404
    clerk.user_permissions.add(Permission.objects.get(content_type__app_label="games", codename="view_deal"))
    assert as_user(clerk).get(path).status_code == 200


def test_a_live_deal_has_no_page_for_players_or_staff(story: StoryMaker) -> None:
    at = story().sit()
    at.start()
    deal = Deal.objects.get()
    staff = make_user("staff")
    staff.is_staff = staff.is_superuser = True
    staff.save()
    for user in (at.users[0], staff):
        for path in (f"/deals/{deal.pk}/", f"/deals/{deal.pk}/record.json"):
            assert as_user(user).get(path).status_code == 404


@pytest.mark.parametrize("anti_cheat", [True, False])
def test_a_deal_that_was_dealt_again_tells_no_more_than_its_table_does(
    story: StoryMaker, anti_cheat: bool
) -> None:
    at = story("doudizhu.taiwan", people=3, anti_cheat=anti_cheat, spectators=not anti_cheat, cap=None).sit()
    at.start()
    for _ in range(3):
        at.act("bid 0")
    deal = Deal.objects.get(how=Deal.How.REDEAL)
    mine, (*others, own) = as_user(at.users[2]), [user.username for user in at.users]
    page = mine.get(f"/deals/{deal.pk}/")
    hidden = ["", ""] if anti_cheat else others
    assert page.context["receipt"]["result"]["names"] == [*hidden, own]
    assert any(other in page.content.decode() for other in others) is not anti_cheat
    record = mine.get(f"/deals/{deal.pk}/record.json").content.decode()
    assert not any(other in record for other in others)
    assert json.loads(record)["balances"] is None
    assert all(check.holds is not False for check in verify(json.loads(record)))
