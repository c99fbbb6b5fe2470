"""A process may die at any point of a command's way: what it said stands, what it did not say is said by another."""

import random
from pathlib import Path

from games import failpoints
from tests.faults.deaths import APPLICATION, armed, orders_of, story
from tests.faults.kills import faults
from tests.faults.many import House
from tests.servers import Postgres


async def test_whoever_dies_at_whichever_failpoint_nothing_is_lost_or_done_twice(
    tmp_path: Path, postgres: Postgres
) -> None:
    dice = random.Random(3)
    orders = orders_of(1, dice)
    house = House.on(postgres, tmp_path, application=APPLICATION, webs=armed(orders), sweepers=1)
    try:
        died, outcomes = await story(house, orders, dice)
    finally:
        house.stop()
    print(f"died at {dict(died)}")
    assert set(died) == set(failpoints.NAMES)
    assert [faults(outcome) for outcome in outcomes] == [{}, {}]
    assert all(player.acked for outcome in outcomes for player in outcome.players)
