"""Trusteeship (托管, RULES §5): the autoplay acts after about a second, earns no time-out, ends by a touch."""

from __future__ import annotations

from games.table import commands as c
from games.table import events as e
from tests.table.tabletop import S, Tabletop


def test_a_trustee_seat_acts_a_second_after_its_turn_began() -> None:
    table = Tabletop().playing()
    seat = (table.turn + 1) % 4
    table.must(c.Trustee(seat, "t", True))
    table.act()
    table.after(S - 1).tick()
    assert table.turn == seat
    (acted,) = table.after(1).tick()
    assert isinstance(acted, e.Acted) and (acted.seat, acted.auto) == (seat, "trustee")
    assert table.view(None)["seats"][seat]["time_outs"] == 0


def test_a_trustee_earns_no_time_out_even_when_the_clock_was_nearly_out() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.after(20 * S + 900)
    table.must(c.Trustee(seat, "t", True))
    (acted,) = table.after(S).tick()
    assert isinstance(acted, e.Acted) and acted.auto == "trustee"


def test_switching_it_off_does_not_turn_the_clock_back() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.after(20 * S + 900)
    table.must(c.Trustee(seat, "t", True))
    table.after(900)
    events = table.must(c.Trustee(seat, "u", False))
    assert table.kinds(events) == ["trustee_set", "timed_out", "acted"]


def test_an_act_of_its_player_ends_it() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.must(c.Trustee(seat, "t", True))
    off, acted = table.act()
    assert isinstance(off, e.TrusteeSet) and not off.on
    assert isinstance(acted, e.Acted) and acted.auto is None
    assert not table.view(None)["seats"][seat]["trustee"]


def test_a_refused_act_does_not_end_it() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.must(c.Trustee(seat, "t", True))
    assert table.refused(c.Act(seat, "x", table.state.turn, "pass")) == "illegal cannot_pass_lead"
    assert table.view(None)["seats"][seat]["trustee"]


def test_it_ends_with_the_deal() -> None:
    table = Tabletop().playing()
    seat = (table.turn + 1) % 4
    table.must(c.Trustee(seat, "t", True))
    while table.state.deal is not None:
        if table.turn == seat:
            table.after(S).tick()
        else:
            table.act(table.offers()[-1])
    table.all_ready().open()
    assert not table.view(None)["seats"][seat]["trustee"]


def test_it_is_set_once_and_only_during_a_deal() -> None:
    table = Tabletop().fill()
    assert table.refused(c.Trustee(0, "a", True)) == "wrong_phase between"
    table.all_ready().open()
    assert table.refused(c.Trustee(0, "b", False)) == "already_set"
    table.must(c.Trustee(0, "c", True))
    assert table.refused(c.Trustee(0, "d", True)) == "already_set"


def test_a_trustee_seat_that_loses_its_line_plays_on_but_its_180_s_still_end_in_an_escape() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.must(c.Trustee(seat, "t", True))
    lost_at = table.now
    table.must(c.Lost(seat, lost_at))
    (acted,) = table.after(S).tick()
    assert isinstance(acted, e.Acted) and acted.auto == "trustee"
    assert table.view(None)["deal"]["clock"]["paused"] is False
    while table.now < lost_at + 170 * S:
        table.after(10 * S)
        if table.turn == seat:
            table.tick()
        else:
            table.act("pass" if "pass" in table.offers() else None)
    table.at(lost_at + 180 * S - 1).tick()
    assert table.state.deal is not None
    table.at(lost_at + 180 * S).tick()
    assert table.state.deal is None and table.state.seats[seat] is None
