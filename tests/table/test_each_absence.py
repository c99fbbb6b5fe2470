"""Lost lines in each rule set (RULES §5): the table waits 180 s, and 360 s a deal; Taiwan's never stands."""

from __future__ import annotations

import pytest

from games.table import commands as c
from games.table import events as e
from tests.table.rooms import (
    TAIWAN,
    WAITING,
    by_itself,
    deal,
    dealt,
    in_play,
    last_act,
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

PLACES = [(code, "first act") for code in WAITING] + [(code, "first card") for code in WAITING]


def at(code: str, place: str) -> Tabletop:
    return dealt(code) if place == "first act" else in_play(code)


@pytest.mark.parametrize(("code", "place"), PLACES)
def test_back_after_179_s_play_goes_on_with_the_clock_as_it_stood(code: str, place: str) -> None:
    table = at(code, place)
    seat = table.turn
    table.after(5 * S).must(c.Lost(seat, table.now))
    table.after(179 * S).must(c.Connected(seat))
    assert table.view(None)["deal"]["clock"]["ms"] == 15_000
    table.after(16 * S - 1).act()
    assert "timed_out" not in table.kinds()


@pytest.mark.parametrize(("code", "place"), PLACES)
def test_a_millisecond_before_180_s_nothing_happens_and_then_it_is_an_escape(code: str, place: str) -> None:
    table = at(code, place)
    seat, lost = table.turn, table.now
    table.must(c.Lost(seat, lost))
    assert table.at(lost + 180 * S - 1).tick() == ()
    escaped, closed, stood = table.after(1).tick()
    assert isinstance(escaped, e.Acted) and (escaped.action, escaped.auto) == ("escape", "absence")
    assert isinstance(closed, e.DealClosed) and (closed.how, closed.seat) == ("escaped", seat)
    assert isinstance(stood, e.Stood) and (stood.seat, stood.reason) == (seat, "escaped")


@pytest.mark.parametrize("code", WAITING)
def test_360_s_in_all_per_deal(code: str) -> None:
    table = in_play(code)
    seat = table.turn
    for away_s in (150, 150):
        table.must(c.Lost(seat, table.now))
        table.after(away_s * S).must(c.Connected(seat))
    table.must(c.Lost(seat, table.now))
    assert seat_of(table, seat)["lost_ms"] == 60_000
    assert table.after(60 * S - 1).tick() == ()
    table.after(1).tick()
    assert result_of(table)["seat"] == seat


@pytest.mark.parametrize("code", WAITING)
def test_out_of_turn_others_play_on_until_it_is_his_turn_then_the_table_stands(code: str) -> None:
    table = in_play(code)
    first, lost = table.turn, table.now
    seat = (first + 2) % table.rules.seats
    table.must(c.Lost(seat, lost))
    until_turn(table.after(10 * S), seat)
    clock = table.view(None)["deal"]["clock"]
    assert (clock["paused"], clock["ms"]) == (True, 20_000)
    assert table.at(lost + 180 * S - 1).tick() == ()
    table.after(1).tick()
    assert (result_of(table)["how"], result_of(table)["seat"]) == ("escaped", seat)


@pytest.mark.parametrize("code", WAITING)
def test_of_two_that_end_together_the_earlier_escapes_and_the_other_keeps_his_seat(code: str) -> None:
    table = in_play(code)
    one = table.turn
    other = (one + 1) % table.rules.seats
    table.must(c.Lost(other, table.now))
    table.after(1).must(c.Lost(one, table.now))
    table.after(400 * S).tick()
    assert result_of(table)["seat"] == other, "lost a millisecond earlier, though it was not his turn"
    assert table.state.seats[one] is not None or table.kinds().count("deal_closed") == 1
    assert [who for who, value in enumerate(result_of(table)["settlement"]["net"]) if value] == [other]


@pytest.mark.parametrize("code", WAITING)
def test_a_trustee_that_loses_its_line_plays_on_and_its_180_s_still_end_in_an_escape(code: str) -> None:
    table = in_play(code)
    seat, lost = table.turn, table.now
    trust(table, seat)
    table.must(c.Lost(seat, lost))
    table.after(S).tick()
    assert (last_act(table).seat, last_act(table).auto) == (seat, "trustee")
    while table.now < lost + 175 * S:
        if table.turn == seat:
            table.after(S).tick()
        else:
            table.after(min(19 * S, lost + 175 * S - table.now))
            pass_or_play(table)
    assert table.state.deal is not None and not table.view(None)["deal"]["clock"]["paused"]
    table.at(lost + 180 * S - 1).tick()
    assert table.state.deal is not None
    table.after(1).tick()
    assert result_of(table)["seat"] == seat


@pytest.mark.parametrize("code", WAITING)
def test_an_absence_that_began_before_the_deal_counts_from_its_first_card(code: str) -> None:
    table = room(code).all_ready()
    table.must(c.Lost(0, table.now))
    table.after(20 * S)
    deal(table)
    assert seat_of(table, 0)["lost_ms"] == 180_000


# ---- taiwan: the clock runs on, after 15 s (or the tier's time) the computer plays, and the fine is due


@pytest.mark.parametrize(("setting", "seconds"), [({}, 15), ({"absence_s": 19}, 19)], ids=["default", "tier"])
@pytest.mark.parametrize("place", ["first act", "first card"])
def test_taiwan_waits_as_long_as_the_tier_says(place: str, setting: dict[str, int], seconds: int) -> None:
    table = dealt(TAIWAN, **setting) if place == "first act" else in_play(TAIWAN, **setting)
    seat = table.turn
    table.must(c.Lost(seat, table.now))
    assert not table.view(None)["deal"]["clock"]["paused"]
    assert table.after(seconds * S - 1).tick() == ()
    (away,) = table.after(1).tick()
    assert isinstance(away, e.AwaySet) and (away.cause, away.fined) == ("absence", True)
    table.after(S).tick()
    assert (last_act(table).seat, last_act(table).auto) == (seat, "away")


def test_taiwan_never_stands_and_a_lost_line_can_time_out_before_it_is_away() -> None:
    table = in_play(TAIWAN)
    seat = table.turn
    table.after(10 * S).must(c.Lost(seat, table.now))
    table.after(11 * S).tick()
    assert (seat_of(table, seat)["time_outs"], seat_of(table, seat)["away"]) == (1, False)
    table.after(4 * S).tick()
    assert seat_of(table, seat)["away"]


def test_taiwan_never_escapes_however_long_he_is_gone() -> None:
    table = dealt(TAIWAN)
    table.must(c.Lost(0, table.now))
    until_turn(table.after(15 * S), 0)
    for _ in range(100):
        if table.state.deal is not None:
            table.after(5 * S).tick()
    assert not [event for event in table.log if isinstance(event, e.Acted) and event.action == "escape"]


def test_a_trustee_of_taiwan_is_not_away_until_its_line_is_lost_for_15_s() -> None:
    table = in_play(TAIWAN)
    farmer = (table.turn + 1) % 3
    trust(table, farmer)
    for _ in range(2):
        until_turn(table, farmer).after(S).tick()
    assert not seat_of(table, farmer)["away"]
    table.must(c.Lost(farmer, table.now))
    table.after(15 * S).tick()
    assert seat_of(table, farmer)["away"]


def test_who_comes_back_takes_over_at_once_and_the_fine_stays_once() -> None:
    table = in_play(TAIWAN)
    farmer = (table.turn + 1) % 3
    for _ in range(2):
        table.must(c.Lost(farmer, table.now))
        table.after(15 * S).tick()
        assert seat_of(table, farmer)["away"]
        table.must(c.Connected(farmer))
        assert not seat_of(table, farmer)["away"]
    until_turn(table, farmer).act(table.offers()[0])
    assert last_act(table).auto is None
    result = by_itself(table, 0, 1, 2)
    assert result["settlement"]["penalties"] == tuple(60 if seat == farmer else 0 for seat in range(3))
    closed = next(event for event in table.log if isinstance(event, e.DealClosed))
    assert (closed.away, closed.fined) == ((), (farmer,))


def test_in_a_taiwan_auction_the_computer_bids_nothing_for_who_is_away() -> None:
    table = dealt(TAIWAN)
    seat = table.turn
    table.must(c.Lost(seat, table.now))
    table.after(15 * S).tick()
    table.after(S).tick()
    assert (last_act(table).action, last_act(table).auto) == ("bid 0", "away")
    assert phase(table) == "bidding"
    run_out(table)
    assert last_act(table).auto == "time_out"
