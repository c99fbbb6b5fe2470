"""A player on a train: his line is gone every other moment, his page is open twice, and he loses nothing by it."""

import asyncio
import random
from collections.abc import Callable

from tests.faults.evidence import evidence
from tests.faults.kills import TERMS, Outcome, faults
from tests.faults.stubborn import Stubborn
from tests.servers import Live
from tests.sockets.seed import seed

Serve = Callable[..., Live]


async def test_a_line_that_comes_and_goes_costs_nobody_anything(serve: Serve) -> None:
    live, dice = serve(), random.Random(5)
    made = (await asyncio.to_thread(lambda: seed(live.environment, **TERMS)))[0]
    sessions = [person["session"] for person in made["people"]]
    # The last of them has the page open in two tabs, which take the table from each other all the time.
    players = [Stubborn(lambda: live.url, made["code"], session) for session in [*sessions, sessions[3]]]
    playing = [asyncio.create_task(player.play()) for player in players]
    for _ in range(20):
        await asyncio.sleep(dice.uniform(0.0, 0.6))
        dice.choice(players).cut()
    for player in players:
        player.stop.set()
    await asyncio.wait_for(asyncio.gather(*playing), 30)
    acked = {id: seq for player in players for id, seq in player.acked.items()}
    found = await asyncio.to_thread(evidence, live.environment, made["id"], acked)
    wrong = faults(Outcome(found, players))
    # Both tabs may act for the same turn or press the same start: the later one is told so.
    late = {answer["code"] for answer in wrong.pop("refused", [])}
    assert (wrong, late - {"stale_turn", "already_ready", "wrong_phase"}) == ({}, set())
    assert len(acked) > 20
