"""A lost line where the table waits (RULES §5): the seat's own clock stops at its turn; 180 s each, 360 s a deal."""

from __future__ import annotations

from games.table import commands as c
from games.table import events as e
from tests.table.tabletop import S, Tabletop


def test_the_clock_of_the_seat_to_act_stops_while_its_line_is_lost() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.after(5 * S).must(c.Lost(seat, table.now))
    table.after(100 * S).tick()
    clock = table.view(None)["deal"]["clock"]
    assert (clock["paused"], clock["ms"]) == (True, 15_000)
    assert table.view(None)["seats"][seat]["lost_ms"] == 80_000
    table.must(c.Connected(seat))
    table.after(16 * S - 1).act()
    assert "timed_out" not in table.kinds()


def test_it_stops_at_the_last_sign_of_life() -> None:
    table = Tabletop().playing()
    seat, began = table.turn, table.now
    table.at(began + 15 * S).must(c.Lost(seat, began + 5 * S))
    assert table.view(None)["deal"]["clock"]["ms"] == 15_000
    assert table.state.deadline == began + 185 * S


def test_back_after_179_s_play_goes_on() -> None:
    table = Tabletop().playing()
    seat, lost_at = table.turn, table.now
    table.must(c.Lost(seat, lost_at))
    table.at(lost_at + 179 * S).must(c.Connected(seat))
    table.act()
    assert table.state.deal is not None


def test_at_180_s_it_is_an_escape() -> None:
    table = Tabletop().playing()
    seat, lost_at = table.turn, table.now
    table.must(c.Lost(seat, lost_at))
    table.at(lost_at + 180 * S - 1).tick()
    assert table.state.deal is not None
    escaped, closed, stood = table.after(1).tick()
    assert isinstance(escaped, e.Acted) and (escaped.seat, escaped.auto) == (seat, "absence")
    assert isinstance(closed, e.DealClosed) and closed.how == "escaped"
    assert isinstance(stood, e.Stood) and stood.seat == seat


def test_whoever_is_back_at_180_s_is_too_late() -> None:
    table = Tabletop().playing()
    seat, lost_at = table.turn, table.now
    table.must(c.Lost(seat, lost_at))
    assert table.at(lost_at + 180 * S).refused(c.Connected(seat)) == "not_seated"
    assert table.state.deal is None


def test_others_play_on_until_it_is_the_lost_seats_turn_then_the_table_stands() -> None:
    table = Tabletop().playing()
    seat = (table.turn + 2) % 4
    table.must(c.Lost(seat, table.now))
    table.after(30 * S - 20 * S).act()
    assert table.view(None)["deal"]["clock"]["paused"] is False
    table.act()
    clock = table.view(None)["deal"]["clock"]
    assert (clock["seat"], clock["paused"], clock["ms"]) == (seat, True, 20_000)
    table.after(60 * S).tick()
    assert table.turn == seat and "timed_out" not in table.kinds()
    table.must(c.Connected(seat))
    assert table.view(None)["deal"]["clock"] == {
        "seat": seat, "ms": 20_000, "total_ms": 20_000, "grace_ms": 1_000, "paused": False,
    }  # fmt: skip


def test_an_absence_out_of_turn_runs_too() -> None:
    table = Tabletop().playing()
    seat, lost_at = (table.turn + 3) % 4, table.now
    table.must(c.Lost(seat, lost_at))
    for _ in range(8):
        table.after(20 * S)
        if table.turn == seat:
            break
        table.act("pass" if "pass" in table.offers() else None)
    table.at(lost_at + 180 * S).tick()
    assert table.state.seats[seat] is None and table.state.deal is None


def test_a_seat_has_360_s_in_all_per_deal() -> None:
    table = Tabletop().playing()
    seat = table.turn
    for _ in range(2):
        table.must(c.Lost(seat, table.now))
        table.after(179 * S).must(c.Connected(seat))
    lost_at = table.after(1 * S).now
    table.must(c.Lost(seat, lost_at))
    assert table.view(None)["seats"][seat]["lost_ms"] == 2_000
    table.at(lost_at + 2 * S - 1).tick()
    assert table.state.deal is not None
    table.after(1).tick()
    assert table.state.deal is None and table.state.seats[seat] is None


def test_the_next_deal_counts_anew() -> None:
    table = Tabletop().playing()
    seat = table.turn
    for _ in range(2):
        table.must(c.Lost(seat, table.now))
        table.after(170 * S).must(c.Connected(seat))
    table.play_out().all_ready().open()
    table.must(c.Lost(seat, table.now))
    assert table.view(None)["seats"][seat]["lost_ms"] == 180_000


def test_what_lay_before_the_deal_is_not_counted_against_it() -> None:
    table = Tabletop().fill()
    table.must(c.Ready(0, "r0"))
    table.must(c.Lost(0, table.now))
    table.after(25 * S).all_ready().open()
    assert table.view(None)["seats"][0]["lost_ms"] == 180_000


def test_of_two_absences_ending_together_the_earlier_escapes_the_other_nothing() -> None:
    table = Tabletop().playing()
    seat, began = table.turn, table.now
    other = (seat + 1) % 4
    table.must(c.Lost(seat, began))
    table.at(began + 100 * S).must(c.Connected(seat))
    table.must(c.Lost(seat, table.now))
    table.at(began + 200 * S).must(c.Connected(seat))
    table.must(c.Lost(other, table.now))  # has its own 180 s: until 380
    table.at(began + 220 * S).must(c.Lost(seat, table.now))  # 160 s are left to it: until 380
    assert (
        table.view(None)["seats"][seat]["lost_ms"] == table.view(None)["seats"][other]["lost_ms"] == 160_000
    )
    table.at(began + 380 * S).tick()
    assert table.state.seats[other] is None, "lost since 200"
    assert table.state.seats[seat] is not None, "lost since 220"
    assert table.kinds().count("deal_closed") == 1


def test_time_in_the_grace_is_not_given_back() -> None:
    table = Tabletop().playing()
    seat = table.turn
    table.after(20 * S + 400).must(c.Lost(seat, table.now))
    table.after(50 * S).must(c.Connected(seat))
    table.after(599).tick()
    assert "timed_out" not in table.kinds()
    table.after(1).tick()
    assert "timed_out" in table.kinds()


def test_connected_and_lost_twice_change_nothing() -> None:
    table = Tabletop().playing()
    assert table.must(c.Connected(1)) == ()
    table.must(c.Lost(1, table.now))
    assert table.after(5 * S).must(c.Lost(1, table.now)) == ()


def test_between_deals_a_lost_player_is_stood_up_after_180_s() -> None:
    table = Tabletop()
    table.must(c.Sit(0, 1, "A"))
    table.must(c.Lost(0, table.now))
    table.after(180 * S - 1).tick()
    assert table.state.seats[0] is not None
    (stood,) = table.after(1).tick()
    assert isinstance(stood, e.Stood) and stood.reason == "lost"
