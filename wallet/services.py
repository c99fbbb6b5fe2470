"""Everything that moves or sets aside coins. Each service is one database transaction, or part of the
caller's.

Wallets are locked first, in the order of their keys; what is refused is refused before anything is written,
so a caller may go on with its own transaction. Every service is named by a reference and does its work
once: the same reference with the same content returns what was done, with other content it is refused.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Sum
from django.db.transaction import atomic
from django.utils import timezone

from wallet.debts import collect
from wallet.errors import ReferenceReused, UnknownWallet
from wallet.models import ISSUANCE, SYSTEM_WALLETS, Entry, Hold, Transaction, Wallet
from wallet.posting import (
    Change,
    Leg,
    Reservation,
    WalletRef,
    apply,
    changes_of,
    check_amount,
    check_funds,
    check_names,
    debtors_of,
    find_holds,
    lock,
    move,
    own_transaction,
    ref_of,
)
from wallet.retry import retrying
from wallet.statement import Line, Only, OpenHold, Point, open_holds, series, statement

__all__ = [
    "Balance",
    "Leg",
    "Line",
    "Only",
    "OpenHold",
    "Point",
    "Reservation",
    "WalletRef",
    "balance",
    "balances",
    "grant",
    "hold",
    "hold_all",
    "house_balance",
    "open_holds",
    "open_wallet",
    "post",
    "release",
    "release_all",
    "retrying",
    "reverse",
    "series",
    "statement",
]


class Balance(NamedTuple):
    """What a wallet has, what of it is held, and what other debits may draw on."""

    total: int
    held: int

    @property
    def available(self) -> int:
        """Return the coins that no hold covers."""
        return self.total - self.held


@retrying
def post(
    *,
    code: str,
    reference: str,
    legs: Iterable[Leg],
    close_holds: Sequence[str] = (),
    reversal_of: Transaction | None = None,
    note: str = "",
) -> Transaction:
    """Move coins in one sealed transaction and close holds with it; return the transaction.

    A debit draws on what is available once `close_holds` are closed; what comes in pays debts in the same
    transaction (`wallet.debts`). Legs of 0 coins are left out. Raises
    InsufficientFunds, ReferenceReused, UnbalancedLegs, BadAmount, UnknownWallet, UnknownHold, HoldClosed,
    and for a reversal NotAMirror and AlreadyReversed.
    """
    with own_transaction():
        made, debtors = move(
            code=code,
            reference=reference,
            legs=legs,
            close_holds=close_holds,
            reversal_of=reversal_of,
            note=note,
        )
        collect(debtors)
        return made


@retrying
def hold(*, user_id: int, reference: str, amount: int) -> Hold:
    """Set coins of a player aside; raises InsufficientFunds when less than that is available."""
    return hold_all(reservations=[Reservation(user_id, reference, amount)])[0]


@retrying
def hold_all(*, reservations: Sequence[Reservation]) -> list[Hold]:
    """Set coins of several players aside, all or none; return the holds in the order asked for."""
    for _, reference, amount in reservations:
        check_names("hold", reference)
        check_amount(amount, least=1)
    wanted = {reservation.reference: reservation for reservation in reservations}
    if len(wanted) != len(reservations):
        raise ReferenceReused("one reference for two holds")
    with own_transaction():
        wallets = lock(legs=[Leg(r.user_id, r.amount) for r in reservations])
        there = {hold.reference: hold for hold in Hold.objects.filter(reference__in=wanted)}
        for reference, found in there.items():
            user_id, _, amount = wanted[reference]
            if (found.wallet_id, found.amount) != (wallets[user_id].pk, amount):
                raise ReferenceReused(reference)
        missing = [r for r in reservations if r.reference not in there]
        changes = {ref: Change(wallet.pk) for ref, wallet in wallets.items()}
        for user_id, _, amount in missing:
            changes[user_id] = changes[user_id].plus(held=amount)
        check_funds(changes, wallets)
        new = [Hold(wallet=wallets[r.user_id], reference=r.reference, amount=r.amount) for r in missing]
        with atomic(savepoint=False):
            there |= {made.reference: made for made in Hold.objects.bulk_create(new)}
            apply(changes)
        return [there[reference] for reference in wanted]


@retrying
def release(*, reference: str) -> Hold:
    """Close a hold without moving coins; one that is closed stays as it is. Raises UnknownHold."""
    return release_all(references=[reference])[0]


@retrying
def release_all(*, references: Sequence[str]) -> list[Hold]:
    """Close several holds without moving coins; those closed before stay as they are."""
    with own_transaction():
        wallets = lock(wallet_ids={found.wallet_id for found in find_holds(references)})
        holds = find_holds(references)
        changes = changes_of([], [found for found in holds if found.closed is None], wallets)
        with atomic(savepoint=False):
            now = timezone.now()
            Hold.objects.filter(pk__in=[found.pk for found in holds], closed=None).update(closed=now)
            apply(changes)
        collect(debtors_of(changes, wallets))
        for found in holds:
            found.closed = found.closed or now
        return holds


@retrying
def open_wallet(*, user_id: int) -> Wallet:
    """Return the wallet of a user, opened empty if there is none."""
    found = Wallet.objects.filter(user_id=user_id).first()
    if found is not None:
        return found
    Wallet.objects.bulk_create([Wallet(user_id=user_id)], ignore_conflicts=True)
    return Wallet.objects.get(user_id=user_id)


@retrying
def grant(*, user_id: int, amount: int, reference: str, code: str = "grant", note: str = "") -> Transaction:
    """Give new coins to a player, whose wallet is opened if there is none."""
    check_amount(amount, least=1)
    with own_transaction():
        open_wallet(user_id=user_id)
        return post(
            code=code, reference=reference, legs=[Leg(ISSUANCE, -amount), Leg(user_id, amount)], note=note
        )


@retrying
def reverse(
    *, transaction: Transaction, reference: str, code: str = "reversal", note: str = ""
) -> Transaction:
    """Move back, once, exactly what a transaction moved; the holds it closed stay closed."""
    with own_transaction():
        legs = [
            Leg(ref_of(entry.wallet), -entry.amount) for entry in transaction.entries.select_related("wallet")
        ]
        return post(code=code, reference=reference, legs=legs, reversal_of=transaction, note=note)


def balance(user_id: int) -> Balance:
    """Return the balance of a player; nothing at all for one without a wallet."""
    return balances([user_id]).get(user_id, Balance(0, 0))


def balances(user_ids: Iterable[int], *, for_update: bool = False) -> dict[int, Balance]:
    """Return balances by user id; with `for_update` their wallets stay locked until the transaction ends."""
    wallets = Wallet.objects.filter(user_id__in=list(user_ids)).order_by("pk")
    if for_update:
        wallets = wallets.select_for_update(no_key=True)
    return {
        user_id: Balance(total, held)
        for user_id, total, held in wallets.values_list("user_id", "balance", "held")
    }


def house_balance(code: str, *, for_update: bool = False) -> int:
    """Return the coins of a wallet of the house; with `for_update` others that ask so wait their turn.

    Settlements that pay into it do not wait: what they commit later is not in this sum.
    """
    if code not in SYSTEM_WALLETS:
        raise UnknownWallet(code)
    wallets = Wallet.objects.filter(pk=SYSTEM_WALLETS[code])
    if for_update:
        wallets = wallets.select_for_update(no_key=True)
    wallet = wallets.get()
    if wallet.keeps_balance:
        return wallet.balance
    total: int | None = Entry.objects.filter(wallet=wallet).aggregate(total=Sum("amount"))["total"]
    return int(total or 0)
