"""Moments and spans of the two clocks, in words: wall time, and service time, which our outages do not count in."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.translation import gettext as _

from wallet.desk import EMPTY


def to_the_ms(ms: int | None) -> str:
    """Print a moment of either clock to the millisecond: "2026-11-30 17:20:03.512"."""
    if ms is None:
        return EMPTY
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return f"{at:%Y-%m-%d %H:%M:%S}.{ms % 1000:03d}"


def time_of_day(ms: int) -> str:
    """Print the time of day of a moment to the millisecond: "17:20:03.512"."""
    return to_the_ms(ms)[11:]


def span(ms: int) -> str:
    """Print a length of time, roundly: 900 → "0.9 s", 75,000 → "1 min 15 s"."""
    seconds, rest = divmod(abs(ms), 1000)
    if seconds < 10:
        return _("%(seconds)s s") % {"seconds": f"{seconds}.{rest // 100}"}
    if seconds < 60:
        return _("%(seconds)s s") % {"seconds": seconds}
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": seconds}
    hours, minutes = divmod(minutes, 60)
    return _("%(hours)s h %(minutes)s min") % {"hours": hours, "minutes": minutes}


def until(moment: int | None, now: int) -> str:
    """Say how far off a moment of service time is: "in 14 s", "4.0 s ago"."""
    if moment is None:
        return EMPTY
    if moment >= now:
        return _("in %(span)s") % {"span": span(moment - now)}
    return _("%(span)s ago") % {"span": span(now - moment)}
