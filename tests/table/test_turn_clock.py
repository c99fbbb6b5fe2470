"""The turn clock (RULES §5): 20 s, a second of grace, autoplay at the first two time-outs, an escape at the third."""

from __future__ import annotations

from games.table import commands as c
from games.table import events as e
from games.table.decide import expires
from tests.table.tabletop import S, Tabletop


def test_a_move_is_taken_until_a_second_after_the_clocks_zero() -> None:
    table = Tabletop().playing()
    began = table.now
    table.at(began + 21 * S - 1)
    assert not expires(table.state, table.now)
    table.act()
    assert "timed_out" not in table.kinds()


def test_at_the_end_of_the_grace_the_move_is_too_late() -> None:
    table = Tabletop().playing()
    seat, turn, play = table.turn, table.state.turn, table.offers()[0]
    assert table.state.deadline == table.now + 21 * S
    table.after(21 * S)
    assert expires(table.state, table.now)
    assert table.refused(c.Act(seat, "late", turn, play)) == "stale_turn"
    assert table.kinds()[-2:] == ["timed_out", "acted"], "the refused move leaves what the clock did"


def test_the_view_says_what_remains_and_how_long_the_grace_is() -> None:
    table = Tabletop().playing()
    table.after(6 * S)
    clock = table.view(0)["deal"]["clock"]
    assert clock == {"seat": table.turn, "ms": 14_000, "total_ms": 20_000, "grace_ms": 1_000, "paused": False}
    table.after(14 * S + 500)
    assert table.view(None)["deal"]["clock"]["ms"] == 0


def test_a_tier_sets_its_own_clock() -> None:
    table = Tabletop(turn_s=8).playing()
    assert table.state.deadline == table.now + 9 * S


def test_time_outs_one_and_two_are_played_by_the_table_the_third_is_an_escape() -> None:
    table = Tabletop().playing()
    late = table.turn
    for times in (1, 2):
        table.until_turn_of(late).after(21 * S)
        out, acted = table.tick()
        assert isinstance(out, e.TimedOut) and (out.seat, out.times) == (late, times)
        assert isinstance(acted, e.Acted) and acted.auto == "time_out"
        assert table.view(None)["seats"][late]["time_outs"] == times
    table.until_turn_of(late).after(21 * S)
    out, escaped, closed, stood = table.tick()
    assert isinstance(out, e.TimedOut) and out.times == 3
    assert isinstance(escaped, e.Acted) and (escaped.action, escaped.auto) == ("escape", "time_out")
    assert isinstance(closed, e.DealClosed) and (closed.how, closed.seat) == ("escaped", late)
    assert closed.settlement is not None and closed.settlement["penalties"][late] == 2_000
    assert isinstance(stood, e.Stood) and (stood.seat, stood.reason) == (late, "escaped")


def test_the_autoplay_passes_when_following_and_leads_the_three_of_diamonds() -> None:
    table = Tabletop().playing()
    table.after(21 * S).tick()
    assert isinstance(table.log[-1], e.Acted) and table.log[-1].action == "play 3d"
    table.after(21 * S).tick()
    assert isinstance(table.log[-1], e.Acted) and table.log[-1].action == "pass"


def test_time_outs_count_per_deal() -> None:
    table = Tabletop().playing()
    late = table.turn
    table.after(21 * S).tick()
    table.play_out().all_ready().open()
    assert table.view(None)["seats"][late]["time_outs"] == 0


def test_only_the_seat_to_act_can_time_out() -> None:
    table = Tabletop().playing()
    first = table.turn
    table.after(21 * S + 500).tick()
    assert table.turn == (first + 1) % 4
    assert [seat["time_outs"] for seat in table.view(None)["seats"]].count(0) == 3


def test_a_late_look_at_the_table_costs_the_next_player_nothing() -> None:
    table = Tabletop().playing()
    began = table.now
    out, _ = table.at(began + 27 * S).tick()
    assert out.at == began + 21 * S, "written at the moment it was due"
    assert table.view(None)["deal"]["clock"]["ms"] == 20_000, "but his clock begins when he can see it"


def test_a_play_names_its_turn_and_never_becomes_the_next_move() -> None:
    table = Tabletop().playing()
    seat, turn = table.turn, table.state.turn
    table.act()
    assert table.refused(c.Act(seat, "x1", turn, "pass")) == "stale_turn"
    assert table.refused(c.Act(seat, "x2", turn + 1, "pass")) == "not_your_turn"
    assert table.refused(c.Act(seat, "x3", turn + 2, "pass")) == "stale_turn"


def test_turn_numbers_never_repeat_at_a_table() -> None:
    table = Tabletop().playing()
    table.play_out().all_ready()
    last = table.state.turn
    table.open()
    assert table.state.turn == last + 1
    assert table.view(0)["deal"]["turn_number"] == last + 1


def test_what_is_illegal_is_refused_with_the_engines_reason() -> None:
    table = Tabletop().playing()
    seat, turn = table.turn, table.state.turn
    for action, reason in (
        ("pass", "cannot_pass_lead"),
        ("play 3d 4d", "not_in_hand"),
        ("bid 1", "wrong_phase"),
        ("play XX", "bad_card"),
        ("play 3d 3d", "duplicate_card"),
        ("sing", "bad_record"),
        ("play " + "3d " * 200, "bad_record"),
        ("escape", "use_leave"),
        ("void", "use_leave"),
    ):
        hand = table.view(seat)["deal"]["state"]["hand"].split()
        if action == "play 3d 4d" and "4d" in hand:
            continue
        assert table.refused(c.Act(seat, table.new_id(), turn, action)) == f"illegal {reason}"
