"""Reading transactions by their reference, for whoever caused them."""

from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import NamedTuple

from django.db.models import Q

from wallet.models import Entry
from wallet.posting import Leg, ref_of


class Moved(NamedTuple):
    """One line of somebody's statement, without the balance after it."""

    at: datetime
    code: str
    reference: str
    amount: int


def legs_of(references: Sequence[str]) -> dict[str, list[Leg]]:
    """Return what each transaction moved, by reference; those that do not exist are left out."""
    entries = Entry.objects.filter(transaction__reference__in=list(references))
    legs: dict[str, list[Leg]] = {}
    for entry in entries.select_related("wallet", "transaction").order_by("pk"):
        legs.setdefault(entry.transaction.reference, []).append(Leg(ref_of(entry.wallet), entry.amount))
    return legs


def lines_about(user_id: int, subjects: Sequence[str]) -> list[Moved]:
    """Return what moved for somebody because of these subjects ("verdict:7" and all below it), oldest first."""
    if not subjects:
        return []
    named = [Q(transaction__reference__startswith=f"{subject}:") for subject in subjects]
    about = reduce(or_, named, Q(transaction__reference__in=list(subjects)))
    found = Entry.objects.filter(about, wallet__user_id=user_id).order_by("pk")
    fields = ("transaction__created", "transaction__code", "transaction__reference", "amount")
    return [Moved(*row) for row in found.values_list(*fields)]
