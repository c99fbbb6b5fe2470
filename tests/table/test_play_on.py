"""Where play goes on without a lost player (RULES §3, §5): away seats, fines, coming back, redeals."""

from __future__ import annotations

from typing import Any

from games.table import commands as c
from games.table import events as e
from tests.table.tabletop import S, Tabletop


def dealt(ruleset: str = "toy.play_on", **terms: Any) -> Tabletop:
    return Tabletop(ruleset, **terms).playing()


def until(table: Tabletop, seat: int) -> Tabletop:
    """Bid on, through redeals, until it is a seat's turn."""
    while table.state.deal is None or table.turn != seat:
        if table.state.deal is None:
            table.open()
        else:
            table.act("bid 0")
    return table


def test_the_clock_runs_on_and_after_15_s_the_computer_plays() -> None:
    table = dealt()
    seat, lost_at = table.turn, table.now
    table.must(c.Lost(seat, lost_at))
    assert table.view(None)["deal"]["clock"]["paused"] is False
    table.at(lost_at + 15 * S - 1).tick()
    assert not table.view(None)["seats"][seat]["away"]
    (away,) = table.after(1).tick()
    assert isinstance(away, e.AwaySet) and (away.cause, away.fined) == ("absence", True)
    (acted,) = table.after(S).tick()
    assert isinstance(acted, e.Acted) and (acted.seat, acted.auto) == (seat, "away")
    assert table.state.deal is not None, "never stands, never escapes"


def test_back_before_15_s_costs_nothing() -> None:
    table = dealt()
    seat = table.turn
    table.must(c.Lost(seat, table.now))
    table.after(14 * S + 999).must(c.Connected(seat))
    table.after(3 * S).act()
    assert "away_set" not in table.kinds()


def test_the_tier_may_wait_longer() -> None:
    table = dealt(absence_s=18)
    seat = table.turn
    table.must(c.Lost(seat, table.now))
    table.after(18 * S - 1).tick()
    assert not table.view(None)["seats"][seat]["away"]
    table.after(1).tick()
    assert table.view(None)["seats"][seat]["away"]


def test_who_comes_back_takes_over_again_the_fine_stays() -> None:
    table = dealt()
    seat = table.turn
    table.must(c.Lost(seat, table.now))
    table.after(15 * S).tick()
    ended, back = table.must(c.Connected(seat))
    assert isinstance(ended, e.AbsenceEnded)
    assert isinstance(back, e.AwaySet) and (back.cause, back.fined) == (None, True)
    table.act()
    table.play_out()
    result = table.state.result
    assert result is not None and result["settlement"]["penalties"][seat] == 20
    closed = next(event for event in table.log if isinstance(event, e.DealClosed))
    assert (closed.away, closed.fined) == ((), (seat,))


def test_leaving_is_no_escape_the_computer_plays_on_and_he_is_let_go_at_the_end() -> None:
    table = dealt()
    seat = table.turn
    (away,) = table.must(c.Leave(seat, "go"))
    assert isinstance(away, e.AwaySet) and (away.cause, away.cmd) == ("leave", "go")
    assert table.refused(c.Leave(seat, "again")) == "already_set"
    while table.state.deal is not None:
        if table.turn == seat:
            table.after(S).tick()
        else:
            table.act(table.offers()[-1])
    assert table.state.seats[seat] is None
    closed = next(event for event in table.log if isinstance(event, e.DealClosed))
    assert closed.away == closed.fined == (seat,)


def test_the_third_time_out_counts_as_leaving_until_he_acts() -> None:
    table = dealt()
    seat = table.turn
    table.act("bid 1")
    for times in (1, 2, 3):
        table.until_turn_of(seat).after(21 * S)
        events = table.tick()
        expected = ["timed_out", "acted"] if times < 3 else ["timed_out", "away_set", "acted"]
        assert table.kinds(events)[: len(expected)] == expected
        if table.state.deal is None:
            break
    assert table.state.deal is None or table.view(None)["seats"][seat]["away"]


def test_a_seat_away_for_its_time_outs_is_not_back_by_connecting_but_by_acting() -> None:
    table = Tabletop("toy.play_on", deck=tuple(range(12))).playing()
    seat = table.turn
    for _ in range(3):
        until(table, seat).after(21 * S).tick()
    until(table, seat)
    assert table.state.deal is not None and table.view(None)["seats"][seat]["away"]
    table.must(c.Lost(seat, table.now))
    table.must(c.Connected(seat))
    assert table.view(None)["seats"][seat]["away"]
    until(table, seat).act()
    assert not table.view(None)["seats"][seat]["away"]


def test_he_may_also_take_his_seat_back_out_of_turn() -> None:
    table = dealt()
    seat = (table.turn + 1) % 3
    table.must(c.Leave(seat, "go"))
    table.must(c.Trustee(seat, "back", False))
    assert not table.view(None)["seats"][seat]["away"]


def test_away_seats_agree_by_themselves_to_a_consented_end() -> None:
    table = dealt()
    me = table.turn
    other, third = (me + 1) % 3, (me + 2) % 3
    table.must(c.Leave(other, "go"))
    table.must(c.AskLeave(me, "ask"))
    assert table.view(me)["vote"]["answered"] == [other]
    table.must(c.AnswerLeave(third, "yes", True))
    result = table.state.result
    assert result is not None and result["how"] == "void"


def test_a_seat_that_becomes_away_agrees_to_a_running_request() -> None:
    table = dealt()
    me = table.turn
    other, third = (me + 1) % 3, (me + 2) % 3
    table.must(c.AskLeave(me, "ask"))
    table.must(c.AnswerLeave(third, "yes", True))
    events = table.must(c.Leave(other, "go"))
    assert table.kinds(events)[:4] == ["away_set", "leave_answered", "leave_settled", "acted"]


def test_a_redeal_follows_at_once_with_time_outs_absence_and_fines() -> None:
    table = dealt()
    first = table.turn
    table.must(c.Leave(first, "go"))
    table.after(S).tick()
    table.after(21 * S).tick()
    table.act("bid 0")
    closed = table.log[-1]
    assert isinstance(closed, e.DealClosed) and closed.how == "redeal" and closed.settlement is None
    assert table.state.wants_deal and table.view(0)["result"] is None
    assert table.refused(c.Stand((first + 2) % 3, "s")) == "wrong_phase bound"
    nonces = table.state.nonces
    table.open()
    assert table.state.nonces == nonces
    assert table.turn == (first + 1) % 3, "the auction starts one seat on"
    seats = table.view(None)["seats"]
    assert seats[first]["away"] and seats[(first + 1) % 3]["time_outs"] == 1
    table.act("bid 1")
    while table.state.deal is not None:
        table.after(S).tick() if table.turn == first else table.act(table.offers()[-1])
    closed = table.log[-2]
    assert isinstance(closed, e.DealClosed) and closed.fined == (first,)


def test_absence_carries_over_a_redeal() -> None:
    table = dealt("toy.wait")
    seat = (table.turn + 2) % 3
    for _ in range(2):
        table.must(c.Lost(seat, table.now))
        table.after(5 * S).must(c.Connected(seat))
    table.must(c.Lost(seat, table.now))
    table.act("bid 0")
    table.after(10 * S).act("bid 0")
    table.act("bid 0")
    table.open()
    assert table.state.absence_due(seat) == table.now + 170 * S
    table.after(10 * S).must(c.Connected(seat))
    assert table.state.deal is not None and table.state.deal.seats[seat].used == 30 * S


def test_three_redeals_without_an_act_of_a_living_player_close_the_table() -> None:
    table = dealt()
    for number in (1, 2, 3):
        for _ in range(3):
            assert table.state.phase == "playing"
            table.after(21 * S).tick()
        assert table.state.number == number
        if number < 3:
            table.open()
    assert table.state.phase == "closed"
    assert isinstance(table.log[-1], e.TableClosed) and table.log[-1].reason == "redeals"


def test_an_act_of_a_living_player_keeps_the_table_open() -> None:
    table = dealt()
    for number in range(1, 7):
        for _ in range(3):
            if number % 3 == 0 and "acted" not in table.kinds()[-1:]:
                table.act("bid 0")
            else:
                table.after(21 * S).tick()
        table.open()
    assert table.state.phase == "playing"


def test_leaving_while_a_redeal_is_owed_counts_as_soon_as_it_is_open() -> None:
    table = dealt("toy.wait")
    for _ in range(3):
        table.act("bid 0")
    table.must(c.Leave(1, "go"))
    events = table.must(table.opening_command())
    assert table.kinds(events) == ["deal_opened", "acted", "deal_closed", "stood"]


def test_a_redeal_that_is_never_opened_holds_nobody() -> None:
    table = dealt()
    for _ in range(3):
        table.act("bid 0")
    table.after(60 * S).tick()
    assert table.state.seats == (None,) * 3 and not table.state.wants_deal


def test_a_trustee_is_not_away() -> None:
    table = dealt()
    table.must(c.Trustee(table.turn, "t", True))
    assert not table.view(None)["seats"][table.turn]["away"]
    table.after(S).tick()
    assert "away_set" not in table.kinds()
