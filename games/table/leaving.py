"""Leaving on purpose, leaving by consent, and what staff may end."""

from __future__ import annotations

from games.table import clocks
from games.table import events as e
from games.table.commands import AnswerLeave, AskLeave, Close, Leave, Void
from games.table.draft import Draft
from games.table.ending import escape, void
from games.table.errors import Refusal
from games.table.play import go_away, take_back
from games.table.seats import close_table, stand_up
from games.table.state import CLOSED, PLAYING, TableState, Vote


def leave(draft: Draft, command: Leave) -> None:
    """Let a player leave: an escape (or the leaving fine) in a deal, and from the moment a match is
    complete."""
    draft.sitter(command.seat)
    if draft.state.phase == PLAYING:
        leave_deal(draft, command.seat, command.id)
    elif not draft.state.bound:
        stand_up(draft, command.seat, "left", command.id)
    elif command.seat in draft.state.leaving:
        raise Refusal("already_set")
    else:
        draft.emit(e.LeavingNoted(at=draft.at, seat=command.seat, cmd=command.id))


def leave_deal(draft: Draft, seat: int, cmd: str | None = None) -> None:
    """Leave the running deal on purpose, as the rule set has it."""
    if draft.state.manners.has_escape:
        escape(draft, seat, "leave", cmd)
        return
    if draft.deal.seats[seat].away == "leave":
        raise Refusal("already_set")
    go_away(draft, seat, "leave", cmd)
    agree_by_themselves(draft)


def ask_leave(draft: Draft, command: AskLeave) -> None:
    """Ask all others to end the deal; once per player and deal, not in anti-cheat rooms. Play goes on
    meanwhile."""
    draft.sitter(command.seat)
    deal = draft.deal
    if draft.state.terms.anti_cheat:
        raise Refusal("not_allowed_here", "ask_leave")
    if deal.vote is not None:
        raise Refusal("vote_running")
    if deal.seats[command.seat].asked:
        raise Refusal("already_asked")
    take_back(draft, command.seat)
    agreed = tuple([seat for seat in _others(draft.state, command.seat) if _agrees(draft.state, seat)])
    ends = draft.now + clocks.VOTE_MS
    draft.emit(e.LeaveAsked(at=draft.at, seat=command.seat, ends=ends, agreed=agreed, cmd=command.id))
    _settle_if_all(draft)


def answer_leave(draft: Draft, command: AnswerLeave) -> None:
    """Take an answer to the running request: one refusal and play goes on, all agreed and the deal is
    void."""
    draft.sitter(command.seat)
    vote = draft.deal.vote
    if vote is None or command.seat not in _waiting(draft.state, vote):
        raise Refusal("nothing_to_answer")
    if command.by is not None and command.by != vote.by:
        raise Refusal("nothing_to_answer")
    take_back(draft, command.seat)
    draft.emit(e.LeaveAnswered(at=draft.at, seat=command.seat, agree=command.agree is True, cmd=command.id))
    if command.agree is True:
        _settle_if_all(draft)
    else:
        draft.emit(e.LeaveSettled(at=draft.at, agreed=False, cause="refused"))


def vote_is_due(draft: Draft) -> None:
    """End a request that was not answered in time: play goes on."""
    draft.emit(e.LeaveSettled(at=draft.at, agreed=False, cause="time"))


def agree_by_themselves(draft: Draft) -> None:
    """Write down the agreement of seats that became away while a request runs (RULES §5)."""
    vote = draft.state.deal.vote if draft.state.deal is not None else None
    if vote is None:
        return
    for seat in _waiting(draft.state, vote):
        if _agrees(draft.state, seat):
            draft.emit(e.LeaveAnswered(at=draft.at, seat=seat, agree=True, auto=True))
    _settle_if_all(draft)


def void_deal(draft: Draft, command: Void) -> None:
    """End a live deal by staff, as a consented end."""
    void(draft, "staff", by=command.by, reason=command.reason)


def close(draft: Draft, command: Close) -> None:
    """Close the table by command; a running deal is void first."""
    if draft.state.phase == PLAYING:
        void(draft, "staff", reason=command.reason)
    if draft.state.phase != CLOSED:
        close_table(draft, command.reason)


def _others(state: TableState, asking: int) -> list[int]:
    return [seat for seat in range(len(state.seats)) if seat != asking]


def _agrees(state: TableState, index: int) -> bool:
    seat, deal = state.seats[index], state.deal
    return seat is None or seat.computer or (deal is not None and deal.seats[index].away is not None)


def _waiting(state: TableState, vote: Vote) -> list[int]:
    return [seat for seat in _others(state, vote.by) if seat not in vote.agreed]


def _settle_if_all(draft: Draft) -> None:
    vote = draft.deal.vote
    if vote is not None and not _waiting(draft.state, vote):
        draft.emit(e.LeaveSettled(at=draft.at, agreed=True, cause="all"))
        void(draft, "consent")
