"""The books in a few figures, for those who look after the house."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Max, Sum

from wallet.models import (
    ISSUANCE,
    SYSTEM_WALLETS,
    Adjustment,
    AuditRun,
    Debt,
    Entry,
    Hold,
    Transaction,
    Wallet,
)


class Books(NamedTuple):
    """What there is: coins ever issued and not taken back, who has them, and what of them is held.

    `issued` = `players` + the sum of `house`, or the books are wrong.
    """

    issued: int
    players: int
    house: dict[str, int]
    wallets: int
    held: int
    open_holds: int


def books() -> Books:
    """Return the figures of this moment, in three queries."""
    system = system_balances()
    people = Wallet.objects.filter(user__isnull=False).aggregate(
        total=Sum("balance", default=0), held=Sum("held", default=0), wallets=Count("pk")
    )
    return Books(
        issued=-system.pop(ISSUANCE, 0),
        players=people["total"],
        house=system,
        wallets=people["wallets"],
        held=people["held"],
        open_holds=Hold.objects.filter(closed__isnull=True).count(),
    )


def system_balances() -> dict[str, int]:
    """Return what each wallet of the house has, issuance among them, in the order of SYSTEM_WALLETS."""
    rows = (
        Entry.objects.filter(wallet__in=SYSTEM_WALLETS.values())
        .values_list("wallet_id")
        .annotate(total=Sum("amount"))
    )
    sums = dict(rows)
    return {name: int(sums.get(key, 0)) for name, key in SYSTEM_WALLETS.items()}


class Keeping(NamedTuple):
    """How the books are kept: open debts and what is owed, corrections that wait, the last audit and the last split."""

    debts: int
    owed: int
    corrections: int
    audited: datetime | None
    breaches: int
    split: datetime | None


def keeping() -> Keeping:
    """Return the figures of this moment, in five queries."""
    last = AuditRun.objects.order_by("-ended").first()
    return Keeping(
        debts=Debt.objects.filter(closed__isnull=True).count(),
        owed=Wallet.objects.filter(owed__gt=0).aggregate(all=Sum("owed", default=0))["all"],
        corrections=Adjustment.objects.filter(status=Adjustment.Status.ASKED).count(),
        audited=None if last is None else last.ended,
        breaches=0 if last is None else len(last.breaches),
        split=Transaction.objects.filter(code="split").aggregate(last=Max("created"))["last"],
    )
