"""Carrying verdicts out: once, however often the task runs or dies.

All that a verdict does to coins, points and rights is one database transaction, in which the verdict is marked as
carried out. A second verdict of a case first takes back all that the first one did.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone

from accounts import restrictions
from games import settling
from games.complaints import staff_log
from games.complaints.models import Case, Verdict
from games.complaints.reckoning import Move
from games.engine.verdicts import ZEROED
from wallet import debts
from wallet import services as wallet
from wallet.debts import Charge

logger = structlog.get_logger(__name__)


def carry_out_all() -> int:
    """Carry out every final verdict that was not yet; one that fails stops no other. Return how many were."""
    due = Verdict.objects.filter(final__isnull=False, carried_out__isnull=True).order_by("pk")
    done = 0
    for pk in list(due.values_list("pk", flat=True)):
        try:
            done += carry_out(verdict_id=pk)
        except Exception:
            logger.exception("verdict_failed", verdict=pk)
    return done


@wallet.retrying
def carry_out(*, verdict_id: int) -> bool:
    """Carry one verdict out; False when it was done before or is not final."""
    with transaction.atomic():
        case_id = Verdict.objects.values_list("case_id", flat=True).get(pk=verdict_id)
        Case.objects.select_for_update().get(pk=case_id)
        verdict = Verdict.objects.select_for_update().get(pk=verdict_id)
        if verdict.final is None or verdict.carried_out is not None:
            return False
        first = Verdict.objects.filter(case=case_id, number__lt=verdict.number).select_for_update().first()
        if first is not None and first.undone is not None:
            first = None
        _set_points(first, verdict)
        if first is not None:
            _take_back(first)
        _do(verdict)
        verdict.carried_out = timezone.now()
        verdict.save(update_fields=["carried_out"])
        staff_log.note(by=None, act="carried_out", subject=f"case:{case_id}", data={"verdict": verdict.pk})
    return True


def _set_points(first: Verdict | None, verdict: Verdict) -> None:
    """Give the points again that a first verdict took, take those that this one takes; before wallets are locked."""
    if first is not None and first.carried_out is not None and _zeroes(first):
        settling.give_again(deals=first.deals)
    if _zeroes(verdict):
        settling.take_back(deals=verdict.deals)


def _zeroes(verdict: Verdict) -> bool:
    return verdict.outcome == Verdict.Outcome.UPHELD and verdict.kind in ZEROED


def _do(verdict: Verdict) -> None:
    if verdict.outcome == Verdict.Outcome.UPHELD:
        moves = [_move(move) for move in verdict.moves]
        debts.carry_out(
            verdict=verdict.reference,
            pays=[
                wallet.Leg(move.user, max(move.undone, 0) + move.returned)
                for move in moves
                if move.undone > 0 or move.returned
            ],
            takes=[
                wallet.Leg(move.user, -move.undone) for move in moves if move.undone < 0 and not move.offender
            ],
            borne=sum(move.undone - move.fees + move.returned for move in moves),
            charges=[charge for move in moves if move.offender for charge in _charges(move)],
        )
    for one in verdict.restrictions:
        restrictions.restrict(
            user_id=one["user"],
            kind=one["kind"],
            ends=_ends(one["days"]),
            cause=verdict.kind,
            reference=verdict.reference,
        )


def _charges(move: Move) -> list[Charge]:
    return [
        Charge(move.user, "undone", max(-move.undone, 0)),
        Charge(move.user, "fee", move.fees),
        Charge(move.user, "fine", move.fine, move.shares),
    ]


def _take_back(verdict: Verdict) -> None:
    """Undo what a first verdict did to coins and rights; if it was not carried out yet, it never is."""
    if verdict.carried_out is not None and verdict.outcome == Verdict.Outcome.UPHELD:
        debts.undo(verdict=verdict.reference)
    restrictions.lift(reference=verdict.reference)
    verdict.undone = timezone.now()
    verdict.carried_out = verdict.carried_out or verdict.undone
    verdict.save(update_fields=["undone", "carried_out"])


def _move(stored: dict[str, Any]) -> Move:
    return Move(**{**stored, "shares": tuple((user, amount) for user, amount in stored["shares"])})


def _ends(days: int | None) -> datetime | None:
    return None if days is None else timezone.now() + timedelta(days=days)
