"""The lobby's pages: carry wishes to the services and answers back, in words."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from games import selectors as games
from lobby import selectors, services, words
from lobby.errors import AlreadySeated, LobbyError, NotSignedIn

LAST_DEALS = 5


@require_safe
@never_cache
def lobby(request: HttpRequest) -> HttpResponse:
    """Show all games and tiers, to anybody."""
    balance = selectors.balance_of(request.user)
    seat = games.seat_of(request.user)
    context = {
        "games": selectors.games_with_tiers(balance=balance),
        "balance": balance,
        "seat": seat.table_code if seat else None,
        "tickets": selectors.ticket_of(request.user),
        "results": games.results_of(request.user, LAST_DEALS) if request.user.is_authenticated else [],
    }
    return render(request, "lobby/lobby.html", context)


@require_safe
@never_cache
def resume(request: HttpRequest) -> HttpResponse:
    """Lead somebody who signed in back to his live seat, or to the lobby."""
    seat = games.seat_of(request.user)
    return redirect("games:table", seat.table_code) if seat else redirect("lobby:lobby")


@require_POST
def quick(request: HttpRequest) -> HttpResponse:
    """Sit down in a tier, or wait for a match there (`tier`, `nonce`)."""
    try:
        found = services.quick_match(
            user=request.user, tier_code=request.POST.get("tier", ""), nonce=request.POST.get("nonce", "")
        )
    except LobbyError as error:
        return _refused(request, error)
    if isinstance(found, services.Seated):
        return _go(request, reverse("games:table", args=[found.table_code]))
    return _go(request, reverse("lobby:waiting"))


@require_safe
@never_cache
@login_required
def waiting(request: HttpRequest) -> HttpResponse:
    """Show that somebody waits; polled by the page, which is led to the table once there is one."""
    ticket = services.show_life(user=request.user)
    seat = games.seat_of(request.user)
    if seat is not None:
        return _go(request, reverse("games:table", args=[seat.table_code]))
    if ticket is None or ticket.refusal:
        if ticket is not None:
            services.cancel(user=request.user)
        messages.warning(request, words.sentence(ticket.refusal if ticket else "ticket_gone"))
        return _go(request, reverse("lobby:lobby"))
    context = {
        "ticket": ticket,
        "tier": selectors.tier_row(ticket.tier, None, None),
        "waiting": selectors.waiting_in(ticket.tier),
        "seats": ticket.tier.seats,
    }
    return render(request, "lobby/waiting.html", context)


@require_POST
@login_required
def cancel(request: HttpRequest) -> HttpResponse:
    """Stop waiting."""
    services.cancel(user=request.user)
    return _go(request, reverse("lobby:lobby"))


@require_safe
@never_cache
def tables(request: HttpRequest) -> HttpResponse:
    """Show the tables with free chairs, where one picks a seat."""
    balance = selectors.balance_of(request.user)
    return render(
        request,
        "lobby/tables.html",
        {"tiers": selectors.tiers_with_tables(balance=balance), "balance": balance},
    )


@require_POST
def sit(request: HttpRequest, code: str) -> HttpResponse:
    """Sit down at a table (`seat`, a number, or any; `nonce`)."""
    seat = request.POST.get("seat", "")
    try:
        services.sit(
            user=request.user,
            table_code=code,
            seat=int(seat) if seat.isascii() and seat.isdigit() and len(seat) < 3 else None,
            nonce=request.POST.get("nonce", ""),
        )
    except LobbyError as error:
        return _refused(request, error, back="lobby:tables")
    return _go(request, reverse("games:table", args=[code.upper()]))


def _refused(request: HttpRequest, error: LobbyError, back: str = "lobby:lobby") -> HttpResponse:
    if isinstance(error, NotSignedIn):
        return _go(request, reverse("account_signup"))
    if isinstance(error, AlreadySeated) and error.table_code:
        messages.info(request, words.sentence_of(error))
        return _go(request, reverse("games:table", args=[error.table_code]))
    messages.warning(request, words.sentence_of(error))
    return _go(request, reverse(back))


def _go(request: HttpRequest, path: str) -> HttpResponse:
    """Lead the browser to a path, also out of a request made by htmx."""
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(path)
    return redirect(path)
