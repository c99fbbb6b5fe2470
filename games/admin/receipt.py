"""The reckoning of a closed deal as a sheet: a row for each reason of the settlement, a column for each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from games.admin.wording import cards
from games.finished import Finished
from wallet.desk import EMPTY, Sheet, Words, change, figure

FACTORS: dict[str, Words] = {
    "bid": gettext_lazy("Bid"),
    "call": gettext_lazy("Called"),
    "blind": gettext_lazy("Taken blind"),
    "initial": gettext_lazy("Initial multiplier"),
    "ladder": gettext_lazy("Ladder"),
    "bomb": gettext_lazy("Bomb"),
    "bomb_dealt": gettext_lazy("Bomb, dealt"),
    "rocket": gettext_lazy("Rocket"),
    "rocket_dealt": gettext_lazy("Rocket, dealt"),
    "bombs_dealt": gettext_lazy("Bombs, dealt"),
    "spring": gettext_lazy("Spring"),
    "anti_spring": gettext_lazy("Anti-spring"),
    "doublings": gettext_lazy("Doublings"),
    "escape": gettext_lazy("Escape"),
}
NAMES: dict[str, Words] = {
    "cards_left": gettext_lazy("Cards left"),
    "card_score": gettext_lazy("Card score"),
    "score": gettext_lazy("Score"),
    "purse": gettext_lazy("Limited by the balance"),
    "due": gettext_lazy("Due"),
    "points": gettext_lazy("Points"),
    "away_share": gettext_lazy("Share of an absent partner"),
}
PLAIN = ("cards_left", "card_score", "cap", "purse")
MINUS = ("fee", "penalty")
OUTCOMES: dict[str, Words] = {
    "won": pgettext_lazy("outcome", "won"),
    "lost": pgettext_lazy("outcome", "lost"),
    "even": pgettext_lazy("outcome", "even"),
    "escaped": pgettext_lazy("outcome", "escaped"),
    "none": pgettext_lazy("outcome", "not counted"),
    "practice": pgettext_lazy("outcome", "practice"),
}


def reckoning(found: Finished) -> Sheet:
    """Return the reasons of a deal's settlement, row by row, with what each seat got in the end."""
    names = found.names
    terms = found.opened.terms
    rows = [
        _row(row, terms, len(names))
        for row in found.closed.reasons
        if row.get("row") not in ("coins", "void")
    ]
    settlement = found.closed.settlement
    coins = terms.get("currency") == "coins"
    foot: Sequence[object] = ()
    if settlement is not None:
        sums = settlement["net"] if coins else settlement["points"]
        foot = (_("Coins") if coins else _("Points"), *(change(value) for value in sums))
    return Sheet(
        _("Receipt"),
        ("", *names),
        rows,
        figures=range(1, len(names) + 1),
        foot=foot if rows else (),
        empty=_("Nothing was reckoned."),
    )


def _row(row: Mapping[str, Any], terms: Mapping[str, Any], seats: int) -> list[object]:
    values = row.get("values") or [None] * seats
    return [_heading(row, terms), *(_cell(row, value) for value in values)]


def _heading(row: Mapping[str, Any], terms: Mapping[str, Any]) -> object:
    kind = row["row"]
    if kind == "factor":
        cause = FACTORS.get(row.get("cause", ""), row.get("cause", ""))
        return format_html("{} {}", cause, cards(row["cards"])) if row.get("cards") else cause
    if kind == "stake":
        return _("× base stake %(stake)s") % {"stake": figure(row.get("base_stake"))}
    if kind == "cap":
        return _("Limited by the hand cap %(cap)s") % {"cap": figure(terms.get("cap"))}
    if kind == "pot":
        return _("The pot of %(total)s, shared") % {"total": figure(row.get("total"))}
    if kind == "fee":
        amount = f"{row.get('due')} %" if row.get("kind") == "percent" else figure(row.get("due"))
        return _("Table fee (%(fee)s)") % {"fee": amount}
    if kind == "penalty":
        return _("Fine for leaving") if row.get("cause") == "leave" else _("Fine for the escape")
    return NAMES.get(kind, str(kind).replace("_", " "))


def _cell(row: Mapping[str, Any], value: int | None) -> object:
    if value is None:
        return ""
    if row["row"] == "factor":
        return f"×{value}"
    if row["row"] in PLAIN:
        return figure(value)
    if row["row"] in MINUS:
        return change(-value) if value else EMPTY
    return change(value)
