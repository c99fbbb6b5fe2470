"""Deciding: what a verdict would move, and who may decide it (RULES §3, "Penalties by verdict").

The engine reckons by seats; here its answer is turned into people, before anything moves. A verdict whose fines exceed
the house's limit waits for a second person. Staff who sat in a deal of the case, or share a device with one who did,
have no part in it; an appeal is decided by somebody who had none in the first verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.restrictions import KINDS as RESTRICTIONS
from games.complaints import filing, notices, staff_log
from games.complaints.errors import BadVerdict, NotAllowed
from games.complaints.models import Case, Complaint, Kind, Question, Verdict
from games.complaints.played import Played, played
from games.engine import verdicts as engine
from wallet import debts
from wallet import services as wallet

UNDECIDED = (Case.Status.OPEN, Case.Status.TAKEN)
TEXTS = {
    Verdict.Outcome.UPHELD: ("upheld", "upheld_first", "upheld_other"),
    Verdict.Outcome.REJECTED: ("no_proof", "within_rules", "skill_or_luck"),
}
"""Prepared answers; their words are in `wording`."""
LONGEST_DAYS = 3_650

Sharing = Callable[[int, Collection[int]], Collection[int]]
_sharing: list[Sharing] = []


class Form(NamedTuple):
    """A verdict as a member of staff asks for it; `restrictions` are (user id, kind, days or None)."""

    outcome: str
    kind: str
    offenders: tuple[int, ...]
    deals: tuple[str, ...]
    text: str
    reasons: str
    restrictions: tuple[tuple[int, str, int | None], ...] = ()


class Move(NamedTuple):
    """What a verdict does to one person, in coins (points apart); what is owed beyond `at_hand` stands as a debt.

    `undone`: what the zeroed deals give back (negative: what he must give back); `fees`: the deals' fees and complaint
    fees he bears; `returned`: complaint fees that come back; `fine` of an offender, `share` of others' fines.
    """

    user: int
    offender: bool
    undone: int
    fees: int
    returned: int
    fine: int
    shares: tuple[tuple[int, int], ...]
    share: int
    points: int
    at_hand: int

    @property
    def total(self) -> int:
        """What his coins change by once all is paid."""
        return self.undone - self.fees + self.returned - self.fine + self.share

    @property
    def debt(self) -> int:
        """What an offender will still owe after what he has at hand; nobody else ends in debt."""
        if not self.offender:
            return 0
        has = self.at_hand + max(self.undone, 0) + self.returned
        return max(0, max(-self.undone, 0) + self.fees + self.fine - has)


class Preview(NamedTuple):
    """What a verdict moves: person by person, and what the house gains (negative: bears) once all is paid."""

    moves: tuple[Move, ...]
    house: int
    borne: int
    needs_second: bool


def shares_devices(source: Sharing) -> None:
    """Have `source(user, others)` say which of the others share a device with a member of staff."""
    if source not in _sharing:
        _sharing.append(source)


# ---- who may


def guard(staff: Any, case: Case) -> None:
    """Refuse staff concerned in a case. Raises NotAllowed: sat_there, shares_device, decided_before."""
    people = {user for one in played(list(case.deals.all())) for user in one.people}
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


# ---- what it would move


def preview(case: Case, form: Form) -> Preview:
    """Reckon what a verdict moves, and move nothing. Raises BadVerdict, with what does not fit."""
    deals = played(list(case.deals.order_by("number")))
    _check(case, form, deals)
    return _reckoned(case, form, deals)


def _check(case: Case, form: Form, deals: Sequence[Played]) -> None:
    if form.outcome not in Verdict.Outcome.values or form.kind not in Kind.values:
        raise BadVerdict("unknown_kind")
    if form.text not in TEXTS[Verdict.Outcome(form.outcome)]:
        raise BadVerdict("no_text")
    if not form.reasons.strip():
        raise BadVerdict("no_reasons")
    people, named = set(deals[0].people), {one.deal.pk for one in deals}
    for user, kind, days in form.restrictions:
        if user not in people or kind not in RESTRICTIONS or not (days is None or 0 < days <= LONGEST_DAYS):
            raise BadVerdict("restriction")
    if form.outcome == Verdict.Outcome.REJECTED:
        if form.offenders or form.deals:
            raise BadVerdict("rejected_moves_nothing")
        return
    if len(set(form.offenders)) != len(form.offenders) or not set(form.offenders) <= people:
        raise BadVerdict("offenders")
    if not form.deals or not set(form.deals) <= named:
        raise BadVerdict("deals")
    fewest, most = filing.ACCUSED.get(Kind(form.kind), (0, len(people) - 1))
    if not fewest <= len(form.offenders) <= most or len(form.offenders) == len(people):
        raise BadVerdict("offenders")
    if form.kind in filing.ONE_DEAL and len(form.deals) != 1:
        raise BadVerdict("one_deal_only")
    if form.kind in engine.ZEROED and _zeroed(form.deals, but=case):
        raise BadVerdict("zeroed_before")


def _zeroed(deals: Sequence[str], but: Case) -> bool:
    """Say whether a standing verdict of another case set one of these deals to zero."""
    others = Verdict.objects.filter(
        outcome=Verdict.Outcome.UPHELD,
        kind__in=engine.ZEROED,
        undone__isnull=True,
        case__deals__in=deals,
    ).exclude(case=but)
    return any(set(deals) & set(verdict.deals) for verdict in others.distinct())


def _reckoned(case: Case, form: Form, deals: Sequence[Played]) -> Preview:
    people = deals[0].users
    seats = {user: seat for seat, user in enumerate(people) if user is not None}
    named = [one for one in deals if one.deal.pk in form.deals]
    moved = _engine_verdict(form, named, seats)
    returned, charged = _complaint_fees(case, form)
    at_hand = {user: one.available for user, one in wallet.balances(list(seats)).items()}
    zeroes = form.outcome == Verdict.Outcome.UPHELD and form.kind in engine.ZEROED
    fines = {fine.offender: fine for fine in moved.fines} if moved else {}
    moves = []
    for user, seat in seats.items():
        fine = fines.get(seat)
        moves.append(
            Move(
                user=user,
                offender=user in form.offenders,
                undone=moved.undone[seat] if moved else 0,
                fees=(moved.deal_fees[seat] if moved else 0) + charged.get(user, 0),
                returned=returned.get(user, 0),
                fine=fine.amount if fine else 0,
                shares=_of_people(fine, people) if fine else (),
                share=sum(one.shares[seat] for one in fines.values()),
                points=-sum(one.points[seat] for one in named) if zeroes else 0,
                at_hand=at_hand.get(user, 0),
            )
        )
    total = sum(move.total for move in moves)
    fined = sum(move.fine for move in moves)
    borne = sum(move.undone - move.fees + move.returned for move in moves)
    return Preview(tuple(moves), -total, borne, fined > settings.VERDICT_SECOND_ABOVE)


def _engine_verdict(form: Form, named: Sequence[Played], seats: dict[int, int]) -> engine.Verdict | None:
    """Let the engine reckon an upheld case, complaint fees apart; None when nothing can move."""
    if form.outcome != Verdict.Outcome.UPHELD or form.kind == Kind.ABUSE or named[0].currency != "coins":
        return None
    first = named[0]
    return engine.decide(
        first.rules,
        first.terms,
        engine.Case(
            kind=form.kind,
            offenders=tuple(seats[user] for user in form.offenders),
            landlord=first.landlord if form.kind in filing.ONE_DEAL else None,
            deals=tuple(one.result for one in named),
            complainant=None,
        ),
    )


def _complaint_fees(case: Case, form: Form) -> tuple[dict[int, int], dict[int, int]]:
    """Return which complainants get their fees back, and what each offender bears of them."""
    returned: dict[int, int] = {}
    charged: dict[int, int] = {}
    if form.outcome != Verdict.Outcome.UPHELD:
        return returned, charged
    for complaint in case.complaints.exclude(status=Complaint.Status.WITHDRAWN).order_by("pk"):
        returned[complaint.complainant_id] = returned.get(complaint.complainant_id, 0) + complaint.fee
        for place, user in enumerate(form.offenders):
            each, odd = divmod(complaint.fee, len(form.offenders))
            charged[user] = charged.get(user, 0) + each + (odd if place == 0 else 0)
    return returned, charged


def _of_people(fine: engine.Fine, people: Sequence[int | None]) -> tuple[tuple[int, int], ...]:
    """Return who gets how much of a fine; what nobody gets is the house's."""
    return tuple(
        (user, share) for user, share in zip(people, fine.shares, strict=True) if user is not None and share
    )


# ---- deciding


@wallet.retrying
def decide(*, staff: Any, case_id: int, form: Form) -> Verdict:
    """Decide a case that this member of staff has in hand. Raises NotAllowed, BadVerdict.

    The verdict is final at once, or when a second person confirms it. Carrying it out is the task's.
    """
    with transaction.atomic():
        case = _in_hand(staff, case_id)
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


@wallet.retrying
def confirm(*, staff: Any, verdict_id: int) -> Verdict:
    """Confirm, as the second person, a verdict that needs one; it is reckoned again as things are now."""
    with transaction.atomic():
        case, verdict = _proposed(staff, verdict_id)
        if staff.pk == verdict.decided_by_id:
            raise NotAllowed("second_person")
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
    notices.tell(
        case=case, users=filing.concerned(case), kind=f"verdict_{verdict.number}", data={"text": verdict.text}
    )


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
