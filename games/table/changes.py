"""The small changes of which the effects of events are made."""

from __future__ import annotations

from typing import Any

from games.table.errors import FormatError
from games.table.state import Answers, DealSeat, DealState, SeatState, TableState

REMEMBERED = 64
"""How many accepted commands a seat is remembered for."""


def deal_of(state: TableState) -> DealState:
    """Return the running deal; FormatError when there is none."""
    if state.deal is None:
        raise FormatError("no deal is open")
    return state.deal


def remember(state: TableState, seat: int | None, cmd: str | None) -> tuple[Answers, ...]:
    """Add an accepted command of a seat, answered by the event that comes next."""
    if cmd is None or seat is None:
        return state.answers
    kept = dict(state.answers[seat])
    kept[cmd] = state.seq + 1
    if len(kept) > REMEMBERED:
        del kept[next(iter(kept))]
    return (*state.answers[:seat], kept, *state.answers[seat + 1 :])


def following(state: TableState, event: Any, **changes: Any) -> TableState:
    """Return the state after one more event, with these changes."""
    cmd = getattr(event, "cmd", None)
    if cmd is not None:
        changes["answers"] = remember(state, event.seat, cmd)
    return state._replace(seq=state.seq + 1, at=event.at, **changes)


def with_seat(state: TableState, index: int, seat: SeatState | None) -> tuple[SeatState | None, ...]:
    """Return the seats with another sitter in one of them."""
    return (*state.seats[:index], seat, *state.seats[index + 1 :])


def seat_change(state: TableState, index: int, **changes: Any) -> tuple[SeatState | None, ...]:
    """Return the seats with a sitter changed."""
    seat = state.seats[index]
    if seat is None:
        raise FormatError("an empty seat")
    return with_seat(state, index, seat._replace(**changes))


def standing_change(deal: DealState, index: int, **changes: Any) -> tuple[DealSeat, ...]:
    """Return the seats' standing in the deal, changed for one of them."""
    return (*deal.seats[:index], deal.seats[index]._replace(**changes), *deal.seats[index + 1 :])
