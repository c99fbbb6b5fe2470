"""Who may complain of what, once, and what it costs (RULES §3)."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from games.complaints import deciding, evidence, filing, notices
from games.complaints.errors import NotAllowed, Refused
from games.complaints.models import Case, Complaint, Evidence, OpenComplaint
from games.models import Deal
from games.table import commands as cmd
from lobby import relief, seeds
from tests.games.stories import make_user
from tests.threads import AtOnce, at_once  # noqa: F401
from wallet import services as wallet

pytestmark = pytest.mark.both_databases


def refused(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises((Refused, NotAllowed)) as caught:
        call(*args, **kwargs)
    return caught.value.code


def test_the_fee_is_taken_when_a_complaint_is_filed(room: Any, house: Any) -> None:
    at = room()
    before = at.coins()[2]
    made = at.file(2, [0, 1])
    assert made.fee == 300
    assert at.coins()[2] == before - 300
    assert house("complaints") == 300
    assert notices.unread(at.people[2].pk) == 1


def test_other_kinds_cost_nothing(room: Any, house: Any) -> None:
    at = room()
    assert at.file(2, [0], "coaching").fee == at.file(2, [0], "spoiling").fee == 0
    assert house("complaints") == 0


def test_in_a_points_room_nothing_is_paid(room: Any, house: Any) -> None:
    at = room("bigtwo.classic", base_stake=1, cap=None, entry=None, fee=None, currency="points")
    assert at.file(2, [0, 1]).fee == 0


def test_who_is_too_poor_is_told_so_and_nothing_is_filed(room: Any) -> None:
    at = room(coins=3000)
    poor = at.people[2]
    wallet.post(
        code="test",
        reference="spent",
        legs=[
            wallet.Leg(poor.pk, 299 - at.coins()[2]),
            wallet.Leg("issuance", at.coins()[2] - 299),
        ],
    )
    assert refused(at.file, 2, [0, 1]) == "fee_too_high"
    assert at.coins()[2] == 299
    assert Complaint.objects.count() == Case.objects.count() == Evidence.objects.count() == 0


def test_fifty_clicks_file_one_complaint(room: Any, house: Any, at_once: AtOnce) -> None:  # noqa: F811
    at = room()
    answers = at_once(*[lambda: at.file(2, [0, 1])] * 50)
    codes = [answer.code for answer in answers if isinstance(answer, Refused)]
    assert sum(isinstance(answer, Complaint) for answer in answers) == 1
    assert codes == ["already_open"] * 49
    assert house("complaints") == 300
    assert Case.objects.count() == 1


def test_complaints_about_the_same_people_and_deals_join_one_case(room: Any) -> None:
    at = room("bigtwo.qq")
    first, second = at.file(2, [0, 1]), at.file(3, [1, 0])
    other = at.file(3, [0], "spoiling")
    assert first.case == second.case != other.case


@pytest.mark.parametrize(
    ("seat", "accused", "kind", "code"),
    [
        (2, [0, 1], "cheating", "unknown_kind"),
        (2, [0], "collusion", "how_many_accused"),
        (2, [0, 1], "reveal", "how_many_accused"),
        (2, [], "spoiling", "how_many_accused"),
        (2, [0, 0], "collusion", "how_many_accused"),
        (2, [2], "spoiling", "not_there"),
    ],
)
def test_what_does_not_fit_is_refused(room: Any, seat: int, accused: list[int], kind: str, code: str) -> None:
    assert refused(room().file, seat, accused, kind) == code


def test_a_stranger_neither_complains_nor_is_accused(room: Any) -> None:
    at = room()
    stranger = make_user("stranger", 1000)
    deal = at.deals[0].pk
    common = {"kind": "spoiling", "text": "They told each other their cards."}
    assert (
        refused(filing.file, user=stranger, deals=[deal], accused=[at.people[0].pk], **common)
        == "no_such_deal"
    )
    assert (
        refused(filing.file, user=at.people[0], deals=[deal], accused=[stranger.pk], **common) == "not_there"
    )
    assert refused(filing.file, user=at.people[0], deals=["no"], accused=[], **common) == "no_such_deal"


def test_a_running_deal_cannot_be_complained_of(room: Any) -> None:
    at = room()
    at.at.start()
    live = Deal.objects.get(table=at.at.table, closed_seq=None)
    assert (
        refused(
            filing.file,
            user=at.people[0],
            kind="abuse",
            deals=[live.pk],
            accused=[at.people[1].pk],
            text="He is rude to everybody.",
        )
        == "no_such_deal"
    )
    at.at.play_out()


def test_coaching_and_revealing_name_one_deal(room: Any) -> None:
    at = room(deals=2)
    assert refused(at.file, 2, [0], "coaching", 2) == "one_deal_only"
    assert at.file(2, [0], "spoiling", 2).case.deals.count() == 2


def test_a_week_is_the_limit(room: Any) -> None:
    at = room()
    now = timezone.now()
    deals = Deal.objects.filter(pk=at.deals[0].pk)
    deals.update(closed=now - timedelta(days=7, seconds=1))
    assert refused(at.file, 2, [0], "spoiling") == "too_old"
    deals.update(closed=now - timedelta(days=7) + timedelta(minutes=5))
    assert at.file(2, [0], "spoiling")


def test_deals_of_other_people_do_not_mix(room: Any) -> None:
    at = room(deals=1)
    at.at.perform(cmd.Stand(1, "up"))
    other = make_user("other", 10_000)
    deciding_table = at.at.table
    from games import tables

    tables.take_seat(user=other, table=deciding_table, seat=1)
    at.at.users[1] = other
    while Deal.objects.filter(table=deciding_table, how=Deal.How.OVER).count() < 2:
        at.at.deal()
    deals = [
        deal.pk for deal in Deal.objects.filter(table=deciding_table, how=Deal.How.OVER).order_by("number")
    ]
    assert (
        refused(
            filing.file,
            user=at.people[2],
            kind="spoiling",
            deals=deals,
            accused=[at.people[0].pk],
            text="He plays against all of us.",
        )
        == "other_people"
    )


def test_withdrawn_before_it_is_taken_up_the_fee_comes_back(room: Any, house: Any) -> None:
    at = room()
    before = at.coins()
    made = at.file(2, [0, 1])
    filing.withdraw(user=at.people[2], complaint_id=made.pk)
    assert at.coins() == before
    assert Case.objects.get().status == "withdrawn"
    assert OpenComplaint.objects.count() == 0
    assert refused(filing.withdraw, user=at.people[2], complaint_id=made.pk) == "taken_up"
    assert at.file(2, [0, 1]).case != made.case


def test_once_taken_up_it_stays(room: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    deciding.take_up(staff=at.staff[0], case_id=made.case_id)
    assert refused(filing.withdraw, user=at.people[2], complaint_id=made.pk) == "taken_up"


def test_nobody_withdraws_for_another(room: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    assert refused(filing.withdraw, user=at.people[0], complaint_id=made.pk) == "no_such_complaint"


def test_evidence_is_frozen_with_its_digest_and_holds_the_log(room: Any) -> None:
    at = room()
    at.at.perform(cmd.Say(0, "s1", "I have the rocket", None))
    case = at.file(2, [0, 1]).case
    (exhibit,) = evidence.exhibits(case)
    assert exhibit.holds
    assert hashlib.sha256(exhibit.evidence.body.encode()).hexdigest() == exhibit.evidence.digest
    assert exhibit.events[0].deal == exhibit.events[-1].deal == at.deals[0].pk  # type: ignore[union-attr]
    assert exhibit.events[-1].hands  # type: ignore[union-attr]
    assert "I have the rocket" in exhibit.body["talk"][0]["body"]


def test_evidence_that_was_written_anew_with_a_digest_of_its_own_does_not_hold(room: Any) -> None:
    at = room()
    at.at.perform(cmd.Say(0, "s1", "I have the rocket", None))
    at.at.perform(cmd.Say(1, "s2", "then lead low", None))
    (kept,) = at.file(2, [0, 1]).case.evidence.all()
    true = json.loads(kept.body)
    other = dict(true["talk"][0], body=true["talk"][0]["body"].replace("rocket", "pocket"))
    for forged in (
        {"talk": [other, true["talk"][1]]},
        {"talk": true["talk"][1:]},
        {"users": true["users"][::-1]},
        {"names": true["names"][::-1]},
        {"events": true["events"][:-1]},
    ):
        body = json.dumps({**true, **forged}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        kept.body, kept.digest = body, hashlib.sha256(body.encode()).hexdigest()
        assert not evidence.exhibit(kept).holds, forged
    kept.refresh_from_db()
    assert evidence.exhibit(kept).holds


def test_coins_laid_aside_as_a_complaints_fee_make_nobody_poor(room: Any) -> None:
    seeds.seed_tiers()
    at = room()
    user, entry = at.people[2], relief.limit()
    assert entry is not None
    has = wallet.balance(user.pk).total
    spare = has - entry - 200
    legs = [wallet.Leg(user.pk, -spare), wallet.Leg("house:relief", spare)]
    wallet.post(code="test", reference="spent", legs=legs)
    made = at.file(2, [0, 1])
    assert wallet.balance(user.pk).total == entry - 100
    assert relief.offer_to(user.pk, entry - 100) is None
    with pytest.raises(relief.ReliefRefused, match="above"):
        relief.give(user.pk)
    at.decide(made.case, at.rejection())
    assert relief.give(user.pk) == 1_000
