"""Folds events into state. It never decides: turn numbers, deadlines and counts stand in the events.

The engine advances the deal under the rules version the deal began with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from games.engine import rulesets
from games.engine.actions import Action, parse_action
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.rulesets import RuleSet
from games.engine.terms import COINS, POINTS, Fee, Terms
from games.table import events as e
from games.table.clocks import Clock
from games.table.errors import FormatError
from games.table.state import (
    BETWEEN,
    CLOSED,
    PLAYING,
    Answers,
    Carry,
    DealHead,
    DealSeat,
    DealState,
    Past,
    SeatState,
    Secrets,
    TableState,
    Vote,
)
from games.table.terms import TableTerms, parse_terms

REMEMBERED = 64
"""How many accepted commands a seat is remembered for."""


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

    `after` spares the second computing of the engine's Deal to whoever has just computed it for this very event.
    """
    if isinstance(event, e.Acted):
        return _acted(_known(state), event, after)
    if isinstance(event, e.DealOpened):
        return _deal_opened(event, secrets, after)
    if isinstance(event, e.TableOpened):
        return _table_opened(event)
    return _PLAIN[type(event)](_known(state), event)


def engine_terms(terms: TableTerms) -> Terms:
    """Make the engine's terms of a table's; where no coins move the engine counts points."""
    raw = terms.raw
    fee = raw.get("fee")
    return Terms(
        base_stake=raw.get("base_stake", 1),
        cap=raw.get("cap"),
        fee=None if fee is None else Fee(fee["kind"], fee["value"]),
        initial_multiplier=raw.get("initial_multiplier", 1),
        currency=COINS if terms.currency == "coins" else POINTS,
    )


def rules_of(code: str, version: int | None = None) -> RuleSet:
    """Find a rule set; FormatError for one this process does not have."""
    try:
        return rulesets.get(code, version)
    except EngineError as error:
        raise FormatError(f"rules {code} {version}: {error.code}") from None


def start_deal(event: e.DealOpened, secrets: Secrets) -> Deal:
    """Deal out the cards of an opened deal."""
    rules = rules_of(event.ruleset, event.rules_version)
    return rules.start(
        deck=secrets.deck_of(event.deal), opening=event.opening, terms=engine_terms(parse_terms(event.terms))
    )


def _known(state: TableState | None) -> TableState:
    if state is None:
        raise FormatError("a log begins with table_opened or deal_opened")
    return state


def _deal_of(state: TableState) -> DealState:
    if state.deal is None:
        raise FormatError("no deal is open")
    return state.deal


def _remember(state: TableState, seat: int | None, cmd: str | None) -> tuple[Answers, ...]:
    if cmd is None or seat is None:
        return state.answers
    kept = dict(state.answers[seat])
    kept[cmd] = state.seq + 1
    if len(kept) > REMEMBERED:
        del kept[next(iter(kept))]
    return (*state.answers[:seat], kept, *state.answers[seat + 1 :])


def _next(state: TableState, event: Any, **changes: Any) -> TableState:
    cmd = getattr(event, "cmd", None)
    if cmd is not None:
        changes["answers"] = _remember(state, event.seat, cmd)
    return state._replace(seq=state.seq + 1, at=event.at, **changes)


def _with_seat(state: TableState, index: int, seat: SeatState | None) -> tuple[SeatState | None, ...]:
    return (*state.seats[:index], seat, *state.seats[index + 1 :])


def _seat_change(state: TableState, index: int, **changes: Any) -> tuple[SeatState | None, ...]:
    seat = state.seats[index]
    if seat is None:
        raise FormatError("an empty seat")
    return _with_seat(state, index, seat._replace(**changes))


def _standing_change(deal: DealState, index: int, **changes: Any) -> tuple[DealSeat, ...]:
    return (*deal.seats[:index], deal.seats[index]._replace(**changes), *deal.seats[index + 1 :])


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


def _deal_opened(event: e.DealOpened, secrets: Secrets, after: Deal | None) -> TableState:
    _check_format(event.format)
    seats = tuple([_seat_from(body, nonce) for body, nonce in zip(event.seats, event.nonces, strict=True)])
    head = DealHead(
        id=event.deal,
        number=event.number,
        commitment=event.commitment,
        opened_at=event.at,
        budget_from=event.budget_from,
        dead=event.dead,
        rules=rules_of(event.ruleset, event.rules_version),
        nonces=event.nonces,
        balances=event.balances,
        opening=event.opening,
        members=tuple([seat.member for seat in seats]),
    )
    deal = DealState(
        head=head,
        deal=start_deal(event, secrets) if after is None else after,
        clock=event.clock,
        seats=tuple([DealSeat(**body["manners"]) for body in event.seats]),
        last=(None,) * len(seats),
        vote=None,
        living=False,
    )
    return TableState(
        seq=event.seq,
        at=event.at,
        table=event.table,
        ruleset=event.ruleset,
        terms=parse_terms(event.terms),
        phase=PLAYING,
        seats=seats,
        answers=tuple([dict(pairs) for pairs in event.accepted]),
        deal=deal,
        number=event.number,
        turn=event.turn,
        next_deal=event.next_deal,
        next_commitment=event.next_commitment,
        start_at=None,
        leaving=event.leaving,
        carry=None,
        previous=None,
        result=None,
    )


def _seat_from(body: e.Json, nonce: str) -> SeatState:
    return SeatState(
        user=body.get("user"),
        name=body["name"],
        computer=body["computer"],
        nonce=nonce,
        ready=True,
        lost_since=body.get("lost_since"),
    )


def _acted(state: TableState, event: e.Acted, after: Deal | None) -> TableState:
    now = _deal_of(state)
    seat, clock = event.seat, event.clock
    before = now.deal
    if after is None:
        action = parse_action(event.action)
        after = _apply(now.head.rules, before, seat, action)
    living, last = now.living, now.last
    if seat is not None and event.action != "escape":
        played = (event.action, event.combo, event.auto)
        if event.combo is not None and before.standing is None:
            last = tuple([played if index == seat else None for index in range(len(last))])
        else:
            last = (*last[:seat], played, *last[seat + 1 :])
        if event.auto is None and not living:
            sitter = state.seats[seat]
            living = sitter is not None and not sitter.computer
    answers = state.answers if event.cmd is None else _remember(state, seat, event.cmd)
    return TableState(
        state.seq + 1,
        event.at,
        state.table,
        state.ruleset,
        state.terms,
        state.phase,
        state.seats,
        answers,
        DealState(now.head, after, clock, now.seats, last, now.vote, living),
        state.number,
        state.turn if clock is None else clock.turn,
        state.next_deal,
        state.next_commitment,
        None,
        state.leaving,
        None,
        None,
        None,
    )


def _apply(rules: RuleSet, deal: Deal, seat: int | None, action: Action) -> Deal:
    try:
        return rules.apply(deal, seat, action)
    except EngineError as error:
        raise FormatError(f"the log does not replay: {error.code} {error.reason}") from None


def _sat(state: TableState, event: e.Sat) -> TableState:
    seat = SeatState(event.user, event.name, event.computer, event.nonce, event.ready, None)
    answers: tuple[Answers, ...] = (*state.answers[: event.seat], {}, *state.answers[event.seat + 1 :])
    return _next(
        state, event, seats=_with_seat(state, event.seat, seat), answers=answers, start_at=event.start_at
    )


def _stood(state: TableState, event: e.Stood) -> TableState:
    leaving = tuple([seat for seat in state.leaving if seat != event.seat])
    seats = _with_seat(state, event.seat, None)
    return _next(state, event, seats=seats, leaving=leaving, start_at=None, carry=None)


def _readied(state: TableState, event: e.Readied) -> TableState:
    seats = _seat_change(state, event.seat, ready=True, nonce=event.nonce)
    return _next(state, event, seats=seats, start_at=event.start_at)


def _leaving_noted(state: TableState, event: e.LeavingNoted) -> TableState:
    return _next(state, event, leaving=(*state.leaving, event.seat))


def _nothing(state: TableState, event: Any) -> TableState:
    return _next(state, event)


def _timed_out(state: TableState, event: e.TimedOut) -> TableState:
    deal = _deal_of(state)
    seats = _standing_change(deal, event.seat, time_outs=event.times)
    return _next(state, event, deal=deal._replace(seats=seats))


def _trustee_set(state: TableState, event: e.TrusteeSet) -> TableState:
    deal = _deal_of(state)
    seats = _standing_change(deal, event.seat, trustee=event.on)
    return _next(state, event, deal=deal._replace(seats=seats, clock=event.clock))


def _away_set(state: TableState, event: e.AwaySet) -> TableState:
    deal = _deal_of(state)
    seats = _standing_change(deal, event.seat, away=event.cause, fined=event.fined)
    return _next(state, event, deal=deal._replace(seats=seats, clock=event.clock))


def _absence_began(state: TableState, event: e.AbsenceBegan) -> TableState:
    seats = _seat_change(state, event.seat, lost_since=event.since)
    deal = state.deal
    return _next(state, event, seats=seats, deal=None if deal is None else deal._replace(clock=event.clock))


def _absence_ended(state: TableState, event: e.AbsenceEnded) -> TableState:
    seats = _seat_change(state, event.seat, lost_since=None)
    deal = state.deal
    if deal is not None:
        deal = deal._replace(seats=_standing_change(deal, event.seat, used=event.used), clock=event.clock)
    return _next(state, event, seats=seats, deal=deal)


def _leave_asked(state: TableState, event: e.LeaveAsked) -> TableState:
    deal = _deal_of(state)
    seats = _standing_change(deal, event.seat, asked=True)
    vote = Vote(event.seat, event.ends, event.agreed)
    return _next(state, event, deal=deal._replace(seats=seats, vote=vote))


def _leave_answered(state: TableState, event: e.LeaveAnswered) -> TableState:
    deal = _deal_of(state)
    vote = deal.vote
    if vote is None:
        raise FormatError("no request is running")
    if event.agree:
        vote = vote._replace(agreed=(*vote.agreed, event.seat))
    return _next(state, event, deal=deal._replace(vote=vote))


def _leave_settled(state: TableState, event: e.LeaveSettled) -> TableState:
    return _next(state, event, deal=_deal_of(state)._replace(vote=None))


def _deal_closed(state: TableState, event: e.DealClosed) -> TableState:
    deal = _deal_of(state)
    head = deal.head
    redeal = event.how == "redeal"
    carry = None
    if redeal:
        kept = tuple([seat._replace(trustee=False, asked=False) for seat in deal.seats])
        carry = Carry(kept, head.budget_from, event.dead)
    seats = tuple(
        [
            seat and seat._replace(ready=redeal or seat.computer, nonce=seat.nonce if redeal else "")
            for seat in state.seats
        ]
    )
    return _next(
        state,
        event,
        phase=BETWEEN,
        seats=seats,
        deal=None,
        start_at=event.start_at,
        leaving=(),
        carry=carry,
        previous=Past(head.opening, event.how, event.winner, head.members),
        result=None if redeal else _result(state, head, event),
    )


def _result(state: TableState, head: DealHead, event: e.DealClosed) -> dict[str, Any]:
    return {
        "deal": event.deal,
        "number": event.number,
        "how": event.how,
        "winner": event.winner,
        "seat": event.seat,
        "settlement": event.settlement,
        "reasons": event.reasons,
        "hands": event.hands,
        "bottom": event.bottom,
        "seed": event.seed,
        "commitment": head.commitment,
        "nonces": head.nonces,
        "names": tuple([seat.name if seat is not None else "" for seat in state.seats]),
    }


def _table_closed(state: TableState, event: e.TableClosed) -> TableState:
    return _next(
        state, event, phase=CLOSED, seats=(None,) * len(state.seats), start_at=None, leaving=(), carry=None
    )


_PLAIN: dict[type[Any], Callable[[TableState, Any], TableState]] = {
    e.Sat: _sat,
    e.Stood: _stood,
    e.Readied: _readied,
    e.LeavingNoted: _leaving_noted,
    e.DealDeclined: _nothing,
    e.TimedOut: _timed_out,
    e.TrusteeSet: _trustee_set,
    e.AwaySet: _away_set,
    e.AbsenceBegan: _absence_began,
    e.AbsenceEnded: _absence_ended,
    e.LeaveAsked: _leave_asked,
    e.LeaveAnswered: _leave_answered,
    e.LeaveSettled: _leave_settled,
    e.Said: _nothing,
    e.DealClosed: _deal_closed,
    e.TableClosed: _table_closed,
}
