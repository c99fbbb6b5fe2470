"""The wallet's page: what there is, how it went, every line; and the way from a line to its cause."""

from __future__ import annotations

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from games.templatetags.house import figure
from lobby import chart, ledger, pages, relief
from lobby.keys import key_of, query
from wallet import debts
from wallet import services as wallet

LINES = 50
SPANS = {"7": timedelta(days=7), "30": timedelta(days=30), "all": None}
FIRST_SPAN = "30"


@require_safe
@never_cache
@login_required
def statement(request: HttpRequest) -> HttpResponse:
    """Show the balance, its course, and its lines, newest first (`show`, `span`, `before`)."""
    before = key_of(request.GET.get("before", ""))
    show = request.GET.get("show", "")
    span = request.GET.get("span", FIRST_SPAN)
    if span not in SPANS or show not in ("", *ledger.FILTERS):
        raise Http404
    user_id = request.user.pk or 0
    found = wallet.statement(user_id, before=before, limit=LINES + 1, only=ledger.FILTERS.get(show))
    shown = found[:LINES]
    now = timezone.now()
    length = SPANS[span]
    balance, owing = wallet.balance(user_id), debts.debts_of(user_id)
    points = wallet.series(user_id, since=now - length if length else None, now=now)
    context = {
        "balance": balance,
        "reserved": ledger.reserved(user_id),
        "debts": owing,
        "owed": sum(debt.owed - debt.paid for debt in owing),
        "relief": relief.offer_to(user_id, balance.total),
        "lines": ledger.rows_of(user_id, shown),
        "show": show,
        "shows": [(code, query(show=code, span=span)) for code in ("", *ledger.FILTERS)],
        "span": span,
        "spans": [(code, query(show=show, span=code)) for code in SPANS],
        "points": points,
        "charts": chart.charts_of(points),
        "older": query(show=show, span=span, before=shown[-1].entry) if len(found) > LINES else None,
    }
    return render(request, "wallet/statement.html", context)


@require_POST
@login_required
def get_relief(request: HttpRequest) -> HttpResponse:
    """Give somebody too poor for any coin table a few coins of the house."""
    try:
        amount = relief.give(request.user.pk or 0)
    except relief.ReliefRefused as error:
        messages.warning(request, relief.sentence_of(error))
    else:
        messages.success(request, gettext("The house gives you %(n)s coins.") % {"n": figure(amount)})
    return redirect("lobby:wallet" if request.POST.get("back") == "wallet" else "lobby:lobby")


@require_safe
@login_required
def go(request: HttpRequest, reference: str) -> HttpResponse:
    """Lead from a ledger line to the page of what caused it; that page says who may see it."""
    path = pages.page_of(reference, request.user.pk or 0)
    if path is None:
        raise Http404
    return redirect(path)
