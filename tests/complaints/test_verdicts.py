"""What verdicts move, to the coin: the examples of RULES §3, short purses, appeals, once."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Restriction, User
from games.complaints import banned, carrying, deciding, filing, reckoning
from games.complaints.errors import BadVerdict, NotAllowed, Refused
from games.complaints.models import Case, Verdict
from games.complaints.played import played
from games.models import PlayerRecord, SeatResult
from games.table import commands as cmd
from wallet import debts
from wallet import services as wallet

pytestmark = pytest.mark.both_databases


def change(at: Any, act: Callable[[], Any]) -> list[int]:
    """Return what an act changes in everybody's coins."""
    before = at.coins()
    act()
    return [after - old for after, old in zip(at.coins(), before, strict=True)]


def refused(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises((Refused, NotAllowed, BadVerdict)) as caught:
        call(*args, **kwargs)
    return caught.value.code


def test_a_whole_verdict_moves_what_the_rules_say(room: Any, result: Any, house: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    result([60, -30, -30], [3, 0, 0])
    found = reckoning.preview(case, at.form([0, 1]))
    assert [move.total for move in found.moves] == [-3209, -3121, 3330]
    assert (found.house, found.borne) == (3000, 0)
    assert change(at, lambda: at.decide(case, at.form([0, 1]))) == [-3209, -3121, 3330]
    assert [house(code) for code in ("fines", "claims", "complaints", "revenue")] == [3000, 0, 300, 0]


@pytest.mark.parametrize(
    ("base", "landlord", "offender", "kind", "moved", "fines"),
    [
        (50, 0, 0, "reveal", [-1000, 400, 400], 200),
        (100, 1, 0, "reveal", [-2000, 1600, 0], 400),
        (30, 2, 1, "coaching", [0, -600, 480], 120),
    ],
)
def test_revealing_and_coaching_are_fined_and_shared(
    room: Any,
    result: Any,
    house: Any,
    base: int,
    landlord: int,
    offender: int,
    kind: str,
    moved: list[int],
    fines: int,
) -> None:
    at = room(base_stake=base, cap=base * 40, coins=100_000)
    case = at.file(2 if offender != 2 else 1, [offender], kind).case
    result([0, 0, 0], [0, 0, 0], landlord)
    assert change(at, lambda: at.decide(case, at.form([offender], kind))) == moved
    assert house("fines") == fines


def test_spoiling_only_undoes_the_deal(room: Any, house: Any) -> None:
    at = room()
    seats = list(SeatResult.objects.filter(deal=at.deals[0]).order_by("seat"))
    fees = sum(wallet_fees(at))
    case = at.file(2, [0], "spoiling").case
    expected = [-seat.net for seat in seats]
    expected[0] -= fees
    assert change(at, lambda: at.decide(case, at.form([0], "spoiling"))) == expected
    assert at.points() == [0, 0, 0]
    assert house("fines") == 0


def wallet_fees(at: Any) -> tuple[int, ...]:
    (one,) = played([at.deals[0].pk])
    return one.result.fees


def test_the_points_and_the_record_of_a_zeroed_deal_are_taken_back(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    assert at.points() == [0, 0, 0]
    assert list(PlayerRecord.objects.values_list("points", "deals", "wins", "losses")) == [(0, 0, 0, 0)] * 3


def test_coaching_leaves_the_result_as_it_is(room: Any) -> None:
    at = room()
    points = at.points()
    at.decide(at.file(2, [0], "coaching").case, at.form([0], "coaching"))
    assert at.points() == points


def test_a_points_room_sets_points_back_and_moves_no_coin(room: Any) -> None:
    at = room("bigtwo.classic", base_stake=1, cap=None, entry=None, fee=None, currency="points")
    case = at.file(2, [0, 1]).case
    assert change(at, lambda: at.decide(case, at.form([0, 1]))) == [0, 0, 0, 0]
    assert at.points() == [0, 0, 0, 0]


def test_abuse_moves_nothing_and_restricts(room: Any) -> None:
    at = room()
    case = at.file(2, [0], "abuse").case
    form = at.form([0], "abuse", restrictions=((at.people[0].pk, "mute", 3),))
    assert change(at, lambda: at.decide(case, form)) == [0, 0, 0]
    (mute,) = Restriction.objects.all()
    assert (mute.user_id, mute.kind) == (at.people[0].pk, "mute")
    assert mute.ends is not None and timedelta(days=2.9) < mute.ends - timezone.now() < timedelta(days=3)


def test_every_joined_complainant_gets_his_fee_back_and_the_offenders_bear_it(room: Any, house: Any) -> None:
    at = room("bigtwo.qq", base_stake=30)
    case = at.file(2, [0, 1]).case
    at.file(3, [0, 1])
    before = reckoning.preview(case, at.form([0, 1]))
    assert [move.returned for move in before.moves] == [0, 0, 300, 300]
    fees = [sum(wallet_fees(at))]
    assert sum(move.fees for move in before.moves) == 600 + fees[0]
    at.decide(case, at.form([0, 1]))
    assert house("complaints") == 600
    assert house("claims") == 0


def test_upheld_as_another_kind_the_fee_comes_back_all_the_same(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    moved = change(at, lambda: at.decide(case, at.form([0], "coaching")))
    assert moved[2] >= 300


def test_rejected_the_fee_is_kept(room: Any, house: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    assert change(at, lambda: at.decide(case, at.rejection())) == [0, 0, 0]
    assert house("complaints") == 300
    assert case.complaints.get().status == "rejected"


@pytest.mark.parametrize("short", [0, 1, 2])
def test_each_purse_short_the_books_hold_and_only_offenders_owe(
    room: Any, result: Any, house: Any, short: int
) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    purse = at.people[short].pk
    there = wallet.balance(purse).total
    wallet.post(
        code="test",
        reference="spent",
        legs=[wallet.Leg(purse, 10 - there), wallet.Leg("issuance", there - 10)],
    )
    result([60, -30, -30], [3, 0, 0])
    before = at.coins()
    at.decide(case, at.form([0, 1]))
    owed = [debts.owed_by(user.pk) for user in at.people]
    expected = [[3199, 0, 0], [0, 3111, 0], [0, 0, 0]][short]
    assert owed == expected
    paid = [a - b for a, b in zip(at.coins(), before, strict=True)]
    assert sum(paid) + house("fines") + house("claims") == 0
    assert paid[2] == 3330 - sum(owed and [o and 1500 for o in owed])


def test_a_fine_against_coins_at_a_table_waits_for_them(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    at.at.start()
    held = at.at.held()[0]
    wallet.post(
        code="test",
        reference="spent",
        legs=[
            wallet.Leg(at.people[0].pk, held - at.coins()[0]),
            wallet.Leg("issuance", at.coins()[0] - held),
        ],
    )
    at.decide(case, at.form([0, 1]))
    assert debts.owed_by(at.people[0].pk) > 0
    assert at.coins()[0] == held
    at.at.play_out()
    assert at.coins()[0] == 0 or debts.owed_by(at.people[0].pk) == 0


def test_carried_out_again_and_again_it_moves_once(room: Any) -> None:
    at = room()
    verdict = at.decide(at.file(2, [0, 1]).case, at.form([0, 1]))
    after = at.coins()
    for _ in range(3):
        carrying.carry_out_all()
        assert carrying.carry_out(verdict_id=verdict.pk) is False
    assert at.coins() == after


def test_an_appeal_upheld_reverses_everything(room: Any, house: Any) -> None:
    at = room()
    before, points = at.coins(), at.points()
    case = at.file(2, [0, 1]).case
    form = at.form([0, 1], restrictions=((at.people[0].pk, "suspension", 7),))
    at.decide(case, form)
    filing.appeal(user=at.people[0], case_id=case.pk, text="We were not even talking.")
    at.decide(Case.objects.get(pk=case.pk), at.rejection(), staff=1)
    assert at.coins() == [before[0], before[1], before[2] - 300]
    assert at.points() == points
    assert [house(code) for code in ("fines", "claims", "complaints", "revenue")] == [0, 0, 300, 0]
    assert Restriction.objects.get().lifted is not None
    assert Case.objects.get(pk=case.pk).status == "closed"
    assert [v.undone is not None for v in Verdict.objects.order_by("number")] == [True, False]


def test_an_appeal_against_a_rejection_can_be_upheld(room: Any, result: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    result([60, -30, -30], [3, 0, 0])
    at.decide(case, at.rejection())
    filing.appeal(user=at.people[2], case_id=case.pk, text="Please look at the passes again.")
    assert change(at, lambda: at.decide(Case.objects.get(pk=case.pk), at.form([0, 1]), staff=1)) == [
        -3209,
        -3121,
        3330,
    ]


def test_one_appeal_within_a_week_by_those_concerned(room: Any) -> None:
    at = room("bigtwo.qq")
    case = at.file(2, [0, 1]).case
    text = "We were not even talking."
    assert refused(filing.appeal, user=at.people[0], case_id=case.pk, text=text) == "not_decided"
    at.decide(case, at.form([0, 1]))
    assert refused(filing.appeal, user=at.people[3], case_id=case.pk, text=text) == "no_such_case"
    Verdict.objects.update(final=timezone.now() - timedelta(days=7, seconds=1))
    assert refused(filing.appeal, user=at.people[0], case_id=case.pk, text=text) == "too_late"
    Verdict.objects.update(final=timezone.now() - timedelta(days=6))
    filing.appeal(user=at.people[0], case_id=case.pk, text=text)
    assert refused(filing.appeal, user=at.people[1], case_id=case.pk, text=text) == "already_appealed"


def test_who_decided_first_does_not_decide_the_appeal(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    filing.appeal(user=at.people[0], case_id=case.pk, text="We were not even talking.")
    assert refused(deciding.take_up, staff=at.staff[0], case_id=case.pk) == "decided_before"


def test_staff_who_sat_there_have_no_part_in_it(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    User.objects.filter(pk=at.people[1].pk).update(is_staff=True)
    assert refused(deciding.take_up, staff=at.people[1], case_id=case.pk) == "sat_there"


def test_only_who_has_it_in_hand_decides(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    form = at.form([0, 1])
    assert refused(deciding.decide, staff=at.staff[0], case_id=case.pk, form=form) == "not_in_hand"
    deciding.take_up(staff=at.staff[0], case_id=case.pk)
    assert refused(deciding.take_up, staff=at.staff[1], case_id=case.pk) == "taken"
    assert refused(deciding.decide, staff=at.staff[1], case_id=case.pk, form=form) == "not_in_hand"


def test_fines_above_the_limit_need_a_second_person(room: Any, settings: Any) -> None:
    settings.VERDICT_SECOND_ABOVE = 5_999
    at = room()
    case = at.file(2, [0, 1]).case
    assert change(at, lambda: at.decide(case, at.form([0, 1]))) == [0, 0, 0]
    (verdict,) = Verdict.objects.all()
    assert refused(deciding.confirm, staff=at.staff[0], verdict_id=verdict.pk) == "second_person"
    deciding.confirm(staff=at.staff[1], verdict_id=verdict.pk)
    moved = change(at, carrying.carry_out_all)
    assert moved[0] < -2000 and moved[1] < -2000 and moved[2] > 1500


def test_a_second_person_may_send_it_back(room: Any, settings: Any) -> None:
    settings.VERDICT_SECOND_ABOVE = 0
    at = room()
    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    deciding.send_back(staff=at.staff[1], verdict_id=Verdict.objects.get().pk, why="Too thin.")
    assert Verdict.objects.count() == 0
    settings.VERDICT_SECOND_ABOVE = 100_000
    deciding.decide(staff=at.staff[0], case_id=case.pk, form=at.form([0, 1]))
    assert carrying.carry_out_all() == 1


def test_a_deal_is_set_to_zero_once(room: Any) -> None:
    at = room()
    at.decide(at.file(2, [0, 1]).case, at.form([0, 1]))
    case = at.file(2, [0], "spoiling").case
    deciding.take_up(staff=at.staff[0], case_id=case.pk)
    assert refused(deciding.decide, staff=at.staff[0], case_id=case.pk, form=at.form([0], "spoiling")) == (
        "zeroed_before"
    )


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"outcome": "perhaps"}, "unknown_kind"),
        ({"text": "because"}, "no_text"),
        ({"reasons": "  "}, "no_reasons"),
        ({"offenders": ()}, "offenders"),
        ({"offenders": (10**9, 1)}, "offenders"),
        ({"deals": ()}, "deals"),
        ({"deals": ("other",)}, "deals"),
        ({"restrictions": ((10**9, "mute", 3),)}, "restriction"),
    ],
)
def test_a_form_that_does_not_fit_is_refused(room: Any, changes: dict[str, Any], code: str) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    deciding.take_up(staff=at.staff[0], case_id=case.pk)
    form = at.form([0, 1])._replace(**changes)
    assert refused(deciding.decide, staff=at.staff[0], case_id=case.pk, form=form) == code


def test_whoever_is_banned_leaves_his_table_and_comes_in_again_when_it_ends(room: Any) -> None:
    at = room("bigtwo.qq", base_stake=30)
    case = at.file(2, [0, 1], "spoiling").case
    at.at.start()
    version = User.objects.get(pk=at.people[0].pk).access_version
    form = at.form([0, 1], "spoiling", restrictions=((at.people[0].pk, "ban", 3),))
    at.decide(case, form)
    person = User.objects.get(pk=at.people[0].pk)
    assert not person.is_active and person.access_version > version
    assert banned.leave_tables() == 1
    assert at.at.state.phase == "between" and at.at.state.seats[0] is None
    assert banned.leave_tables() == 0
    Restriction.objects.update(ends=timezone.now())
    from accounts import restrictions

    assert restrictions.end_bans() == 1
    assert User.objects.get(pk=person.pk).is_active


def test_a_question_is_answered_once_by_whom_it_was_asked(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    deciding.take_up(staff=at.staff[0], case_id=case.pk)
    asked = deciding.ask(
        staff=at.staff[0], case_id=case.pk, user_id=at.people[0].pk, text="Do you know each other?"
    )
    assert refused(filing.answer, user=at.people[1], question_id=asked.pk, text="Yes") == "no_such_question"
    filing.answer(user=at.people[0], question_id=asked.pk, text="No.")
    assert refused(filing.answer, user=at.people[0], question_id=asked.pk, text="Yes") == "answered"


def test_a_table_goes_on_while_its_deal_is_judged(room: Any) -> None:
    at = room()
    case = at.file(2, [0], "spoiling").case
    at.at.start()
    at.decide(case, at.form([0], "spoiling"))
    at.at.play_out()
    assert at.at.perform(cmd.Say(0, "x", "well played", None)).refusal is None
