"""Whole stories over real sockets against the real server."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from typing import Any

from tests import servers
from tests.servers import Live
from tests.sockets.player import Player, at_random, eagerly, play_table
from tests.sockets.secrecy import leaks
from tests.sockets.seed import run, seed
from tests.sockets.visitor import Visitor

Serve = Callable[..., Live]


async def seeded(live: Live, **options: Any) -> tuple[dict[str, Any], list[Player]]:
    """Seat four new people and return the table and their players, not connected yet."""
    table = (await asyncio.to_thread(lambda: seed(live.environment, **options)))[0]
    return table, [player_of(live, table, n) for n in range(len(table["people"]))]


def player_of(live: Live, table: dict[str, Any], n: int, **options: Any) -> Player:
    return Player(live.url, table["code"], table["people"][n]["session"], seed=n + 1, **options)


async def connected(players: list[Player]) -> list[Player]:
    for player in players:
        await player.connect()
        assert player.closed is None
    return players


async def start(players: list[Player]) -> None:
    """Have everybody press start and wait until the deal is open before all."""
    for player in players:
        assert (await player.ready())["type"] == "ack"
    for player in players:
        await player.until(lambda player=player: player.view["phase"] == "playing")


def actor(players: list[Player]) -> Player:
    """Return the player whose turn it is."""
    return next(player for player in players if player.my_turn)


async def act(players: list[Player]) -> None:
    """Have the player whose turn it is act, and wait until everybody has seen it."""
    one = actor(players)
    action = eagerly(one.view)
    assert action is not None
    answer = await one.act(action)
    assert answer["type"] == "ack", answer
    for player in players:
        await player.until(lambda player=player: player.seq >= answer["seq"])


async def leave(players: list[Player]) -> None:
    for player in players:
        await player.leave()


async def test_four_people_sign_up_sit_down_and_play(serve: Serve) -> None:
    live = serve()

    async def arrive(name: str) -> Player:
        visitor = Visitor(live.url)
        await asyncio.to_thread(visitor.sign_up, name)
        code = await asyncio.to_thread(visitor.sit_in, "qq.bamboo")
        return Player(live.url, code, visitor.session)

    players = [await arrive(name) for name in ("Ravi", "Mei", "Tomás", "小雨")]
    assert len({player.uri for player in players}) == 1
    await connected(players)
    await play_table(players)
    result = players[0].view["result"]
    assert result["how"] == "over"
    assert sum(result["settlement"]["net"]) + result["settlement"]["house"] == 0
    assert all(player.view["result"] == result for player in players)
    await leave(players)


async def test_no_frame_holds_a_card_its_reader_may_not_know(serve: Serve) -> None:
    live = serve()
    table, players = await seeded(live)
    stranger = (await asyncio.to_thread(lambda: seed(live.environment)))[0]["people"][0]
    watcher = Player(live.url, table["code"], stranger["session"])
    for n, player in enumerate(players):
        player.policy = at_random(n)
    await connected([*players, watcher])
    await play_table(players, 2)
    await leave([*players, watcher])
    assert watcher.view["me"] is None
    assert watcher.view["deal"] is None or watcher.view["deal"]["state"]["hand"] is None
    for player in [*players, watcher]:
        assert leaks(player.frames) == []


def test_the_scan_finds_what_it_is_for() -> None:
    state = {"hand": "3d 4d", "unseen": "5d 6d", "standing": None, "phase": "play", "base_score": None}
    state |= {"shown": None, "bottom": None, "landlord": None}
    view: dict[str, Any] = {
        "me": 0,
        "seats": [None],
        "result": None,
        "deal": {"id": "x", "state": state, "duty": "3d"},
        "can": {"plays": {"single": ["0", "1"]}},
    }
    frame = json.dumps({"type": "view", "seq": 1, "events": [], "view": view})
    assert leaks([frame]) == []
    assert leaks([frame.replace('"seats": [null]', '"seats": [null], "next": "5d"')])
    assert leaks(
        [frame, json.dumps({"type": "refused", "id": "a", "code": "illegal", "detail": "he has 6d"})]
    )


async def test_who_comes_back_finds_the_table_as_it_is_in_every_phase(serve: Serve) -> None:
    live = serve()
    _, players = await seeded(live)
    await connected(players)

    async def again(player: Player) -> None:
        """Lose the line, come back, and find the very same table (but for what remains on the clocks)."""
        before = player.view
        player.cut()
        await player.until(lambda: player.closed is not None)
        await player.connect()
        assert still(player.view) == still(before)

    await again(players[0])  # between deals, not ready
    await players[1].ready()
    await players[1].until(lambda: players[1].view["seats"][1]["ready"])
    await again(players[1])  # between deals, ready
    for player in (players[0], *players[2:]):
        await player.ready()
    for player in players:
        await player.until(lambda player=player: player.view["phase"] == "playing")
    await again(actor(players))  # my turn, with the opening's duty
    await act(players)
    await again(actor(players))  # my turn to follow
    await again(next(player for player in players if not player.my_turn))  # another's turn
    asking = players[0]
    await asking.ask("ask_leave")
    for player in players:
        await player.until(lambda player=player: player.view["vote"] is not None)
    await again(players[1])  # asked to agree
    await again(asking)  # waiting for the others
    await players[1].ask("answer_leave", agree=False)
    await players[2].ask("trustee", on=True)
    await players[2].until(lambda: players[2].view["seats"][2]["trustee"])
    await players[2].ask("trustee", on=False)
    await play_table(players)
    for player in players:
        await again(player)  # the receipt
        assert player.view["result"]["how"] == "over"
    await leave(players)


def still(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without its remaining milliseconds."""
    text = json.dumps(view)
    copy: dict[str, Any] = json.loads(
        text, object_hook=lambda found: {k: v for k, v in found.items() if k[-2:] != "ms"}
    )
    return copy


async def test_a_pending_command_is_answered_over_a_lost_line(serve: Serve) -> None:
    live = serve()
    _, players = await seeded(live)
    await connected(players)
    one = players[0]
    await one.send({"type": "ready", "id": "pending"})
    one.cut()
    await one.until(lambda: one.closed is not None)
    await one.connect()
    answer = await one.ask("ready", id="pending")
    assert answer["type"] == "ack"
    assert (await one.ask("ready", id="pending")) == answer
    await one.until(lambda: one.seq >= answer["seq"])
    assert sum(event["kind"] == "readied" for event in players[1].events) == 1
    await leave(players)


async def test_what_another_process_writes_is_seen_by_the_comparison_of_heads(serve: Serve) -> None:
    live = serve()
    table, players = await seeded(live)
    await connected(players)
    said = f"tables.perform({table['id']}, cmd.Say(0, 'elsewhere', 'hello'))"
    await asyncio.to_thread(lambda: run(live.environment, said))
    for player in players:
        await player.until(
            lambda player=player: player.events[-1:] and player.events[-1]["kind"] == "said", 5
        )
    await leave(players)


async def test_who_loses_his_line_is_absent_and_who_comes_back_is_not(serve: Serve) -> None:
    live = serve()
    _, players = await seeded(live)
    await connected(players)
    await start(players)
    gone, others = players[0], players[1:]
    gone.cut()
    for player in others:
        await player.until(lambda player=player: player.view["seats"][0]["lost_ms"] is not None)
    await gone.connect()
    for player in others:
        await player.until(lambda player=player: player.view["seats"][0]["lost_ms"] is None)
    assert [event["kind"] for event in others[0].events[-2:]] == ["absence_began", "absence_ended"]
    await leave(players)


async def test_signing_out_closes_the_socket_within_five_seconds(serve: Serve) -> None:
    live = serve()
    visitor = Visitor(live.url)
    await asyncio.to_thread(visitor.sign_up, "Ravi")
    code = await asyncio.to_thread(visitor.sit_in, "qq.bamboo")
    player = await Player(live.url, code, visitor.session).connect()
    elsewhere = Visitor(live.url)
    await asyncio.to_thread(elsewhere.sign_in, "Ravi")
    await asyncio.to_thread(visitor.sign_out)
    await player.until(lambda: player.closed is not None, 5)
    assert player.closed == 4401
    back = await Player(live.url, code, visitor.session or "none").connect()
    assert back.closed == 4401
    other = await Player(live.url, code, elsewhere.session).connect()
    assert other.view["me"] == 0
    await other.leave()


async def test_a_banned_players_socket_closes_within_five_seconds(serve: Serve) -> None:
    live = serve()
    table, players = await seeded(live)
    await connected(players)
    user = table["people"][0]["user"]
    ban = f"u = User.objects.get(pk={user}); u.is_active = False; u.save()"
    await asyncio.to_thread(lambda: run(live.environment, ban))
    await players[0].until(lambda: players[0].closed is not None, 5)
    assert players[0].closed == 4403
    await leave(players)


async def test_a_killed_server_loses_nothing(serve: Serve) -> None:
    live = serve()
    table, players = await seeded(live)
    await connected(players)
    await start(players)
    for _ in range(5):
        await act(players)
    before = [still(player.view) for player in players]
    live.kill()
    for player in players:
        await player.until(lambda player=player: player.closed is not None)
    again = serve(
        database=live.environment["PAISHE_DATABASE_URL"], PAISHE_VAR_DIR=live.environment["PAISHE_VAR_DIR"]
    )
    players = await connected([player_of(again, table, n) for n in range(4)])
    after = [still(player.view) for player in players]
    for old, new in zip(before, after, strict=True):
        assert new["deal"]["state"] == old["deal"]["state"]
        assert new["deal"]["turn_number"] == old["deal"]["turn_number"]
    await play_table(players)
    assert players[0].view["result"]["how"] == "over"
    await leave(players)


async def test_a_stopped_server_tells_everybody_to_come_back(serve: Serve) -> None:
    live = serve()
    _, players = await seeded(live)
    await connected(players)
    assert await asyncio.to_thread(live.stop) == 0
    for player in players:
        await player.until(lambda player=player: player.closed is not None)
        assert player.closed == 1012
    with sqlite3.connect(live.environment["PAISHE_DATABASE_URL"].removeprefix("sqlite:///")) as database:
        rows = database.execute("SELECT count(*), count(closed_ms) FROM games_connection").fetchone()
    assert rows == (4, 4), "that they left is written down"


async def test_a_table_is_played_over_two_processes_and_lives_through_the_loss_of_its_valkey(
    serve: Serve,
) -> None:
    with servers.valkey() as valkey:
        first = serve("daphne", database="postgres", PAISHE_VALKEY_URL=valkey.connection_url)
        database = first.environment["PAISHE_DATABASE_URL"]
        keys = {
            "PAISHE_VAR_DIR": first.environment["PAISHE_VAR_DIR"],
            "PAISHE_VALKEY_URL": valkey.connection_url,
        }
        second = serve("daphne", database=database, **keys)
        table, _ = await seeded(first)
        players = await connected([player_of((first, second)[n % 2], table, n) for n in range(4)])
        await play_table(players)
        assert players[0].view["result"] == players[1].view["result"]
        await start(players)
    for _ in range(4):
        await act(players)
    assert all(player.closed is None for player in players)
    await leave(players)
