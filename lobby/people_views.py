"""The pages about people: a profile, one's own deals, the boards."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import selectors as accounts
from games import history
from games.engine import rulesets
from lobby import people
from lobby.keys import key_of, query

DEALS = 30
LAST_DEALS = 8
PLACES = 100


@require_safe
@never_cache
@login_required
def profile(request: HttpRequest, name: str) -> HttpResponse:
    """Show a player: where he stands in each game, and his last deals; what he won and lost in coins is his own."""
    person = accounts.by_name(name)
    if person is None:
        raise Http404
    if name != person.username:
        return redirect("lobby:profile", person.username)
    mine = person.pk == request.user.pk
    results = history.deals_of(person.pk, practice=False, limit=LAST_DEALS)
    context = {
        "person": person,
        "mine": mine,
        "standings": people.standings(person.pk),
        "results": [(result, people.outcome_words(result.outcome)) for result in results],
    }
    return render(request, "lobby/profile.html", context)


@require_safe
@login_required
def my_profile(request: HttpRequest) -> HttpResponse:
    """Lead somebody to his own profile."""
    return redirect("lobby:profile", request.user.get_username())


@require_safe
@never_cache
@login_required
def deals(request: HttpRequest) -> HttpResponse:
    """Show one's own deals, newest first (`game`, `tier`, `before`)."""
    before = key_of(request.GET.get("before", ""))
    game, tier = request.GET.get("game", ""), request.GET.get("tier", "")
    if game and game not in rulesets.all_codes():
        raise Http404
    tiers = people.tiers_of(game) if game else []
    if tier and tier not in {row.code for row in tiers}:
        raise Http404
    found = history.deals_of(
        request.user.pk or 0, ruleset=game or None, tier=tier or None, before=before, limit=DEALS + 1
    )
    shown = found[:DEALS]
    played = history.standings_of(request.user.pk or 0)
    codes = [code for code in rulesets.all_codes() if code in {*people.offered(), *played}]
    context = {
        "rows": people.deal_rows(shown),
        "game": game,
        "tier": tier,
        "games": [("", query())] + [(code, query(game=code)) for code in codes],
        "tiers": [(None, query(game=game))] + [(row, query(game=game, tier=row.code)) for row in tiers],
        "older": query(game=game, tier=tier, before=shown[-1].pk) if len(found) > DEALS else None,
        "newest": query(game=game, tier=tier) if before else None,
    }
    return render(request, "lobby/deals.html", context)


@require_safe
@never_cache
@login_required
def ranks(request: HttpRequest) -> HttpResponse:
    """Show who has the most points in a rule set, and one's own place (`game`)."""
    offered = people.offered()
    game = request.GET.get("game", "")
    if not game:
        favourite = people.favourite(request.user.pk or 0)
        game = favourite.ruleset if favourite else offered[0] if offered else ""
    if game not in rulesets.all_codes():
        raise Http404
    board = history.board(game, PLACES)
    own = history.place_of(request.user.pk or 0, game)
    context = {
        "game": game,
        "games": [(code, query(game=code)) for code in {**dict.fromkeys(offered), game: None}],
        "board": board,
        "own": own,
        "own_below": own is not None and all(row.user_id != own.user_id for row in board),
    }
    return render(request, "lobby/ranks.html", context)
