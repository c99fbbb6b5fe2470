"""A page of a statement as people read it: each line with its name, the reason beneath, and where it leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext, pgettext

from games import finished, history, naming
from games.table.events import DealClosed
from games.templatetags.house import figure
from lobby import pages
from wallet import services as wallet

SETTLEMENT = "settlement"
FEES = ("complaint", "complaint_returned", "verdict", "verdict_borne", "verdict_reversed", "debt")
FILTERS = {
    "deals": wallet.Only((SETTLEMENT,)),
    "fees": wallet.Only(FEES, to_the_house=True),
    "grants": wallet.Only(("signup_grant", "grant", "relief")),
}


class Shares(NamedTuple):
    """What one seat won or lost in a deal, its fee and its fine, before they became one sum."""

    gross: int
    fee: int
    fine: int


def rows_of(user_id: int, lines: Sequence[wallet.Line]) -> list[dict[str, Any]]:
    """Return lines as a page shows them. However many there are, their deals take two queries."""
    deal_ids = {deal_id for line in lines if (deal_id := _deal_of(line))}
    results = history.results_in(user_id, deal_ids)
    endings = finished.endings_of(result.deal for result in results.values())
    return [_row(line, results, endings) for line in lines]


def reserved(user_id: int) -> list[dict[str, Any]]:
    """Return what is set aside now: the coins, and the table at which."""
    rows = []
    for reference, amount in wallet.open_holds(user_id):
        kind, _, rest = reference.partition(":")
        place = history.place_of_deal(rest.split(":", 1)[0]) if kind == "deal" else None
        rows.append({"amount": amount, "table": place.table_code if place else None})
    return rows


def shares_of(seat: int, ending: DealClosed | None) -> Shares | None:
    """Return what a settled deal's sum for a seat is made of; None for a deal that moved nothing."""
    settlement = ending.settlement if ending else None
    if settlement is None:
        return None
    return Shares(*(settlement[part][seat] for part in ("gross", "fees", "penalties")))


def _deal_of(line: wallet.Line) -> str | None:
    kind, _, deal_id = (line.reverses or line.reference).partition(":")
    return deal_id if kind == "deal" and ":" not in deal_id else None


def _row(line: wallet.Line, results: dict[str, Any], endings: dict[str, DealClosed]) -> dict[str, Any]:
    caused_by = line.reverses or line.reference
    result = results.get(_deal_of(line) or "")
    kind, icon = naming.line_words(line.code, line.amount)
    name, why = str(kind), gettext("taken back") if line.reverses else ""
    if result is not None:
        deal = result.deal
        name = pgettext("a deal, named by its room", "%(game)s · %(tier)s, deal %(number)s") % {
            "game": naming.game_words(deal.ruleset).name,
            "tier": naming.tier_name(deal.table.tier),
            "number": deal.number,
        }
        if not line.reverses:
            why = _reasons(result.outcome, shares_of(result.seat, endings.get(deal.pk)))
            icon = "offline" if result.outcome == "escaped" else icon
    return {
        "amount": line.amount,
        "running": line.balance,
        "code": line.code,
        "name": name,
        "icon": icon,
        "why": why,
        "reference": line.reference,
        "reverses": line.reverses,
        "created": line.at,
        "link": reverse("lobby:go", args=[caused_by]) if pages.has_page(caused_by) else None,
    }


def _reasons(outcome: str, shares: Shares | None) -> str:
    """Say what a deal's sum is made of: won 667, fee 10."""
    if shares is None:
        return ""
    parts = []
    if outcome == "escaped":
        parts.append(gettext("escaped"))
    if shares.gross:
        words = gettext("won %(n)s") if shares.gross > 0 else gettext("lost %(n)s")
        parts.append(words % {"n": figure(abs(shares.gross))})
    if shares.fee:
        parts.append(gettext("fee %(n)s") % {"n": figure(shares.fee)})
    if shares.fine:
        parts.append(gettext("fine %(n)s") % {"n": figure(shares.fine)})
    return pgettext("between the parts of a list", ", ").join(parts)
