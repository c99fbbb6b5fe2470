"""The single server dies while four people play, and nothing that it said is lost."""

import random
from collections.abc import Callable

from tests.faults.kills import faults, kill_again_and_again
from tests.servers import Live

Serve = Callable[..., Live]


async def test_a_server_killed_in_the_midst_of_play_loses_and_doubles_nothing(serve: Serve) -> None:
    def start(before: Live | None) -> Live:
        if before is None:
            return serve()
        keep = before.environment
        return serve(database=keep["PAISHE_DATABASE_URL"], PAISHE_VAR_DIR=keep["PAISHE_VAR_DIR"])

    outcome = await kill_again_and_again(start, 2, dice=random.Random(1))
    assert faults(outcome) == {}
    assert all(player.lines >= 3 and player.acked for player in outcome.players)
