"""What the house takes at its tables goes on to revenue and relief, the whole of it, by the settings' shares."""

from typing import Final

from django.conf import settings

from wallet.models import FEES, FINES, RELIEF, REVENUE, Transaction
from wallet.posting import Leg, lock, own_transaction
from wallet.retry import retrying
from wallet.services import house_balance, post

SPLIT: Final = (FEES, FINES)
PERCENT: Final = 100


def split_all() -> dict[str, int]:
    """Split every wallet that is split; return how many coins left each."""
    return {code: split(code) for code in SPLIT}


@retrying
def split(code: str) -> int:
    """Move what a wallet of the house holds now: RELIEF_PERCENT of it to relief, the rest to revenue; return how much.

    Several at once move it once: they wait for one another. What is settled meanwhile falls into the next split.
    A wallet that is empty, or overdrawn by a reversed verdict, is left as it is.
    """
    with own_transaction():
        lock(legs=[Leg(code, 1)])
        there = house_balance(code, for_update=True)
        if there <= 0:
            return 0
        number = Transaction.objects.filter(code="split", reference__startswith=f"split:{code}:").count() + 1
        relief = there * settings.RELIEF_PERCENT // PERCENT
        legs = [Leg(code, -there), Leg(RELIEF, relief), Leg(REVENUE, there - relief)]
        post(code="split", reference=f"split:{code}:{number}", legs=legs)
        return there
