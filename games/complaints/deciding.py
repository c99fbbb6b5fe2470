"""Deciding cases: who may, in which order, and when it is final.

A verdict whose fines exceed the house's limit waits for a second person. Staff who sat in a deal of the case, or share
a device with one who did, have no part in it; an appeal is decided by somebody who had none in the first verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from games.complaints import evidence, filing, notices, staff_log
from games.complaints.errors import BadVerdict, NotAllowed
from games.complaints.models import Case, Complaint, Question, Verdict
from games.complaints.played import played
from games.complaints.reckoning import Form, ids_of, preview
from wallet import debts
from wallet.retry import retrying

UNDECIDED = (Case.Status.OPEN, Case.Status.TAKEN)
Sharing = Callable[[int, Collection[int]], Collection[int]]
_sharing: list[Sharing] = []


def shares_devices(source: Sharing) -> None:
    """Have `source(user, others)` say which of the others share a device with a member of staff."""
    if source not in _sharing:
        _sharing.append(source)


# ---- who may


def guard(staff: Any, case: Case) -> None:
    """Refuse staff concerned in a case. Raises NotAllowed: sat_there, shares_device, decided_before."""
    people = {user for one in played(ids_of(case)) for user in one.people}
    if staff.pk in people or staff.pk in filing.concerned(case):
        raise NotAllowed("sat_there")
    if any(source(staff.pk, people) for source in _sharing):
        raise NotAllowed("shares_device")
    first = Verdict.objects.filter(Q(decided_by=staff) | Q(confirmed_by=staff), case=case, number=1)
    if case.status == Case.Status.APPEALED and first.exists():
        raise NotAllowed("decided_before")


# ---- the queue


@transaction.atomic
def take_up(*, staff: Any, case_id: int) -> Case:
    """Take a case up; from then on its complaints cannot be withdrawn. Raises NotAllowed: taken, not_open."""
    case = _locked(case_id)
    guard(staff, case)
    if case.taken_by_id not in (None, staff.pk):
        raise NotAllowed("taken")
    if case.status not in (*UNDECIDED, Case.Status.APPEALED):
        raise NotAllowed("not_open")
    case.taken_by = staff
    if case.status == Case.Status.OPEN:
        case.status = Case.Status.TAKEN
    case.save(update_fields=["taken_by", "status"])
    staff_log.note(by=staff, act="took_up", subject=f"case:{case.pk}")
    complained = case.complaints.filter(status=Complaint.Status.OPEN)
    notices.tell(case=case, users=complained.values_list("complainant_id", flat=True), kind="taken_up")
    return case


@transaction.atomic
def put_back(*, staff: Any, case_id: int) -> Case:
    """Put a case back into the queue, for somebody else."""
    case = _in_hand(staff, case_id)
    case.taken_by = None
    case.save(update_fields=["taken_by"])
    staff_log.note(by=staff, act="put_back", subject=f"case:{case.pk}")
    return case


@transaction.atomic
def ask(*, staff: Any, case_id: int, user_id: int, text: str) -> Question:
    """Ask somebody concerned. Raises NotAllowed, BadVerdict: not_concerned, no_text."""
    case = _in_hand(staff, case_id)
    if user_id not in filing.concerned(case):
        raise BadVerdict("not_concerned")
    if not text.strip():
        raise BadVerdict("no_text")
    made = Question.objects.create(case=case, to_id=user_id, by=staff, text=text.strip())
    staff_log.note(by=staff, act="asked", subject=f"case:{case.pk}", data={"user": user_id})
    notices.tell(case=case, users=[user_id], kind=f"asked_{made.pk}")
    return made


# ---- deciding


@retrying
def decide(*, staff: Any, case_id: int, form: Form) -> Verdict:
    """Decide a case that this member of staff has in hand. Raises NotAllowed, BadVerdict.

    The verdict is final at once, or when a second person confirms it. Carrying it out is the task's.
    """
    with transaction.atomic():
        case = _in_hand(staff, case_id)
        _lock_deals(case)
        _guard_evidence(case)
        found = preview(case, form)
        number = 2 if case.status == Case.Status.APPEALED else 1
        made = Verdict.objects.create(
            case=case,
            number=number,
            outcome=form.outcome,
            kind=form.kind,
            offenders=list(form.offenders),
            deals=list(form.deals),
            restrictions=[{"user": u, "kind": k, "days": d} for u, k, d in form.restrictions],
            text=form.text,
            reasons=form.reasons.strip(),
            moves=[move._asdict() for move in found.moves],
            decided_by=staff,
            needs_second=found.needs_second,
        )
        staff_log.note(by=staff, act="decided", subject=f"case:{case.pk}", data={"verdict": made.pk})
        if found.needs_second:
            if number == 1:
                case.status = Case.Status.PROPOSED
                case.save(update_fields=["status"])
        else:
            _make_final(case, made)
    return made


@retrying
def confirm(*, staff: Any, verdict_id: int) -> Verdict:
    """Confirm, as the second person, a verdict that needs one; it is reckoned again as things are now."""
    with transaction.atomic():
        case, verdict = _proposed(staff, verdict_id)
        if staff.pk == verdict.decided_by_id:
            raise NotAllowed("second_person")
        _lock_deals(case)
        _guard_evidence(case)
        found = preview(case, form_of(verdict))
        verdict.confirmed_by, verdict.moves = staff, [move._asdict() for move in found.moves]
        verdict.save(update_fields=["confirmed_by", "moves"])
        staff_log.note(by=staff, act="confirmed", subject=f"case:{case.pk}", data={"verdict": verdict.pk})
        _make_final(case, verdict)
    return verdict


@transaction.atomic
def send_back(*, staff: Any, verdict_id: int, why: str) -> Case:
    """Refuse, as the second person, to confirm a verdict: the case is in hand again, and the verdict gone."""
    case, verdict = _proposed(staff, verdict_id)
    data = {
        "why": why.strip(),
        "outcome": verdict.outcome,
        "kind": verdict.kind,
        "offenders": verdict.offenders,
    }
    staff_log.note(by=staff, act="sent_back", subject=f"case:{case.pk}", data=data)
    verdict.delete()
    if case.status == Case.Status.PROPOSED:
        case.status = Case.Status.TAKEN
        case.save(update_fields=["status"])
    return case


def form_of(verdict: Verdict) -> Form:
    """Return the form a verdict was made from."""
    return Form(
        outcome=verdict.outcome,
        kind=verdict.kind,
        offenders=tuple(verdict.offenders),
        deals=tuple(verdict.deals),
        text=verdict.text,
        reasons=verdict.reasons,
        restrictions=tuple((one["user"], one["kind"], one["days"]) for one in verdict.restrictions),
    )


def _make_final(case: Case, verdict: Verdict) -> None:
    """Say a verdict to all concerned; the task carries it out."""
    verdict.final = timezone.now()
    verdict.save(update_fields=["final"])
    case.status = Case.Status.DECIDED if verdict.number == 1 else Case.Status.CLOSED
    case.save(update_fields=["status"])
    status = {
        Verdict.Outcome.UPHELD: Complaint.Status.UPHELD,
        Verdict.Outcome.REJECTED: Complaint.Status.REJECTED,
    }
    if verdict.number == 1:
        filing.close_complaints(case, status[Verdict.Outcome(verdict.outcome)])
    else:
        standing = case.complaints.exclude(status=Complaint.Status.WITHDRAWN)
        standing.update(status=status[Verdict.Outcome(verdict.outcome)])
    people = [*filing.concerned(case), *_touched(verdict)]
    notices.tell(case=case, users=people, kind=f"verdict_{verdict.number}", data={"text": verdict.text})


def _touched(verdict: Verdict) -> list[int]:
    """Return for whom a verdict moves something, and whom it restricts."""
    parts = ("undone", "fees", "returned", "fine", "share", "points")
    moved = [move["user"] for move in verdict.moves if any(move[part] for part in parts)]
    return moved + [one["user"] for one in verdict.restrictions]


def _lock_deals(case: Case) -> None:
    """Have verdicts that name the same deals in other cases wait for one another: a deal is set to zero once."""
    list(case.deals.order_by("pk").select_for_update(of=("self",), no_key=True).values_list("pk"))


def _guard_evidence(case: Case) -> None:
    """Refuse to decide on evidence that is not what was frozen. Raises NotAllowed: evidence_broken."""
    if not evidence.holds(case):
        raise NotAllowed("evidence_broken")


def _locked(case_id: int) -> Case:
    case = Case.objects.select_for_update().filter(pk=case_id).first()
    if case is None:
        raise NotAllowed("no_such_case")
    return case


def _in_hand(staff: Any, case_id: int) -> Case:
    case = _locked(case_id)
    guard(staff, case)
    if case.status not in (Case.Status.TAKEN, Case.Status.APPEALED) or case.taken_by_id != staff.pk:
        raise NotAllowed("not_in_hand")
    if case.verdicts.filter(final__isnull=True).exists():
        raise NotAllowed("waits_for_second")
    return case


def _proposed(staff: Any, verdict_id: int) -> tuple[Case, Verdict]:
    verdict = Verdict.objects.filter(pk=verdict_id, final__isnull=True).first()
    if verdict is None:
        raise NotAllowed("no_such_verdict")
    case = _locked(verdict.case_id)
    verdict = Verdict.objects.select_for_update().filter(pk=verdict_id, final__isnull=True).first()
    if verdict is None:
        raise NotAllowed("no_such_verdict")
    guard(staff, case)
    return case, verdict


def debts_after(verdict: Verdict) -> int:
    """Return what is still owed by a verdict that was carried out."""
    return debts.open_of(verdict.reference)
