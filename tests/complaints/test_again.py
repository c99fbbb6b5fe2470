"""What is decided a second time: results that are taken back, given again and taken back; one deal in two cases."""

import threading
from contextlib import suppress
from typing import Any

import pytest

from games import history
from games.complaints import carrying, deciding, filing, reckoning
from games.complaints.errors import BadVerdict
from games.complaints.models import Case, Verdict
from games.models import PlayerRecord
from lobby import people
from tests.threads import AtOnce, at_once  # noqa: F401

pytestmark = pytest.mark.both_databases


def upheld_twice(at: Any, form: Any, second: Any) -> Case:
    """Uphold a case and, on appeal, uphold it again."""
    case = at.file(2, [0, 1]).case
    at.decide(case, form)
    filing.appeal(user=at.people[0], case_id=case.pk, text="We were not even talking.")
    case.refresh_from_db()
    at.decide(case, second, staff=1)
    return case


def test_a_deal_zeroed_again_on_appeal_counts_for_nobody(room: Any) -> None:
    at = room()
    once = at.coins()
    upheld_twice(at, at.form([0, 1]), at.form([1, 0]))
    assert at.points() == [0, 0, 0]
    assert list(PlayerRecord.objects.values_list("points", "deals", "wins", "losses")) == [(0, 0, 0, 0)] * 3
    assert at.coins()[2] > once[2]


def test_a_deal_left_out_on_appeal_counts_again_and_one_named_anew_does_not(room: Any) -> None:
    at = room(deals=2)
    of_first = [deal.results.order_by("seat").values_list("points", flat=True) for deal in at.deals]
    kept = list(of_first[0])
    case = at.file(2, [0, 1], deals=2).case
    at.decide(case, at.form([0, 1]))
    filing.appeal(user=at.people[0], case_id=case.pk, text="It was the other deal, if any.")
    case.refresh_from_db()
    at.decide(case, at.form([0, 1], deals=(at.deals[1].pk,)), staff=1)
    assert at.points() == kept


def test_the_lists_say_taken_back_of_what_does_not_count_now(room: Any) -> None:
    at = room()

    def said() -> list[bool]:
        rows = people.deal_rows(history.deals_of(at.people[0].pk))
        return [row["taken_back"] for row in rows if row["deal"].pk == at.deals[0].pk]

    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    assert said() == [True]
    filing.appeal(user=at.people[0], case_id=case.pk, text="We were not even talking.")
    case.refresh_from_db()
    at.decide(case, at.rejection(), staff=1)
    assert said() == [False]
    case = at.file(2, [0], "spoiling").case
    at.decide(case, at.form([0], "spoiling"))
    assert said() == [True]
    assert at.points() == [0, 0, 0]


def test_two_cases_judged_at_once_set_a_deal_to_zero_once(
    room: Any,
    at_once: AtOnce,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = room()
    before = at.coins()
    cases = [at.file(2, [0, 1]).case, at.file(2, [0], "spoiling").case]
    forms = [at.form([0, 1]), at.form([0], "spoiling")]
    for staff, case in zip(at.staff, cases, strict=False):
        deciding.take_up(staff=staff, case_id=case.pk)
    reckon, both = reckoning.preview, threading.Barrier(2, timeout=1)

    def together(*asked: Any) -> Any:
        """Reckon with the other, if the other can reckon meanwhile."""
        found = reckon(*asked)
        with suppress(threading.BrokenBarrierError):
            both.wait()
        return found

    monkeypatch.setattr(deciding, "preview", together)

    def judge(which: int) -> Verdict:
        return deciding.decide(staff=at.staff[which], case_id=cases[which].pk, form=forms[which])

    given = at_once(lambda: judge(0), lambda: judge(1))
    assert [type(one) for one in given if not isinstance(one, Verdict)] == [BadVerdict]
    carrying.carry_out_all()
    assert at.points() == [0, 0, 0]
    assert before != at.coins()
