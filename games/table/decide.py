"""Turns a command into events. Pure: the moment is given, secrets are asked for, nothing is drawn.

First everything that is due by `now` is done, one thing at a time in the order of its moment; then the
command, and what it made due at once. A command that is refused leaves what the clocks did; one that was
accepted before answers its first event's number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from games.table import absence, clocks, commands, leaving, opening, play, seats
from games.table import events as e
from games.table.commands import Command
from games.table.draft import Draft
from games.table.errors import Refusal
from games.table.state import CLOSED, Secrets, TableState, expires

__all__ = ["Decision", "decide", "expires"]

LONGEST_ID = 40
LONGEST_TEXT = 200
_CONTROLS = frozenset(map(chr, (*range(32), 127, *range(0xD800, 0xE000))))


class Decision(NamedTuple):
    """The events to append (the clocks' work too, when the command was refused), the state they lead to,
    the number of the event that answers the command, and the refusal if there was one."""

    events: tuple[e.Event, ...]
    state: TableState
    seq: int
    refusal: Refusal | None


def decide(state: TableState, command: Command, now: int, secrets: Secrets) -> Decision:
    """Decide a command at a moment of service time. Never raises a Refusal: it stands in the decision."""
    cmd = getattr(command, "id", None)
    stranger = _from_a_stranger(state, command)
    if cmd is not None and not stranger:
        first = state.accepted(command.seat, cmd) if _well_formed(cmd) else None  # type: ignore[union-attr]
        if first is not None:
            return Decision((), state, first, None)
    draft = Draft(state, now, secrets)
    run_clocks(draft)
    done = len(draft.events)
    ticked = draft.state
    try:
        if stranger:
            raise Refusal("not_seated")
        _take(draft, command, cmd)
    except Refusal as refusal:
        del draft.events[done:]
        return Decision(tuple(draft.events), ticked, ticked.seq, refusal)
    run_clocks(draft)
    seq = draft.state.seq
    if cmd is not None:
        seq = draft.state.accepted(command.seat, cmd) or seq  # type: ignore[union-attr]
    return Decision(tuple(draft.events), draft.state, seq, None)


def _from_a_stranger(state: TableState, command: Command) -> bool:
    """Tell whether somebody else than the command's player sits where he thought he sat."""
    player = getattr(command, "player", None)
    if player is None:
        return False
    index: int = command.seat  # type: ignore[union-attr]
    seat = state.seats[index] if 0 <= index < len(state.seats) else None
    return seat is not None and seat.user != player


def run_clocks(draft: Draft) -> None:
    """Do all that is due, each thing at its moment, on the state it finds."""
    now = draft.now
    while (due := draft.state.next_due()) is not None and due.at <= now:
        draft.at = max(due.at, draft.state.at)
        if due.what == "turn":
            play.turn_is_due(draft)
        elif due.what == "vote":
            leaving.vote_is_due(draft)
        elif due.what == "absence":
            absence.absence_is_due(draft, due.seat)
        elif due.what == "start":
            seats.start_clock_is_due(draft)
        else:
            seats.idle_is_due(draft)
    draft.at = now


def _take(draft: Draft, command: Command, cmd: Any) -> None:
    if cmd is not None and not _well_formed(cmd):
        raise Refusal("bad_id")
    if type(command) is commands.Tick:
        return
    if draft.state.phase == CLOSED:
        raise Refusal("table_closed")
    handler = _HANDLERS.get(type(command))
    if handler is None:
        raise Refusal("unknown_command")
    meant = getattr(command, "deal", "")
    if meant and (draft.state.deal is None or draft.state.deal.head.id != meant):
        raise Refusal("wrong_deal")
    handler(draft, command)


def _well_formed(cmd: Any) -> bool:
    return isinstance(cmd, str) and 0 < len(cmd) <= LONGEST_ID and cmd.isascii() and cmd.isprintable()


def say(draft: Draft, command: commands.Say) -> None:
    """Take a line of chat, of a seat five in ten seconds; none during a deal in anti-cheat rooms."""
    draft.sitter(command.seat)
    if draft.state.terms.anti_cheat and (draft.state.deal is not None or draft.state.bound):
        raise Refusal("not_allowed_here", "chat")
    if (command.text is None) == (command.phrase is None):
        raise Refusal("bad_text")
    said = command.text if command.text is not None else command.phrase
    if (
        not isinstance(said, str)
        or not said.strip()
        or len(said) > LONGEST_TEXT
        or not _CONTROLS.isdisjoint(said)
    ):
        raise Refusal("bad_text")
    lately = draft.at - clocks.SAID_MS
    if sum(seat == command.seat and at > lately for seat, at in draft.state.said) >= clocks.SAID:
        raise Refusal("too_fast")
    draft.emit(
        e.Said(at=draft.at, seat=command.seat, text=command.text, phrase=command.phrase, cmd=command.id)
    )


_HANDLERS: dict[type[Any], Callable[[Draft, Any], None]] = {
    commands.Act: play.player_acts,
    commands.Sit: seats.sit,
    commands.Stand: seats.stand,
    commands.Ready: seats.ready,
    commands.Trustee: play.set_trustee,
    commands.Leave: leaving.leave,
    commands.AskLeave: leaving.ask_leave,
    commands.AnswerLeave: leaving.answer_leave,
    commands.Say: say,
    commands.Connected: absence.connected,
    commands.Lost: absence.lost,
    commands.Void: leaving.void_deal,
    commands.Close: leaving.close,
    commands.OpenDeal: opening.open_deal,
    commands.DeclineDeal: opening.decline_deal,
}
