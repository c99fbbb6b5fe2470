"""What the pages about people show: standings, deals and how they ended, the boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from games import finished, history, naming
from games.engine import rulesets
from games.table.events import DealClosed
from lobby.models import RoomTier

_OUTCOMES = {
    "won": lambda: gettext("Won"),
    "lost": lambda: gettext("Lost"),
    "even": lambda: gettext("Even"),
    "escaped": lambda: gettext("Escaped"),
    "none": lambda: gettext("Another player escaped"),
    "practice": lambda: gettext("Practice"),
}


def offered() -> list[str]:
    """Return the rule sets the house offers just now, in the registry's order."""
    open_now = set(RoomTier.objects.filter(is_open=True).values_list("ruleset", flat=True))
    return [code for code in rulesets.all_codes() if code in open_now]


def standings(user_id: int) -> list[history.Standing]:
    """Return where a player stands in each rule set that he has played or that is offered."""
    played = history.standings_of(user_id)
    codes = {*offered(), *played}
    return [
        played.get(code) or history.Standing(user_id, "", code)
        for code in rulesets.all_codes()
        if code in codes
    ]


def favourite(user_id: int) -> history.Standing | None:
    """Return where a player stands in the rule set he has played most; None before his first deal."""
    played = [row for row in history.standings_of(user_id).values() if row.deals]
    return max(played, key=lambda row: (row.deals, row.points), default=None)


def tiers_of(ruleset: str) -> list[RoomTier]:
    """Return the tiers of a rule set, closed ones too: deals were played there."""
    return list(RoomTier.objects.filter(ruleset=ruleset))


def deal_rows(results: Sequence[Any]) -> list[dict[str, Any]]:
    """Return a player's own results as his list shows them; their endings take one query."""
    endings = finished.endings_of(result.deal for result in results)
    return [
        {
            "deal": result.deal,
            "table": result.deal.table,
            "points": result.points,
            "coins": result.net if result.deal.table.terms.get("currency") == "coins" else None,
            "practice": result.outcome == "practice",
            "ending": ending_words(result, endings.get(result.deal_id)),
            "taken_back": result.turns % 2 == 1,
        }
        for result in results
    ]


def outcome_words(outcome: str) -> str:
    """Return how a deal ended for a player, in a word."""
    return _OUTCOMES[outcome]() if outcome in _OUTCOMES else outcome


def ending_words(result: Any, ending: DealClosed | None) -> str:
    """Return how a deal ended for the player of a result, as exactly as its closing event tells."""
    if ending is None or ending.settlement is None or ending.how == "escaped":
        return outcome_words(result.outcome)
    points = ending.settlement["points"]
    won = points[result.seat] > 0 or (points[result.seat] == 0 and ending.winner == result.seat)
    if result.seat in ending.fined:
        return gettext("Left; the computer played on")
    if rulesets.get(result.deal.ruleset).has_landlord:
        return _landlord_words(won, points, result.seat)
    if ending.winner == result.seat:
        return gettext("Went out first")
    return outcome_words("won" if won else "lost" if points[result.seat] < 0 else "even")


def _landlord_words(won: bool, points: Sequence[int], seat: int) -> str:
    """The landlord is the one whose points go the other way."""
    alone = sum((other > 0) == (points[seat] > 0) for other in points) == 1
    if alone:
        return gettext("Won as landlord") if won else gettext("Lost as landlord")
    return gettext("Won as farmer") if won else gettext("Lost as farmer")


def game_name(ruleset: str) -> object:
    """Return the name of a rule set."""
    return naming.game_words(ruleset).name
