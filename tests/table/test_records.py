"""Records of finished deals (RULES §6): they replay in the engine to the settlement that was paid."""

from __future__ import annotations

import pytest

from games.engine import record, verify
from games.table import commands as c
from games.table.errors import FormatError
from games.table.records import record_of
from tests.table.tabletop import S, Tabletop


def replays(table: Tabletop) -> None:
    found = record_of(table.log)
    read = record.parse(found)
    settlement = record.settlement_of(read, record.replay(read))
    result = table.state.result
    assert settlement is not None and result is not None
    paid = result["settlement"]
    assert {name: list(v) if isinstance(v, tuple) else v for name, v in paid.items()} == settlement.as_json()


@pytest.mark.parametrize("ruleset", ["bigtwo.classic", "bigtwo.qq"])
def test_a_deal_that_was_played_out(ruleset: str) -> None:
    replays(Tabletop(ruleset).playing().play_out())


def test_a_deal_in_points() -> None:
    replays(Tabletop("bigtwo.classic", currency="points").playing().play_out())


def test_an_escape_a_third_time_out_and_a_void() -> None:
    table = Tabletop().playing()
    table.act()
    table.must(c.Leave((table.turn + 1) % 4, "go"))
    replays(table)
    table.fill().all_ready().open()
    table.after(5 * S).must(c.Void("test", "staff"))
    replays(table)
    table.all_ready().open()
    late = table.turn
    for _ in range(3):
        table.until_turn_of(late).after(21 * S).tick()
    replays(table)


def test_away_and_fined_stand_in_the_record() -> None:
    table = Tabletop("toy.play_on").playing()
    seat = table.turn
    table.must(c.Leave(seat, "go"))
    table.after(S).tick()
    table.act("bid 1")
    while table.state.deal is not None:
        table.after(S).tick() if table.turn == seat else table.act(table.offers()[-1])
    found = record_of(table.log)
    assert found["away"] == found["fined"] == [seat]
    replays(table)


def test_each_finished_deal_can_be_asked_for_a_running_one_cannot() -> None:
    table = Tabletop().playing().play_out().all_ready().open()
    assert record_of(table.log)["fairness"]["deal"] == "deal-1"
    with pytest.raises(FormatError):
        record_of(table.log, "deal-2")
    table.play_out()
    assert record_of(table.log)["fairness"]["deal"] == "deal-2"
    assert record_of(table.log, "deal-1")["fairness"]["deal"] == "deal-1"


def test_a_practice_deal_replays_although_its_rule_set_has_no_points_rooms() -> None:
    table = Tabletop("bigtwo.qq", currency="none", practice=True).playing().play_out()
    read = record.parse(record_of(table.log))
    settlement = record.settlement_of(read, record.replay(read))
    assert settlement is not None and table.state.result is not None
    assert settlement.points == table.state.result["settlement"]["points"]


def test_the_record_proves_its_deal() -> None:
    table = Tabletop().fill(nonce="abc123").all_ready().open().play_out()
    checks = verify.verify(record_of(table.log))
    assert [check.name for check in checks if check.holds is False] == []
    assert [check.name for check in checks if check.holds] == ["commitment", "deck", "actions", "settlement"]
