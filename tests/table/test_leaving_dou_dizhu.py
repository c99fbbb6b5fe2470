"""Leaving a deal of Dou Dizhu, in every phase of it and before its cards (RULES §3, §4 Escape, §5)."""

from __future__ import annotations

from typing import Any

import pytest

from games.engine import record as records
from games.engine.cards import parse_cards
from games.table import commands as c
from games.table import events as e
from games.table.records import record_of
from tests.table.tabletop import S, Tabletop

MALA: dict[str, Any] = {
    "tier": "mala.plum",
    "base_stake": 1_000,
    "cap": None,
    "fee": {"kind": "flat", "value": 100},
}
TAIWAN: dict[str, Any] = {
    "tier": "taiwan.30",
    "base_stake": 30,
    "cap": 1_200,
    "fee": {"kind": "percent", "value": 5},
}
RICH = (10_000_000,) * 3

# Three fours of a kind and both jokers lie in seat 0's hand, and the fourth of each of two threes on the table.
HANDS = (
    "3d 3c 3h 3s 4d 4c 4h 4s 5d 5c 5h 5s BJ RJ 6d 6c 6h",
    "7d 7c 7h 8d 8c 8h 9d 9c 9h Td Tc Th Jd Jc Jh Qd Qc",
    "7s 8s 9s Ts Js Qh Qs Kd Kc Kh Ks Ad Ac Ah As 2d 2c",
)
BOTTOM = "6s 2h 2s"


def deck_of(hands: tuple[str, ...], bottom: str) -> tuple[int, ...]:
    """Return the deck that deals these hands: card i goes to seat i mod 3."""
    dealt = [parse_cards(hand, 54) for hand in hands]
    return tuple(card for trio in zip(*dealt, strict=True) for card in trio) + parse_cards(bottom, 54)


DECK = deck_of(HANDS, BOTTOM)


def mala(first: int = 0, **terms: Any) -> Tabletop:
    """Open a deal of mala in which a card of seat `first` is shown."""
    table = Tabletop("doudizhu.mala", deck=DECK, **MALA, **terms).fill().all_ready()
    table.must(table.opening_command(balances=RICH, opening=shown_by(first)))
    return table


def shown_by(first: int) -> dict[str, object]:
    return {"first": first, "shown": HANDS[first][:2]}


def escape(table: Tabletop, seat: int) -> dict[str, Any]:
    """Let a seat leave; return what it had to pay, after checking that nobody else did and that it is proven."""
    said = table.view(seat)["can"]["leave_price"]
    table.must(c.Leave(seat, "go"))
    result = table.state.result
    assert result is not None and (result["how"], result["seat"]) == ("escaped", seat)
    settlement = result["settlement"]
    for name in ("points", "penalties", "net"):
        assert [value for other, value in enumerate(settlement[name]) if other != seat] == [0, 0]
    assert settlement["house"] == settlement["penalties"][seat] == -1_000 * settlement["points"][seat]
    assert said["points"] == -settlement["points"][seat] or (
        said["at_least"] and said["points"] < -settlement["points"][seat]
    )
    replays(table)
    return {"points": settlement["points"][seat], "said": said}


def replays(table: Tabletop) -> None:
    """Replay the log's record: it settles as the table did."""
    result = table.state.result
    assert result is not None
    record = records.parse(record_of(table.log))
    settlement = records.settlement_of(record, records.replay(record))
    assert settlement is not None
    assert {name: list(value) for name, value in settlement.as_json().items() if name != "house"} == {
        name: list(value) for name, value in result["settlement"].items() if name != "house"
    }


# ---- mala, before the cards


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_who_leaves_a_match_before_its_cards_pays_for_no_bomb(seat: int) -> None:
    table = Tabletop("doudizhu.mala", deck=DECK, seating="match", **MALA).fill()
    table.must(c.Leave(seat, "go"))
    table.must(table.opening_command(balances=RICH, opening=shown_by(0)))
    result = table.state.result
    assert result is not None
    assert result["settlement"]["penalties"] == tuple(10_000 if other == seat else 0 for other in range(3))
    assert [row for row in result["reasons"] if row.get("cause") == "bombs_dealt"] == []
    replays(table)


def test_who_leaves_between_a_redeal_and_its_cards_pays_for_no_bomb() -> None:
    table = mala()
    table.act("look")
    for _ in range(3):
        table.act("decline")
    table.must(c.Leave(0, "go"))
    events = table.must(table.opening_command(balances=RICH, opening=shown_by(1)))
    assert table.kinds(events) == ["deal_opened", "acted", "deal_closed", "stood"]
    result = table.state.result
    assert result is not None and result["settlement"]["points"] == (-10, 0, 0)
    replays(table)


def test_the_second_who_leaves_early_pays_nothing() -> None:
    table = Tabletop("doudizhu.mala", deck=DECK, seating="match", **MALA).fill()
    table.must(c.Leave(2, "a"))
    table.must(c.Leave(0, "b"))
    table.must(table.opening_command(balances=RICH, opening=shown_by(0)))
    result = table.state.result
    assert result is not None and result["settlement"]["points"] == (0, 0, -10)
    assert [seat is None for seat in table.state.seats] == [True, False, True]


def test_once_the_cards_are_dealt_the_same_leaving_pays_for_every_bomb() -> None:
    table = Tabletop("doudizhu.mala", deck=DECK, seating="match", **MALA).fill()
    table.must(table.opening_command(balances=RICH, opening=shown_by(0)))
    assert escape(table, 1)["points"] == -128


# ---- mala, phase by phase: B is 6 over the hands of 17 (three fours and both jokers, none, two fours)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_in_the_blind_phase_the_hands_of_17_count_and_nobody_is_told_of_them(seat: int) -> None:
    left = escape(mala(), seat)
    assert left["points"] == -128
    assert left["said"] == {"points": 10, "coins": 10_000, "at_least": True}


@pytest.mark.parametrize(("seat", "seen"), [(0, 32), (1, 10), (2, 10)])
def test_before_there_is_a_landlord_everybody_pays_as_a_farmer(seat: int, seen: int) -> None:
    table = mala()
    table.act("look")
    left = escape(table, seat)
    assert left["points"] == -128
    assert left["said"]["points"] == seen, "what lies in his own hand he knows"


@pytest.mark.parametrize(("seat", "points"), [(0, 512 + 256), (1, 512), (2, 256)])
def test_on_the_ladder_the_steps_so_far_count_and_the_landlord_has_the_bottom(seat: int, points: int) -> None:
    table = mala()
    table.act("look")
    table.act("call")  # a fourth six comes to seat 0: B is 7
    table.act("raise 0")
    assert escape(table, seat)["points"] == -points


@pytest.mark.parametrize(("seat", "points"), [(0, 1_024), (1, 512), (2, 512)])
def test_the_blind_grab_doubles_the_base_score_and_not_the_multiple(seat: int, points: int) -> None:
    table = mala()
    table.act("blind")
    left = escape(table, seat)
    assert left["points"] == -points and left["said"]["at_least"]


@pytest.mark.parametrize(("seat", "points"), [(0, 2 * 512), (1, 2 * 256), (2, 2 * 256)])
def test_in_play_too_and_the_initial_multiplier_multiplies(seat: int, points: int) -> None:
    table = mala(initial_multiplier=2)
    for action in ("look", "call", "stay 0", "stay 0", "play 3d 3c 3h 3s"):
        table.act(action)
    assert escape(table, seat)["points"] == -points, "a bomb counts, played or not"


def test_an_escape_takes_no_more_than_the_balance() -> None:
    table = Tabletop("doudizhu.mala", deck=DECK, **MALA).fill().all_ready()
    table.must(table.opening_command(balances=(1_000_000, 9_999, 1_000_000), opening=shown_by(0)))
    table.must(c.Leave(1, "go"))
    result = table.state.result
    assert result is not None
    assert (result["settlement"]["points"][1], result["settlement"]["penalties"]) == (-128, (0, 9_999, 0))
    replays(table)


# ---- taiwan: no escape, a fine of twice the base, and the computer plays on


def taiwan(**terms: Any) -> Tabletop:
    table = Tabletop("doudizhu.taiwan", deck=DECK, **TAIWAN, **terms).fill().all_ready()
    table.must(table.opening_command(balances=RICH, opening={"first": 0}))
    return table


def played_out(table: Tabletop) -> dict[str, Any]:
    """Play to the receipt, the computer for who is away; return the receipt."""
    while table.state.result is None:
        away = table.view(None)["seats"][table.turn]["away"]
        if away:
            table.after(2 * S).tick()
        else:
            table.act(table.offers()[-1])
    replays(table)
    result: dict[str, Any] = dict(table.state.result)
    return result


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_who_leaves_the_bidding_is_fined_and_the_computer_does_not_bid(seat: int) -> None:
    table = taiwan()
    (away,) = table.must(c.Leave(seat, "go"))
    assert isinstance(away, e.AwaySet) and away.fined
    assert table.refused(c.Leave(seat, "again")) == "already_set"
    result = played_out(table)
    assert result["settlement"]["penalties"] == tuple(60 if other == seat else 0 for other in range(3))
    acted = [event for event in table.log if isinstance(event, e.Acted) and event.seat == seat]
    assert {event.auto for event in acted} == {"away"}
    assert {event.action for event in acted if event.action.startswith("bid")} <= {"bid 0"}
    assert table.state.seats[seat] is None, "he is let go when the deal is over"


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_who_leaves_a_match_early_is_fined_and_the_deal_is_played(seat: int) -> None:
    table = Tabletop("doudizhu.taiwan", deck=DECK, seating="match", **TAIWAN).fill()
    table.must(c.Leave(seat, "go"))
    events = table.must(table.opening_command(balances=RICH, opening={"first": 0}))
    assert table.kinds(events) == ["deal_opened", "away_set"]
    result = played_out(table)
    assert (result["how"], result["settlement"]["penalties"][seat]) == ("over", 60)


def test_a_redeal_carries_the_fine_over_and_takes_it_once() -> None:
    table = taiwan()
    table.must(c.Leave(1, "go"))
    table.act("bid 0")
    table.after(2 * S).tick()
    table.act("bid 0")
    assert table.state.result is None and table.state.wants_deal
    table.must(table.opening_command(balances=RICH, opening={"first": 2}))
    assert table.view(2)["seats"][1]["away"]
    table.act("bid 3")
    result = played_out(table)
    assert result["settlement"]["penalties"] == (0, 60, 0)


def test_the_fine_is_at_most_what_is_left() -> None:
    table = Tabletop("doudizhu.taiwan", deck=DECK, **TAIWAN).fill().all_ready()
    table.must(table.opening_command(balances=(10_000, 10_000, 100), opening={"first": 0}))
    table.act("bid 1")
    table.act("bid 0")
    table.act("bid 0")
    table.must(c.Leave(2, "go"))
    result = played_out(table)
    settlement = result["settlement"]
    assert settlement["penalties"][2] == min(60, 100 + settlement["gross"][2] - settlement["fees"][2])


def test_agreed_leaving_costs_nobody_anything_not_even_the_fine() -> None:
    table = taiwan()
    table.must(c.Leave(2, "go"))
    table.must(c.AskLeave(0, "ask"))
    table.must(c.AnswerLeave(1, "yes", True))
    result = table.state.result
    assert result is not None and result["how"] == "void"
    assert set(result["settlement"]["net"]) == set(result["settlement"]["penalties"]) == {0}
