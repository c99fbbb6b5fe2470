"""What verdicts move, what they leave unpaid, and how that is collected (RULES §3, "Penalties by verdict").

A verdict pays at once whoever gets something back, from `house:claims`, and leaves a debt for each part that a player
owes: results undone, fees, fine. A debt takes what its debtor has at hand, now and at every later credit or release, in
the transaction that brought it: oldest verdict first, and of one verdict first what undoes results, then fees, then the
fine. What undoes results and fees goes back to `house:claims`, so that this wallet is always minus what is still open;
a fine is shared out by its running total, so that many small payments end where one large one does. What nobody owes
(an innocent winner who has spent it) is borne by `house:revenue`.

The wallet of a debtor is locked before his debts are looked at.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from django.db.models import F, Q, QuerySet, Sum
from django.db.transaction import atomic
from django.utils import timezone

from wallet.errors import UnbalancedLegs
from wallet.models import CLAIMS, FINES, REVENUE, Debt, Entry, Transaction, Wallet
from wallet.posting import Leg, Moved, WalletRef, lock, move, own_transaction, ref_of
from wallet.retry import retrying

PARTS: Final = (Debt.Part.UNDONE, Debt.Part.FEE, Debt.Part.FINE)
ADVANCED: Final = (Debt.Part.UNDONE, Debt.Part.FEE)


class Charge(NamedTuple):
    """What a verdict makes one player owe: `part` is undone, fee or fine.

    `shares` of a fine: who gets how much of it once it is paid; the rest is the house's.
    """

    user_id: int
    part: str
    amount: int
    shares: tuple[tuple[int, int], ...] = ()


class Owing(NamedTuple):
    """An open debt, as its debtor may read it."""

    verdict: str
    part: str
    owed: int
    paid: int


# ---- carrying out, and taking back


@retrying
def carry_out(
    *,
    verdict: str,
    pays: Sequence[Leg] = (),
    takes: Sequence[Leg] = (),
    borne: int = 0,
    charges: Sequence[Charge] = (),
    note: str = "",
) -> None:
    """Move, once, what a verdict says; `verdict` is its reference.

    `pays`: what players get back, in full and now. `takes`: what innocent players give back, as far as they have it;
    the house bears the rest. `borne`: what the house bears anyway. `charges`: what offenders owe. Payments are the sum
    of the others, fines apart; raises UnbalancedLegs when they are not.
    """
    charges = [charge for charge in charges if charge.amount]
    advanced = sum(leg.amount for leg in pays)
    returned = sum(leg.amount for leg in takes) + sum(c.amount for c in charges if c.part in ADVANCED)
    if advanced != returned + borne or min([0, *(leg.amount for leg in (*pays, *takes))]) < 0:
        raise UnbalancedLegs(f"{verdict}: {advanced} paid, {returned} returned, {borne} borne")
    with own_transaction():
        people = [*pays, *takes, *(Leg(charge.user_id, charge.amount) for charge in charges)]
        wallets = lock(legs=people) if people else {}
        if _transactions(verdict).exists() or Debt.objects.filter(verdict=verdict).exists():
            return
        legs = [*pays, *_given(takes, pays, {ref: w.balance - w.held for ref, w in wallets.items()})]
        missing = borne + sum(leg.amount for leg in takes) + sum(min(leg.amount, 0) for leg in legs)
        legs += [Leg(REVENUE, -missing), Leg(CLAIMS, missing - sum(leg.amount for leg in legs))]
        if any(leg.amount for leg in legs):
            move(code="verdict", reference=verdict, legs=legs, note=note)
        _owe(verdict, charges)
        collect({ref for ref in wallets if isinstance(ref, int)})


def _given(takes: Sequence[Leg], pays: Sequence[Leg], at_hand: dict[WalletRef, int]) -> list[Leg]:
    """Return what each innocent player gives: what he has, with what he is paid at the same time."""
    for leg in pays:
        at_hand[leg.wallet] += leg.amount
    given = []
    for leg in takes:
        amount = min(leg.amount, at_hand[leg.wallet])
        at_hand[leg.wallet] -= amount
        given.append(Leg(leg.wallet, -amount))
    return given


def _owe(verdict: str, charges: Sequence[Charge]) -> None:
    order = {part: n for n, part in enumerate(PARTS)}
    for charge in sorted(charges, key=lambda charge: order[Debt.Part(charge.part)]):
        wallet = Wallet.objects.only("pk").get(user_id=charge.user_id)
        shares = [[user, amount] for user, amount in charge.shares]
        Debt.objects.create(
            verdict=verdict, debtor=wallet, part=charge.part, owed=charge.amount, shares=shares
        )
        Wallet.objects.filter(pk=wallet.pk).update(owed=F("owed") + charge.amount)


@retrying
def undo(*, verdict: str, note: str = "") -> None:
    """Reverse, once, every transaction of a verdict, collections included, and cancel what is still open.

    Whoever must give back what he has spent gives what he has; the house bears the rest.
    """
    with own_transaction():
        made = sorted(_transactions(verdict), key=lambda one: (one.code == "debt", one.created), reverse=True)
        people = set(Debt.objects.filter(verdict=verdict).values_list("debtor_id", flat=True))
        people |= set(Entry.objects.filter(transaction__in=made).values_list("wallet_id", flat=True))
        if people:
            lock(wallet_ids=people)
        _cancel(verdict)
        gained: set[int] = set()
        for one in made:
            if not Transaction.objects.filter(reversal_of=one).exists():
                gained |= set(_reversed(one, note).debtors)
        collect(gained)


def _cancel(verdict: str) -> None:
    """Close what a verdict left open; the wallets of its debtors are locked."""
    with atomic(savepoint=False):
        for debt in Debt.objects.filter(verdict=verdict, cancelled=False):
            Wallet.objects.filter(pk=debt.debtor_id).update(owed=F("owed") - debt.rest)
            Debt.objects.filter(pk=debt.pk).update(cancelled=True, closed=timezone.now())


def _reversed(original: Transaction, note: str) -> Moved:
    """Reverse one transaction; what its receivers do not have any more comes from the house first."""
    legs = [Leg(ref_of(entry.wallet), -entry.amount) for entry in original.entries.select_related("wallet")]
    wallets = lock(legs=legs)
    short = {
        ref: amount
        for ref, wallet in wallets.items()
        if wallet.user_id is not None
        and (amount := -sum(leg.amount for leg in legs if leg.wallet == ref) - wallet.balance + wallet.held)
        > 0
    }
    if short:
        borne = [Leg(REVENUE, -sum(short.values())), *(Leg(ref, amount) for ref, amount in short.items())]
        move(code="verdict_borne", reference=f"{original.reference}:borne", legs=borne, note=note)
    return move(
        code="verdict_reversed",
        reference=f"{original.reference}:reversed",
        legs=legs,
        reversal_of=original,
        note=note,
    )


def _transactions(verdict: str) -> QuerySet[Transaction]:
    """Return what a verdict moved: itself and what was collected for it, not what took those back."""
    return Transaction.objects.filter(
        Q(reference=verdict, code="verdict") | Q(reference__startswith=f"{verdict}:debt:", code="debt")
    )


# ---- collecting


def collect(user_ids: Iterable[int]) -> None:
    """Let players pay what they owe from what they have at hand, and whoever is paid by it in turn.

    Inside the caller's transaction, which has just paid them.
    """
    waiting = deque(sorted(user_ids))
    while waiting:
        user_id = waiting.popleft()
        while (paid := _pay_one(user_id)) is not None:
            waiting.extend(sorted(set(paid.debtors)))


def _pay_one(user_id: int) -> Moved | None:
    """Pay towards the oldest open debt of a player; None when he has nothing at hand or owes nothing."""
    wallet = lock(legs=[Leg(user_id, 1)])[user_id]
    at_hand = wallet.balance - wallet.held
    if at_hand <= 0 or not wallet.owed:
        return None
    debt = Debt.objects.filter(debtor=wallet, closed__isnull=True).order_by("pk").first()
    if debt is None:
        return None
    amount = min(at_hand, debt.rest)
    moved = move(
        code="debt",
        reference=f"{debt.verdict}:debt:{debt.pk}:{debt.paid}",
        legs=[Leg(user_id, -amount), *_receivers(debt, amount)],
    )
    with atomic(savepoint=False):
        debt.paid += amount
        debt.closed = timezone.now() if debt.paid == debt.owed else None
        debt.save(update_fields=["paid", "closed"])
        Wallet.objects.filter(pk=wallet.pk).update(owed=F("owed") - amount)
    return moved


def _receivers(debt: Debt, amount: int) -> list[Leg]:
    """Return who gets a payment: the house that advanced it, or those who share the fine."""
    if debt.part in ADVANCED:
        return [Leg(CLAIMS, amount)]
    before, after = debt.paid, debt.paid + amount
    legs = [
        Leg(user, share * after // debt.owed - share * before // debt.owed) for user, share in debt.shares
    ]
    return [*legs, Leg(FINES, amount - sum(leg.amount for leg in legs))]


# ---- reading


def owed_by(user_id: int) -> int:
    """Return what a player owes in all."""
    owed: int | None = Wallet.objects.filter(user_id=user_id).values_list("owed", flat=True).first()
    return owed or 0


def owed_by_each(user_ids: Collection[int]) -> dict[int, int]:
    """Return what each of these players owes in all, in one query; who owes nothing is left out."""
    found = Wallet.objects.filter(user_id__in=list(user_ids), owed__gt=0)
    return dict(found.values_list("user_id", "owed"))


def debts_of(user_id: int) -> list[Owing]:
    """Return the open debts of a player, in the order in which they are paid."""
    found = Debt.objects.filter(debtor__user_id=user_id, closed__isnull=True).order_by("pk")
    return [Owing(*row) for row in found.values_list("verdict", "part", "owed", "paid")]


def open_of(verdict: str) -> int:
    """Return what is still to be paid of a verdict."""
    found = Debt.objects.filter(verdict=verdict, closed__isnull=True)
    return int(found.aggregate(total=Sum(F("owed") - F("paid")))["total"] or 0)


def open_in_all() -> int:
    """Return what all players owe together."""
    total: int | None = Wallet.objects.aggregate(total=Sum("owed"))["total"]
    return total or 0
