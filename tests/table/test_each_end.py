"""How deals end and begin again in each rule set (RULES §5): consent, staff, escapes, redeals, the next opening."""

from __future__ import annotations

import pytest

from games.table import commands as c
from games.table import events as e
from tests.table.rooms import (
    ALL,
    AUCTIONS,
    TAIWAN,
    WAITING,
    by_itself,
    deal,
    dealt,
    in_play,
    pass_or_play,
    phase,
    result_of,
    room,
    run_out,
    seat_of,
    trust,
    until_turn,
)
from tests.table.tabletop import S, Tabletop

# ---- leave by consent


@pytest.mark.parametrize("code", ALL)
@pytest.mark.parametrize("place", ["first act", "first card"])
def test_when_all_others_agree_nobody_pays_or_scores_anything(code: str, place: str) -> None:
    table = dealt(code) if place == "first act" else in_play(code)
    asking, *others = range(table.rules.seats)
    table.must(c.AskLeave(asking, "ask"))
    for seat in others:
        assert table.state.deal is not None, "it takes all of them"
        table.must(c.AnswerLeave(seat, f"yes {seat}", True))
    result = result_of(table)
    assert result["how"] == "void"
    moved = [value for name, value in result["settlement"].items() if name != "house"]
    assert {amount for amounts in moved for amount in amounts} == {0} and result["settlement"]["house"] == 0
    assert None not in table.state.seats and table.view(0)["start_ms"] == 30_000


@pytest.mark.parametrize("code", ALL)
def test_one_refusal_or_15_s_and_play_goes_on_and_nobody_asks_twice(code: str) -> None:
    table = in_play(code)
    table.must(c.AskLeave(0, "a"))
    table.must(c.AnswerLeave(1, "no", False))
    assert table.refused(c.AskLeave(0, "again")) == "already_asked"
    table.must(c.AskLeave(1, "b"))
    table.after(15 * S - 1).tick()
    assert table.view(0)["vote"]["ms"] == 1
    (settled,) = table.after(1).tick()
    assert isinstance(settled, e.LeaveSettled) and (settled.agreed, settled.cause) == (False, "time")
    assert table.refused(c.AskLeave(1, "again")) == "already_asked"
    assert table.state.deal is not None


@pytest.mark.parametrize("code", ALL)
def test_a_trustee_seat_is_asked_and_a_lost_one_is_waited_for(code: str) -> None:
    table = in_play(code)
    trust(table, 2)
    table.must(c.Lost(1, table.now))
    table.must(c.AskLeave(0, "ask"))
    assert table.view(0)["vote"]["answered"] == []
    table.after(15 * S).tick()
    assert table.state.deal is not None and table.view(0)["vote"] is None


def test_taiwans_away_seats_agree_by_themselves_also_when_they_go_meanwhile() -> None:
    table = in_play(TAIWAN)
    table.must(c.AskLeave(0, "ask"))
    table.must(c.Leave(2, "go"))
    assert table.view(0)["vote"]["answered"] == [2]
    table.must(c.AnswerLeave(1, "yes", True))
    assert result_of(table)["how"] == "void" and set(result_of(table)["settlement"]["penalties"]) == {0}
    assert table.state.seats[2] is None, "who left is let go"


@pytest.mark.parametrize("code", ALL)
def test_in_anti_cheat_rooms_neither_trustee_nor_consent(code: str) -> None:
    table = deal(room(code, anti_cheat=True))
    assert table.refused(c.Trustee(0, "t", True)) == "not_allowed_here trustee"
    assert table.refused(c.AskLeave(0, "a")) == "not_allowed_here ask_leave"


# ---- trustee


@pytest.mark.parametrize("code", ALL)
@pytest.mark.parametrize("place", ["first act", "first card"])
def test_a_trustee_acts_after_a_second_and_a_touch_takes_the_seat_back(code: str, place: str) -> None:
    table = dealt(code) if place == "first act" else in_play(code)
    seat = table.turn
    trust(table, seat)
    assert table.after(S - 1).tick() == ()
    acted = table.after(1).tick()[0]
    assert isinstance(acted, e.Acted) and (acted.seat, acted.auto) == (seat, "trustee")
    if phase(table) in ("bidding", "ladder", "blind"):
        return
    until_turn(table, seat).act(table.offers()[0])
    assert not seat_of(table, seat)["trustee"] and seat_of(table, seat)["time_outs"] == 0


@pytest.mark.parametrize("code", ALL)
def test_all_on_trustee_a_deal_ends_by_time_alone_without_a_time_out(code: str) -> None:
    table = in_play(code)
    for seat in range(table.rules.seats):
        trust(table, seat)
    by_itself(table)
    assert "timed_out" not in table.kinds()
    assert not any(event.auto != "trustee" for event in table.log[-30:] if isinstance(event, e.Acted))


# ---- the end of a deal and the next one's beginning


@pytest.mark.parametrize("code", ALL)
def test_staff_may_void_a_live_deal_and_nothing_moves(code: str) -> None:
    table = in_play(code)
    table.act(table.offers()[-1])
    table.must(c.Void("a fault of ours", "staff:1"))
    result = result_of(table)
    assert result["how"] == "void" and set(result["settlement"]["net"]) == {0}
    assert None not in table.state.seats


@pytest.mark.parametrize("code", ALL)
def test_who_has_not_pressed_start_when_30_s_are_over_is_stood_up(code: str) -> None:
    table = in_play(code)
    table.must(c.Void("a fault of ours", "staff:1"))
    began = table.now
    table.must(c.Ready(0, "r"))
    assert table.at(began + 30 * S - 1).tick() == ()
    table.after(1).tick()
    assert [seat is not None for seat in table.state.seats] == [True] + [False] * (table.rules.seats - 1)


@pytest.mark.parametrize("code", WAITING)
def test_after_an_escape_he_is_out_of_the_table_and_the_others_may_start_again(code: str) -> None:
    table = in_play(code)
    table.must(c.Leave(1, "go"))
    assert table.state.seats[1] is None and table.view(0)["start_ms"] is None, (
        "until somebody takes the chair"
    )
    assert all(table.view(seat)["can"]["ready"] for seat in range(table.rules.seats) if seat != 1)
    assert table.refused(c.Ready(1, "r")) == "not_seated"
    deal(table.fill())
    assert table.state.deal is not None


@pytest.mark.parametrize("code", ["bigtwo.classic", "bigtwo.qq"])
@pytest.mark.parametrize("ending", ["played", "escape", "consent", "staff", "new member"])
def test_in_big_two_the_last_winner_leads_only_after_a_deal_played_out_by_the_same_four(
    code: str, ending: str
) -> None:
    table = in_play(code)
    winner = None
    if ending in ("played", "new member"):
        winner = by_itself(table, 0, 1, 2, 3)["winner"]
    elif ending == "escape":
        table.must(c.Leave(1, "go"))
    elif ending == "staff":
        table.must(c.Void("a fault of ours", "staff:1"))
    else:
        table.must(c.AskLeave(0, "ask"))
        for seat in (1, 2, 3):
            table.must(c.AnswerLeave(seat, f"y{seat}", True))
    if ending == "new member":
        table.must(c.Stand(3, "s"))
        table.must(c.Sit(3, 900, "New"))
    deal(table.fill())
    duty = table.view(table.turn)["deal"]["duty"]
    if ending == "played":
        assert (table.turn, duty) == (winner, None)
    else:
        assert duty == "3d"
        assert "3d" in table.view(table.turn)["deal"]["state"]["hand"].split()


@pytest.mark.parametrize("ending", ["played", "redeal", "consent", "staff", "left"])
def test_in_taiwan_each_auction_starts_one_seat_on(ending: str) -> None:
    table = dealt(TAIWAN)
    first = table.turn
    if ending == "redeal":
        for _ in range(3):
            table.act("bid 0")
    elif ending == "staff":
        table.must(c.Void("a fault of ours", "staff:1"))
    elif ending == "consent":
        table.must(c.AskLeave(0, "ask"))
        for seat in (1, 2):
            table.must(c.AnswerLeave(seat, f"y{seat}", True))
    else:
        table.act("bid 3")
        if ending == "left":
            table.must(c.Leave((first + 1) % 3, "go"))
        by_itself(table, *(seat for seat in range(3) if not seat_of(table, seat)["away"]))
    table.open() if table.state.wants_deal else deal(table.fill())
    assert table.turn == (first + 1) % 3


def test_in_mala_a_card_is_drawn_anew_and_its_owner_acts_first() -> None:
    table = room("doudizhu.mala")
    shown = set()
    for _ in range(4):
        deal(table)
        state = table.view(None)["deal"]["state"]
        assert table.state.deal is not None
        hand = table.rules.view(table.state.deal.deal, table.turn)
        assert hand.shown is not None and hand.hand is None, "he sees the shown card and not his own hand"
        shown.add(state["shown"])
        table.must(c.Void("a fault of ours", "staff:1"))
    assert len(shown) > 1


# ---- redeals


def decline_all(table: Tabletop) -> None:
    """Nobody wants to be landlord, by acts of living players."""
    while phase(table) in ("bidding", "blind"):
        pass_or_play(table)


@pytest.mark.parametrize("code", AUCTIONS)
def test_a_redeal_follows_at_once_without_a_press_and_leaving_is_not_free(code: str) -> None:
    table = dealt(code)
    decline_all(table)
    assert table.state.wants_deal and table.state.result is None
    assert not table.view(0)["can"]["ready"] and table.view(0)["can"]["leave"]
    assert table.refused(c.Stand(0, "s")) == "wrong_phase bound"
    number = table.state.number
    table.open()
    assert table.state.number == number + 1


@pytest.mark.parametrize("code", AUCTIONS)
def test_time_outs_carry_over_a_redeal_and_the_third_counts_with_them(code: str) -> None:
    table = dealt(code)
    late = table.turn
    run_out(table)
    decline_all(table)
    before = table.state.carry
    assert before is not None and before.seats[late].time_outs == 1
    table.open()
    assert seat_of(table, late)["time_outs"] == before.seats[late].time_outs
    assert not seat_of(table, late)["trustee"]
    while table.state.deal is not None and seat_of(table, late)["time_outs"] < 3:
        run_out(table) if table.turn == late else pass_or_play(table)
        if table.state.deal is None and table.state.wants_deal:
            table.open()
    if code == TAIWAN:
        assert seat_of(table, late)["away"]
    else:
        assert result_of(table)["seat"] == late


def test_absences_carry_over_a_redeal_in_mala_and_the_fine_in_taiwan() -> None:
    table = dealt("doudizhu.mala")
    seat = (table.turn + 1) % 3
    table.must(c.Lost(seat, table.now))
    table.after(15 * S).must(c.Connected(seat))
    decline_all(table)
    table.open()
    for used in (170, 165):
        table.must(c.Lost(seat, table.now))
        table.after(used * S).must(c.Connected(seat))
    table.must(c.Lost(seat, table.now))
    assert seat_of(table, seat)["lost_ms"] == 10_000, "360 s less 15 s of the deal before"

    table = dealt(TAIWAN)
    seat = table.turn
    table.must(c.Leave(seat, "go"))
    table.after(S).tick()
    decline_all(table)
    table.open()
    assert seat_of(table, seat)["away"]
    table.must(c.Trustee(seat, "back", False))
    until_turn(table, table.turn).act("bid 3")
    result = by_itself(table, 0, 1, 2)
    assert result["settlement"]["penalties"][seat] == 60


@pytest.mark.parametrize("code", AUCTIONS)
def test_three_redeals_without_an_act_of_a_living_player_close_the_table_void(code: str) -> None:
    table = dealt(code)
    for number in range(3):
        for seat in range(3):
            trust(table, seat)
        while table.state.deal is not None:
            table.after(S).tick()
        if number < 2:
            table.open()
    assert table.state.phase == "closed" and table.kinds()[-1] == "table_closed"
    assert all(not isinstance(event, e.DealClosed) or event.settlement is None for event in table.log)


@pytest.mark.parametrize("code", AUCTIONS)
def test_one_act_of_a_living_player_and_the_count_begins_anew(code: str) -> None:
    table = dealt(code)
    for number in range(5):
        if number == 2:
            pass_or_play(table)
        while table.state.deal is not None:
            if not seat_of(table, table.turn)["trustee"]:
                trust(table, table.turn)
            table.after(S).tick()
        assert table.state.phase != "closed"
        table.open()
