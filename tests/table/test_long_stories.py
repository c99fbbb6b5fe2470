"""Long stories at one table, deal after deal, with absences, time-outs, trustees, requests and hostile commands mixed
in; the promises are those of `Tabletop.do`. Seeded, so that each story is always the same."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from games.engine import record
from games.table import commands as c
from games.table import events as e
from games.table.records import record_of
from tests.table.tabletop import S, Tabletop

PAUSES = (0, 1, 200, S, S, 2 * S, 3 * S, 5 * S, 14_999, 15 * S, 20_999, 21 * S, 60 * S)
TABLES: dict[str, dict[str, Any]] = {
    "bigtwo.qq": {},
    "bigtwo.classic": {"anti_cheat": True, "seating": "match", "currency": "points"},
    "toy.play_on": {},
    "toy.wait": {"seating": "match"},
}


def step(table: Tabletop, chance: Random) -> None:
    """Do something a table may see, mostly something sensible."""
    seat = chance.randrange(table.rules.seats)
    if chance.random() < 0.3:
        table.after(chance.choice(PAUSES))
    if chance.random() < 0.5:
        table.tick()
        if table.state.wants_deal and chance.random() < 0.8:
            table.open()
        elif table.state.phase == "between":
            table.fill().all_ready()
        elif table.state.deal is not None:
            table.act(chance.choice(table.offers()))
        return
    cmd = table.new_id()
    table.do(
        chance.choice(
            (
                c.Lost(seat, table.now - chance.choice((0, 0, 10 * S, 30 * S))),
                c.Connected(seat),
                c.Connected(seat),
                c.Trustee(seat, cmd, chance.random() < 0.6),
                c.AskLeave(seat, cmd),
                c.AnswerLeave(seat, cmd, chance.random() < 0.8),
                c.Leave(seat, cmd) if chance.random() < (0.5 if table.state.bound else 0.1) else c.Tick(),
                c.Stand(seat, cmd),
                c.Ready(seat, cmd, "0a"),
                c.Say(seat, cmd, phrase="hello"),
                c.Act(
                    seat,
                    cmd,
                    table.state.turn,
                    chance.choice(("pass", "bid 1", "play 3d", "play 2s", "void")),
                ),
                c.Void("test", "staff") if chance.random() < 0.05 else c.Tick(),
            )
        )
    )


def story(ruleset: str, seed: int) -> Tabletop:
    """Tell one story until its table closes, or for 250 steps."""
    chance = Random(f"{ruleset} {seed}")
    table = Tabletop(ruleset, **TABLES[ruleset]).playing()
    for _ in range(250):
        step(table, chance)
        if table.state.phase == "closed":
            break
    return table


@pytest.fixture(scope="module")
def stories() -> list[Tabletop]:
    return [story(ruleset, seed) for ruleset in TABLES for seed in range(3)]


def test_long_stories_keep_every_promise_and_meet_every_kind_of_event(stories: list[Tabletop]) -> None:
    met: Counter[str] = Counter()
    for table in stories:
        kinds = Counter(table.kinds())
        assert kinds["deal_opened"] - kinds["deal_closed"] == (table.state.deal is not None)
        met.update(kinds)
        met.update(event.how for event in table.log if isinstance(event, e.DealClosed))
    assert set(e.KINDS) - set(met) <= {"deal_declined", "table_closed"}
    assert {"over", "escaped", "void", "redeal"} <= set(met)


def test_every_finished_deal_of_the_stories_has_a_record(stories: list[Tabletop]) -> None:
    for table in stories:
        for event in table.log:
            if isinstance(event, e.DealClosed):
                found = record_of(table.log, event.deal)
                assert found["deck"] == event.deck
                read = record.parse(found)
                settlement = record.settlement_of(read, record.replay(read))
                paid = found.get("settlement")
                assert (settlement and settlement.as_json()) == paid
