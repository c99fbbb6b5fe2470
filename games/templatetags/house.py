"""Figures and names as the house prints them: a true minus, signs on every change, commas between thousands."""

from __future__ import annotations

import zlib

from django import template

from games import naming

register = template.Library()

HUES = 12


@register.filter
def figure(value: int | str | None) -> str:
    """Print a whole number: 12480 → "12,480", -90 → "−90", None → ""."""
    return "" if value is None or value == "" else f"{int(value):,}".replace("-", "−")


@register.filter
def signed(value: int | None) -> str:
    """Print a change: 657 → "+657", -610 → "−610", 0 → "0"."""
    text = figure(value)
    return f"+{text}" if value and int(value) > 0 else text


@register.filter
def plain(value: float) -> str:
    """Print a number for a drawing: a point and no commas, whatever the language."""
    return f"{value:g}"


@register.filter
def turn(value: int | None) -> str:
    """Return the class of a change: up, dn, or none for 0."""
    return "" if not value else "up" if int(value) > 0 else "dn"


@register.filter
def initial(name: object) -> str:
    """Return the letter on a player's stone."""
    return str(name).strip()[:1].upper()


@register.filter
def hue(name: object) -> int:
    """Return a player's colour, 0–11, the one the table's script gives too unless a neighbour has it."""
    return zlib.crc32(str(name).encode()) % HUES


@register.filter
def game(ruleset: str) -> naming.GameWords:
    """Return how a rule set is presented."""
    return naming.game_words(ruleset)


@register.filter
def tier_name(tier: object) -> object:
    """Return a tier's name, from an object with `code` and `name` or from its code."""
    if isinstance(tier, str):
        return naming.tier_name(tier)
    get = tier.get if isinstance(tier, dict) else lambda key, default="": getattr(tier, key, default)
    return naming.tier_name(str(get("code", "")), get("name", ""))


@register.filter
def title_name(code: str) -> object:
    """Return the name of a rank title."""
    return naming.title_name(code)


@register.filter
def fee_text(fee: object) -> str:
    """Print a table fee: None → "0", flat 10 → "10", 5 percent → "5 %"."""
    if not fee:
        return "0"
    if isinstance(fee, dict):
        kind, value = fee.get("kind"), fee.get("value")
    else:
        kind, value = getattr(fee, "kind", "flat"), getattr(fee, "value", fee)
    return f"{value} %" if kind == "percent" else figure(value)


@register.filter
def line_name(code: str) -> object:
    """Name what moved coins, by the code of the ledger's transaction."""
    return naming.LINES.get(code, (naming.OTHER_LINE, ""))[0]


@register.filter
def line_icon(code: str) -> str:
    """Return the icon of a ledger line."""
    return naming.LINES.get(code, ("", "coin"))[1]


@register.filter
def check_name(code: str) -> object:
    """Return what a check of a finished deal says."""
    return naming.CHECKS.get(code, code)
