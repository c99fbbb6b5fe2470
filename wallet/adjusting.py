"""Corrections: the only way in which the staff move coins by hand.

A correction is asked for with a reason and posted once, by its own reference, against the house's revenue: what the
house got wrong the house pays, and no coin is made or unmade. Above ADJUSTMENT_SECOND_ABOVE coins, counted with all
that was corrected for the same player within a day, a second person posts it. Nobody corrects his own wallet.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Abs
from django.utils import timezone

from wallet.errors import WalletError
from wallet.models import MAX_COINS, REVENUE, Adjustment, Wallet
from wallet.posting import Leg
from wallet.retry import retrying
from wallet.services import post

A_DAY: Final = timedelta(days=1)
LONGEST: Final = 500
"""Of a reason, in characters."""

Note = Callable[[Any, str, str, dict[str, Any]], None]
_notes: list[Note] = []


class AdjustmentRefused(WalletError):
    """A correction is not taken; nothing moved. Codes: bad_amount, no_reason, no_wallet, own_wallet, second_person,
    not_waiting."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__()


def note_with(note: Note) -> None:
    """Have every step of a correction written down by `note(by, act, subject, data)`, in its transaction."""
    if note not in _notes:
        _notes.append(note)


@retrying
def ask(*, staff: Any, user_id: int, amount: int, reason: str) -> Adjustment:
    """Ask for a correction of a player's coins (negative: he gives some back); small ones are posted at once.

    Raises AdjustmentRefused, and InsufficientFunds when he has less at hand than he should give back.
    """
    reason = reason.replace("\0", "").strip()
    if amount == 0 or abs(amount) > MAX_COINS:
        raise AdjustmentRefused("bad_amount")
    if not 0 < len(reason) <= LONGEST:
        raise AdjustmentRefused("no_reason")
    if user_id == staff.pk:
        raise AdjustmentRefused("own_wallet")
    with transaction.atomic():
        # Locked, so that two asked for at once are counted together.
        wallet = Wallet.objects.select_for_update().filter(user_id=user_id).first()
        if wallet is None:
            raise AdjustmentRefused("no_wallet")
        made = Adjustment.objects.create(
            user_id=user_id,
            amount=amount,
            reason=reason,
            requested_by=staff,
            needs_second=_corrected_lately(user_id) + abs(amount) > settings.ADJUSTMENT_SECOND_ABOVE,
        )
        _note(staff, "correction_asked", made)
        if not made.needs_second:
            _post(made, staff)
    return made


@retrying
def confirm(*, staff: Any, adjustment_id: int) -> Adjustment:
    """Post a correction that waits, as a second person. Raises AdjustmentRefused, InsufficientFunds."""
    with transaction.atomic():
        made = _waiting(staff, adjustment_id)
        _post(made, staff)
    return made


@transaction.atomic
def refuse(*, staff: Any, adjustment_id: int) -> Adjustment:
    """Refuse a correction that waits; whoever asked for it may take it back so. Raises AdjustmentRefused."""
    made = _waiting(staff, adjustment_id, also_own=True)
    made.status, made.decided_by, made.decided = Adjustment.Status.REFUSED, staff, timezone.now()
    made.save(update_fields=["status", "decided_by", "decided"])
    _note(staff, "correction_refused", made)
    return made


def _waiting(staff: Any, adjustment_id: int, also_own: bool = False) -> Adjustment:
    made = Adjustment.objects.select_for_update().filter(pk=adjustment_id).first()
    if made is None or made.status != Adjustment.Status.ASKED:
        raise AdjustmentRefused("not_waiting")
    if made.user_id == staff.pk:
        raise AdjustmentRefused("own_wallet")
    if made.requested_by_id == staff.pk and not also_own:
        raise AdjustmentRefused("second_person")
    return made


def _post(made: Adjustment, staff: Any) -> None:
    legs = [Leg(REVENUE, -made.amount), Leg(made.user_id, made.amount)]
    post(code="adjustment", reference=made.reference, legs=legs, note=made.reason[:200])
    made.status, made.decided_by, made.decided = Adjustment.Status.POSTED, staff, timezone.now()
    made.save(update_fields=["status", "decided_by", "decided"])
    _note(staff, "correction_posted", made)


def _corrected_lately(user_id: int) -> int:
    """Return how many coins were corrected for a player within a day, both ways, and wait to be."""
    lately = Adjustment.objects.filter(user_id=user_id, requested__gt=timezone.now() - A_DAY)
    counted = lately.exclude(status=Adjustment.Status.REFUSED).aggregate(all=Sum(Abs("amount")))
    return int(counted["all"] or 0)


def _note(staff: Any, act: str, made: Adjustment) -> None:
    data = {"adjustment": made.pk, "amount": made.amount, "reason": made.reason}
    for note in _notes:
        note(staff, act, f"user:{made.user_id}", data)
