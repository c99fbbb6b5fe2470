"""What the page of a case is drawn from, beside its file: who may act, the verdict's form, verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts import restrictions
from games.admin.moments import span
from games.complaints import deciding, reckoning, wording
from games.complaints.admin import giving, words
from games.complaints.admin.casefile import Casefile
from games.complaints.errors import BadVerdict, NotAllowed
from games.complaints.models import Case, Kind, Verdict
from games.complaints.played import played
from games.complaints.reckoning import TEXTS, Form
from wallet.desk import mark

WAITING = (Case.Status.OPEN, Case.Status.TAKEN, Case.Status.PROPOSED, Case.Status.APPEALED)
DECIDABLE = (Case.Status.TAKEN, Case.Status.APPEALED)
LATE, VERY_LATE = timedelta(hours=24), timedelta(hours=72)
RESTRICTION_CHOICES = [(kind.value, kind.label) for kind in restrictions.KINDS]


def age_mark(case: Case) -> SafeString:
    """Print how long a case waits, the colour by its age; of one that waits no more, when it was filed."""
    age = timezone.now() - case.created
    if case.status not in WAITING:
        return format_html("{}", case.created.strftime("%Y-%m-%d %H:%M"))
    tone = "bad" if age >= VERY_LATE else "warn" if age >= LATE else "good"
    waits = (
        span(int(age.total_seconds() * 1000))
        if age < timedelta(days=2)
        else _("%(days)s days") % {"days": age.days}
    )
    return mark(waits, tone)


def may_act(request: HttpRequest) -> bool:
    user: Any = request.user
    return bool(user.has_perm("complaints.change_case"))


def barred(staff: Any, case: Case) -> str | None:
    """Say why somebody may not even look into a case; None when he may."""
    try:
        deciding.guard(staff, case)
    except NotAllowed as error:
        return None if error.code == "decided_before" else words.refusal(error)
    return None


def people_of(case: Case) -> list[int]:
    """Return the people of a case's deals, by seat."""
    return list(played(reckoning.ids_of(case)[:1])[0].people)


def names_of(case: Case) -> dict[int, str]:
    """Return the names of the people of a case's deals."""
    people = get_user_model().objects.in_bulk(people_of(case))
    return {pk: user.username for pk, user in people.items()}


def decidable(staff: Any, case: Case) -> bool:
    """Say whether somebody has a case in hand that waits for a verdict of his."""
    waits = case.verdicts.filter(final__isnull=True).exists()
    return case.taken_by_id == staff.pk and case.status in DECIDABLE and not waits


def beginning(case: Case, first: Verdict | None) -> Form:
    """Return what the form says at first: what was complained of; on appeal, the verdict appealed against."""
    if case.status == Case.Status.APPEALED and first is not None:
        return deciding.form_of(first)._replace(reasons="")
    accused = tuple(case.accused.order_by("pk").values_list("pk", flat=True))
    return Form("", case.kind, accused, tuple(reckoning.ids_of(case)), "", "")


def typed(data: Any, case: Case) -> Form:
    """Return as much as can be read of a form that was refused."""
    try:
        return giving.read(data, people_of(case))
    except BadVerdict:
        empty = Form(
            "", case.kind, (), tuple(data.getlist("deals")), data.get("text", ""), data.get("reasons", "")
        )
        return empty._replace(outcome=data.get("outcome", ""), kind=data.get("kind", ""))


def fields(case: Case, found: Casefile, form: Form) -> dict[str, Any]:
    """Return what the verdict's form is drawn from."""
    laid = {user: (kind, giving.FOR_EVER if days is None else days) for user, kind, days in form.restrictions}
    return {
        "form": form,
        "kinds": Kind.choices,
        "texts": [
            (outcome.label, [(code, wording.TEXTS[code]) for code in TEXTS[outcome]])
            for outcome in Verdict.Outcome
        ],
        "outcomes": Verdict.Outcome.choices,
        "people": [
            {
                "party": party,
                "place": form.offenders.index(party.id) + 1 if party.id in form.offenders else None,
                "kind": laid.get(party.id, ("", None))[0],
                "days": giving.FOR_EVER
                if party.id in laid and laid[party.id][1] is None
                else laid.get(party.id, ("", ""))[1],
            }
            for party in found.parties
        ],
        "places": range(1, len(found.parties)),
        "restrictions": RESTRICTION_CHOICES,
        "durations": giving.DURATIONS,
        "deals": [
            (deal.evidence.deal_id, deal.deal, deal.evidence.deal_id in form.deals) for deal in found.deals
        ],
    }


def said(form: Form, names: Mapping[int, str]) -> dict[str, Any]:
    """Put a form into words, for the preview."""
    return {
        "outcome": Verdict.Outcome(form.outcome).label,
        "kind": Kind(form.kind).label,
        "offenders": [names.get(user, user) for user in form.offenders],
        "text": wording.TEXTS[form.text],
        "restrictions": [
            (names.get(user, user), dict(RESTRICTION_CHOICES).get(kind, kind), days)
            for user, kind, days in form.restrictions
        ],
    }


def verdict_lines(verdict: Verdict, found: Casefile) -> dict[str, Any]:
    names = {party.id: party.name for party in found.parties}
    moves = giving.moves_of(verdict.moves)
    return {
        "verdict": verdict,
        "said": said(deciding.form_of(verdict), names),
        "totals": [(names.get(move.user, move.user), move.total) for move in moves if move.total],
        "owed": deciding.debts_after(verdict),
    }
