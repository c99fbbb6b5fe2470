"""Practice against the real server: one press, and computer players play as people would."""

import asyncio
import sqlite3
import time
from collections.abc import Callable

from tests.servers import Live
from tests.sockets.player import Player, eagerly
from tests.sockets.visitor import Visitor

Serve = Callable[..., Live]
SOON_S = 4.0  # a computer player thinks for two seconds at most; the rest is for a busy machine


async def test_computer_players_sit_at_once_act_by_themselves_and_go_when_one_leaves(serve: Serve) -> None:
    live = serve()
    visitor = Visitor(live.url)
    await asyncio.to_thread(visitor.sign_up, "Mei")
    pressed = time.monotonic()
    code = await asyncio.to_thread(visitor.sit_in, "classic.practice")
    player = await Player(live.url, code, visitor.session).connect()
    assert time.monotonic() - pressed < SOON_S
    assert [seat["computer"] for seat in player.view["seats"]] == [False, True, True, True]
    assert player.view["phase"] == "playing" and len({seat["name"] for seat in player.view["seats"]}) == 4
    waits: list[float] = []
    while len(waits) < 8 and player.view["phase"] == "playing":
        seen, began = player.seq, time.monotonic()
        if player.my_turn:
            action = eagerly(player.view)
            assert action is not None and (await player.act(action))["type"] == "ack"
            await player.until(lambda seen=seen: player.seq > seen)
        else:
            await player.until(lambda seen=seen: player.seq > seen)
            waits.append(time.monotonic() - began)
    assert max(waits) < SOON_S and sum(waits) / len(waits) > 0.7, waits
    acted = [event for event in player.events if event["kind"] == "acted" and event["seat"] != 0]
    assert not any(event.get("auto") for event in acted), "they act themselves, the table's clock does not"
    if player.view["can"]["leave"]:
        await player.ask("leave")
    await player.leave()
    database = live.environment["PAISHE_DATABASE_URL"].removeprefix("sqlite:///")
    for _ in range(100):
        with sqlite3.connect(database) as connection:
            (status,) = connection.execute(
                "SELECT status FROM games_table WHERE code = ?", (code,)
            ).fetchone()
        if status == "closed":
            break
        await asyncio.sleep(0.2)
    assert status == "closed"
