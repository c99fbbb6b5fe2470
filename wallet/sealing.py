"""How the database seals a transaction: entries first, the transaction row last.

The insert of the transaction row is refused unless its entries sum to 0 and are at least two, and an entry
of a transaction that has its row is refused. An entry without a transaction fails at commit, by its
deferred foreign key.
"""

from collections.abc import Iterable

from wallet.models import Entry, Transaction
from wallet.triggers import PREFIX, Trigger


def seal_triggers() -> Iterable[Trigger]:
    """Return the triggers that seal transactions."""
    entry, transaction = Entry._meta.db_table, Transaction._meta.db_table
    legs = f'FROM "{entry}" WHERE transaction_id = NEW.id'
    yield Trigger(
        name=f"{PREFIX}{transaction}_seal",
        table=transaction,
        event="INSERT",
        when=f"(SELECT COUNT(*) {legs}) < 2 OR (SELECT SUM(amount) {legs}) <> 0",
        message="a transaction has at least two legs, and they sum to 0",
        error="check_violation",
    )
    yield Trigger(
        name=f"{PREFIX}{entry}_sealed",
        table=entry,
        event="INSERT",
        when=f'EXISTS (SELECT 1 FROM "{transaction}" WHERE id = NEW.transaction_id)',
        message="the transaction is sealed",
    )
