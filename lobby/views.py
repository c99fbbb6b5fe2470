"""The lobby's pages: carry wishes to the services and answers back, in words."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games import history
from games import selectors as games
from lobby import admission, people, selectors, services, wishes, words
from lobby.errors import AlreadySeated, LobbyError, NotSignedIn
from lobby.figures import figures, of_people
from lobby.models import QueueTicket
from lobby.wishes import Wish

LAST_DEALS = 5
SAFE_ONLY = "safe_only"  # the cookie of the switch that shows anti-cheat rooms alone
ESCAPE_READ = "escape_read"  # the cookie that names the deal whose escape its player has read about


@require_safe
@never_cache
def lobby(request: HttpRequest) -> HttpResponse:
    """Show all games and tiers, to anybody."""
    user, now = request.user, figures()
    mine = of_people([user.pk]).get(user.pk) if user.pk is not None else None
    standing = people.favourite(user.pk) if user.pk is not None else None
    balance = mine.balance if mine else None
    results = history.deals_of(user.pk, limit=LAST_DEALS) if user.pk is not None else []
    rows = selectors.games_with_tiers(balance=balance, newcomer=standing is None, now=now)
    context = {
        "games": rows,
        "busy": now.busy,
        "tables": selectors.fullest_tables(rows, now),
        "cheapest": selectors.cheapest_entry(rows),
        "balance": balance,
        "seat": mine.seat if mine else None,
        "ticket": mine.ticket if mine else None,
        "barred": _barred(user.pk),
        "relief_coins": settings.RELIEF_COINS,
        "standing": standing,
        "results": people.deal_rows(results),
        "escape": selectors.escape_of(results, read=request.COOKIES.get(ESCAPE_READ, "")),
        "safe_only": request.COOKIES.get(SAFE_ONLY) == "1",
    }
    return render(request, "lobby/lobby.html", context)


def _barred(user_id: int | None) -> list[tuple[str, str]]:
    """Return, by its code and in words, what keeps somebody from tables: of all, and of those for coins."""
    if user_id is None:
        return []
    bars = admission.bars([user_id])
    found = {error.code: error for kind in ("points", "coins") if (error := bars.against(user_id, kind))}
    return [(code, words.sentence_of(error)) for code, error in found.items()]


@require_safe
@never_cache
def resume(request: HttpRequest) -> HttpResponse:
    """Lead somebody who has signed in to his live seat, else to what he wanted before, else to the lobby."""
    seat = games.seat_of(request.user)
    if seat is not None:
        return redirect("games:table", seat.table_code)
    wish = wishes.take(request.session) if request.user.is_authenticated else None
    return _grant(request, wish) if wish else redirect("lobby:lobby")


@require_POST
def quick(request: HttpRequest) -> HttpResponse:
    """Sit down in a tier, or wait for a match there (`tier`, `nonce`)."""
    return _grant(request, Wish(tier=request.POST.get("tier", "")), request.POST.get("nonce", ""))


@require_safe
@never_cache
@login_required
def waiting(request: HttpRequest) -> HttpResponse:
    """Show that somebody waits; asked again while he does, it leads to the table once there is one."""
    ticket = services.show_life(user=request.user)
    seat = games.seat_of(request.user)
    if seat is not None:
        return redirect("games:table", seat.table_code)
    if ticket is None or ticket.refusal:
        if ticket is not None:
            services.cancel(user=request.user)
        messages.warning(request, _why_gone(ticket))
        return redirect("lobby:lobby")
    context = {
        "ticket": ticket,
        "tier": selectors.tier_row(ticket.tier, None, None),
        "waiting": selectors.waiting_in(ticket.tier),
        "seats": ticket.tier.seats,
    }
    return render(request, "lobby/waiting.html", context)


def _why_gone(ticket: QueueTicket | None) -> str:
    if ticket is None:
        return words.sentence("ticket_gone")
    error = services.why_refused(ticket)
    return words.sentence(ticket.refusal) if error is None else words.sentence_of(error)


@require_POST
@login_required
def cancel(request: HttpRequest) -> HttpResponse:
    """Stop waiting."""
    services.cancel(user=request.user)
    return redirect("lobby:lobby")


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
    number = int(seat) if seat.isascii() and seat.isdigit() and len(seat) < 3 else None
    return _grant(request, Wish(table=code, seat=number), request.POST.get("nonce", ""))


def _grant(request: HttpRequest, wish: Wish, nonce: str = "") -> HttpResponse:
    """Seat somebody as he wishes and lead him there, or say why not; who is signed out may sign up first."""
    user = request.user
    try:
        found = (
            services.sit(user=user, table_code=wish.table, seat=wish.seat, nonce=nonce)
            if wish.table
            else services.quick_match(user=user, tier_code=wish.tier, nonce=nonce)
        )
    except NotSignedIn:
        wishes.keep(request.session, wish)
        return redirect("account_signup")
    except LobbyError as error:
        return _refused(request, error, back="lobby:tables" if wish.table else "lobby:lobby")
    if isinstance(found, services.Seated):
        return redirect("games:table", found.table_code)
    return redirect("lobby:waiting")


def _refused(request: HttpRequest, error: LobbyError, back: str) -> HttpResponse:
    if isinstance(error, AlreadySeated) and error.table_code:
        messages.info(request, words.sentence_of(error))
        return redirect("games:table", error.table_code)
    messages.warning(request, words.sentence_of(error))
    return redirect(back)
