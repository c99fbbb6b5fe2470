"""Pages of finished deals: the receipt, the check of the shuffle, the record to take away."""

from __future__ import annotations

import json
from datetime import timedelta

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from games import finished, naming
from games.finished import Finished
from games.models import Deal

REPORTED_WITHIN = timedelta(days=7)


@require_safe
@never_cache
@login_required
def deal(request: HttpRequest, deal_id: str) -> HttpResponse:
    """Show a finished deal to those who sat there: what it moved and why, all hands, and that it was fair."""
    found = _found(request, deal_id)
    words = naming.game_words(found.deal.ruleset)
    people = [name or f"{gettext('Seat')} {place}" for place, name in enumerate(found.names, 1)]
    context = {
        "deal": found.deal,
        "table": found.deal.table,
        "opened": found.opened,
        "closed": found.closed,
        "names": found.names,
        "players": list(zip(people, found.opened.nonces, strict=True)),
        "words": words,
        "tier": naming.tier_name(found.deal.table.tier),
        "receipt": finished.receipt_of(found),
        "reportable": _reportable(found),
        "checks": finished.checks_of(found) if found.closed.how != "redeal" else [],
    }
    return render(request, "games/deal.html", context)


@require_safe
@never_cache
@login_required
def record(request: HttpRequest, deal_id: str) -> HttpResponse:
    """Hand out the record of a finished deal, for `python -m games.engine.verify`."""
    found = _found(request, deal_id)
    body = json.dumps(found.record, ensure_ascii=False, indent=1)
    name = f"paishe-{found.deal.pk}.json"
    return HttpResponse(
        body,
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _reportable(found: Finished) -> bool:
    """Say whether whoever looks may complain of the deal: he sat there, something was at stake, not long ago."""
    deal = found.deal
    if found.seat is None or deal.closed is None or deal.how == Deal.How.REDEAL:
        return False
    return found.opened.terms.get("currency") != "none" and timezone.now() - deal.closed <= REPORTED_WITHIN


def _found(request: HttpRequest, deal_id: str) -> Finished:
    found = finished.finished_deal(deal_id, request.user)
    if found is None:
        raise Http404
    return found
