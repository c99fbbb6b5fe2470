"""Who may sit down (RULES §3 Entry, §5): signed in, not banned, without a seat, above the entry limit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from games import selectors as games
from lobby.errors import AlreadySeated, BadNonce, EntryLimit, MayNotPlay, NotSignedIn
from wallet import services as wallet

if TYPE_CHECKING:
    from accounts.models import User

_NONCE = re.compile(r"[0-9a-f]{0,64}")


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
