"""A process may die at any point of a command's way: what it said stands, what it did not say is said by another."""

import random
from pathlib import Path

from games import failpoints
from tests.faults.deaths import APPLICATION, story
from tests.faults.kills import faults
from tests.faults.many import House
from tests.servers import Postgres


async def test_whoever_dies_at_whichever_failpoint_nothing_is_lost_or_done_twice(
    tmp_path: Path, postgres: Postgres
) -> None:
    house = House.on(postgres, tmp_path, application=APPLICATION)
    try:
        died, outcomes = await story(house, 1, random.Random(3))
    finally:
        house.stop()
    print(f"died at {dict(died)}")
    assert set(died) == set(failpoints.NAMES)
    assert [faults(outcome) for outcome in outcomes] == [{}, {}]
    assert all(player.acked for outcome in outcomes for player in outcome.players)
