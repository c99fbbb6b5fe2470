"""What the staff may lay on a person and lift again, with a reason; shown on his page, beside his cases and marks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import desk, devices, restrictions
from accounts.restrictions import BY_HAND
from games.complaints import selectors, staff_log
from games.complaints.admin import giving, words
from games.complaints.admin.cases import BESIDE, case_url
from games.complaints.admin.page import RESTRICTION_CHOICES
from games.complaints.models import Case, Complaint
from wallet.desk import EMPTY, Sheet, link, mark, moment, reference_link, register_reference

if TYPE_CHECKING:
    from accounts.models import User

MOST = 15
LONGEST = 1_000


class Measures(NamedTuple):
    """The panel with what stands against somebody, and the form to lay more on him."""

    user: Any
    standing: Sequence[tuple[Any, object]]
    kinds: Sequence[tuple[str, object]]
    durations: tuple[int, ...]
    template: str = "admin/complaints/measures.html"


def panels(user: User, viewer: User) -> list[Any]:
    """Return what the complaints' desk shows of a person: no case in which whoever looks has a part himself."""
    standing = [(one, reference_link(one.reference)) for one in restrictions.standing(user.pk)]
    return [
        Measures(user, standing, RESTRICTION_CHOICES, giving.DURATIONS),
        _cases(user, viewer),
        _devices(user),
    ]


desk.add_panels(panels)
register_reference(
    "user", lambda rest: reverse("admin:accounts_user_change", args=[rest]) if rest.isdigit() else None
)


def _cases(user: User, viewer: User) -> Sheet:
    barred = selectors.with_a_part(viewer.pk)
    rows: list[tuple[object, ...]] = [
        (
            link(case_url(one.case_id), f"#{one.case_id}"),
            _("complains"),
            one.get_kind_display(),
            one.get_status_display(),
            moment(one.created),
        )
        for one in Complaint.objects.filter(complainant=user).exclude(case__in=barred).order_by("-pk")[:MOST]
    ]
    rows += [
        (
            link(case_url(case.pk), f"#{case.pk}"),
            _("accused"),
            case.get_kind_display(),
            mark(case.get_status_display(), words.STATE_TONES[Case.Status(case.status)]),
            moment(case.created),
        )
        for case in Case.objects.filter(accused=user).exclude(pk__in=barred).order_by("-pk")[:MOST]
    ]
    head = (_("Case"), _("Part"), _("Kind"), _("State"), _("Filed"))
    return Sheet(_("Complaints"), head, rows, empty=_("None."))


def _devices(user: User) -> Sheet:
    """Return when somebody came from which network and device: marks alone, and with whom he shares them."""
    marks = devices.marks_of([user.pk])[user.pk]
    return Sheet(
        _("Networks and devices"),
        (_("Kind"), _("Mark"), _("First seen"), _("Last seen"), _("Shared with")),
        [
            (
                words.MARKS.get(one["kind"], one["kind"]),
                one["mark"][:12],
                one["first_seen"][:16].replace("T", " "),
                one["last_seen"][:16].replace("T", " "),
                _sharers(user, one["mark"]),
            )
            for one in marks[:MOST]
        ],
        empty=_("None known."),
        note=_("Keyed marks: no address is kept. People of one household share them too."),
    )


def _sharers(user: User, mark_: str) -> object:
    others = desk.people_with(mark_, but=user.pk)
    names = get_user_model().objects.filter(pk__in=others[:MOST])
    return ", ".join(str(other) for other in names) or EMPTY


# ---- acts


def restrict(request: HttpRequest, key: int) -> HttpResponseBase:
    """Lay a restriction on somebody, for a reason that the staff log keeps."""
    user = _person(request, key)
    kind, days = request.POST.get("kind", ""), request.POST.get("days", "")
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:LONGEST]
    known = dict(RESTRICTION_CHOICES)
    number = int(days) if days.isascii() and days.isdigit() and len(days) < 5 else 0
    if kind not in known or not (days == giving.FOR_EVER or 0 < number <= 3_650):
        messages.error(request, words.REFUSALS["restriction"])
    elif not reason:
        messages.error(request, gettext("Write down the reason; it stands in the staff log."))
    else:
        reference = f"{BY_HAND}:{uuid4().hex[:16]}"
        ends = None if days == giving.FOR_EVER else timezone.now() + timedelta(days=number)
        with transaction.atomic():
            restrictions.restrict(user_id=user.pk, kind=kind, ends=ends, cause=BY_HAND, reference=reference)
            data = {"kind": kind, "days": number or None, "reason": reason, "reference": reference}
            staff_log.note(by=request.user, act="restricted", subject=f"user:{user.pk}", data=data)
        messages.success(request, gettext("%(kind)s: laid on.") % {"kind": known[kind]})
    return HttpResponseRedirect(reverse("admin:accounts_user_change", args=[user.pk]))


def lift(request: HttpRequest, key: int) -> HttpResponseBase:
    """Lift what was laid on somebody by hand; what a verdict laid on, only an appeal lifts."""
    user = _person(request, key)
    reference = request.POST.get("reference", "")
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:LONGEST]
    there = {one.reference for one in restrictions.standing(user.pk)}
    if reference not in there or not reference.startswith(f"{BY_HAND}:"):
        messages.error(
            request, gettext("That cannot be lifted here: what a verdict laid on, an appeal lifts.")
        )
    elif not reason:
        messages.error(request, gettext("Write down the reason; it stands in the staff log."))
    else:
        with transaction.atomic():
            restrictions.lift(reference=reference)
            data = {"reference": reference, "reason": reason}
            staff_log.note(by=request.user, act="lifted", subject=f"user:{user.pk}", data=data)
        messages.success(request, gettext("Lifted."))
    return HttpResponseRedirect(reverse("admin:accounts_user_change", args=[user.pk]))


def _person(request: HttpRequest, user_id: int) -> Any:
    """Return whom somebody may restrict: no staff, and never himself."""
    staff: Any = request.user
    user = get_user_model().objects.filter(pk=user_id).first()
    if request.method != "POST" or not staff.has_perm("accounts.add_restriction") or user is None:
        raise PermissionDenied
    if user.pk == staff.pk or ((user.is_staff or user.is_superuser) and not staff.is_superuser):
        raise PermissionDenied
    return user


BESIDE.update(restrict=restrict, lift=lift)
