"""A stretch of a table's log made ready for reading: numbers, both clocks, who, what, and whether the chain holds.

Read from the stored bodies alone. A body that this release cannot read is shown as it stands.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from games import log
from games.admin import wording
from games.admin.moments import time_of_day, to_the_ms
from games.models import Deal
from games.table import events as e
from games.table.errors import FormatError
from games.table.events import Event

PAGE = 50


class Line(NamedTuple):
    """One event as the page shows it; `day` is set where it begins a new day or page."""

    seq: int
    day: str
    wall: str
    service: str
    kind: str
    told: wording.Told
    body: str
    digest: str
    holds: bool


class Stretch(NamedTuple):
    """The events `first` to `last` of a table, and the numbers of those whose digest does not hold."""

    first: int
    last: int
    lines: list[Line]
    broken: list[int]


def read(table_id: int, first: int, last: int) -> Stretch:
    """Return the events numbered first to last, told in words."""
    links = log.links(table_id, first, last)
    names = _names_before(table_id, first)
    lines, day = [], ""
    for link in links:
        wall, event = _parsed(link.body)
        told = wording.Told("", link.body)
        if event is not None:
            before = dict(names)
            _seat(names, event)
            told = wording.tell(event, before | names)
        stamp = to_the_ms(wall)
        lines.append(
            Line(
                seq=link.seq,
                day=stamp[:10] if stamp[:10] != day else "",
                wall=time_of_day(wall) if wall is not None else "–",
                service=time_of_day(event.at) if event is not None else "–",
                kind=e.kind_of(event) if event is not None else "",
                told=told,
                body=link.body,
                digest=link.digest.hex(),
                holds=link.holds,
            )
        )
        day = stamp[:10]
    return Stretch(first, last, lines, [line.seq for line in lines if not line.holds])


def chairs(table_id: int, opening_seq: int, head: int) -> dict[int, e.Sat]:
    """Return who sits where now, people and computer players, by the newest events of the log."""
    seated: dict[int, e.Sat] = {}
    for _, body in log.bodies(table_id, opening_seq, head):
        _, event = _parsed(body)
        if isinstance(event, e.DealOpened):
            seated = {
                n: e.Sat(
                    event.at, n, str(seat["name"]), "", bool(seat.get("computer")), False, seat.get("user")
                )
                for n, seat in enumerate(event.seats)
            }
        elif isinstance(event, e.Sat):
            seated[event.seat] = event
        elif isinstance(event, e.Stood):
            seated.pop(event.seat, None)
    return seated


def _parsed(body: str) -> tuple[int | None, Event | None]:
    """Return the wall moment (ms) and the event of a stored body; None for what cannot be read."""
    try:
        data = json.loads(body)
        wall = data.pop("wall", None)
        return (wall if isinstance(wall, int) else None), e.from_json(data)
    except (ValueError, AttributeError, TypeError, FormatError):
        return None, None


def _names_before(table_id: int, first: int) -> dict[int, str]:
    """Return who sat where before an event: from the deal that opened last, and what came after."""
    since = (
        Deal.objects.filter(table_id=table_id, opened_seq__lt=first)
        .order_by("-opened_seq")
        .values_list("opened_seq", flat=True)
        .first()
    )
    names: dict[int, str] = {}
    for _, body in log.bodies(table_id, since or 1, first - 1):
        _, event = _parsed(body)
        if event is not None:
            _seat(names, event)
    return names


def _seat(names: dict[int, str], event: Event) -> None:
    """Keep in mind who sits where after an event."""
    if isinstance(event, e.DealOpened):
        names.clear()
        names.update({n: str(seat["name"]) for n, seat in enumerate(event.seats)})
    elif isinstance(event, e.Sat):
        names[event.seat] = event.name
    elif isinstance(event, e.Stood):
        names.pop(event.seat, None)
