"""The oracle's part that counts coins: each deal settled once, holds only of what runs, and no coin made or lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection

from games import settling
from games.table import events as ev
from games.table.state import TableState

if TYPE_CHECKING:
    from tests.simulation.oracle import Oracle


class Books:
    """The ledger, held against the deals that were opened and closed."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.live: set[str] = set()  # deals that run for coins
        self.settled = 0
        self.moved = 0
        self._changed = False

    def opened(self, table_id: int, event: ev.DealOpened, state: TableState) -> None:
        """Take note of a deal that began."""
        if state.terms.currency == "coins":
            self.live.add(event.deal)
            self._changed = True

    def closed(self, table_id: int, event: ev.DealClosed, before: TableState) -> None:
        """Check the settlement of a deal that ended: it stands in the ledger, once, as its log says."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT w.user_id, w.code, sum(e.amount), count(*) FROM wallet_transaction t "
                "JOIN wallet_entry e ON e.transaction_id = t.id JOIN wallet_wallet w ON w.id = e.wallet_id "
                "WHERE t.reference = %s OR t.reference LIKE %s GROUP BY w.id",
                [f"deal:{event.deal}", f"deal:{event.deal}:%"],
            )
            rows = cursor.fetchall()
            cursor.execute("SELECT count(*) FROM games_seatresult WHERE deal_id = %s", [event.deal])
            results = cursor.fetchone()[0]
        users = settling.users_of(before)
        coins = before.terms.currency == "coins"
        legs = settling.ledger_legs(users, event) if coins else []
        expected = sorted((str(leg.wallet), leg.amount, 1) for leg in legs)
        found = sorted((str(user or name), total, count) for user, name, total, count in rows)
        if found != expected:
            self.oracle.fail(f"table {table_id}: deal {event.deal} moved {found}, its log says {expected}")
        counted = event.settlement is not None and event.how != "void"
        if results != (len(users) if counted else 0):
            self.oracle.fail(f"table {table_id}: deal {event.deal} has {results} seat results")
        self.settled += bool(legs)
        self.moved += sum(abs(amount) for _, amount, _ in expected) // 2
        if coins:
            self.live.discard(event.deal)
            self._changed = True

    def look(self) -> None:
        """Check sums and holds after deals began or ended."""
        if not self._changed:
            return
        self._changed = False
        with connection.cursor() as cursor:
            cursor.execute("SELECT reference FROM wallet_hold WHERE closed IS NULL")
            held = {row[0].split(":")[1] for row in cursor.fetchall()}
            if held != self.live:
                self.oracle.fail(f"holds of {held - self.live} too many, of {self.live - held} missing")
            cursor.execute("SELECT coalesce(sum(amount), 0) FROM wallet_entry")
            total = cursor.fetchone()[0]
            cursor.execute(
                "SELECT count(*) FROM wallet_wallet w WHERE w.user_id IS NOT NULL AND (w.balance <> "
                "(SELECT coalesce(sum(amount), 0) FROM wallet_entry e WHERE e.wallet_id = w.id) OR w.held <> "
                "(SELECT coalesce(sum(amount), 0) FROM wallet_hold h WHERE h.wallet_id = w.id AND h.closed IS NULL))"
            )
            wrong = cursor.fetchone()[0]
        if total or wrong:
            self.oracle.fail(f"the ledger sums to {total}, {wrong} wallets are not what their entries say")
