"""Acts at the table: of players, of the autoplay, and of the clock; trusteeship and seats the computer
plays on for."""

from __future__ import annotations

from games.engine.actions import ESCAPE, VOID, Action, parse_action
from games.engine.errors import EngineError
from games.table import clocks
from games.table import events as e
from games.table.commands import Act, Trustee
from games.table.draft import Draft, act, clock_after, stands
from games.table.ending import close_if_ended, escape
from games.table.errors import Refusal
from games.table.state import TableState

LONGEST_ACTION = 120


def player_acts(draft: Draft, command: Act) -> None:
    """Take a player's act, meant for the running turn. It ends his trusteeship or his being away."""
    draft.sitter(command.seat)
    deal = draft.deal
    clock = deal.clock
    if clock is None or command.turn != clock.turn:
        raise Refusal("stale_turn")
    if command.seat != clock.seat:
        raise Refusal("not_your_turn")
    action = _read(draft.state, command.action)
    try:
        after = deal.head.rules.apply(deal.deal, command.seat, action)
    except EngineError as error:
        raise Refusal("illegal", error.reason or error.code) from None
    take_back(draft, command.seat)
    act(draft, command.seat, action, after, cmd=command.id)
    close_if_ended(draft)


def _read(state: TableState, text: str) -> Action:
    if not isinstance(text, str) or len(text) > LONGEST_ACTION:
        raise Refusal("illegal", "bad_record")
    try:
        action = parse_action(text, seats=len(state.seats), deck_size=state.rules.deck_size)
    except EngineError as error:
        raise Refusal("illegal", error.reason or error.code) from None
    if action.kind in (ESCAPE.kind, VOID.kind):
        raise Refusal("illegal", "use_leave")
    return action


def set_trustee(draft: Draft, command: Trustee) -> None:
    """Hand the seat to the autoplay or take it back; not in anti-cheat rooms."""
    draft.sitter(command.seat)
    standing = draft.deal.seats[command.seat]
    if command.on and draft.state.terms.anti_cheat:
        raise Refusal("not_allowed_here", "trustee")
    if not command.on and standing.away is not None:
        come_back(draft, command.seat, cmd=command.id)
        if standing.trustee:
            _trustee(draft, command.seat, False, None)
    elif standing.trustee == command.on:
        raise Refusal("already_set")
    else:
        _trustee(draft, command.seat, command.on, command.id)


def _trustee(draft: Draft, seat: int, on: bool, cmd: str | None) -> None:
    away = draft.deal.seats[seat].away is not None
    clock = clock_after(draft, seat, auto=on or away, stands=stands(draft.state, seat))
    draft.emit(e.TrusteeSet(at=draft.at, seat=seat, on=on, clock=clock, cmd=cmd))


def take_back(draft: Draft, seat: int) -> None:
    """End what acts for a seat, because its player touched the table (RULES §5)."""
    standing = draft.deal.seats[seat]
    if standing.trustee:
        _trustee(draft, seat, False, None)
    if standing.away is not None:
        come_back(draft, seat)


def come_back(draft: Draft, seat: int, cmd: str | None = None) -> None:
    """Let a player take his seat over from the computer; the fine stays."""
    standing = draft.deal.seats[seat]
    clock = clock_after(draft, seat, auto=standing.trustee, stands=stands(draft.state, seat))
    draft.emit(e.AwaySet(at=draft.at, seat=seat, fined=standing.fined, cause=None, clock=clock, cmd=cmd))


def go_away(draft: Draft, seat: int, cause: str, cmd: str | None = None) -> None:
    """Let the computer play on for a seat; the fine falls once per deal and seat (RULES §3)."""
    clock = clock_after(draft, seat, auto=True, stands=False)
    draft.emit(e.AwaySet(at=draft.at, seat=seat, fined=True, cause=cause, clock=clock, cmd=cmd))


def turn_is_due(draft: Draft) -> None:
    """Do what the turn clock asks for: the autoplay of a trustee, away or computer seat, else a time-out."""
    clock = draft.deal.clock
    assert clock is not None
    if clock.auto is not None:
        autoplay(draft, clock.seat, _actor(draft.state, clock.seat))
    else:
        time_out(draft, clock.seat)


def _actor(state: TableState, index: int) -> str:
    seat, deal = state.seats[index], state.deal
    if seat is not None and seat.computer:
        return "computer"
    return "away" if deal is not None and deal.seats[index].away is not None else "trustee"


def time_out(draft: Draft, seat: int) -> None:
    """Count a time-out: the autoplay acts, at the third the seat escapes or leaves (RULES §5)."""
    manners = draft.state.manners
    count = draft.deal.seats[seat].time_outs + 1
    draft.emit(e.TimedOut(at=draft.at, seat=seat, times=count))
    if count >= clocks.TIME_OUTS and manners.third_time_out == "escape":
        escape(draft, seat, "time_out")
        return
    if count >= clocks.TIME_OUTS and draft.deal.seats[seat].away is None:
        go_away(draft, seat, "time_out")
    autoplay(draft, seat, "time_out")


def autoplay(draft: Draft, seat: int, auto: str) -> None:
    """Act for a seat, from what the seat itself may know."""
    deal = draft.deal
    rules = deal.head.rules
    action = rules.autoplay(rules.view(deal.deal, seat))
    act(draft, seat, action, rules.apply(deal.deal, seat, action), auto=auto)
    close_if_ended(draft)
