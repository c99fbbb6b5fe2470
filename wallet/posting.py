"""The steps of which the services are made: what they refuse, what they lock, what they write.

All of it runs inside of a transaction. A step that refuses comes before every step that writes, but for
one: a hold that someone else closed in between.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, cast

from django.db import connection
from django.db.models import Q
from django.db.transaction import atomic, get_connection

from wallet.errors import (
    AlreadyReversed,
    BadAmount,
    BadReference,
    HoldClosed,
    InsufficientFunds,
    NotAMirror,
    ReferenceReused,
    UnbalancedLegs,
    UnknownHold,
    UnknownWallet,
)
from wallet.models import MAX_COINS, SYSTEM_WALLETS, Entry, Hold, Transaction, Wallet

WalletRef = int | str
"""A player's wallet by his user id, or one of the house by its code."""


class Leg(NamedTuple):
    """Coins that come into a wallet; negative when they leave it."""

    wallet: WalletRef
    amount: int


class Reservation(NamedTuple):
    """A hold to be placed: `amount` coins of a player, under a reference of its own."""

    user_id: int
    reference: str
    amount: int


class Change(NamedTuple):
    """What is added to the row of one wallet."""

    wallet_id: int
    balance: int = 0
    held: int = 0

    def plus(self, *, balance: int = 0, held: int = 0) -> "Change":
        """Return the change with more added."""
        return self._replace(balance=self.balance + balance, held=self.held + held)


def own_transaction() -> AbstractContextManager[None]:
    """Return an atomic block of our own, or nothing where the caller has one."""
    return nullcontext() if get_connection().in_atomic_block else atomic()


def ref_of(wallet: Wallet) -> WalletRef:
    """Return how callers name a wallet."""
    return wallet.code if wallet.code is not None else cast(int, wallet.user_id)


def check_names(code: str, *references: str) -> None:
    """Refuse codes and references that are empty or too long for their columns."""
    if not 0 < len(code) <= 40:
        raise BadReference(code[:60])
    for reference in references:
        if not 0 < len(reference) <= 120 or "\0" in reference:
            raise BadReference(reference[:60])


def check_amount(amount: int, *, least: int = -MAX_COINS) -> None:
    """Refuse what is no whole number of coins, or out of bounds."""
    if type(amount) is not int or not least <= amount <= MAX_COINS:
        raise BadAmount(repr(amount))


def moving(legs: Iterable[Leg]) -> list[Leg]:
    """Return the legs that move coins; they sum to 0 and are at least two."""
    legs = list(legs)
    for leg in legs:
        check_amount(leg.amount)
    moving = [leg for leg in legs if leg.amount]
    total = sum(leg.amount for leg in moving)
    if total or len(moving) < 2:
        raise UnbalancedLegs(f"{len(moving)} legs, sum {total}")
    return moving


def find_holds(references: Sequence[str]) -> list[Hold]:
    """Return the holds of these references in that order, read without a lock; their wallets guard them."""
    if not references:
        return []
    found = {hold.reference: hold for hold in Hold.objects.filter(reference__in=references)}
    missing = [reference for reference in references if reference not in found]
    if missing:
        raise UnknownHold(", ".join(missing))
    return [found[reference] for reference in dict.fromkeys(references)]


def lock(*, legs: Sequence[Leg] = (), wallet_ids: Iterable[int] = ()) -> dict[WalletRef, Wallet]:
    """Lock the wallets that keep a balance, in the order of their keys; return all wallets asked for.

    Wallets of the house without a balance are no hot rows: they are locked only when nothing else is, so
    that a transaction among them is still written once.
    """
    for leg in legs:
        if leg.wallet not in SYSTEM_WALLETS and type(leg.wallet) is not int:
            raise UnknownWallet(repr(leg.wallet))
    codes = {leg.wallet for leg in legs if isinstance(leg.wallet, str)}
    users = {leg.wallet for leg in legs} - codes
    house: dict[WalletRef, Wallet] = {code: Wallet(pk=SYSTEM_WALLETS[code], code=code) for code in codes}
    keys = {wallet.pk for wallet in house.values() if wallet.keeps_balance} | set(wallet_ids)
    if not users and not keys:
        keys = {wallet.pk for wallet in house.values()}
    rows = Wallet.objects.select_for_update(no_key=True).filter(Q(user_id__in=users) | Q(pk__in=keys))
    wallets: dict[WalletRef, Wallet] = {ref_of(wallet): wallet for wallet in rows.order_by("pk")}
    missing = users - wallets.keys()
    if missing:
        raise UnknownWallet(f"of user {', '.join(map(str, missing))}")
    return {**house, **wallets}


def changes_of(
    legs: Sequence[Leg], closing: Sequence[Hold], wallets: Mapping[WalletRef, Wallet]
) -> dict[WalletRef, Change]:
    """Return what changes in the rows of the wallets that keep a balance."""
    changes = {ref: Change(wallet.pk) for ref, wallet in wallets.items() if wallet.keeps_balance}
    for ref, amount in legs:
        if ref in changes:
            changes[ref] = changes[ref].plus(balance=amount)
    owners = {wallet.pk: ref for ref, wallet in wallets.items()}
    for closed in closing:
        ref = owners[closed.wallet_id]
        changes[ref] = changes[ref].plus(held=-closed.amount)
    return changes


def check_funds(changes: Mapping[WalletRef, Change], wallets: Mapping[WalletRef, Wallet]) -> None:
    """Refuse changes after which a wallet would not cover its holds, or hold too much."""
    for ref, change in changes.items():
        wallet = wallets[ref]
        total, held = wallet.balance + change.balance, wallet.held + change.held
        if total < held:
            needed = max(-change.balance, 0) + max(change.held, 0)
            available = wallet.balance - wallet.held - min(change.held, 0)
            raise InsufficientFunds(user_id=wallet.user_id, needed=needed, available=available)
        if total > MAX_COINS:
            raise BadAmount(f"{wallet} would hold {total}")


def check_open(holds: Iterable[Hold]) -> None:
    """Refuse holds that are closed."""
    closed = [hold.reference for hold in holds if hold.closed is not None]
    if closed:
        raise HoldClosed(", ".join(closed))


def write(made: Transaction, entries: Sequence[Entry], closing: Sequence[Hold]) -> None:
    """Insert the entries, then the transaction, which seals them, and close the holds; raises HoldClosed."""
    with atomic(savepoint=False):
        if closing:
            holds = Hold.objects.filter(pk__in=[hold.pk for hold in closing], closed=None)
            if holds.update(closed=made.created, closed_by_id=made.pk) != len(closing):
                raise HoldClosed(", ".join(hold.reference for hold in closing))
        Entry.objects.bulk_create(entries)
        made.save(force_insert=True)


def apply(changes: Mapping[WalletRef, Change]) -> None:
    """Change the rows of locked wallets."""
    rows = [(c.balance, c.held, c.wallet_id) for c in changes.values() if c.balance or c.held]
    if rows:
        with atomic(savepoint=False), connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE wallet_wallet SET balance = balance + %s, held = held + %s WHERE id = %s",
                sorted(rows),
            )


class Moved(NamedTuple):
    """A written transaction, and the players who have more at hand by it and owe something."""

    transaction: Transaction
    debtors: list[int]


def move(
    *,
    code: str,
    reference: str,
    legs: Iterable[Leg],
    close_holds: Sequence[str] = (),
    reversal_of: Transaction | None = None,
    note: str = "",
) -> Moved:
    """Do what `services.post` says, inside the caller's transaction, without collecting debts."""
    check_names(code, reference, *close_holds)
    legs = moving(legs)
    holds = find_holds(close_holds)
    wallets = lock(legs=legs, wallet_ids={hold.wallet_id for hold in holds})
    earlier = Transaction.objects.filter(reference=reference).first()
    if earlier is not None:
        check_same(earlier, code=code, legs=legs, holds=holds, wallets=wallets, reversal_of=reversal_of)
        return Moved(earlier, [])
    if reversal_of is not None:
        check_mirror(reversal_of, legs, wallets)
    check_open(holds)
    changes = changes_of(legs, holds, wallets)
    check_funds(changes, wallets)
    made = Transaction(code=code, reference=reference, reversal_of=reversal_of, note=note)
    write(
        made,
        [Entry(transaction_id=made.pk, wallet=wallets[ref], amount=amount) for ref, amount in legs],
        holds,
    )
    apply(changes)
    return Moved(made, debtors_of(changes, wallets))


def debtors_of(changes: Mapping[WalletRef, Change], wallets: Mapping[WalletRef, Wallet]) -> list[int]:
    """Return the players who owe something and have more at hand by these changes."""
    return [
        cast(int, wallets[ref].user_id)
        for ref, change in changes.items()
        if wallets[ref].owed and change.balance > change.held
    ]


def check_same(
    earlier: Transaction,
    *,
    code: str,
    legs: Sequence[Leg],
    holds: Sequence[Hold],
    wallets: Mapping[WalletRef, Wallet],
    reversal_of: Transaction | None,
) -> None:
    """Refuse a reference that stands for other content."""
    asked = Counter((wallets[ref].pk, amount) for ref, amount in legs)
    same = (
        earlier.code == code
        and earlier.reversal_of_id == (reversal_of.pk if reversal_of else None)
        and asked == Counter(earlier.entries.values_list("wallet_id", "amount"))
        and {hold.pk for hold in holds} == set(earlier.closed_holds.values_list("pk", flat=True))
    )
    if not same:
        raise ReferenceReused(earlier.reference)


def check_mirror(original: Transaction, legs: Sequence[Leg], wallets: Mapping[WalletRef, Wallet]) -> None:
    """Refuse a reversal that moves anything else than the original moved, or comes second."""
    mirrored = Counter((wallets[ref].pk, -amount) for ref, amount in legs)
    if mirrored != Counter(original.entries.values_list("wallet_id", "amount")):
        raise NotAMirror(original.reference)
    if Transaction.objects.filter(reversal_of=original).exists():
        raise AlreadyReversed(original.reference)
