"""What the people at a table have come to: title and points beside each seat of a view, outside the log.

They change only when a deal closes: each process reads them once for a face that is new at a table and once after each
closed deal, and never for a move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from games.engine.titles import title_of
from games.table.state import TableState
from games.table.views import names_show

Rank = dict[str, str | int]
"""`title`, a code of `games.engine.titles`, and `points`, both of the table's rule set."""


class Lack(NamedTuple):
    """Whose points are to be read, in which rule set, after how many closed deals."""

    users: tuple[int, ...]
    ruleset: str
    closed: int


class Ranks:
    """The ranks of the people at one table, as they were read last."""

    __slots__ = ("_closed", "_known")

    def __init__(self) -> None:
        self._closed = -1  # deals of the table when the ranks were read
        self._known: dict[int, Rank] = {}  # by user

    def lack(self, state: TableState) -> Lack | None:
        """Return what has to be read before a view is sent, None when all is known."""
        closed = state.number - (state.deal is not None)
        users = tuple([seat.user for seat in state.seats if seat is not None and seat.user is not None])
        if closed == self._closed and all(user in self._known for user in users):
            return None
        return Lack(users, state.ruleset, closed)

    def take(self, lack: Lack, points: Mapping[int, int]) -> None:
        """Remember what was read; who has no points yet stands at 0."""
        self._closed = lack.closed
        self._known = {user: _rank(lack.ruleset, points.get(user, 0)) for user in lack.users}

    def people(self, state: TableState, me: int | None) -> list[Rank | None]:
        """Return a rank for each seat as the seat `me`, or a spectator (None), may know it.

        None: an empty chair, a computer player, somebody whose name is hidden, or not read yet.
        """
        known, hides = self._known, state.terms.anti_cheat
        return [
            None
            if seat is None or seat.user is None or (hides and index != me and not names_show(state, index))
            else known.get(seat.user)
            for index, seat in enumerate(state.seats)
        ]


def _rank(ruleset: str, points: int) -> Rank:
    return {"title": title_of(ruleset, points).code, "points": points}
