"""/metrics: what it counts, and that it is for nobody from outside."""

import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError
from django.test import Client
from prometheus_client import REGISTRY

from games import hub as hubs
from games import service_time, settling, tables, watch
from games.models import Table
from games.table import commands as cmd
from tests.games.stories import StoryMaker
from tests.sockets.conftest import Open
from tests.sockets.tables_to_meet import an_action, enter, playing, seated, turn_of

pytestmark = pytest.mark.both_databases
TOKEN = "a-token-of-thirty-two-characters"


def figure(name: str, **labels: str) -> float:
    """Return a counted figure as it is now; 0.0 before the first."""
    return REGISTRY.get_sample_value(name, labels) or 0.0


def read(client: Client) -> dict[str, float]:
    """Return all that /metrics says."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    lines = answer.content.decode().splitlines()
    found = [re.fullmatch(r"(\S+(?:\{.*\})?) (\S+)", line) for line in lines if not line.startswith("#")]
    return {match[1]: float(match[2]) for match in found if match}


@pytest.mark.django_db
class TestWhoMayRead:
    def test_whoever_comes_straight_from_this_machine(self, client: Client) -> None:
        assert client.get("/metrics").status_code == 200

    @pytest.mark.parametrize("address", ["10.1.2.3", "203.0.113.9", ""])
    def test_nobody_from_another_address(self, client: Client, address: str) -> None:
        assert client.get("/metrics", REMOTE_ADDR=address).status_code == 404

    def test_networks_of_our_own_may_be_named(self, client: Client, settings: Any) -> None:
        settings.METRICS_NETWORKS = ["10.1.0.0/16"]
        assert client.get("/metrics", REMOTE_ADDR="10.1.2.3").status_code == 200
        assert client.get("/metrics", REMOTE_ADDR="10.2.2.3").status_code == 404

    def test_nobody_who_came_through_the_balancer_whatever_address_he_names(self, client: Client) -> None:
        through = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "127.0.0.1"}
        assert client.get("/metrics", **through).status_code == 404  # type: ignore[arg-type]

    def test_the_token_opens_from_anywhere_and_no_other_does(self, client: Client, settings: Any) -> None:
        def with_token(told: str) -> int:
            headers = {"authorization": told, "x-forwarded-for": "203.0.113.9"}
            return client.get("/metrics", headers=headers).status_code

        assert with_token("Bearer ") == 404
        settings.METRICS_TOKEN = TOKEN
        assert with_token(f"Bearer {TOKEN}") == 200
        assert with_token(f"Bearer {TOKEN[:-1]}") == 404
        assert with_token(TOKEN) == 404


async def test_a_move_a_refusal_and_how_long_they_took_are_counted(door: Open, story: StoryMaker) -> None:
    one = await playing(story)
    seat = turn_of((await enter(door, one, 0))[1])
    socket, view = await enter(door, one, seat)
    moves, acks = figure("paishe_moves_total"), figure("paishe_ack_seconds_count")
    batches, bad = (
        figure("paishe_commit_batch_size_count"),
        figure("paishe_refusals_total", code="bad_message"),
    )
    late = figure("paishe_refusals_total", code="stale_turn")
    turn, action = view["deal"]["turn_number"], an_action(view)
    await socket.say("act", id="a", turn=turn, action=action)
    assert (await socket.hear("ack"))["id"] == "a"
    await socket.say("act", id="b", turn=turn, action=action)
    assert (await socket.hear("refused"))["code"] == "stale_turn"
    await socket.say("nothing")
    await socket.hear("refused")
    assert figure("paishe_moves_total") == moves + 1
    assert figure("paishe_ack_seconds_count") == acks + 2
    assert figure("paishe_commit_batch_size_count") == batches + 2
    assert figure("paishe_refusals_total", code="stale_turn") == late + 1
    assert figure("paishe_refusals_total", code="bad_message") == bad + 1


async def test_a_hint_that_never_came_is_counted_when_the_heads_are_compared(
    door: Open,
    story: StoryMaker,
    untold: None,
) -> None:
    one = await playing(story)
    await enter(door, one, 0)
    lost = figure("paishe_hints_lost_total")
    await watch.compare_heads(hubs.here())
    assert figure("paishe_hints_lost_total") == lost
    await sync_to_async(one.act)()
    await watch.compare_heads(hubs.here())
    assert figure("paishe_hints_lost_total") == lost + 1


def test_a_settlement_that_fails_is_counted(story: StoryMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    one = story().sit()
    one.start()
    failures = figure("paishe_settlement_failures_total")

    def broken(**_: object) -> None:
        raise RuntimeError("no ledger")

    monkeypatch.setattr(settling, "settle", broken)
    with pytest.raises(RuntimeError):
        tables.perform(one.table.pk, cmd.Leave(0, "gone", one.users[0].pk))
    assert figure("paishe_settlement_failures_total") == failures + 1


async def test_sockets_rooms_tables_and_lateness_are_looked_up_when_asked(
    door: Open,
    story: StoryMaker,
) -> None:
    one = await playing(story)
    await enter(door, one, 0)
    await enter(door, one, 1)
    now = service_time.now()
    await Table.objects.filter(pk=one.table.pk).aupdate(deadline=now - 7_000)
    seen = await sync_to_async(read)(Client())
    assert seen['paishe_sockets{of="tables"}'] == 2
    assert seen["paishe_rooms"] == 1
    assert seen['paishe_tables{status="playing"}'] == 1
    assert seen['paishe_tables{status="overdue"}'] == 1
    assert seen["paishe_deals_live"] == 1
    assert seen["paishe_sweep_lag_seconds"] >= 7
    assert seen["paishe_writer_queue"] == 0
    assert seen["paishe_draining"] == 0
    assert seen["paishe_frames_total"] >= 2
    assert "paishe_sweep_age_seconds" in seen


async def test_a_table_before_its_deadline_is_not_late(door: Open, story: StoryMaker) -> None:
    one = await seated(story)
    await enter(door, one, 0)
    assert (await sync_to_async(read)(Client()))["paishe_sweep_lag_seconds"] == 0


@pytest.mark.django_db
def test_a_database_that_is_away_takes_only_its_own_figures_along(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("config.metrics.activity", away)
    seen = read(client)
    assert "paishe_writer_queue" in seen
    assert "paishe_deals_live" not in seen
