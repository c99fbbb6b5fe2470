"""A fifth game on the real server: three people play it over their sockets and look at its pages."""

import asyncio
from collections.abc import Callable

from tests.fifth.game import FIFTH
from tests.servers import Live
from tests.sockets.player import Player, View, actions_of, eagerly, play_table
from tests.sockets.secrecy import leaks
from tests.sockets.seed import seed
from tests.sockets.visitor import Visitor

Serve = Callable[..., Live]


def bidding(view: View) -> str | None:
    """Take the lead when it can be had, then play what there is."""
    return "bid 1" if "bid 1" in actions_of(view) else eagerly(view)


async def test_three_people_play_a_game_the_house_has_never_heard_of(serve: Serve) -> None:
    live = serve(DJANGO_SETTINGS_MODULE="tests.fifth.settings")
    made = await asyncio.to_thread(
        lambda: seed(live.environment, ruleset=FIFTH.code, people=3, tier="fifth.bamboo", cap=None, fee=None)
    )
    table = made[0]
    players = [
        Player(live.url, table["code"], person["session"], policy=bidding, seed=n + 1)
        for n, person in enumerate(table["people"])
    ]
    for player in players:
        await player.connect()
        assert player.closed is None
    visitor = await asyncio.to_thread(lambda: Visitor(live.url).sign_up("Wen"))
    assert await asyncio.to_thread(visitor.get, f"/tables/{table['code']}/") == 200
    assert FIFTH.code in visitor.page

    await play_table(players, 2)
    result = players[0].view["result"]
    assert result["how"] == "over"
    assert sorted(result["settlement"]["net"]) == [-10, -10, 20]
    assert all(player.view["result"] == result for player in players)
    for player in players:
        await player.leave()
        assert leaks(player.frames) == []
    await asyncio.to_thread(live.manage, "verify_books")  # says so, and fails, when the books are not right
