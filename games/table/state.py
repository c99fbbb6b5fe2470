"""A table at one moment, as a value. Only `evolve` makes new ones; reprs show no card.

A fold may start at any `deal_opened`, so nothing may stand here that such an event does not carry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from games.engine import rulesets
from games.engine.deal import Deal, Manners, Previous
from games.engine.rulesets import RuleSet
from games.table import clocks
from games.table.clocks import Clock
from games.table.terms import TableTerms

BETWEEN = "between"
PLAYING = "playing"
CLOSED = "closed"

Answers = Mapping[str, int]
"""The last accepted commands of a seat: client id → the number of the event that answered it, oldest
first."""


class Secrets(Protocol):
    """What the log does not hold while a deal runs."""

    def deck_of(self, deal_id: str, /) -> tuple[int, ...]:
        """Return the deck of a deal of this table, in dealing order."""

    def seed_of(self, deal_id: str, /) -> str:
        """Return the server seed of a deal as hex; asked only when the deal closes."""


LastAct = tuple[str, str | None, str | None]
"""An act as the table shows it: the action, its combo's type, and what acted for the seat (None: its player)."""


class SeatState(NamedTuple):
    """Who sits there. `lost_since` is the last sign of life of a player without a connection."""

    user: int | None
    name: str
    computer: bool
    nonce: str
    ready: bool
    lost_since: int | None

    @property
    def member(self) -> str:
        """Identify the sitter, to tell whether a table's members changed."""
        return f"user {self.user}" if self.user is not None else f"computer {self.name}"


class DealSeat(NamedTuple):
    """A seat's standing with the manners in one deal (and the redeals that follow it).

    `away` is why a computer plays on for it (absence, time_out, leave), `used` the sum of its ended absences.
    """

    time_outs: int = 0
    trustee: bool = False
    away: str | None = None
    fined: bool = False
    used: int = 0
    asked: bool = False


class Vote(NamedTuple):
    """A running request to leave by consent; `agreed` in the order of the answers."""

    by: int
    ends: int
    agreed: tuple[int, ...]


class DealHead(NamedTuple):
    """What does not change while a deal runs."""

    id: str
    number: int
    commitment: str
    opened_at: int
    budget_from: int
    dead: int
    rules: RuleSet
    nonces: tuple[str, ...]
    balances: tuple[int, ...] | None
    opening: Mapping[str, Any]
    members: tuple[str, ...]


class DealState(NamedTuple):
    """A running deal: the engine's Deal and what the table keeps around it.

    `last` is each seat's latest act of the trick; `living` tells
    whether a living player acted.
    """

    head: DealHead
    deal: Deal
    clock: Clock | None
    seats: tuple[DealSeat, ...]
    last: tuple[LastAct | None, ...]
    vote: Vote | None
    living: bool

    def __repr__(self) -> str:
        return f"<DealState {self.head.id} number={self.head.number} {self.deal!r}>"


class Carry(NamedTuple):
    """What a redeal takes over from the deal before it: the seats' standing, and the count of dead
    redeals."""

    seats: tuple[DealSeat, ...]
    budget_from: int
    dead: int


class Past(NamedTuple):
    """How the last deal opened and ended, and who sat where."""

    opening: Mapping[str, Any]
    phase: str
    winner: int | None
    members: tuple[str, ...]
    balances: tuple[int, ...] | None = None


class Due(NamedTuple):
    """A thing that happens by itself at `at`; values sort in the order in which they are done."""

    at: int
    rank: int
    since: int
    seat: int
    what: str


class TableState(NamedTuple):
    """A table after its `seq`th event.

    `turn` is the number of the running (or last) turn and never repeats at a table; `leaving` are seats that
    left before their deal was open; `carry` is set while a redeal is owed; `result` is the last finished
    deal, until the next opens; `said` are (seat, moment) of the lines said lately, since the last opening.
    """

    seq: int
    at: int
    table: str
    ruleset: str
    terms: TableTerms
    phase: str
    seats: tuple[SeatState | None, ...]
    answers: tuple[Answers, ...]
    deal: DealState | None
    number: int
    turn: int
    next_deal: str
    next_commitment: str
    start_at: int | None
    leaving: tuple[int, ...]
    carry: Carry | None
    previous: Past | None
    result: Mapping[str, Any] | None
    said: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        return f"<TableState {self.table} seq={self.seq} {self.phase} number={self.number} turn={self.turn}>"

    @property
    def rules(self) -> RuleSet:
        """The rule set of the running deal's version, else the newest."""
        return self.deal.head.rules if self.deal is not None else rulesets.get(self.ruleset)

    @property
    def manners(self) -> Manners:
        """How the table treats time and absence."""
        return self.rules.manners

    def accepted(self, seat: int, id: str | None) -> int | None:
        """Tell the event number that answered an accepted command, None if there was none."""
        if id is None or not 0 <= seat < len(self.answers):
            return None
        return self.answers[seat].get(id)

    @property
    def full(self) -> bool:
        """Whether all seats are taken, one by a living player at least."""
        return None not in self.seats and any(seat is not None and not seat.computer for seat in self.seats)

    @property
    def deserted(self) -> bool:
        """Whether only computer players are left."""
        sitting = [seat.computer for seat in self.seats if seat is not None]
        return bool(sitting) and all(sitting)

    @property
    def wants_deal(self) -> bool:
        """Whether the next deal is to be opened now: everybody is ready, or a redeal is owed."""
        if self.phase != BETWEEN:
            return False
        return self.carry is not None or (
            self.full and all(seat is not None and seat.ready for seat in self.seats)
        )

    @property
    def bound(self) -> bool:
        """Whether leaving is no longer free although no deal is open: a match before its first deal, or a
        redeal owed."""
        return self.carry is not None or (self.terms.match and self.number == 0 and self.wants_deal)

    @property
    def nonces(self) -> tuple[str, ...]:
        """The nonces for the next deal, in seat order."""
        return tuple([seat.nonce if seat is not None else "" for seat in self.seats])

    @property
    def members(self) -> tuple[str, ...]:
        """Who sits where."""
        return tuple([seat.member if seat is not None else "" for seat in self.seats])

    @property
    def previous_deal(self) -> Previous | None:
        """The last deal as the engine's `next_opening` wants it; None at a table's first deal."""
        past = self.previous
        if past is None:
            return None
        return Previous(past.opening, past.phase, past.winner, past.members == self.members)

    @property
    def deadline(self) -> int | None:
        """The moment from which somebody must look at the table, graces included; None: never by itself.

        A table that wants its deal is due at once, so that a sweep opens what a killed process did not; one
        where a computer player is to act, when it has thought.
        """
        if self.wants_deal:
            return self.at
        due = self.next_due()
        if due is None:
            return None
        acts_at = self.computer_acts_at
        return due.at if acts_at is None else min(due.at, acts_at)

    @property
    def computer_acts_at(self) -> int | None:
        """Tell when the computer player that is to act has thought; None when none is to act."""
        deal = self.deal
        if deal is None or deal.clock is None:
            return None
        seat = self.seats[deal.clock.seat]
        if seat is None or not seat.computer:
            return None
        return deal.clock.began + clocks.thinks(deal.head.id, deal.clock.turn, self.terms.think_ms)

    def next_due(self) -> Due | None:
        """Tell the first thing that happens by itself."""
        if self.phase == PLAYING:
            dues = self._dues_of_deal()
        elif self.phase == BETWEEN:
            dues = self._dues_between()
        else:
            return None
        return min(dues, default=None)

    def _dues_of_deal(self) -> list[Due]:
        deal = self.deal
        assert deal is not None
        dues = []
        clock = deal.clock
        if clock is not None:
            due = clock.due
            if due is not None:
                dues.append(Due(due, 0, 0, clock.seat, "turn"))
        if deal.vote is not None:
            dues.append(Due(deal.vote.ends, 1, 0, deal.vote.by, "vote"))
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.lost_since is not None:
                due = self.absence_due(index)
                if due is not None:
                    dues.append(Due(due, 2, seat.lost_since, index, "absence"))
        return dues

    def absence_due(self, index: int) -> int | None:
        """Tell when a lost seat's absence ends in an escape (or, where play goes on, in being away)."""
        deal, seat = self.deal, self.seats[index]
        if deal is None or seat is None or seat.lost_since is None:
            return None
        manners = deal.head.rules.manners
        waits = manners.absence == "wait"
        if not waits and deal.seats[index].away is not None:
            return None
        return clocks.absence_due(
            seat.lost_since,
            deal.head.budget_from,
            deal.seats[index].used,
            each=manners.absence_default_s * 1_000 if waits else self.away_after_ms,
            total=clocks.ABSENCES_MS if waits else None,
        )

    @property
    def away_after_ms(self) -> int:
        """How long a lost seat is waited for where play goes on: the tier's setting, else the rule set's."""
        return self.terms.absence_ms or self.manners.absence_default_s * 1_000

    def _dues_between(self) -> list[Due]:
        dues = []
        if self.start_at is not None:
            dues.append(Due(self.start_at, 0, 0, 0, "start"))
        if not self.bound:
            for index, seat in enumerate(self.seats):
                if seat is not None and seat.lost_since is not None:
                    due = seat.lost_since + clocks.ABSENCE_MS
                    dues.append(Due(due, 1, seat.lost_since, index, "absence"))
            idle = min(self.terms.idle_ms, clocks.DESERTED_MS) if self.deserted else self.terms.idle_ms
            dues.append(Due(self.at + idle, 2, 0, 0, "idle"))
        return dues


def expires(state: TableState, now: int) -> bool:
    """Tell whether `Tick(now)` would do something."""
    due = state.next_due()
    return due is not None and due.at <= now
