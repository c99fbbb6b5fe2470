"""Dou Dizhu at the table machine: redeals, the face-down phases, escapes and leaving, in long seeded stories.

The machine asks for no game by name; what it needs to know stands in the engine's face.
"""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from games.engine import record as records
from games.engine import rulesets, verify
from games.engine.deal import Previous
from games.table import commands as c
from games.table import events as e
from games.table.records import record_of
from tests.table.tabletop import CARD, S, Tabletop, _names

TERMS: dict[str, dict[str, Any]] = {
    "doudizhu.mala": {
        "base_stake": 10,
        "cap": None,
        "fee": {"kind": "flat", "value": 10},
        "seating": "match",
    },
    "doudizhu.taiwan": {"base_stake": 30, "cap": 1200, "fee": {"kind": "percent", "value": 5}},
}


class Table(Tabletop):
    """A table at which three hands, a bottom and a shown card are looked after."""

    def _check_view(self, seat: int | None) -> None:
        view, deal = self.view(seat), self.state.deal
        assert (view["deal"] is None) == (deal is None)
        if deal is None:
            return
        state = view["deal"]["state"]
        setup = deal.deal.setup
        dealt = setup.hands[0] | setup.hands[1] | setup.hands[2] | setup.bottom
        held = deal.deal.hands[0] | deal.deal.hands[1] | deal.deal.hands[2]
        untaken = setup.bottom if deal.deal.own.landlord is None or deal.deal.own.face_down else 0
        public = set(_names(dealt & ~(held | untaken)))
        if state["bottom"] is not None:
            public |= set(_names(setup.bottom))
        if state["shown"] is not None:
            public.add(state["shown"])
        mine = set() if seat is None or state["hand"] is None else set(_names(deal.deal.hands[seat]))
        assert set(state.pop("unseen").split()) == set(_names(dealt)) - public - mine
        assert (state["hand"] is None) == (seat is None or deal.deal.own.face_down)
        self._check_plays(view, seat)
        said = json.dumps(view, ensure_ascii=False)
        assert set(CARD.findall(said)) <= mine | public
        assert not CARD.search(repr(self.state) + repr(self.state.deal))

    def _check_plays(self, view, seat) -> None:
        if view["deal"]["state"]["hand"] is None and view["can"]["plays"] is not None:
            assert view["can"].pop("plays") == {}
            assert sorted(view["can"]["acts"]) == sorted(self.offers())
            return
        super()._check_plays(view, seat)


def dealt(ruleset: str) -> Table:
    table = Table(ruleset, **TERMS[ruleset])
    table.playing()
    return table


def step(table: Table, chance: Random) -> None:
    """Do something a table may see, mostly an act."""
    seat = chance.randrange(3)
    if chance.random() < 0.2:
        table.after(chance.choice((1, S, 2 * S, 15 * S, 21 * S)))
    if chance.random() < 0.8:
        table.tick()
        if table.state.wants_deal:
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
                c.Lost(seat, table.now),
                c.Connected(seat),
                c.Trustee(seat, cmd, chance.random() < 0.5),
                c.Leave(seat, cmd) if chance.random() < 0.1 else c.Tick(),
                c.AskLeave(seat, cmd),
                c.Act(
                    seat,
                    cmd,
                    table.state.turn,
                    chance.choice(("pass", "bid 2", "call", "raise 0", "play 3d")),
                ),
            )
        )
    )


@pytest.fixture(scope="module", params=sorted(TERMS))
def stories(request):
    told = []
    for seed in range(3):
        chance = Random(f"{request.param} {seed}")
        table = dealt(request.param)
        for _ in range(260):
            step(table, chance)
            if table.state.phase == "closed":
                break
        told.append(table)
    return told


def test_long_stories_keep_every_promise_of_the_machine(stories):
    met = Counter(event.how for table in stories for event in table.log if isinstance(event, e.DealClosed))
    assert met["over"]
    if stories[0].rules.manners.has_escape:
        assert met["escaped"]


def test_every_finished_deal_can_be_verified_without_the_server(stories):
    checked = 0
    for table in stories:
        for event in table.log:
            if isinstance(event, e.DealClosed):
                found = json.loads(json.dumps(record_of(table.log, event.deal)))
                settlement = records.settlement_of(records.parse(found), records.replay(records.parse(found)))
                assert (settlement and settlement.as_json()) == found.get("settlement")
                assert False not in [check.holds for check in verify.verify(found)]
                checked += 1
    assert checked > 5


def test_a_redeal_follows_at_once_and_moves_the_first_bidder_on():
    table = dealt("doudizhu.taiwan")
    first = table.turn
    for _ in range(3):
        table.act("bid 0")
    assert table.state.wants_deal
    table.open()
    assert table.turn == (first + 1) % 3


def test_a_redeal_of_mala_shows_another_card():
    table = dealt("doudizhu.mala")
    shown = table.view(None)["deal"]["state"]["shown"]
    for action in ("look", "decline", "decline", "decline"):
        table.act(action)
    table.open()
    state = table.view(None)["deal"]["state"]
    assert state["phase"] == "blind"
    assert state["shown"] != shown


def test_three_redeals_without_a_living_player_close_the_table():
    table = dealt("doudizhu.taiwan")
    for seat in range(3):
        table.must(c.Trustee(seat, table.new_id(), True))
    while table.state.phase != "closed":
        table.after(2 * S).tick()
        if table.state.wants_deal:
            table.open()
    assert [event.how for event in table.log if isinstance(event, e.DealClosed)] == ["redeal"] * 3


def test_nobody_can_escape_from_taiwan_but_who_leaves_is_fined_and_the_computer_bids_0():
    table = dealt("doudizhu.taiwan")
    seat = table.turn
    price = table.view(seat)["can"]["leave_price"]
    assert price == {"points": 0, "coins": 60, "at_least": False}
    table.must(c.Leave(seat, table.new_id()))
    (acted,) = table.after(S).tick()
    assert (acted.seat, acted.action, acted.auto) == (seat, "bid 0", "away")
    assert table.view(None)["seats"][seat]["away"]


def test_who_leaves_mala_escapes_for_at_least_what_was_said():
    table = dealt("doudizhu.mala")
    table.act("blind")
    seat = table.turn
    price = table.view(seat)["can"]["leave_price"]
    assert price == {"points": 20, "coins": 200, "at_least": True}
    table.must(c.Leave(seat, table.new_id()))
    closed = next(event for event in table.log if isinstance(event, e.DealClosed))
    assert (closed.how, closed.seat) == ("escaped", seat)
    assert closed.settlement["penalties"][seat] >= 200


def test_the_first_bidder_moves_on_whatever_happened_to_the_last_deal():
    taiwan = rulesets.get("doudizhu.taiwan")
    for phase in ("over", "redeal", "void"):
        for same_members in (True, False):
            previous = Previous({"first": 2}, phase, 1, same_members)
            assert taiwan.next_opening(previous, None, ()) == {"first": 0}
