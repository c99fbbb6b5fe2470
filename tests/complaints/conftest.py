"""A coin table whose people complain of each other, and staff who never sat there."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from games.complaints import carrying, deciding, filing, reckoning
from games.complaints import played as reading
from games.complaints.models import Case, Complaint, Verdict
from games.complaints.played import Played
from games.complaints.reckoning import Form
from games.engine.verdicts import PlayedDeal
from games.models import Deal
from tests.games.conftest import empty_memory, story  # noqa: F401
from tests.games.stories import Story, StoryMaker
from wallet import audit
from wallet import services as wallet

TAIWAN_30 = {
    "tier": "taiwan.30",
    "base_stake": 30,
    "cap": 1200,
    "entry": 3000,
    "fee": {"kind": "percent", "value": 5},
}
WHAT = "They told each other their cards."


class Room:
    """A finished deal, its people in seat order, and everything one does about it."""

    def __init__(self, at: Story, staff: list[Any]) -> None:
        self.at = at
        self.staff = staff
        self.people = at.users
        self.deals = list(Deal.objects.filter(table=at.table).exclude(how=Deal.How.REDEAL).order_by("number"))

    def file(self, seat: int, accused: list[int], kind: str = "collusion", deals: int = 1) -> Complaint:
        return filing.file(
            user=self.people[seat],
            kind=kind,
            deals=[deal.pk for deal in self.deals[:deals]],
            accused=[self.people[one].pk for one in accused],
            text=WHAT,
        )

    def form(self, offenders: list[int], kind: str = "collusion", **changes: Any) -> Form:
        form = Form(
            outcome="upheld",
            kind=kind,
            offenders=tuple(self.people[one].pk for one in offenders),
            deals=(self.deals[0].pk,),
            text="upheld",
            reasons="The passes leave no doubt.",
        )
        return form._replace(**changes)

    def rejection(self) -> Form:
        return Form("rejected", "collusion", (), (), "no_proof", "Nothing points to it.")

    def decide(self, case: Case, form: Form, staff: int = 0) -> Verdict:
        deciding.take_up(staff=self.staff[staff], case_id=case.pk)
        verdict = deciding.decide(staff=self.staff[staff], case_id=case.pk, form=form)
        carrying.carry_out_all()
        return verdict

    def coins(self) -> list[int]:
        return self.at.balances()

    def points(self) -> list[int]:
        return [sum(user.results.values_list("points", flat=True)) for user in self.people]


@pytest.fixture
def staff(db: None) -> list[Any]:
    """Three members of staff."""
    return [get_user_model().objects.create_user(f"staff{n}", is_staff=True) for n in range(3)]


@pytest.fixture
def room(story: StoryMaker, staff: list[Any]) -> Callable[..., Room]:  # noqa: F811
    """Play deals at a table: a Taiwan table of base 30 unless said otherwise."""

    def make(ruleset: str = "doudizhu.taiwan", deals: int = 1, coins: int = 10_000, **terms: Any) -> Room:
        people = 4 if ruleset.startswith("bigtwo") else 3
        at = story(ruleset, coins, people, **{**TAIWAN_30, **terms}).sit()
        while Deal.objects.filter(table=at.table, how=Deal.How.OVER).count() < deals:
            at.deal()
        return Room(at, staff)

    return make


@pytest.fixture
def result(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have every deal count as one with this result: gross and fees by seat, the landlord's seat."""

    def set_result(gross: list[int], fees: list[int], landlord: int | None = 0) -> None:
        read = reading.played

        def played(deals: Any) -> list[Played]:
            found = PlayedDeal(tuple(gross), tuple(fees))
            return [one._replace(result=found, landlord=landlord) for one in read(deals)]

        monkeypatch.setattr(reckoning, "played", played)

    return set_result


@pytest.fixture(autouse=True)
def the_books_are_right(transactional_db: None) -> Iterator[None]:
    yield
    assert audit.verify_books().breaches == []


@pytest.fixture
def house() -> Callable[[str], int]:
    return lambda code: wallet.house_balance(f"house:{code}")
