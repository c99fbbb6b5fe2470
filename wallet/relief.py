"""Relief: a few coins of the house for a player who has too few for its cheapest table, up to three times a day."""

from collections.abc import Callable
from datetime import date

from django.conf import settings

from wallet.errors import WalletError
from wallet.models import ISSUANCE, RELIEF, Transaction
from wallet.posting import Leg, lock, own_transaction
from wallet.retry import retrying
from wallet.services import open_wallet, post


class ReliefRefused(WalletError):
    """No relief now; nothing moved."""

    code = "relief_refused"


class NotPoor(ReliefRefused):
    """The player has more coins than the cheapest table asks for."""

    code = "relief_not_poor"


class ReliefUsedUp(ReliefRefused):
    """The player had his share of the day."""

    code = "relief_used_up"


class ReliefEmpty(ReliefRefused):
    """The purse of the house does not hold enough."""

    code = "relief_empty"


@retrying
def give(*, user_id: int, not_above: int, day: date, also: Callable[[int], int] = lambda user_id: 0) -> int:
    """Give a player RELIEF_COINS from the house's purse; return how many.

    Only when he has, with what is held and what `also` (asked under the wallet's lock) says is his elsewhere and may
    come back, not more than `not_above`, and RELIEF_TIMES a day at most. Raises NotPoor,
    ReliefUsedUp, ReliefEmpty. Any number at once are given one after the other, each by what the one before left.
    """
    with own_transaction():
        open_wallet(user_id=user_id)
        wallets = lock(legs=[Leg(RELIEF, -1), Leg(user_id, 1)])
        has = wallets[user_id].balance + also(user_id)
        if has > not_above:
            raise NotPoor(f"has {has}, not above {not_above}")
        given = given_on(user_id=user_id, day=day)
        if given >= settings.RELIEF_TIMES:
            raise ReliefUsedUp(f"{given} times on {day}")
        amount: int = settings.RELIEF_COINS
        if wallets[RELIEF].balance < amount:
            raise ReliefEmpty(f"{wallets[RELIEF].balance} left")
        legs = [Leg(RELIEF, -amount), Leg(user_id, amount)]
        post(code="relief", reference=f"{_of(user_id, day)}{given + 1}", legs=legs)
        return amount


def given_on(*, user_id: int, day: date) -> int:
    """Return how often a player had relief on a day."""
    return Transaction.objects.filter(code="relief", reference__startswith=_of(user_id, day)).count()


def fund() -> bool:
    """Put RELIEF_FUND new coins into the purse, once in the life of a house; say whether this call did."""
    if Transaction.objects.filter(reference="relief:fund").exists() or not settings.RELIEF_FUND:
        return False
    amount: int = settings.RELIEF_FUND
    post(code="fund", reference="relief:fund", legs=[Leg(ISSUANCE, -amount), Leg(RELIEF, amount)])
    return True


def _of(user_id: int, day: date) -> str:
    return f"relief:{user_id}:{day.isoformat()}:"
