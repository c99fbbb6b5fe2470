"""Words for rule sets, tiers and currencies, in the reader's language. The engine knows only their codes."""

from __future__ import annotations

from typing import NamedTuple

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

LINES = {
    "signup_grant": (_("Welcome grant"), "gift"),
    "grant": (_("Grant of the house"), "gift"),
    "relief": (_("Relief coins"), "gift"),
    "settlement": (_("Deal"), "deck"),
    "reversal": (_("Taken back"), "flag"),
    "complaint_fee": (_("Complaint filed"), "flag"),
    "verdict": (_("Verdict"), "flag"),
    "fine": (_("Fine"), "warn"),
    "collection": (_("Debt paid"), "flag"),
}
OTHER_LINE = _("Other")

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


def tier_name(code: str, fallback: object = "") -> object:
    """Return the name of a tier from its code ("qq.bamboo", "classic.points-safe"), else the fallback."""
    part = code.rsplit(".", 1)[-1].split("-")[0].split("_")[0]
    return TIERS.get(part) or fallback or code
