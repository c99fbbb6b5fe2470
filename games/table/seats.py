"""Sitting and standing between deals, start presses, the start clock, idle tables, the end of a table."""

from __future__ import annotations

import re

from games.table import clocks
from games.table import events as e
from games.table.commands import Ready, Sit, Stand
from games.table.draft import Draft
from games.table.errors import Refusal

_NONCE = re.compile(r"[0-9a-f]{0,64}")


def sit(draft: Draft, command: Sit) -> None:
    """Give an empty seat away. The start clock runs once all seats are taken; a complete match is ready at
    once."""
    draft.between()
    state = draft.state
    if state.carry is not None:
        raise Refusal("wrong_phase", "redeal")
    if not (type(command.seat) is int and 0 <= command.seat < len(state.seats)):
        raise Refusal("not_seated")
    if state.seats[command.seat] is not None:
        raise Refusal("seat_taken")
    if command.user is not None and any(seat and seat.user == command.user for seat in state.seats):
        raise Refusal("seat_taken", "user")
    check_nonce(command.nonce)
    others = [seat for index, seat in enumerate(state.seats) if index != command.seat]
    ready = command.computer or (state.terms.match and state.number == 0)
    fills = None not in others and not (command.computer and all(seat and seat.computer for seat in others))
    wanted = ready and all(seat is not None and seat.ready for seat in others)
    start_at = draft.now + (clocks.OPEN_MS if wanted else state.terms.start_ms) if fills else None
    draft.emit(
        e.Sat(
            at=draft.at,
            seat=command.seat,
            name=command.name,
            nonce=command.nonce,
            computer=command.computer,
            ready=ready,
            user=command.user,
            start_at=start_at,
        )
    )


def check_nonce(nonce: str) -> None:
    """Refuse what is no nonce (DESIGN: fair deal)."""
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise Refusal("bad_nonce")


def stand(draft: Draft, command: Stand) -> None:
    """Let a player stand up between deals, as long as leaving is free."""
    draft.sitter(command.seat)
    draft.between()
    if draft.state.bound:
        raise Refusal("wrong_phase", "bound")
    stand_up(draft, command.seat, command.reason, command.id)


def stand_up(draft: Draft, seat: int, reason: str, cmd: str | None = None) -> None:
    """Empty a seat."""
    draft.emit(e.Stood(at=draft.at, seat=seat, reason=reason, cmd=cmd))


def ready(draft: Draft, command: Ready) -> None:
    """Take a start press; the last one asks for the deal."""
    seat = draft.sitter(command.seat)
    draft.between()
    check_nonce(command.nonce)
    if seat.ready:
        raise Refusal("already_ready")
    state = draft.state
    others = [other for index, other in enumerate(state.seats) if index != command.seat]
    start_at = state.start_at
    if state.full and all(other is not None and other.ready for other in others):
        start_at = draft.now + clocks.OPEN_MS
    nonce = command.nonce or seat.nonce
    draft.emit(e.Readied(at=draft.at, seat=command.seat, nonce=nonce, start_at=start_at, cmd=command.id))


def start_clock_is_due(draft: Draft) -> None:
    """Stand up who has not pressed start; everybody, if the deal they asked for could not be opened."""
    state = draft.state
    reason = "no_deal" if state.wants_deal else "not_ready"
    for index, seat in enumerate(state.seats):
        if seat is not None and (state.wants_deal or not seat.ready):
            stand_up(draft, index, reason)


def idle_is_due(draft: Draft) -> None:
    """Close a table where nothing happens."""
    close_table(draft, "idle")


def close_table(draft: Draft, reason: str) -> None:
    """Stand everybody up and close."""
    for index, seat in enumerate(draft.state.seats):
        if seat is not None:
            stand_up(draft, index, reason)
    draft.emit(e.TableClosed(at=draft.at, reason=reason))
