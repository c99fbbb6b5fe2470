"""Taiwan's wins when farmers are away (RULES §3): judged at the end of the deal, split accordingly, fined once."""

from __future__ import annotations

from typing import Any

import pytest

from games.table import commands as c
from games.table import events as e
from tests.table.rooms import TAIWAN, by_itself, result_of, room, trust, until_turn
from tests.table.tabletop import S, Tabletop
from tests.table.test_leaving_dou_dizhu import deck_of

LANDLORD, GONE, THERE = 0, 1, 2
WEAK = "3h 3s 4h 4s 5h 5s 6h 6s 7h 7s 8h 8s 9h 9s Th Ts Jh"
MIDDLING = "4d 5d 6d 7d 8d 9d Td Jd Qd Kd Ad Qh Kh Ah Qs Ks As"
STRONG = "3d 3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac 2d 2c 2h 2s"
BOTTOM = "Js BJ RJ"


def auctioned(strong: int = THERE) -> Tabletop:
    """A deal in play in which one farmer holds four twos and a straight of all, and the landlord little."""
    farmers = (STRONG, MIDDLING) if strong == GONE else (MIDDLING, STRONG)
    table = room(TAIWAN, deck=deck_of((WEAK, *farmers), BOTTOM)).all_ready()
    table.must(table.opening_command(balances=(1_000_000,) * 3, opening={"first": LANDLORD}))
    table.act("bid 3")
    return table


def farmers_win(table: Tabletop, *present: int) -> dict[str, Any]:
    trust(table, LANDLORD)
    result = by_itself(table, *present)
    assert result["winner"] != LANDLORD
    return result


def stake_of(result: dict[str, Any]) -> int:
    """What the landlord lost."""
    stake: int = -result["settlement"]["gross"][LANDLORD]
    assert stake > 0 and stake % 2 == 0
    return stake


@pytest.mark.parametrize("how", ["left", "lost", "timed out"])
def test_when_exactly_one_farmer_is_away_the_other_takes_both_shares(how: str) -> None:
    table = auctioned()
    if how == "left":
        table.must(c.Leave(GONE, "go"))
    elif how == "lost":
        table.must(c.Lost(GONE, table.now))
        table.after(15 * S).tick()
    else:
        for _ in range(3):
            until_turn(table, GONE).after(21 * S).tick()
    result = farmers_win(table, THERE)
    stake, settlement = stake_of(result), result["settlement"]
    assert settlement["gross"][THERE] == stake and settlement["gross"][GONE] == 0
    assert settlement["fees"][THERE] == -(-stake // 20), "5 % of all of it, rounded up"
    assert settlement["penalties"] == tuple(60 if seat == GONE else 0 for seat in range(3))
    assert settlement["points"][GONE] == settlement["points"][THERE] > 0, "points do not move over"


def test_if_they_lose_each_pays_his_own() -> None:
    table = auctioned()
    table.must(c.Leave(GONE, "go"))
    trust(table, THERE)
    result = by_itself(table, LANDLORD)
    gross = result["settlement"]["gross"]
    assert result["winner"] == LANDLORD and gross[GONE] == gross[THERE] < 0
    assert result["settlement"]["penalties"][GONE] == 60


def test_both_away_is_the_normal_split_and_two_fines() -> None:
    table = auctioned(strong=GONE)
    trust(table, LANDLORD)
    trust(table, THERE)
    while table.view(None)["seats"][GONE]["count"] > 1 or table.turn != GONE:
        if table.turn == GONE:
            table.act(max(table.offers(), key=len))
        else:
            table.after(S).tick()
    for seat in (GONE, THERE):
        table.must(c.Leave(seat, f"go {seat}"))
    result = by_itself(table)
    assert result["winner"] == GONE
    stake, settlement = stake_of(result), result["settlement"]
    assert settlement["gross"][GONE] == settlement["gross"][THERE] == stake // 2
    assert settlement["penalties"] == tuple(0 if seat == LANDLORD else 60 for seat in range(3))


def test_who_came_back_before_the_end_was_not_away() -> None:
    table = auctioned()
    table.must(c.Leave(GONE, "go"))
    table.must(c.Trustee(GONE, "back", False))
    result = farmers_win(table, GONE, THERE)
    gross = result["settlement"]["gross"]
    assert gross[GONE] == gross[THERE] > 0
    assert result["settlement"]["penalties"][GONE] == 60, "the fine stays"
    assert table.state.seats[GONE] is not None, "he plays on at the table"


def test_leaving_again_is_fined_once() -> None:
    table = auctioned()
    for number in range(3):
        table.must(c.Leave(GONE, f"go {number}"))
        table.must(c.Trustee(GONE, f"back {number}", False))
    table.must(c.Leave(GONE, "for good"))
    result = farmers_win(table, THERE)
    assert result["settlement"]["penalties"][GONE] == 60
    assert table.state.seats[GONE] is None


def test_a_trustee_farmer_is_not_away() -> None:
    table = auctioned()
    trust(table, GONE)
    result = farmers_win(table, THERE)
    gross = result["settlement"]["gross"]
    assert gross[GONE] == gross[THERE] > 0 and set(result["settlement"]["penalties"]) == {0}


def test_a_landlord_who_is_away_is_fined_and_his_result_counts() -> None:
    table = auctioned()
    table.must(c.Leave(LANDLORD, "go"))
    result = by_itself(table, GONE, THERE)
    closed = next(event for event in table.log if isinstance(event, e.DealClosed))
    assert closed.away == (LANDLORD,) and result["how"] == "over"
    assert result["settlement"]["penalties"][LANDLORD] == 60
    assert result["settlement"]["gross"][GONE] == result["settlement"]["gross"][THERE]
    assert result_of(table)["settlement"]["house"] == sum(result["settlement"]["fees"]) + 60
