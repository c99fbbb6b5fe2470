"""The balance over time as a drawing: numbers for the lines of an SVG. The template draws, here is where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, pgettext

from wallet.services import Point

# Round numbers for the lines of the grid: 1, 2, 2.5 and 5 of each power of ten.
_ROUND = (10, 20, 25, 50, 100)
_GRID_LINES = 3
_LARGE = {
    "en": ((10**9, "B"), (10**6, "M"), (10**3, "k")),
    "zh-hans": ((10**8, "亿"), (10**4, "万")),
    "zh-hant": ((10**8, "億"), (10**4, "萬")),
}


class Sheet(NamedTuple):
    """A size of the drawing: its width and height, and the edges of the field within."""

    name: str
    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    dates: int


WIDE = Sheet("", 760, 220, 56, 744, 40, 190, 5)
PHONE = Sheet("phone-chart", 332, 180, 44, 320, 34, 152, 3)


class Mark(NamedTuple):
    """A line of the grid or a date below it: where, and its words."""

    at: float
    text: str


class Chart(NamedTuple):
    """One drawing; `trend` and `area` are SVG points."""

    sheet: Sheet
    grid: list[Mark]
    dates: list[Mark]
    trend: str
    area: str
    tip: tuple[float, float]


def charts_of(points: Sequence[Point]) -> list[Chart]:
    """Return the drawing for wide screens and the one for phones; none without points."""
    return [_chart(points, sheet) for sheet in (WIDE, PHONE)] if points else []


def short(coins: float) -> str:
    """Print a large figure in few signs, as the reader's language counts: 12.5k, 1.25万."""
    units = _LARGE.get(get_language() or "en", _LARGE["en"])
    for size, sign in units:
        if abs(coins) >= size:
            return f"{coins / size:.4g}{sign}".replace("-", "−")
    return f"{coins:,.0f}".replace("-", "−")


def _chart(points: Sequence[Point], sheet: Sheet) -> Chart:
    levels = _levels([point.balance for point in points])
    first, last = points[0].at, points[-1].at
    low, high = levels[0], max(levels[-1], *(point.balance for point in points))

    def across(at: datetime) -> float:
        span = (last - first) / timedelta(seconds=1)
        share = (at - first) / timedelta(seconds=1) / span if span else 1.0
        return round(sheet.left + share * (sheet.right - sheet.left), 1)

    def up(coins: float) -> float:
        return round(sheet.bottom - (coins - low) / (high - low) * (sheet.bottom - sheet.top), 1)

    line = " ".join(f"{across(point.at)},{up(point.balance)}" for point in points)
    return Chart(
        sheet=sheet,
        grid=[Mark(up(level), short(level)) for level in levels],
        dates=[Mark(across(at), words) for at, words in _dates(first, last, sheet.dates)],
        trend=line,
        area=f"{sheet.left},{sheet.bottom} {line} {sheet.right},{sheet.bottom}",
        tip=(across(last), up(points[-1].balance)),
    )


def _levels(balances: Sequence[int]) -> list[int]:
    """Return round levels for the grid, evenly apart; the lowest is not above any balance."""
    low, high = min(balances), max(balances)
    step = _round_up(max(1, -(-(high - low) // _GRID_LINES)))
    bottom = low // step * step
    if bottom == low and low > 0:
        bottom -= step
    return list(range(max(0, bottom), max(high, bottom + step) + 1, step))


def _round_up(value: int) -> int:
    """Return the smallest round number that is not below a value."""
    power = 1
    while True:
        for round_number in _ROUND:
            if round_number * power >= 10 * value and round_number * power % 10 == 0:
                return round_number * power // 10
        power *= 10


def _dates(first: datetime, last: datetime, most: int) -> Iterator[tuple[datetime, str]]:
    """Yield up to `most` days between two moments, evenly apart, with their words."""
    days = max(1, (last - first).days)
    step = -(-days // most)
    pattern = pgettext("date format of a day, see Django", "j M")
    day = timezone.localtime(last).replace(hour=0, minute=0, second=0, microsecond=0)
    found: list[tuple[datetime, str]] = []
    while day >= first and len(found) < most:
        found.append((day, date_format(day, pattern)))
        day -= timedelta(days=step)
    yield from reversed(found)
