"""Lost and returning connections. A lost line stops nothing but the seat's own clock at its own turn
(RULES §5)."""

from __future__ import annotations

from games.table import events as e
from games.table.commands import Connected, Lost
from games.table.draft import Draft, autoplays, clock_after
from games.table.ending import escape
from games.table.leaving import agree_by_themselves
from games.table.play import come_back, go_away
from games.table.seats import stand_up


def lost(draft: Draft, command: Lost) -> None:
    """Note that a seat's last connection is gone; nothing for a computer or for a seat known to be lost."""
    seat = draft.sitter(command.seat)
    if seat.computer or seat.lost_since is not None:
        return
    since = min(command.since, draft.now)
    state = draft.state
    clock = None
    if state.deal is not None:
        clock = clock_after(
            draft,
            command.seat,
            auto=autoplays(state, command.seat),
            stands=state.manners.absence == "wait",
            since=since,
        )
    draft.emit(e.AbsenceBegan(at=draft.at, seat=command.seat, since=since, clock=clock))


def connected(draft: Draft, command: Connected) -> None:
    """Note that a seat's player is there again: his clock runs on, and the computer gives his seat back.

    A seat away for its time-outs stays away until it acts (RULES §5).
    """
    index = command.seat
    seat = draft.sitter(index)
    deal = draft.state.deal
    if seat.lost_since is not None:
        used, clock = 0, None
        if deal is not None:
            used = deal.seats[index].used + draft.now - max(seat.lost_since, deal.head.budget_from)
            clock = clock_after(draft, index, auto=autoplays(draft.state, index), stands=False)
        draft.emit(e.AbsenceEnded(at=draft.at, seat=index, used=used, clock=clock))
    if deal is not None and deal.seats[index].away in ("absence", "leave"):
        come_back(draft, index)


def absence_is_due(draft: Draft, seat: int) -> None:
    """End an absence that lasted too long: an escape, being away where play goes on, standing up between
    deals."""
    if draft.state.deal is None:
        stand_up(draft, seat, "lost")
    elif draft.state.manners.absence == "wait":
        escape(draft, seat, "absence")
    else:
        go_away(draft, seat, "absence")
        agree_by_themselves(draft)
