"""Between deals (RULES §5): start presses, the start clock, opening and declining, idle tables, closing."""

from __future__ import annotations

import pytest

from games.table import commands as c
from games.table import events as e
from games.table.errors import FormatError
from tests.table.tabletop import S, Tabletop


def test_the_start_clock_runs_when_all_seats_are_taken() -> None:
    table = Tabletop()
    for seat in range(3):
        table.must(c.Sit(seat, seat + 1, f"P{seat}"))
    assert table.view(0)["start_ms"] is None
    table.must(c.Sit(3, 4, "P3"))
    assert table.view(0)["start_ms"] == 30_000


def test_who_has_not_pressed_start_in_30_s_is_stood_up() -> None:
    table = Tabletop().fill()
    table.must(c.Ready(0, "a"))
    table.must(c.Ready(2, "b"))
    table.after(30 * S - 1).tick()
    assert None not in table.state.seats
    table.after(1).tick()
    assert [seat is not None for seat in table.state.seats] == [True, False, True, False]
    assert table.view(0)["start_ms"] is None


def test_a_tier_sets_its_own_start_clock() -> None:
    table = Tabletop(start_s=45).fill()
    assert table.view(0)["start_ms"] == 45_000
    table.all_ready().open().play_out()
    assert table.view(0)["start_ms"] == 45_000


def test_the_last_press_asks_for_the_deal() -> None:
    table = Tabletop().fill().all_ready()
    assert table.state.wants_deal
    assert table.state.deadline == table.now, "a sweep finds it at once"
    table.open()
    assert table.state.phase == "playing" and table.state.number == 1


def test_the_first_deal_is_led_by_the_three_of_diamonds_later_ones_by_the_winner() -> None:
    table = Tabletop().playing()
    assert table.view(table.turn)["deal"]["duty"] == "3d"
    table.play_out()
    winner = table.state.result["winner"] if table.state.result else None
    table.all_ready().open()
    assert table.turn == winner
    assert table.view(table.turn)["deal"]["duty"] is None


def test_after_changed_members_the_three_of_diamonds_leads_again() -> None:
    table = Tabletop().playing().play_out()
    table.must(c.Stand(1, "s"))
    table.must(c.Sit(1, 999, "New"))
    table.all_ready().open()
    assert table.view(table.turn)["deal"]["duty"] == "3d"


def test_between_deals_standing_up_is_free_during_a_deal_it_is_refused() -> None:
    table = Tabletop().fill()
    table.must(c.Stand(3, "a"))
    assert table.state.seats[3] is None
    table.fill().all_ready().open()
    assert table.refused(c.Stand(3, "b")) == "wrong_phase playing"


def test_two_take_the_last_chair_one_sits() -> None:
    table = Tabletop()
    table.must(c.Sit(0, 1, "A"))
    assert table.refused(c.Sit(0, 2, "B")) == "seat_taken"
    assert table.refused(c.Sit(1, 1, "A")) == "seat_taken user"
    assert table.refused(c.Sit(9, 3, "C")) == "not_seated"


def test_a_press_is_taken_once_and_between_deals() -> None:
    table = Tabletop().fill()
    table.must(c.Ready(0, "a"))
    assert table.refused(c.Ready(0, "b")) == "already_ready"
    table.all_ready().open()
    assert table.refused(c.Ready(0, "c")) == "wrong_phase playing"


@pytest.mark.parametrize("nonce", ["XYZ", "AB", "0" * 65, "12 34"])
def test_a_nonce_is_up_to_64_hex_digits(nonce: str) -> None:
    table = Tabletop().fill()
    assert table.refused(c.Ready(0, "a", nonce)) == "bad_nonce"
    table.must(c.Ready(0, "b", "0" * 64))


def test_the_nonce_of_the_press_replaces_that_of_sitting_down_and_lasts_one_deal() -> None:
    table = Tabletop().fill(nonce="aa")
    table.must(c.Ready(0, "a", "bb"))
    table.must(c.Ready(1, "b"))
    assert table.state.nonces == ("bb", "aa", "aa", "aa")
    table.all_ready().open().play_out()
    assert table.state.nonces == ("", "", "", "")
    assert table.state.result is not None and table.state.result["nonces"] == ("bb", "aa", "aa", "aa")


def test_only_the_announced_deal_can_be_opened() -> None:
    table = Tabletop().fill().all_ready()
    right = table.opening_command()
    assert table.refused(right._replace(deal_id="deal-9")) == "wrong_deal"
    assert table.refused(right._replace(commitment="00")) == "wrong_deal"
    assert table.refused(right._replace(nonces=("1", "", "", ""))) == "wrong_deal nonces or number"
    assert table.refused(right._replace(opening={"first": 7})) == "bad_opening bad_record"
    assert table.refused(right._replace(rules_version=99)) == "bad_opening format"
    table.must(right)
    assert table.refused(right) == "wrong_phase playing"


def test_a_deal_is_opened_only_when_everybody_is_ready() -> None:
    table = Tabletop().fill()
    assert table.refused(table.opening_command()) == "wrong_phase between"


def test_who_cannot_pay_for_the_next_deal_is_stood_up() -> None:
    table = Tabletop().fill().all_ready()
    table.must(c.DeclineDeal({1: "cannot_pay", 3: "cannot_pay"}))
    assert [seat is not None for seat in table.state.seats] == [True, False, True, False]
    assert not table.state.wants_deal


def test_a_deal_that_cannot_be_opened_holds_nobody_for_ever() -> None:
    table = Tabletop().fill().after(29 * S).all_ready()
    table.after(59 * S).tick()
    assert table.state.wants_deal
    table.after(S).tick()
    assert table.state.seats == (None,) * 4
    assert [event.reason for event in table.log if isinstance(event, e.Stood)] == ["no_deal"] * 4


def test_an_empty_table_closes_by_time() -> None:
    table = Tabletop()
    table.after(600 * S - 1).tick()
    assert table.state.phase == "between"
    table.after(1).tick()
    assert table.state.phase == "closed" and table.state.deadline is None
    assert table.refused(c.Sit(0, 1, "A")) == "table_closed"


def test_how_long_a_table_idles_is_a_term() -> None:
    assert Tabletop(idle_s=5).state.deadline == 1_005_000
    assert Tabletop(idle_s=None).state.deadline == 1_600_000


@pytest.mark.parametrize("bounds", [[5], [9, 5], [-1, 5], ["1", 5], 7, [1, 2, 3]])
def test_no_table_opens_with_thinking_times_that_have_no_sense(bounds: object) -> None:
    with pytest.raises(FormatError, match="think_ms"):
        Tabletop(think_ms=bounds)


def test_closing_by_command_voids_a_running_deal_first() -> None:
    table = Tabletop().playing()
    table.must(c.Close("maintenance"))
    assert table.kinds()[-7:] == ["acted", "deal_closed", *["stood"] * 4, "table_closed"]
    closed = table.log[-6]
    assert isinstance(closed, e.DealClosed) and closed.how == "void"


def test_staff_may_void_a_live_deal_as_a_consented_end() -> None:
    table = Tabletop().playing()
    table.act()
    acted, closed = table.must(c.Void("server trouble", "staff:7"))
    assert isinstance(acted, e.Acted) and (acted.action, acted.seat, acted.auto) == ("void", None, "staff")
    assert isinstance(closed, e.DealClosed) and closed.settlement is not None
    assert closed.how == "void" and set(closed.settlement["net"]) == {0}
    assert None not in table.state.seats
    assert table.refused(c.Void("again", "staff:7")) == "wrong_phase between"
    table.all_ready().open()
    assert table.view(table.turn)["deal"]["duty"] == "3d"


def test_after_a_deal_each_presses_again_and_the_start_clock_runs() -> None:
    table = Tabletop().playing().play_out()
    view = table.view(2)
    assert view["start_ms"] == 30_000 and [seat["ready"] for seat in view["seats"]] == [False] * 4
    assert view["can"]["ready"] and view["can"]["stand"] and not view["can"]["leave"]


def test_practice_computers_are_ready_by_themselves_and_act_by_themselves() -> None:
    table = Tabletop("bigtwo.classic", practice=True, currency="none", seating="match")
    table.must(c.Sit(0, 1, "A"))
    for seat in (1, 2, 3):
        table.must(c.Sit(seat, None, f"Bot {seat}", computer=True))
    table.open()
    while table.state.deal is not None:
        if table.turn == 0:
            table.act()
        else:
            table.after(20 * S).tick()
    assert table.state.result is not None and set(table.state.result["settlement"]["net"]) == {0}
    table.must(c.Ready(0, "again"))
    assert table.state.wants_deal


def test_a_computer_player_is_played_from_outside_while_its_clock_runs() -> None:
    table = Tabletop("bigtwo.classic", practice=True, currency="none")
    table.must(c.Sit(0, 1, "A"))
    for seat in (1, 2, 3):
        table.must(c.Sit(seat, None, f"Bot {seat}", computer=True))
    table.all_ready().open()
    if table.turn == 0:
        table.act()
    seat, play = table.turn, table.offers()[0]
    assert table.after(20 * S - 1).tick() == ()
    (acted,) = table.must(c.Act(seat, None, table.state.turn, play))
    assert isinstance(acted, e.Acted) and (acted.seat, acted.action, acted.auto) == (seat, play, None)


def test_the_table_is_due_when_a_computer_player_has_thought() -> None:
    table = Tabletop("bigtwo.classic", practice=True, currency="none")
    table.must(c.Sit(0, 1, "A"))
    for seat in (1, 2, 3):
        table.must(c.Sit(seat, None, f"Bot {seat}", computer=True))
    table.all_ready().open()
    paces = set()
    while table.state.deal is not None:
        if table.turn == 0:
            assert table.state.computer_acts_at is None
            table.act()
            continue
        due = table.state.deadline
        assert due is not None and due == table.state.computer_acts_at
        assert 800 <= due - table.now <= 2_000
        paces.add(due - table.now)
        table.after(due - table.now)
        assert table.tick() == (), "the clock leaves it to the computer player"
        table.act()
    assert len(paces) > 5


def test_where_only_computer_players_are_left_the_table_closes_soon() -> None:
    table = Tabletop("bigtwo.classic", practice=True, currency="none", seating="match")
    table.must(c.Sit(0, 1, "A"))
    for seat in (1, 2, 3):
        table.must(c.Sit(seat, None, f"Bot {seat}", computer=True))
    table.open()
    table.must(c.Leave(0, "go"))
    assert table.state.deserted and table.after(3 * S - 1).tick() == ()
    table.after(1).tick()
    assert table.state.phase == "closed"


def test_computers_alone_start_nothing() -> None:
    table = Tabletop()
    for seat in range(4):
        table.must(c.Sit(seat, None, f"Bot {seat}", computer=True))
    assert not table.state.wants_deal and table.state.start_at is None
    table.after(600 * S).tick()
    assert table.state.phase == "closed"
