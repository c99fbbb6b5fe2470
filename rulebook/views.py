"""The rule pages: all games side by side with what holds at every table, and each game's own page."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import naming
from lobby import selectors
from rulebook import texts
from rulebook.books import BOOKS


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Show the games in a few lines each, and the rules of the house."""
    rows = [
        {"code": code, "book": book, "words": naming.game_words(code), "brief": texts.brief_of(book)}
        for code, book in BOOKS.items()
    ]
    return render(request, "rulebook/index.html", {"games": rows, "parts": texts.house_parts()})


@require_safe
def rules_of(request: HttpRequest, code: str) -> HttpResponse:
    """Show the rules of one game; 404 for a code that no rule set has."""
    book = BOOKS.get(code)
    if book is None:
        raise Http404(code)
    context = {
        "book": book,
        "words": naming.game_words(code),
        "brief": texts.brief_of(book),
        "parts": texts.parts_of(book),
        "tiers": _tiers_of(code),
        "others": [(other, naming.game_words(other)) for other in BOOKS if other != code],
    }
    return render(request, "rulebook/game.html", context)


def _tiers_of(code: str) -> list[dict[str, Any]]:
    rows = selectors.games_with_tiers(balance=None)
    return next((row["tiers"] for row in rows if row["code"] == code), [])
