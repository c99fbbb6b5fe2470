"""Who may sit down (RULES §3 Entry, §5): signed in, not banned or suspended, without a seat, above the entry limit.

Where coins move also: without a debt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from accounts import restrictions
from games import selectors as games
from lobby.errors import (
    AlreadySeated,
    BadNonce,
    EntryLimit,
    LobbyError,
    MayNotPlay,
    NotSignedIn,
    Owes,
    Suspended,
)
from wallet import debts
from wallet import services as wallet

if TYPE_CHECKING:
    from accounts.models import User

_NONCE = re.compile(r"[0-9a-f]{0,64}")


class Bars(NamedTuple):
    """What keeps people from tables, by user id: suspensions (until when, None: for good), and what is owed."""

    suspended: Mapping[int, datetime | None]
    owed: Mapping[int, int]

    def against(self, user_id: int, currency: str) -> LobbyError | None:
        """Return why somebody gets no seat where one plays for `currency`, None when nothing keeps him from it."""
        if user_id in self.suspended:
            return Suspended(until=self.suspended[user_id])
        if currency == "coins" and self.owed.get(user_id):
            return Owes(owed=self.owed[user_id])
        return None


def bars(user_ids: Collection[int]) -> Bars:
    """Return what keeps these people from tables now, in two queries."""
    return Bars(restrictions.under("suspension", user_ids), debts.owed_by_each(user_ids))


def check_person(user: Any) -> User:
    """Return the person behind a request. Raises NotSignedIn, MayNotPlay."""
    if not getattr(user, "is_authenticated", False):
        raise NotSignedIn
    if not user.is_active:
        raise MayNotPlay
    return cast("User", user)


def check_nonce(nonce: str) -> None:
    """Raise BadNonce unless `nonce` may go into a deal's draw (it may be empty)."""
    if not _NONCE.fullmatch(nonce):
        raise BadNonce


def check_free(user: User) -> None:
    """Raise AlreadySeated, with the table, for somebody who has a live seat."""
    seat = games.seat_of(user)
    if seat is not None:
        raise AlreadySeated(seat.table_code)


def check_entry(user: User, terms: Mapping[str, Any]) -> None:
    """Raise EntryLimit unless the balance, reserved coins included, is strictly above the entry limit."""
    entry = terms["entry"]
    if entry is not None and wallet.balance(user.pk).total <= entry:
        raise EntryLimit(needed=entry + 1)


def check_bars(user: User, terms: Mapping[str, Any]) -> None:
    """Raise Suspended, or Owes where coins move."""
    error = bars([user.pk]).against(user.pk, terms["currency"])
    if error is not None:
        raise error


def check_terms(user: User, terms: Mapping[str, Any]) -> None:
    """Raise Suspended, Owes, EntryLimit unless somebody may play on these terms."""
    check_bars(user, terms)
    check_entry(user, terms)
