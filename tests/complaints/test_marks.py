"""Networks and devices in a case: kept as evidence by their marks alone, and a bar to staff who share one."""

from typing import Any

import pytest

from accounts import devices
from accounts.devices import Origin
from games.complaints import deciding, evidence
from games.complaints.errors import NotAllowed

pytestmark = pytest.mark.django_db

HOME = "203.0.113.77"


def test_evidence_says_who_shares_a_line_and_never_which(room: Any) -> None:
    at = room()
    for seat, origin in enumerate((Origin(HOME, "phone"), Origin(HOME, "tablet"), Origin("198.51.100.1"))):
        devices.note(user_id=at.people[seat].pk, origin=origin)
    (exhibit,) = evidence.exhibits(at.file(2, [0, 1]).case)
    marks = [{one["mark"] for one in exhibit.body["marks"][str(user.pk)]} for user in at.people[:3]]
    assert [len(some) for some in marks] == [2, 2, 1]
    assert len(marks[0] & marks[1]) == 1 and not (marks[0] | marks[1]) & marks[2]
    assert HOME not in exhibit.evidence.body and "phone" not in exhibit.evidence.body


def test_staff_who_share_a_device_with_somebody_of_the_deal_take_no_part(room: Any) -> None:
    at = room()
    judge, other = at.staff[:2]
    case = at.file(2, [0, 1]).case
    devices.note(user_id=at.people[1].pk, origin=Origin(HOME, "phone"))
    devices.note(user_id=judge.pk, origin=Origin("198.51.100.1", "phone"))
    with pytest.raises(NotAllowed) as caught:
        deciding.take_up(staff=judge, case_id=case.pk)
    assert caught.value.code == "shares_device"
    assert deciding.take_up(staff=other, case_id=case.pk).taken_by == other
