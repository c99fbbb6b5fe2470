"""What the head of every page says about whoever reads it; asked for only where a page shows it, once a request."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.http import HttpRequest

from games import history, naming
from lobby import people
from wallet import services as wallet


def mine(request: HttpRequest) -> dict[str, Any]:
    """Give the templates `balance`, and `rank_title` and `rank_points` of the game the reader plays most."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
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

    return {"balance": balance, "rank_title": rank_title, "rank_points": rank_points}
