"""The effects of a deal's events: opened, acted, time-outs, trusteeship, the request to leave, closed."""

from __future__ import annotations

from typing import Any

from games.engine.actions import parse_action
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.rulesets import RuleSet
from games.table import events as e
from games.table.changes import deal_of, following, remember, standing_change
from games.table.errors import FormatError
from games.table.state import (
    BETWEEN,
    PLAYING,
    Carry,
    DealHead,
    DealSeat,
    DealState,
    LastAct,
    Past,
    SeatState,
    Secrets,
    TableState,
    Vote,
)
from games.table.terms import engine_terms, parse_terms, rules_of


def start_deal(event: e.DealOpened, secrets: Secrets) -> Deal:
    """Deal out the cards of an opened deal."""
    rules = rules_of(event.ruleset, event.rules_version)
    return rules.start(
        deck=secrets.deck_of(event.deal), opening=event.opening, terms=engine_terms(parse_terms(event.terms))
    )


def deal_opened(event: e.DealOpened, secrets: Secrets, after: Deal | None) -> TableState:
    """Build the whole state from the event that opens a deal."""
    seats = tuple([_seat_from(body, nonce) for body, nonce in zip(event.seats, event.nonces, strict=True)])
    return TableState(
        seq=event.seq,
        at=event.at,
        table=event.table,
        ruleset=event.ruleset,
        terms=parse_terms(event.terms),
        phase=PLAYING,
        seats=seats,
        answers=tuple([dict(pairs) for pairs in event.accepted]),
        deal=_deal_state(event, seats, start_deal(event, secrets) if after is None else after),
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


def _deal_state(event: e.DealOpened, seats: tuple[SeatState, ...], deal: Deal) -> DealState:
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
    standings = tuple([DealSeat(**body["manners"]) for body in event.seats])
    return DealState(head, deal, event.clock, standings, (None,) * len(seats), None, False)


def _seat_from(body: e.Json, nonce: str) -> SeatState:
    return SeatState(
        user=body.get("user"),
        name=body["name"],
        computer=body["computer"],
        nonce=nonce,
        ready=True,
        lost_since=body.get("lost_since"),
    )


def acted(state: TableState, event: e.Acted, after: Deal | None) -> TableState:
    """Advance the deal by an action; `after` is the Deal it leads to, where that is known already."""
    now = deal_of(state)
    seat, clock = event.seat, event.clock
    if after is None:
        after = _apply(now.head.rules, now.deal, seat, event.action)
    last, living = now.last, now.living
    if seat is not None and event.action != "escape":
        last = _last_acts(now, seat, event)
        if event.auto is None and not living:
            sitter = state.seats[seat]
            living = sitter is not None and not sitter.computer
    return TableState(
        state.seq + 1,
        event.at,
        state.table,
        state.ruleset,
        state.terms,
        state.phase,
        state.seats,
        state.answers if event.cmd is None else remember(state, seat, event.cmd),
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
        state.said,
    )


def _last_acts(now: DealState, seat: int, event: e.Acted) -> tuple[LastAct | None, ...]:
    """Keep what each seat did last in the trick; a lead begins a new one."""
    act = (event.action, event.combo, event.auto)
    if event.combo is not None and now.deal.standing is None:
        return tuple([act if index == seat else None for index in range(len(now.last))])
    return (*now.last[:seat], act, *now.last[seat + 1 :])


def _apply(rules: RuleSet, deal: Deal, seat: int | None, action: str) -> Deal:
    try:
        return rules.apply(deal, seat, parse_action(action))
    except EngineError as error:
        raise FormatError(f"the log does not replay: {error.code} {error.reason}") from None


def timed_out(state: TableState, event: e.TimedOut) -> TableState:
    """Count a time-out."""
    deal = deal_of(state)
    seats = standing_change(deal, event.seat, time_outs=event.times)
    return following(state, event, deal=deal._replace(seats=seats))


def trustee_set(state: TableState, event: e.TrusteeSet) -> TableState:
    """Hand a seat to the autoplay, or take it back."""
    deal = deal_of(state)
    seats = standing_change(deal, event.seat, trustee=event.on)
    return following(state, event, deal=deal._replace(seats=seats, clock=event.clock))


def away_set(state: TableState, event: e.AwaySet) -> TableState:
    """Let the computer play on for a seat, or give it back."""
    deal = deal_of(state)
    seats = standing_change(deal, event.seat, away=event.cause, fined=event.fined)
    return following(state, event, deal=deal._replace(seats=seats, clock=event.clock))


def leave_asked(state: TableState, event: e.LeaveAsked) -> TableState:
    """Begin a request to leave by consent."""
    deal = deal_of(state)
    seats = standing_change(deal, event.seat, asked=True)
    vote = Vote(event.seat, event.ends, event.agreed)
    return following(state, event, deal=deal._replace(seats=seats, vote=vote))


def leave_answered(state: TableState, event: e.LeaveAnswered) -> TableState:
    """Add an answer to the request."""
    deal = deal_of(state)
    vote = deal.vote
    if vote is None:
        raise FormatError("no request is running")
    if event.agree:
        vote = vote._replace(agreed=(*vote.agreed, event.seat))
    return following(state, event, deal=deal._replace(vote=vote))


def leave_settled(state: TableState, event: e.LeaveSettled) -> TableState:
    """End the request."""
    return following(state, event, deal=deal_of(state)._replace(vote=None))


def deal_closed(state: TableState, event: e.DealClosed) -> TableState:
    """Put the deal away; a redeal leaves its seats' standing to the next."""
    deal = deal_of(state)
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
    return following(
        state,
        event,
        phase=BETWEEN,
        seats=seats,
        deal=None,
        start_at=event.start_at,
        leaving=(),
        carry=carry,
        previous=Past(head.opening, event.how, event.winner, head.members, head.balances),
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
