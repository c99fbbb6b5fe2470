"""The events one decision is about to add, and the state they lead to: what every subject of `decide`
writes on."""

from __future__ import annotations

from games.engine.actions import Action, format_action
from games.engine.deal import Deal
from games.table import clocks
from games.table import events as e
from games.table.clocks import Clock, adjust, fresh
from games.table.errors import Refusal
from games.table.evolve import evolve
from games.table.state import PLAYING, DealState, SeatState, Secrets, TableState


class Draft:
    """A decision in the making. `at` is the moment of the event being written, `now` the moment of the
    decision.

    An overdue thing is written at the moment it was due, but clocks that begin with it run from `now`: nobody
    loses time because the table was looked at late.
    """

    __slots__ = ("at", "events", "now", "secrets", "state")

    def __init__(self, state: TableState, now: int, secrets: Secrets) -> None:
        self.state = state
        self.now = self.at = max(now, state.at)
        self.events: list[e.Event] = []
        self.secrets = secrets

    def emit(self, event: e.Event, after: Deal | None = None) -> None:
        """Add an event; `after` is the engine's Deal it leads to, where that is known already."""
        self.events.append(event)
        self.state = evolve(self.state, event, self.secrets, after=after)

    @property
    def deal(self) -> DealState:
        """The running deal; Refusal `wrong_phase` when there is none."""
        deal = self.state.deal
        if deal is None:
            raise Refusal("wrong_phase", self.state.phase)
        return deal

    def sitter(self, index: int) -> SeatState:
        """Who sits there; Refusal `not_seated` for an empty seat or no seat."""
        seats = self.state.seats
        seat = seats[index] if type(index) is int and 0 <= index < len(seats) else None
        if seat is None:
            raise Refusal("not_seated")
        return seat

    def between(self) -> None:
        """Refuse with `wrong_phase` while a deal runs."""
        if self.state.phase == PLAYING:
            raise Refusal("wrong_phase", PLAYING)


def autoplays(state: TableState, index: int) -> bool:
    """Tell whether the autoplay acts for a seat in the running deal."""
    seat, deal = state.seats[index], state.deal
    if seat is None or deal is None:
        return False
    return seat.computer or deal.seats[index].trustee or deal.seats[index].away is not None


def autoplays_after(state: TableState, index: int) -> int | None:
    """Tell how long the autoplay waits at a seat's turn, None where it does not act.

    A computer player is played from outside, by an Act; the autoplay acts for it when its clock has run out.
    """
    seat = state.seats[index]
    if not autoplays(state, index):
        return None
    return state.terms.turn_ms if seat is not None and seat.computer else clocks.PACE_MS


def stands(state: TableState, index: int) -> bool:
    """Tell whether the table stands while this seat is to act: its line is lost and the rules wait for it."""
    seat = state.seats[index]
    return seat is not None and seat.lost_since is not None and state.manners.absence == "wait"


def clock_for(draft: Draft, index: int | None, turn: int) -> Clock | None:
    """Make the clock of a turn that begins now, None when nobody is to act."""
    if index is None:
        return None
    state = draft.state
    return fresh(
        index,
        turn,
        now=draft.now,
        length=state.terms.turn_ms,
        auto=autoplays_after(state, index),
        stands=stands(state, index),
    )


def clock_after(
    draft: Draft, index: int, *, auto: bool, stands: bool, since: int | None = None
) -> Clock | None:
    """Make the running turn's clock after a change at a seat; the same clock when another seat is to act."""
    deal = draft.state.deal
    if deal is None or deal.clock is None or deal.clock.seat != index:
        return None if deal is None else deal.clock
    return adjust(deal.clock, now=draft.now, auto=auto, stands=stands, since=since)


def act(
    draft: Draft,
    seat: int | None,
    action: Action,
    after: Deal,
    *,
    auto: str | None = None,
    cmd: str | None = None,
) -> None:
    """Write down an action of the engine that leads to the Deal `after`; the next turn's clock starts with
    it."""
    combo = None
    if action.kind == "play" and after.standing is not None:
        combo = after.standing.kind
    draft.emit(
        e.Acted(
            at=draft.at,
            action=format_action(action),
            turn=draft.state.turn,
            seat=seat,
            combo=combo,
            auto=auto,
            clock=clock_for(draft, after.turn, draft.state.turn + 1),
            cmd=cmd,
        ),
        after,
    )
