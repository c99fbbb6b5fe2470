"""A settlement as a sheet to be followed by eye: a line for each of its reasons, a column for each seat and the house.

Every figure is the engine's. Words are the reader's; the engine's codes stay behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from games.engine.settlement import Settlement
from games.engine.terms import Terms
from games.engine.verdicts import Verdict
from games.templatetags.house import fee_text, figure, signed, turn
from rulebook.book import Reckoning

LETTERS = "ABCD"
NOTHING = "–"


class Cell(NamedTuple):
    """A figure as it is printed, the class that colours it, and how it came about."""

    text: str
    tone: str = ""
    steps: str = ""


class Line(NamedTuple):
    """One step: what it is, the cards that caused it, the figures by seat, and the house's."""

    heading: object
    cells: tuple[Cell, ...]
    house: Cell = Cell("")
    cards: str = ""


class Seat(NamedTuple):
    """A column: its letter and, where there is one, who plays against whom ("landlord", "farmer" or "")."""

    letter: str
    role: str


class Sheet(NamedTuple):
    """A whole reckoning; `house` tells whether the house has a column."""

    seats: tuple[Seat, ...]
    terms: tuple[tuple[object, str], ...]
    lines: tuple[Line, ...]
    foot: Line
    house: bool

    @property
    def columns(self) -> int:
        """How many columns of figures it has."""
        return len(self.seats) + self.house


FACTORS: Mapping[str, object] = {
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
HEADINGS: Mapping[str, object] = {
    "cards_left": gettext_lazy("Cards left"),
    "card_score": gettext_lazy("Card score"),
    "score": gettext_lazy("Score"),
    "purse": gettext_lazy("Limited by the balance"),
    "carried": gettext_lazy("Limited by what the winner carries"),
    "points": gettext_lazy("Points"),
    "away_share": gettext_lazy("Share of an absent partner"),
}


def sheet_of(example: Reckoning, settlement: Settlement) -> Sheet:
    """Lay an example's settlement out."""
    terms = Terms.from_json(dict(example.terms))
    coins = terms.moves_coins
    lines = [_line(row, terms) for row in settlement.reasons if _says_something(row)]
    if example.balances is not None:
        before = Line(_("Balance before"), tuple(Cell(figure(value)) for value in example.balances))
        lines.insert(0, before)
    sums = settlement.net if coins else settlement.points
    foot = Line(
        pgettext("reckoning", "In all") if coins else _("Points"),
        tuple(_change(value) for value in sums),
        _change(settlement.house),
    )
    return Sheet(_seats(len(sums), example.landlord), _terms(terms), tuple(lines), foot, coins)


def _says_something(row: Mapping[str, Any]) -> bool:
    """Whether a reason is a step of its own: not the sum below all steps, and not a doubling that was none."""
    return row["row"] != "coins" and not (row.get("cause") == "doublings" and set(row["values"]) == {1})


def sheet_of_ruling(terms: Terms, landlord: int | None, verdict: Verdict) -> Sheet:
    """Lay out what an upheld complaint moves."""
    seats = len(verdict.deltas)
    lines = [_moves(_("The deals undone"), verdict.undone, -sum(verdict.undone))]
    lines.append(
        _moves(_("Fees of the deals"), [-owed for owed in verdict.deal_fees], sum(verdict.deal_fees))
    )
    for fine in verdict.fines:
        values = list(fine.shares)
        values[fine.offender] -= fine.amount
        heading = _("Fine of %(seat)s") % {"seat": LETTERS[fine.offender]}
        lines.append(_moves(heading, values, fine.house))
    fee = [back - charged for back, charged in zip(verdict.fee_returned, verdict.fee_charged, strict=True)]
    lines.append(_moves(_("Complaint fee"), fee, -sum(fee)))
    shown = [line for line in lines if any(cell.text != NOTHING for cell in (*line.cells, line.house))]
    foot = _moves(pgettext("reckoning", "In all"), verdict.deltas, verdict.house)
    return Sheet(_seats(seats, landlord), _terms(terms), tuple(shown), foot, True)


def _seats(count: int, landlord: int | None) -> tuple[Seat, ...]:
    roles = [
        "" if landlord is None else "landlord" if seat == landlord else "farmer" for seat in range(count)
    ]
    return tuple(Seat(LETTERS[seat], role) for seat, role in enumerate(roles))


def _terms(terms: Terms) -> tuple[tuple[object, str], ...]:
    if not terms.moves_coins:
        return ()
    rows = [(_("Base stake"), figure(terms.base_stake))]
    if terms.cap is not None:
        rows.append((_("Hand cap"), figure(terms.cap)))
    if terms.fee is not None:
        rows.append((_("Table fee"), fee_text(terms.fee)))
    return tuple(rows)


def _moves(heading: object, values: Sequence[int], house: int) -> Line:
    return Line(heading, tuple(_change(value) for value in values), _change(house))


def _change(value: int | None) -> Cell:
    return Cell(signed(value), turn(value)) if value else Cell(NOTHING)


def _line(row: Mapping[str, Any], terms: Terms) -> Line:
    kind = row["row"]
    values: Sequence[int | None] = row["values"]
    cells = _CELLS.get(kind, _changes)(row, values)
    house = Cell("")
    if kind in ("fee", "penalty"):
        house = _change(sum(value or 0 for value in values))
    return Line(_heading(row, terms), tuple(cells), house, str(row.get("cards", "")))


def _heading(row: Mapping[str, Any], terms: Terms) -> object:
    kind = row["row"]
    if kind == "factor":
        return FACTORS.get(row["cause"], row["cause"])
    if kind == "stake":
        return _("× base stake %(stake)s") % {"stake": figure(row["base_stake"])}
    if kind == "cap":
        return _("Limited by the hand cap %(cap)s") % {"cap": figure(terms.cap)}
    if kind == "pot":
        return _("The pot of %(total)s, shared") % {"total": figure(row["total"])}
    if kind == "fee":
        return _("Table fee (%(fee)s)") % {"fee": fee_text(terms.fee)}
    if kind == "penalty":
        return _("Fine for leaving") if row["cause"] == "leave" else _("Fine for the escape")
    return HEADINGS[kind]


def _plain(row: Mapping[str, Any], values: Sequence[int | None]) -> list[Cell]:
    return [Cell(NOTHING if value is None else figure(value)) for value in values]


def _factors(row: Mapping[str, Any], values: Sequence[int | None]) -> list[Cell]:
    return [Cell(NOTHING if value is None else f"×{figure(value)}") for value in values]


def _card_scores(row: Mapping[str, Any], values: Sequence[int | None]) -> list[Cell]:
    cells = []
    for value, factors in zip(values, row["factors"], strict=True):
        score = value or 0
        left = score
        for factor in factors:
            left //= factor["factor"]
        steps = "".join(f" × {factor['factor']}" for factor in factors)
        cells.append(Cell(figure(score), steps=f"{figure(left)}{steps}" if factors else ""))
    return cells


def _limits(row: Mapping[str, Any], values: Sequence[int | None]) -> list[Cell]:
    return [Cell(NOTHING) if value is None else Cell(figure(value), "hit") for value in values]


def _payments(row: Mapping[str, Any], values: Sequence[int | None]) -> list[Cell]:
    return [_change(-value if value else None) for value in values]


def _changes(row: Mapping[str, Any], values: Sequence[int | None]) -> list[Cell]:
    return [_change(value) for value in values]


_CELLS = {
    "cards_left": _plain,
    "card_score": _card_scores,
    "factor": _factors,
    "cap": _limits,
    "purse": _limits,
    "carried": _limits,
    "fee": _payments,
    "penalty": _payments,
}
