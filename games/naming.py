"""Words for rule sets, tiers, currencies and titles, in the reader's language. The engine knows only their codes."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class GameWords(NamedTuple):
    """How one rule set is presented: its name, the name it has at home, one line about it, two cards, its coins."""

    name: object
    home: str
    line: object
    cards: tuple[str, str]
    coins: object


GAMES = {
    "bigtwo.classic": GameWords(
        _("Big Two, classic"),
        "锄大地",
        _("4 seats. Coins equal points; last-card duty on."),
        ("3d", "2s"),
        pgettext_lazy("classic", "coins"),
    ),
    "bigtwo.qq": GameWords(
        _("Big Two, QQ"),
        "鋤大地",
        _("4 seats. Score × base, less a flat fee."),
        ("2h", "2s"),
        pgettext_lazy("qq", "coins"),
    ),
    "doudizhu.taiwan": GameWords(
        _("Dou Dizhu, Taiwan"),
        "鬥地主",
        _("3 seats. Bid 1, 2 or 3; bombs and spring double."),
        ("RJ", "As"),
        pgettext_lazy("taiwan", "coins"),
    ),
    "doudizhu.mala": GameWords(
        _("Dou Dizhu, mala"),
        "麻辣斗地主",
        _("3 seats. Grab blind, then the 倒 拉 垒 沃 ladder."),
        ("BJ", "RJ"),
        pgettext_lazy("mala", "coins"),
    ),
}

TIERS = {
    "practice": _("Practice"),
    "points": pgettext_lazy("tier", "Points"),
    "coins": pgettext_lazy("tier", "Coins"),
    "bamboo": _("Bamboo"),
    "orchid": _("Orchid"),
    "plum": _("Plum"),
}

ROOM = _("Room {n}")
"""A tier that is called by its base stake."""

TITLES = {
    "clerk": pgettext_lazy("title", "Clerk"),
    "director": pgettext_lazy("title", "Director"),
    "deputy_section_chief": pgettext_lazy("title", "Deputy section chief"),
    "section_chief": pgettext_lazy("title", "Section chief"),
    "deputy_division_chief": pgettext_lazy("title", "Deputy division chief"),
    "division_chief": pgettext_lazy("title", "Division chief"),
    "deputy_bureau_chief": pgettext_lazy("title", "Deputy bureau chief"),
    "bureau_chief": pgettext_lazy("title", "Bureau chief"),
    "deputy_county_head": pgettext_lazy("title", "Deputy county head"),
    "county_head": pgettext_lazy("title", "County head"),
    "deputy_department_head": pgettext_lazy("title", "Deputy department head"),
    "department_head": pgettext_lazy("title", "Department head"),
    "deputy_mayor": pgettext_lazy("title", "Deputy mayor"),
    "mayor": pgettext_lazy("title", "Mayor"),
    "deputy_minister": pgettext_lazy("title", "Deputy minister"),
    "minister": pgettext_lazy("title", "Minister"),
    "deputy_governor": pgettext_lazy("title", "Deputy governor"),
    "governor": pgettext_lazy("title", "Governor"),
    "vice_premier": pgettext_lazy("title", "Vice premier"),
    "premier": pgettext_lazy("title", "Premier"),
    "chairman": pgettext_lazy("title", "Chairman"),
    "bondsman": pgettext_lazy("title", "Bondsman"),
    "odd_jobber": pgettext_lazy("title", "Odd-jobber"),
    "farmhand": pgettext_lazy("title", "Farmhand"),
    "tenant": pgettext_lazy("title", "Tenant farmer"),
    "poor_farmer": pgettext_lazy("title", "Poor farmer"),
    "fisherman": pgettext_lazy("title", "Fisherman"),
    "hunter": pgettext_lazy("title", "Hunter"),
    "middle_farmer": pgettext_lazy("title", "Middle farmer"),
    "rich_farmer": pgettext_lazy("title", "Rich farmer"),
    "shopkeeper": pgettext_lazy("title", "Shopkeeper"),
    "merchant": pgettext_lazy("title", "Merchant"),
    "small_moneybags": pgettext_lazy("title", "Small moneybags"),
    "big_moneybags": pgettext_lazy("title", "Big moneybags"),
    "small_landlord": pgettext_lazy("title", "Small landlord"),
    "big_landlord": pgettext_lazy("title", "Big landlord"),
    "county_magistrate": pgettext_lazy("title", "County magistrate"),
    "vice_prefect": pgettext_lazy("title", "Vice prefect"),
    "prefect": pgettext_lazy("title", "Prefect"),
    "viceroy": pgettext_lazy("title", "Viceroy"),
    "grand_coordinator": pgettext_lazy("title", "Grand coordinator"),
    "chancellor": pgettext_lazy("title", "Chancellor"),
    "emperor": pgettext_lazy("title", "Emperor"),
}
"""Rank titles by the engine's codes (`games.engine.titles`)."""

LINES = {
    "signup_grant": (_("Welcome grant"), "gift"),
    "grant": (_("Grant of the house"), "gift"),
    "relief": (_("Relief coins"), "gift"),
    "settlement": (_("Deal"), "deck"),
    "reversal": (_("Taken back"), "flag"),
    "complaint": (_("Complaint filed"), "flag"),
    "complaint_returned": (_("Complaint withdrawn, the fee returned"), "flag"),
    "verdict": (_("Verdict"), "flag"),
    "verdict_borne": (_("Borne by the house"), "flag"),
    "verdict_reversed": (_("Verdict reversed"), "flag"),
    "debt": (_("Paid for a verdict"), "flag"),
    "split": (_("Share of the house's takings"), "coin"),
    "fund": (_("New coins for relief"), "coin"),
    "adjustment": (_("Correction by the house"), "flag"),
}
OTHER_LINE = _("Other")
FINE_SHARED = (_("Share of a fine"), "gift")
"""A debt that somebody else paid, at the end of those who get a part of it."""

CHECKS = {
    "commitment": _("The commitment is the hash of the seed"),
    "deck": _("The deck follows from the seed and the nonces"),
    "opening": _("The opening is as the rules and the draw say"),
    "actions": _("Every act was legal"),
    "settlement": _("The settlement follows from the play"),
}


def game_words(ruleset: str) -> GameWords:
    """Return how a rule set is presented; an unknown one by its code."""
    return GAMES.get(ruleset) or GameWords(ruleset, "", "", ("3d", "2s"), _("coins"))


def line_words(code: str, amount: int) -> tuple[object, str]:
    """Return the name and the icon of a ledger line of that many coins, by the code of its transaction."""
    if code == "debt" and amount > 0:
        return FINE_SHARED
    return LINES.get(code, (OTHER_LINE, "coin"))


def tier_name(code: str, fallback: object = "") -> object:
    """Return the name of a tier from its code ("qq.bamboo", "classic.points-safe", "taiwan.30"), else the fallback."""
    part = code.rsplit(".", 1)[-1].split("-")[0].split("_")[0]
    if part.isdigit():
        return format_lazy(ROOM, n=part)
    return TIERS.get(part) or fallback or code


def title_name(code: str) -> object:
    """Return the name of a rank title from its code; an unknown one as it is."""
    return TITLES.get(code, code)
