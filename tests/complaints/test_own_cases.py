"""Staff who play: of a case in which they have a part themselves, no list of the desk tells them more than that."""

from collections.abc import Callable
from typing import Any

from django.urls import reverse

from games.complaints import deciding
from games.complaints.models import StaffAct
from tests.complaints.conftest import Room
from tests.complaints.test_desk import RIGHTS, Desk, said

LOG = reverse("admin:complaints_staffact_changelist")
QUEUE = reverse("admin:complaints_case_changelist")


def browsers(room: Callable[..., Room], settings: Any) -> tuple[Room, Any, Any]:
    """Have a verdict sent back; return the room, and the browsers of an accused and of another of the staff."""
    settings.VERDICT_SECOND_ABOVE = 0
    at = room()
    case = at.file(2, [0, 1]).case
    verdict = at.decide(case, at.form([0, 1]))
    deciding.send_back(staff=at.staff[1], verdict_id=verdict.pk, why="Too thin for Wen.")
    player = at.people[0]
    player.is_staff = True
    player.save()
    rights = (*RIGHTS, "complaints.view_staffact")
    return at, Desk(at, player, *rights).browser, Desk(at, at.staff[2], *rights).browser


def test_the_staff_log_tells_an_accused_nothing_of_his_case(room: Any, settings: Any) -> None:
    _at, accused, other = browsers(room, settings)
    assert "Too thin for Wen." in said(other.get(LOG))
    assert "Too thin for Wen." not in said(accused.get(LOG))
    act = StaffAct.objects.get(act="sent_back")
    page = reverse("admin:complaints_staffact_change", args=[act.pk])
    assert "Too thin for Wen." in said(other.get(page))
    assert "Too thin for Wen." not in said(accused.get(page, follow=True))


def test_neither_search_nor_a_persons_page_tells_an_accused_who_complained(room: Any, settings: Any) -> None:
    at, accused, other = browsers(room, settings)
    complainant = at.people[2]
    search = {"q": complainant.username}
    assert other.get(QUEUE, search).context["cl"].result_count == 1
    assert accused.get(QUEUE, search).context["cl"].result_count == 0
    assert accused.get(QUEUE).context["cl"].result_count == 1
    page = reverse("admin:accounts_user_change", args=[complainant.pk])
    assert "complains" in said(other.get(page))
    assert "complains" not in said(accused.get(page))
