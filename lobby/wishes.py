"""What somebody signed out wanted: kept in his session until he has signed up or in, and then granted once."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from django.contrib.sessions.backends.base import SessionBase

_KEY = "wish"
FRESH_S = 1800
_LONGEST = 40


class Wish(NamedTuple):
    """A tier to sit down in, or a table and perhaps a seat of it."""

    tier: str = ""
    table: str = ""
    seat: int | None = None


def keep(session: SessionBase, wish: Wish) -> None:
    """Keep a wish, in place of an earlier one; texts that name nothing of ours are not kept."""
    if len(wish.tier) <= _LONGEST and len(wish.table) <= _LONGEST:
        session[_KEY] = {**wish._asdict(), "at": int(time.time())}


def see(session: SessionBase) -> Wish | None:
    """Return the wish that is kept, None when there is none or it is too old."""
    kept: dict[str, Any] | None = session.get(_KEY)
    if kept is None or time.time() - kept.get("at", 0) > FRESH_S:
        return None
    return Wish(kept["tier"], kept["table"], kept["seat"])


def take(session: SessionBase) -> Wish | None:
    """Return the wish and forget it."""
    wish = see(session)
    session.pop(_KEY, None)
    return wish
