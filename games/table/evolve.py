"""Folds events into state. It never decides: turn numbers, deadlines and counts stand in the events.

The engine advances the deal under the rules version the deal began with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from games.engine.deal import Deal
from games.table import clocks, evolve_deal
from games.table import events as e
from games.table.changes import following, seat_change, standing_change, with_seat
from games.table.errors import FormatError
from games.table.state import BETWEEN, CLOSED, Answers, SeatState, Secrets, TableState
from games.table.terms import parse_terms, rules_of


def fold(state: TableState | None, events: Iterable[e.Event], secrets: Secrets) -> TableState:
    """Fold events into a state; without one, the first must be `table_opened` or `deal_opened`."""
    for event in events:
        state = evolve(state, event, secrets)
    if state is None:
        raise FormatError("no events")
    return state


def evolve(
    state: TableState | None, event: e.Event, secrets: Secrets, *, after: Deal | None = None
) -> TableState:
    """Return the state after one more event.

    `after` spares the second computing of the engine's Deal to whoever has just computed it for this very
    event.
    """
    if isinstance(event, e.Acted):
        return evolve_deal.acted(_known(state), event, after)
    if isinstance(event, e.DealOpened):
        _check_format(event.format)
        return evolve_deal.deal_opened(event, secrets, after)
    if isinstance(event, e.TableOpened):
        return _table_opened(event)
    return _PLAIN[type(event)](_known(state), event)


def _known(state: TableState | None) -> TableState:
    if state is None:
        raise FormatError("a log begins with table_opened or deal_opened")
    return state


def _table_opened(event: e.TableOpened) -> TableState:
    _check_format(event.format)
    seats = rules_of(event.ruleset).seats
    return TableState(
        seq=1,
        at=event.at,
        table=event.table,
        ruleset=event.ruleset,
        terms=parse_terms(event.terms),
        phase=BETWEEN,
        seats=(None,) * seats,
        answers=({},) * seats,
        deal=None,
        number=0,
        turn=0,
        next_deal=event.next_deal,
        next_commitment=event.next_commitment,
        start_at=None,
        leaving=(),
        carry=None,
        previous=None,
        result=None,
    )


def _check_format(number: int) -> None:
    if number > e.FORMAT:
        raise FormatError("newer event format")


def _sat(state: TableState, event: e.Sat) -> TableState:
    seat = SeatState(event.user, event.name, event.computer, event.nonce, event.ready, None)
    answers: tuple[Answers, ...] = (*state.answers[: event.seat], {}, *state.answers[event.seat + 1 :])
    return following(
        state,
        event,
        seats=with_seat(state, event.seat, seat),
        answers=answers,
        start_at=event.start_at,
        said=_said_by_others(state, event.seat),
    )


def _stood(state: TableState, event: e.Stood) -> TableState:
    leaving = tuple([seat for seat in state.leaving if seat != event.seat])
    seats = with_seat(state, event.seat, None)
    return following(state, event, seats=seats, leaving=leaving, start_at=None, carry=None)


def _readied(state: TableState, event: e.Readied) -> TableState:
    seats = seat_change(state, event.seat, ready=True, nonce=event.nonce)
    return following(state, event, seats=seats, start_at=event.start_at)


def _leaving_noted(state: TableState, event: e.LeavingNoted) -> TableState:
    return following(state, event, leaving=(*state.leaving, event.seat))


def _said(state: TableState, event: e.Said) -> TableState:
    lately = [line for line in state.said if line[1] > event.at - clocks.SAID_MS]
    return following(state, event, said=(*lately, (event.seat, event.at)))


def _said_by_others(state: TableState, seat: int) -> tuple[tuple[int, int], ...]:
    return tuple([line for line in state.said if line[0] != seat])


def _nothing(state: TableState, event: Any) -> TableState:
    return following(state, event)


def _absence_began(state: TableState, event: e.AbsenceBegan) -> TableState:
    seats = seat_change(state, event.seat, lost_since=event.since)
    deal = state.deal
    return following(
        state, event, seats=seats, deal=None if deal is None else deal._replace(clock=event.clock)
    )


def _absence_ended(state: TableState, event: e.AbsenceEnded) -> TableState:
    seats = seat_change(state, event.seat, lost_since=None)
    deal = state.deal
    if deal is not None:
        deal = deal._replace(seats=standing_change(deal, event.seat, used=event.used), clock=event.clock)
    return following(state, event, seats=seats, deal=deal)


def _table_closed(state: TableState, event: e.TableClosed) -> TableState:
    return following(
        state, event, phase=CLOSED, seats=(None,) * len(state.seats), start_at=None, leaving=(), carry=None
    )


_PLAIN: dict[type[Any], Callable[[TableState, Any], TableState]] = {
    e.Sat: _sat,
    e.Stood: _stood,
    e.Readied: _readied,
    e.LeavingNoted: _leaving_noted,
    e.DealDeclined: _nothing,
    e.TimedOut: evolve_deal.timed_out,
    e.TrusteeSet: evolve_deal.trustee_set,
    e.AwaySet: evolve_deal.away_set,
    e.AbsenceBegan: _absence_began,
    e.AbsenceEnded: _absence_ended,
    e.LeaveAsked: evolve_deal.leave_asked,
    e.LeaveAnswered: evolve_deal.leave_answered,
    e.LeaveSettled: evolve_deal.leave_settled,
    e.Said: _said,
    e.DealClosed: evolve_deal.deal_closed,
    e.TableClosed: _table_closed,
}
