"""Whoever is banned leaves his table: a deal that goes on ends for him as leaving on purpose does."""

from __future__ import annotations

import structlog

from games import selectors, tables
from games.errors import TableError
from games.selectors import LiveSeat
from games.table import commands as cmd

logger = structlog.get_logger(__name__)


def leave_tables() -> int:
    """Have everyone who may not play any more leave the table where he sits; return how many did.

    Runs by the clock, any number at once: who has left is not asked again.
    """
    return sum(_leave(user_id, seat) for user_id, seat in selectors.seats_of_banned().items())


def _leave(user_id: int, seat: LiveSeat) -> bool:
    try:
        deal = tables.state_of(seat.table_id).deal
        if deal is not None and deal.seats[seat.seat].away == "leave":
            return False
        named = "" if deal is None else deal.head.id
        answer = tables.perform(seat.table_id, cmd.Leave(seat.seat, None, user_id, named))
    except TableError as error:
        logger.info("banned_stays", table=seat.table_code, code=error.code)
        return False
    return answer.refusal is None
