"""Computer players: they fill practice tables and act through the same door as everybody.

A computer player decides from its own seat's View (games.engine.bots), a second or so after its turn began: as long as
`clocks.thinks` says, in every process. The process that committed a turn of one wakes itself then (`Driver`); the sweep
plays whatever is due and was not played, and is the guarantee. An act names its turn, so any number of processes that
play the same turn have one effect. When all of this fails, the table's own clock acts for the seat.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import structlog

from games import service_time, tables, writer
from games.database import in_database
from games.engine import bots
from games.engine.actions import format_action
from games.errors import TableError
from games.table import commands as cmd
from games.table.events import Event
from games.table.state import TableState
from games.tables import Answer, Request

logger = structlog.get_logger(__name__)

NAMES = (
    "Momo",
    "小竹",
    "Pip",
    "阿蘭",
    "Tofu",
    "梅梅",
    "Juno",
    "团子",
    "Bibi",
    "豆花",
    "Kiki",
    "阿福",
    "Nuri",
    "圓圓",
)
"""Who plays; a table's computer players have different names."""


def fill(table_id: int) -> None:
    """Give every empty seat of a table to a computer player; raise TableError when one cannot sit."""
    for index, taken in enumerate(tables.state_of(table_id).seats):
        if taken is None:
            name = NAMES[(table_id + index) % len(NAMES)]
            answer = tables.perform(table_id, cmd.Sit(index, None, name, computer=True))
            if answer.refusal:
                raise TableError(answer.refusal.code, answer.refusal.detail)


def act_of(state: TableState) -> cmd.Act | None:
    """Return what the computer player that is to act does, decided from its own view; None when none is to act."""
    deal = state.deal
    if deal is None or deal.clock is None or state.computer_acts_at is None:
        return None
    seat, rules = deal.clock.seat, deal.head.rules
    action = bots.choose(rules, rules.view(deal.deal, seat))
    return cmd.Act(seat, None, deal.clock.turn, format_action(action))


# ---- the sweep's part


def play_due(table_ids: Iterable[int]) -> tuple[int, int]:
    """Play the turns of computer players that are due at these tables, together; return (played, failed)."""
    now = service_time.now()
    played: list[Answer] = []
    failed: list[Exception] = []
    requests = []
    for table_id in table_ids:
        try:
            state = tables.state_of(table_id)
            at = state.computer_acts_at
            command = act_of(state) if at is not None and at <= now else None
        except Exception as error:
            logger.exception("computer_failed", table=table_id)
            failed.append(error)
            continue
        if command is not None:
            requests.append(Request(table_id, command, played.append, failed.append))
    if requests:
        tables.run(requests)
    return sum(1 for answer in played if answer.refusal is None), len(failed)


# ---- waking oneself


class Driver:
    """Plays, on one event loop, the turns that this process committed, when they are due."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._playing: set[asyncio.Task[None]] = set()

    def hear(self, table_id: int, state: TableState) -> None:
        """Take note of a state this process committed, in any thread."""
        acts_at, deal = state.computer_acts_at, state.deal
        if acts_at is None or deal is None or deal.clock is None:
            return
        wait_s = (acts_at - deal.clock.began) / 1000
        try:
            self._loop.call_soon_threadsafe(
                self._loop.call_later, wait_s, self._begin, table_id, deal.clock.turn
            )
        except RuntimeError:
            logger.info("computer_without_loop", table=table_id)

    def _begin(self, table_id: int, turn: int) -> None:
        task = self._loop.create_task(_play(table_id, turn))
        self._playing.add(task)
        task.add_done_callback(self._playing.discard)


async def _play(table_id: int, turn: int) -> None:
    """Play one turn, if it still runs; whatever fails is left to the sweep."""
    try:
        command = await in_database(_act_at, table_id, turn)
        if command is not None:
            await writer.writer().submit(table_id, command)
    except TableError as error:
        logger.info("computer_failed", table=table_id, code=error.code)
    except Exception:
        logger.exception("computer_failed", table=table_id)


def _act_at(table_id: int, turn: int) -> cmd.Act | None:
    command = act_of(tables.current(table_id).state)
    return command if command is not None and command.turn == turn else None


_driver: Driver | None = None


def start(loop: asyncio.AbstractEventLoop) -> None:
    """Have the computer players of this process driven on a loop from now on."""
    global _driver
    _driver = Driver(loop)


def stop() -> None:
    """Leave the computer players to the sweep."""
    global _driver
    _driver = None


def heard(table_id: int, state: TableState, events: Sequence[tuple[int, Event]]) -> None:
    """Hear of a commit of this process."""
    driver = _driver
    if driver is not None:
        driver.hear(table_id, state)
