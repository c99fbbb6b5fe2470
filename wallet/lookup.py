"""Reading transactions by their reference, for whoever caused them."""

from collections.abc import Sequence

from wallet.models import Entry
from wallet.posting import Leg, ref_of


def legs_of(references: Sequence[str]) -> dict[str, list[Leg]]:
    """Return what each transaction moved, by reference; those that do not exist are left out."""
    entries = Entry.objects.filter(transaction__reference__in=list(references))
    legs: dict[str, list[Leg]] = {}
    for entry in entries.select_related("wallet", "transaction").order_by("pk"):
        legs.setdefault(entry.transaction.reference, []).append(Leg(ref_of(entry.wallet), entry.amount))
    return legs
