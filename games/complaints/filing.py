"""Filing, withdrawing and appealing: what a player may do (RULES §3).

A complaint names deals of one table that the same people played at the same seats, none older than seven days. Its fee
is taken into `house:complaints` in the transaction that files it, and its evidence is frozen there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from games.complaints import evidence, notices, staff_log
from games.complaints.errors import Refused
from games.complaints.models import Appeal, Case, Complaint, Kind, OpenComplaint, Question, Verdict
from games.complaints.played import Played, played, played_since
from games.engine.verdicts import complaint_fee
from wallet import services as wallet
from wallet.errors import InsufficientFunds

WITHIN = timedelta(days=7)
MOST_DEALS = 10
ONE_DEAL = (Kind.COACHING, Kind.REVEAL)
"""Kinds that name one deal and one person."""
SHORTEST, LONGEST = 10, 2_000
"""Of what happened, in characters."""
ACCUSED = {Kind.COLLUSION: (2, 3), Kind.COACHING: (1, 1), Kind.REVEAL: (1, 1)}
"""How many people a kind may accuse; the others one to all."""
HOUSE = "house:complaints"


@wallet.retrying
def file(*, user: Any, kind: str, deals: Sequence[str], accused: Sequence[int], text: str) -> Complaint:
    """File a complaint and take its fee; returns it, joined with its case.

    `accused` are user ids. Raises Refused: unknown_kind, bad_text, no_such_deal (also for one where the player did not
    sit), too_many_deals, one_deal_only, other_people, too_old, practice, not_there, how_many_accused, already_open,
    fee_too_high (detail: the fee).
    """
    text = _checked_text(text)
    found = _deals_of(user, kind, deals)
    _check_accused(user, kind, found[0], accused)
    with transaction.atomic():
        case = _case(found, kind, accused)
        fee = complaint_fee(kind, found[0].terms) if found[0].currency == "coins" else 0
        _guard_open(user, kind, found)
        made = Complaint.objects.create(case=case, complainant=user, kind=kind, text=text, fee=fee)
        try:
            with transaction.atomic():
                OpenComplaint.objects.bulk_create(
                    OpenComplaint(complaint=made, complainant=user, deal_id=one.id, kind=kind)
                    for one in found
                )
        except IntegrityError:
            raise Refused("already_open") from None
        evidence.freeze(case=case, deals=found)
        if fee:
            _take_fee(user, made, fee)
        notices.tell(case=case, users=[user.pk], kind="filed", data={"complaint": made.pk, "fee": fee})
    return made


def fee_of(kind: str, deal: Played) -> int:
    """Return what filing costs, in coins."""
    return complaint_fee(kind, deal.terms) if deal.currency == "coins" else 0


def choice(user: Any, deal_id: str) -> tuple[Played, list[Played]]:
    """Return a deal, and it with the others that one complaint may name with it, newest first.

    Raises Refused: no_such_deal, too_old, practice.
    """
    (first,) = _deals_of(user, Kind.SPOILING, [deal_id])
    near = played_since(first.table_id, timezone.now() - WITHIN, 3 * MOST_DEALS)
    return first, [one for one in near if one.users == first.users]


@wallet.retrying
def withdraw(*, user: Any, complaint_id: int) -> Complaint:
    """Take a complaint back before it is taken up; its fee comes back. Raises Refused: no_such_complaint, taken_up."""
    with transaction.atomic():
        found = _own(user, complaint_id)
        case = Case.objects.select_for_update().get(pk=found.case_id)
        found = _own(user, complaint_id)
        if found.status != Complaint.Status.OPEN or case.status != Case.Status.OPEN:
            raise Refused("taken_up")
        _close(found, Complaint.Status.WITHDRAWN)
        if found.fee:
            legs = [wallet.Leg(HOUSE, -found.fee), wallet.Leg(user.pk, found.fee)]
            wallet.post(code="complaint_returned", reference=f"{found.reference}:withdrawn", legs=legs)
        if not case.complaints.filter(status=Complaint.Status.OPEN).exists():
            case.status = Case.Status.WITHDRAWN
            case.save(update_fields=["status"])
    return found


@transaction.atomic
def appeal(*, user: Any, case_id: int, text: str) -> Appeal:
    """Appeal against the first verdict of a case, once, within seven days of it.

    By whoever complained, was accused or was held guilty. Raises Refused: no_such_case, not_decided,
    already_appealed, too_late, bad_text.
    """
    text = _checked_text(text)
    case = Case.objects.select_for_update().filter(pk=case_id).first()
    if case is None or user.pk not in concerned(case):
        raise Refused("no_such_case")
    if Appeal.objects.filter(case=case).exists():
        raise Refused("already_appealed")
    verdict = case.verdicts.filter(number=1, final__isnull=False).first()
    if verdict is None or case.status != Case.Status.DECIDED:
        raise Refused("not_decided")
    if not appealable(verdict):
        raise Refused("too_late")
    made = Appeal.objects.create(case=case, by=user, text=text)
    case.status, case.taken_by = Case.Status.APPEALED, None
    case.save(update_fields=["status", "taken_by"])
    notices.tell(case=case, users=concerned(case), kind="appealed")
    return made


@transaction.atomic
def answer(*, user: Any, question_id: int, text: str) -> Question:
    """Answer what the staff asked, once. Raises Refused: no_such_question, answered, bad_text."""
    found = Question.objects.select_for_update().filter(pk=question_id, to=user).first()
    if found is None:
        raise Refused("no_such_question")
    if found.answered is not None:
        raise Refused("answered")
    found.answer, found.answered = _checked_text(text, shortest=1), timezone.now()
    found.save(update_fields=["answer", "answered"])
    staff_log.note(by=None, act="answered", subject=f"case:{found.case_id}", data={"question": found.pk})
    return found


def appealable(verdict: Verdict) -> bool:
    """Say whether a first verdict may still be appealed."""
    return verdict.number == 1 and verdict.final is not None and timezone.now() - verdict.final <= WITHIN


def concerned(case: Case) -> list[int]:
    """Return the user ids of those who complained (and did not withdraw), those accused, and those held guilty."""
    complained = case.complaints.exclude(status=Complaint.Status.WITHDRAWN)
    final = case.verdicts.filter(final__isnull=False)
    people = [
        *complained.values_list("complainant_id", flat=True),
        *case.accused.values_list("pk", flat=True),
        *(user for offenders in final.values_list("offenders", flat=True) for user in offenders),
    ]
    return list(dict.fromkeys(people))


def close_complaints(case: Case, status: str) -> None:
    """Close what is open of a case, with its verdict."""
    for complaint in case.complaints.filter(status=Complaint.Status.OPEN):
        _close(complaint, status)


def _close(complaint: Complaint, status: str) -> None:
    complaint.status = status
    complaint.save(update_fields=["status"])
    complaint.open.all().delete()


def _checked_text(text: str, shortest: int = SHORTEST) -> str:
    text = text.strip().replace("\0", "")
    if not shortest <= len(text) <= LONGEST:
        raise Refused("bad_text", f"{shortest}–{LONGEST}")
    return text


def _deals_of(user: Any, kind: str, deals: Sequence[str]) -> list[Played]:
    if kind not in Kind.values:
        raise Refused("unknown_kind")
    wanted = list(dict.fromkeys(deals))
    if not 0 < len(wanted) <= MOST_DEALS:
        raise Refused("too_many_deals", MOST_DEALS)
    if kind in ONE_DEAL and len(wanted) > 1:
        raise Refused("one_deal_only")
    found = played(wanted)
    if len(found) != len(wanted) or any(user.pk not in one.people for one in found):
        raise Refused("no_such_deal")
    if len({one.table_id for one in found}) > 1:
        raise Refused("other_people")
    if any(one.users != found[0].users for one in found):
        raise Refused("other_people")
    if any(timezone.now() - one.closed > WITHIN for one in found):
        raise Refused("too_old")
    if found[0].currency == "none":
        raise Refused("practice")
    return sorted(found, key=lambda one: one.number)


def _check_accused(user: Any, kind: str, deal: Played, accused: Sequence[int]) -> None:
    if user.pk in accused or not set(accused) <= set(deal.people):
        raise Refused("not_there")
    fewest, most = ACCUSED.get(Kind(kind), (1, len(deal.people) - 1))
    if len(set(accused)) != len(accused) or not fewest <= len(accused) <= most:
        raise Refused("how_many_accused", fewest)


def _case(found: Sequence[Played], kind: str, accused: Sequence[int]) -> Case:
    """Return the undecided case about the same people and deals, locked, or a new one."""
    content = [found[0].table_id, sorted(one.id for one in found), sorted(accused)]
    key = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    undecided = (Case.Status.OPEN, Case.Status.TAKEN, Case.Status.PROPOSED)
    there = Case.objects.select_for_update().filter(key=key, status__in=undecided)
    case = there.first()
    if case is None:
        try:
            with transaction.atomic():
                case = Case.objects.create(table_id=found[0].table_id, kind=kind, key=key)
                case.deals.set(one.id for one in found)  # type: ignore[misc]
                case.accused.set(accused)
        except IntegrityError:
            case = there.get()
    return case


def _guard_open(user: Any, kind: str, found: Sequence[Played]) -> None:
    deals = [one.id for one in found]
    if OpenComplaint.objects.filter(complainant=user, kind=kind, deal__in=deals).exists():
        raise Refused("already_open")


def _take_fee(user: Any, made: Complaint, fee: int) -> None:
    try:
        legs = [wallet.Leg(user.pk, -fee), wallet.Leg(HOUSE, fee)]
        wallet.post(code="complaint", reference=made.reference, legs=legs)
    except InsufficientFunds:
        raise Refused("fee_too_high", fee) from None


def _own(user: Any, complaint_id: int) -> Complaint:
    found = Complaint.objects.filter(pk=complaint_id, complainant=user).first()
    if found is None:
        raise Refused("no_such_complaint")
    return found
