"""What the head of every page says about whoever reads it; asked for only where a page shows it, once a request."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpRequest

from games import history, naming
from lobby import people, selectors, wishes
from wallet import services as wallet


def mine(request: HttpRequest) -> dict[str, Any]:
    """Give the templates what is the reader's own.

    `balance`, `rank_title` and `rank_points` of the game he plays most, `seat`, the code of the table of his live seat,
    `unread`, how many notices he has not read, with the seat in one query;
    of somebody signed out `wish`, the tier he wanted to sit down in.
    """
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {"wish": lambda: selectors.tier_of_wish(wishes.see(request.session))}
    user_id = int(user.pk)

    @cache
    def balance() -> int:
        return wallet.balance(user_id).total

    @cache
    def standing() -> history.Standing | None:
        return people.favourite(user_id)

    def rank_title() -> object:
        row = standing()
        return naming.title_name(row.title.code) if row else ""

    def rank_points() -> int | None:
        row = standing()
        return row.points if row else None

    @cache
    def head() -> selectors.Head:
        return selectors.head_of(user_id)

    return {
        "balance": balance,
        "seat": lambda: head().seat,
        "unread": lambda: head().unread,
        "rank_title": rank_title,
        "rank_points": rank_points,
    }
