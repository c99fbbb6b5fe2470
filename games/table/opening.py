"""Opening the deal a table waits for, or declining it."""

from __future__ import annotations

from typing import Any

from games.engine.errors import EngineError
from games.table import clocks
from games.table import events as e
from games.table.commands import DeclineDeal, OpenDeal
from games.table.draft import Draft
from games.table.errors import FormatError, Refusal
from games.table.evolve_deal import start_deal
from games.table.leaving import leave_deal
from games.table.seats import stand_up
from games.table.state import DealSeat, SeatState, TableState
from games.table.terms import rules_of


def open_deal(draft: Draft, command: OpenDeal) -> None:
    """Open the deal; it must be the one that was announced, with the nonces of the seats.

    Who left a complete match before it was open escapes (or leaves) at once.
    """
    state = draft.state
    if not state.wants_deal:
        raise Refusal("wrong_phase", state.phase)
    if (command.deal_id, command.commitment) != (state.next_deal, state.next_commitment):
        raise Refusal("wrong_deal")
    if tuple(command.nonces) != state.nonces or command.number != state.number + 1:
        raise Refusal("wrong_deal", "nonces or number")
    event = _opened(draft, command)
    try:
        deal = start_deal(event, draft.secrets)
    except (EngineError, FormatError) as error:
        raise Refusal("bad_opening", error.code) from None
    assert deal.turn is not None
    standing = event.seats[deal.turn]
    seat = state.seats[deal.turn]
    assert seat is not None
    manners = rules_of(state.ruleset, command.rules_version).manners
    auto = None
    if seat.computer:
        auto = state.terms.turn_ms
    elif standing["manners"].get("away") is not None:
        auto = clocks.PACE_MS
    clock = clocks.fresh(
        deal.turn,
        event.turn,
        now=draft.now,
        length=state.terms.turn_ms,
        auto=auto,
        stands=seat.lost_since is not None and manners.absence == "wait",
    )
    draft.emit(event._replace(clock=clock), deal)
    for early in state.leaving:
        if draft.state.deal is not None and draft.state.deal.seats[early].away != "leave":
            leave_deal(draft, early)


def _opened(draft: Draft, command: OpenDeal) -> e.DealOpened:
    state, carry = draft.state, draft.state.carry
    return e.DealOpened(
        at=draft.at,
        seq=state.seq + 1,
        table=state.table,
        ruleset=state.ruleset,
        rules_version=command.rules_version,
        terms=state.terms.raw,
        deal=command.deal_id,
        number=command.number,
        commitment=command.commitment,
        next_deal=command.next_deal_id,
        next_commitment=command.next_commitment,
        nonces=tuple(command.nonces),
        opening=e.freeze(command.opening),
        seats=tuple([_seat_body(state, index, seat) for index, seat in enumerate(state.seats)]),
        accepted=tuple([tuple(answers.items()) for answers in state.answers]),
        leaving=state.leaving,
        budget_from=draft.at if carry is None else carry.budget_from,
        dead=0 if carry is None else carry.dead,
        turn=state.turn + 1,
        balances=None if command.balances is None else tuple(command.balances),
    )


def _seat_body(state: TableState, index: int, seat: SeatState | None) -> dict[str, Any]:
    assert seat is not None
    body: dict[str, Any] = {"name": seat.name, "computer": seat.computer}
    if seat.user is not None:
        body["user"] = seat.user
    if seat.lost_since is not None:
        body["lost_since"] = seat.lost_since
    carried = state.carry.seats[index] if state.carry is not None else DealSeat()
    plain = DealSeat()
    body["manners"] = {
        name: value for name, value in carried._asdict().items() if value != getattr(plain, name)
    }
    return body


def decline_deal(draft: Draft, command: DeclineDeal) -> None:
    """Stand up who cannot pay for the next deal."""
    state = draft.state
    if not state.wants_deal:
        raise Refusal("wrong_phase", state.phase)
    declined = sorted(command.seats.items())
    for index, _ in declined:
        draft.sitter(index)
    draft.emit(e.DealDeclined(at=draft.at, seats={str(index): reason for index, reason in declined}))
    for index, reason in declined:
        stand_up(draft, index, reason)
