"""Pages of the games app: the table. The page draws what the socket says; nothing of a deal is in its HTML."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

from games import naming
from games.models import Table

_catalogue = JavaScriptCatalog.as_view(domain="djangojs", packages=["games"])


@require_safe
@login_required
def table(request: HttpRequest, code: str) -> HttpResponse:
    """Show a table; who may sit or look on is for the socket to say."""
    row = get_object_or_404(Table, code=code.upper())
    words = naming.game_words(row.ruleset)
    return render(
        request,
        "games/table.html",
        {"table": row, "terms": row.terms, "words": words, "tier": naming.tier_name(row.tier)},
    )


@require_safe
@cache_control(public=True, max_age=300)
def words(request: HttpRequest, language: str) -> HttpResponseBase:
    """Serve the words of the scripts in one language; the address names it, so that caches may keep it."""
    if not translation.check_for_language(language):
        raise Http404(language)
    with translation.override(language):
        return _catalogue(request)
