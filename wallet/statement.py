"""A player's statement: what came and went, newest first, each line with the balance after it."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Sum

from wallet.models import Entry

PLAYERS: Final = "players"
MOST_LINES: Final = 200


class Line(NamedTuple):
    """One line of a statement, in whole coins.

    `entry` is the key to go on from; `counterparties` are the codes of the house's wallets on the other
    side, and "players"; `reference` says what caused it ("deal:<id>"), `reverses` which earlier reference
    it takes back.
    """

    entry: int
    at: datetime
    code: str
    reference: str
    amount: int
    balance: int
    counterparties: tuple[str, ...]
    reverses: str | None


def statement(user_id: int, before: int | None = None, limit: int = 50) -> list[Line]:
    """Return the newest lines of a player, older than the line of entry `before` if that is given."""
    entries = Entry.objects.filter(wallet__user_id=user_id)
    if before is not None:
        entries = entries.filter(pk__lt=before)
    limit = max(1, min(limit, MOST_LINES))
    page = list(entries.select_related("transaction__reversal_of").order_by("-pk")[:limit])
    if not page:
        return []
    balance: int = entries.filter(pk__lte=page[0].pk).aggregate(total=Sum("amount"))["total"]
    others = _counterparties({entry.transaction_id for entry in page}, page[0].wallet_id)
    lines = []
    for entry in page:
        made = entry.transaction
        lines.append(
            Line(
                entry=entry.pk,
                at=made.created,
                code=made.code,
                reference=made.reference,
                amount=entry.amount,
                balance=balance,
                counterparties=tuple(sorted(others[made.pk])),
                reverses=made.reversal_of.reference if made.reversal_of else None,
            )
        )
        balance -= entry.amount
    return lines


def _counterparties(transactions: Iterable[UUID], wallet_id: int) -> dict[UUID, set[str]]:
    found: dict[UUID, set[str]] = defaultdict(set)
    entries = Entry.objects.filter(transaction_id__in=transactions).exclude(wallet_id=wallet_id)
    for transaction_id, code in entries.values_list("transaction_id", "wallet__code"):
        found[transaction_id].add(code or PLAYERS)
    return found
