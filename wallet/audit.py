"""Whether the books are right: sums, caches, holds, guards, and what other apps register.

All checks see the same moment of a ledger that is being written, and none of them stops a writer. Checks of other apps
only read, and open no transaction.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.transaction import atomic

from wallet import triggers
from wallet.models import CLAIMS, RELIEF, Debt, Entry, Hold, Transaction, Wallet

MOST_SHOWN: Final = 100


class Breach(NamedTuple):
    """Something that is wrong in the books, found by a check."""

    check: str
    detail: str


class Report(NamedTuple):
    """What an audit looked at and what it found; at most 100 breaches of each check are named."""

    checks: int
    counts: dict[str, int]
    breaches: list[Breach]


Check = Callable[[], Iterable[str]]
_checks: dict[str, Check] = {}


def register(name: str, function: Check) -> None:
    """Have `verify_books` run a function that yields a line for each breach it finds."""
    _checks[name] = function


def verify_books() -> Report:
    """Run every check and return what was found."""
    checks = {**_ledger_checks(), **_checks}
    with _one_moment():
        breaches = [
            Breach(name, detail) for name, check in checks.items() for detail in islice(check(), MOST_SHOWN)
        ]
        counts = {
            "wallets": Wallet.objects.count(),
            "transactions": Transaction.objects.count(),
            "entries": Entry.objects.count(),
            "open holds": Hold.objects.filter(closed=None).count(),
            "open debts": Debt.objects.filter(closed=None).count(),
            "guards": len(triggers.declared()),
        }
    return Report(len(checks), counts, breaches)


@contextmanager
def _one_moment() -> Iterator[None]:
    """Give all statements one snapshot; nobody who writes waits for it."""
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "sqlite":
        # By hand: an atomic block would begin as a writer, and the others would queue behind it.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _ledger_checks() -> dict[str, Check]:
    queries = {name: (sql, line) for name, sql, line in _QUERIES}
    checks: dict[str, Check] = {
        name: lambda sql=sql, line=line: (line.format(*row) for row in _rows(sql))  # type: ignore[misc]
        for name, (sql, line) in queries.items()
    }
    checks["guards"] = lambda: triggers.differences(connection)
    return checks


def _rows(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} LIMIT {MOST_SHOWN}")
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


_KEEPS_BALANCE: Final = f"(w.user_id IS NOT NULL OR w.code = '{RELIEF}')"
_NAME: Final = "COALESCE(w.code, 'user ' || w.user_id)"

_QUERIES: Final = (
    (
        "transactions sum to 0",
        "SELECT t.id, t.reference, COUNT(e.id), COALESCE(SUM(e.amount), 0)"
        " FROM wallet_transaction t LEFT JOIN wallet_entry e ON e.transaction_id = t.id"
        " GROUP BY t.id, t.reference HAVING COUNT(e.id) < 2 OR SUM(e.amount) <> 0",
        "transaction {0} ({1}) has {2} entries that sum to {3}",
    ),
    (
        "entries belong",
        "SELECT e.id, e.transaction_id, e.wallet_id FROM wallet_entry e"
        " LEFT JOIN wallet_transaction t ON t.id = e.transaction_id"
        " LEFT JOIN wallet_wallet w ON w.id = e.wallet_id"
        " WHERE t.id IS NULL OR w.id IS NULL",
        "entry {0} belongs to transaction {1} and wallet {2}, and one of them is not there",
    ),
    (
        "reversals mirror",
        "SELECT r.id, r.reference, e.wallet_id, SUM(e.amount) FROM wallet_transaction r"
        " JOIN wallet_entry e ON e.transaction_id = r.id OR e.transaction_id = r.reversal_of_id"
        " WHERE r.reversal_of_id IS NOT NULL"
        " GROUP BY r.id, r.reference, e.wallet_id HAVING SUM(e.amount) <> 0",
        "reversal {0} ({1}) leaves wallet {2} with {3}",
    ),
    (
        "balances are the sums of entries",
        f"SELECT w.id, {_NAME}, w.balance, COALESCE(s.total, 0) FROM wallet_wallet w LEFT JOIN"
        " (SELECT wallet_id, SUM(amount) AS total FROM wallet_entry GROUP BY wallet_id) s"
        " ON s.wallet_id = w.id"
        f" WHERE w.balance <> CASE WHEN {_KEEPS_BALANCE} THEN COALESCE(s.total, 0) ELSE 0 END",
        "wallet {0} ({1}) keeps {2}, its entries sum to {3}",
    ),
    (
        "held is the sum of open holds",
        f"SELECT w.id, {_NAME}, w.held, COALESCE(s.total, 0) FROM wallet_wallet w LEFT JOIN"
        " (SELECT wallet_id, SUM(amount) AS total FROM wallet_hold WHERE closed IS NULL GROUP BY wallet_id) s"
        " ON s.wallet_id = w.id WHERE w.held <> COALESCE(s.total, 0)",
        "wallet {0} ({1}) keeps {2} as held, its open holds sum to {3}",
    ),
    (
        "no balance is below its holds",
        f"SELECT w.id, {_NAME}, w.balance, w.held FROM wallet_wallet w"
        " WHERE w.balance < w.held OR w.held < 0",
        "wallet {0} ({1}) has {2} with {3} held",
    ),
    (
        "owed is the sum of open debts",
        f"SELECT w.id, {_NAME}, w.owed, COALESCE(s.total, 0) FROM wallet_wallet w LEFT JOIN"
        " (SELECT debtor_id, SUM(owed - paid) AS total FROM wallet_debt WHERE closed IS NULL"
        " GROUP BY debtor_id) s ON s.debtor_id = w.id WHERE w.owed <> COALESCE(s.total, 0)",
        "wallet {0} ({1}) keeps {2} as owed, its open debts sum to {3}",
    ),
    (
        "debts are paid as the ledger says",
        "SELECT d.id, d.verdict, d.paid, COALESCE(s.total, 0) FROM wallet_debt d LEFT JOIN"
        " (SELECT p.id, -SUM(e.amount) AS total FROM wallet_debt p"
        " JOIN wallet_transaction t ON t.code = 'debt'"
        " AND t.reference LIKE p.verdict || ':debt:' || p.id || ':%'"
        " JOIN wallet_entry e ON e.transaction_id = t.id AND e.wallet_id = p.debtor_id AND e.amount < 0"
        " GROUP BY p.id) s ON s.id = d.id WHERE d.paid <> COALESCE(s.total, 0)",
        "debt {0} of {1} keeps {2} as paid, the ledger collected {3}",
    ),
    (
        "claims are what debtors owe",
        "SELECT c.total, d.total FROM"
        " (SELECT COALESCE(SUM(e.amount), 0) AS total FROM wallet_entry e"
        f" JOIN wallet_wallet w ON w.id = e.wallet_id WHERE w.code = '{CLAIMS}') c,"
        " (SELECT COALESCE(SUM(owed - paid), 0) AS total FROM wallet_debt"
        " WHERE closed IS NULL AND part <> 'fine') d WHERE c.total <> -d.total",
        "house:claims stands at {0}, debtors owe it {1}",
    ),
    (
        "all coins come from issuance",
        "SELECT SUM(x.amount) FROM (SELECT balance AS amount FROM wallet_wallet UNION ALL"
        " SELECT e.amount FROM wallet_entry e JOIN wallet_wallet w ON w.id = e.wallet_id"
        f" WHERE NOT {_KEEPS_BALANCE}) x HAVING SUM(x.amount) <> 0",
        "issuance and all other wallets sum to {0}",
    ),
)
