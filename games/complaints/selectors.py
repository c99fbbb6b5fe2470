"""Cases as those concerned may see them: one's own complaints, what one was told, and what a verdict moves for oneself.

Nobody learns here who complained, what others pay, or that a verdict waits for a second person.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, Q, QuerySet, Sum

from accounts import restrictions
from games import finished
from games.complaints import filing, notices
from games.complaints.models import Appeal, Case, Complaint, Kind, Notice, Question, Verdict
from wallet import debts, lookup

LISTED = 100


class Step(NamedTuple):
    """Something that happened in a case: a code for its words, and when."""

    code: str
    at: datetime


class Row(NamedTuple):
    """A case in somebody's list. `part`: complained, accused, or touched by a verdict."""

    case: Case
    part: str
    kinds: list[str]
    state: str
    news: datetime
    unread: bool
    last: str


class Seen(NamedTuple):
    """A case as one of those concerned sees it; `state` is a key of `wording.STATES`."""

    case: Case
    part: str
    state: str
    kinds: list[str]
    deals: list[Any]
    names: list[str]
    complaints: list[Complaint]
    questions: list[Question]
    steps: list[Step]
    verdicts: list[Verdict]
    verdict: Verdict | None
    appeal: Appeal | None
    appeal_until: datetime | None
    unread: int


class Own(NamedTuple):
    """What a case has meant for one person: ledger lines, what a verdict comes to, what he owes, what restricts him."""

    lines: list[lookup.Moved]
    total: int
    parts: list[tuple[str, int]]
    points: int
    owed: int
    restrictions: list[Any]


def unread_of(user: OuterRef) -> QuerySet[Any, Any]:
    """Return how many notices somebody has not read, to be joined to a query about him."""
    found = Notice.objects.filter(user_id=user, read__isnull=True).order_by()
    return found.values("user").annotate(unread=Count("pk")).values("unread")


def list_of(user_id: int) -> list[Row]:
    """Return the cases somebody has a part in, that with the newest news first."""
    told: dict[int, list[Notice]] = {}
    for notice in notices.of(user_id, 4 * LISTED):
        told.setdefault(notice.case_id, []).append(notice)
    found = Case.objects.filter(pk__in=told).select_related("table")
    cases = found.prefetch_related("complaints", "verdicts", "accused")
    rows = [_row(case, told[case.pk], user_id) for case in cases]
    return sorted(rows, key=lambda row: (row.news, row.case.pk), reverse=True)[:LISTED]


def case_of(user_id: int, case_id: int) -> Seen | None:
    """Return a case as somebody may see it, None for whoever has no part in it."""
    case = Case.objects.filter(pk=case_id).select_related("table").first()
    told = list(Notice.objects.filter(user_id=user_id, case_id=case_id).order_by("pk"))
    if case is None or not told:
        return None
    mine = _complaints_of(case, user_id)
    part = _part(case, mine, user_id)
    open_to_him = part != "withdrew"
    verdicts = _final(case) if open_to_him else []
    appeal = Appeal.objects.filter(case=case).first() if open_to_him else None
    asked = case.questions.filter(to_id=user_id).order_by("pk")
    questions = list(asked) if open_to_him else []
    return Seen(
        case=case,
        part=part,
        state=_state(case, mine, part, verdicts),
        kinds=_kinds(case, mine, part),
        deals=list(case.deals.select_related("table").order_by("number")),
        names=_named(case),
        complaints=mine,
        questions=questions,
        steps=_steps(mine, questions, verdicts, appeal, told if open_to_him else []),
        verdicts=verdicts,
        verdict=verdicts[-1] if verdicts else None,
        appeal=appeal,
        appeal_until=_appealable(case, verdicts, appeal, user_id),
        unread=sum(notice.read is None for notice in told),
    )


def own(user_id: int, seen: Seen) -> Own:
    """Return what a case has meant for somebody who sees it."""
    subjects = [one.reference for one in seen.complaints] + [one.reference for one in seen.verdicts]
    lines = lookup.lines_about(user_id, subjects)
    verdict = seen.verdict
    move = next((one for one in verdict.moves if one["user"] == user_id), None) if verdict else None
    parts: list[tuple[str, int]] = []
    if move is not None:
        amounts = {
            "undone": move["undone"],
            "fee": -move["fees"],
            "fine": -move["fine"],
            "returned": move["returned"],
            "share": move["share"],
        }
        parts = [(part, amount) for part, amount in amounts.items() if amount]
    references = {one.reference for one in seen.verdicts}
    return Own(
        lines=lines,
        total=sum(line.amount for line in lines),
        parts=parts,
        points=move["points"] if move else 0,
        owed=sum(one.owed - one.paid for one in debts.debts_of(user_id) if one.verdict in references),
        restrictions=[one for one in restrictions.standing(user_id) if one.reference in references],
    )


def with_a_part(user_id: int) -> QuerySet[Any, Any]:
    """Return the ids of the cases in which somebody complained, is accused, or sat: they are not his at the desk."""
    sat = Q(deals__results__user=user_id)
    found = Case.objects.filter(sat | Q(accused=user_id) | Q(complaints__complainant=user_id))
    return found.order_by().values("pk").distinct()


def fees_waiting(user_id: int) -> int:
    """Return the fees somebody paid for complaints that are not answered yet: by withdrawing they come back."""
    mine = Complaint.objects.filter(complainant_id=user_id, status=Complaint.Status.OPEN)
    return int(mine.aggregate(fees=Sum("fee"))["fees"] or 0)


def case_behind(user_id: int, reference: str) -> int | None:
    """Return the case a ledger reference ("complaint:7", "verdict:3") leads somebody to, None if it is not his."""
    kind, _, number = reference.partition(":")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        return None
    told = Notice.objects.filter(user_id=user_id)
    if kind == "complaint":
        found = told.filter(case__complaints=int(number), case__complaints__complainant=user_id)
    elif kind == "verdict":
        found = told.filter(case__verdicts=int(number), case__verdicts__final__isnull=False)
    else:
        return None
    return found.values_list("case_id", flat=True).first()


def question_to(user_id: int, question_id: int) -> Question | None:
    """Return what somebody was asked, None when it was another."""
    return Question.objects.filter(pk=question_id, to_id=user_id).first()


def _row(case: Case, told: Sequence[Notice], user_id: int) -> Row:
    mine = [one for one in case.complaints.all() if one.complainant_id == user_id]
    part = _part(case, mine, user_id)
    verdicts = [one for one in case.verdicts.all() if one.final] if part != "withdrew" else []
    return Row(
        case=case,
        part=part,
        kinds=_kinds(case, mine, part),
        state=_state(case, mine, part, sorted(verdicts, key=lambda one: one.number)),
        news=told[0].created,
        unread=any(notice.read is None for notice in told),
        last=told[0].kind,
    )


def _complaints_of(case: Case, user_id: int) -> list[Complaint]:
    return list(case.complaints.filter(complainant_id=user_id).order_by("pk"))


def _part(case: Case, mine: Sequence[Complaint], user_id: int) -> str:
    """Return what somebody told of a case has to do with it: complained, withdrew, accused or touched."""
    if any(one.status != Complaint.Status.WITHDRAWN for one in mine):
        return "complained"
    if mine:
        return "withdrew"
    return "accused" if user_id in {user.pk for user in case.accused.all()} else "touched"


def _kinds(case: Case, mine: Sequence[Complaint], part: str) -> list[str]:
    """Return what it is about: one's own complaints; for the others, what is complained of and stands."""
    about = mine if part in ("complained", "withdrew") else case.complaints.all()
    standing = [one for one in about if one.status != Complaint.Status.WITHDRAWN] or list(about)
    return [Kind(kind) for kind in dict.fromkeys(one.kind for one in standing)]


def _state(case: Case, mine: Sequence[Complaint], part: str, verdicts: Sequence[Verdict]) -> str:
    if part == "withdrew" or case.status == Case.Status.WITHDRAWN:
        return "withdrawn"
    if case.status == Case.Status.APPEALED:
        return "appealed"
    if verdicts:
        return verdicts[-1].outcome
    return "open" if case.status == Case.Status.OPEN else "taken"


def _final(case: Case) -> list[Verdict]:
    return list(case.verdicts.filter(final__isnull=False).order_by("number"))


def _named(case: Case) -> list[str]:
    """Return the names of the accused as they were at the table."""
    accused = set(case.accused.values_list("pk", flat=True))
    deal = case.deals.select_related("table").order_by("number").first()
    if deal is None:
        return []
    found = finished.read(deal)
    seats = zip(found.names, found.opened.seats, strict=True)
    return [name for name, seat in seats if seat.get("user") in accused]


def _steps(
    mine: Sequence[Complaint],
    questions: Iterable[Question],
    verdicts: Iterable[Verdict],
    appeal: Appeal | None,
    told: Iterable[Notice],
) -> list[Step]:
    """Return what somebody may know of the course of a case, in order."""
    steps = [Step("filed", one.created) for one in mine[:1]]
    steps += [Step("taken_up", one.created) for one in told if one.kind == "taken_up"]
    for question in questions:
        steps.append(Step("asked", question.asked))
        if question.answered:
            steps.append(Step("answered", question.answered))
    for verdict in verdicts:
        assert verdict.final is not None
        steps.append(Step(verdict.outcome, verdict.final))
        if verdict.undone:
            steps.append(Step("set_aside", verdict.undone))
        elif verdict.carried_out:
            steps.append(Step("carried_out", verdict.carried_out))
    if appeal is not None:
        steps.append(Step("appealed", appeal.created))
    return sorted(steps, key=lambda step: step.at)


def _appealable(
    case: Case, verdicts: Sequence[Verdict], appeal: Appeal | None, user_id: int
) -> datetime | None:
    """Return until when somebody may appeal, None when he may not."""
    if appeal is not None or case.status != Case.Status.DECIDED or not verdicts:
        return None
    first = verdicts[0]
    if first.final is None or not filing.appealable(first) or user_id not in filing.concerned(case):
        return None
    return first.final + filing.WITHIN
