"""What a verdict would move, person by person, before it moves (RULES §3, "Penalties by verdict").

The engine reckons by seats; here its answer is turned into people. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings

from accounts.restrictions import KINDS as RESTRICTIONS
from games.complaints.errors import BadVerdict
from games.complaints.filing import ACCUSED, ONE_DEAL
from games.complaints.models import Case, Complaint, Kind, Verdict
from games.complaints.played import Played, played
from games.engine import verdicts as engine
from wallet import services as wallet

TEXTS = {
    Verdict.Outcome.UPHELD: ("upheld", "upheld_first", "upheld_other"),
    Verdict.Outcome.REJECTED: ("no_proof", "within_rules", "skill_or_luck"),
}
"""Prepared answers; their words are in `wording`."""
LONGEST_DAYS = 3_650


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


def preview(case: Case, form: Form) -> Preview:
    """Reckon what a verdict moves, and move nothing. Raises BadVerdict, with what does not fit."""
    deals = played(ids_of(case))
    _check(case, form, deals)
    return _reckoned(case, form, deals)


def _check(case: Case, form: Form, deals: Sequence[Played]) -> None:
    if form.outcome not in Verdict.Outcome.values or form.kind not in Kind.values:
        raise BadVerdict("unknown_kind")
    if form.text not in TEXTS[Verdict.Outcome(form.outcome)]:
        raise BadVerdict("no_text")
    if not form.reasons.strip():
        raise BadVerdict("no_reasons")
    people, named = set(deals[0].people), {one.id for one in deals}
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
    fewest, most = ACCUSED.get(Kind(form.kind), (0, len(people) - 1))
    if not fewest <= len(form.offenders) <= most or len(form.offenders) == len(people):
        raise BadVerdict("offenders")
    if form.kind in ONE_DEAL and len(form.deals) != 1:
        raise BadVerdict("one_deal_only")
    if form.kind in engine.ZEROED and _zeroed(form.deals, but=case):
        raise BadVerdict("zeroed_before")


def ids_of(case: Case) -> list[str]:
    return list(case.deals.order_by("number").values_list("pk", flat=True))


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
    named = [one for one in deals if one.id in form.deals]
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
            landlord=first.landlord if form.kind in ONE_DEAL else None,
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
