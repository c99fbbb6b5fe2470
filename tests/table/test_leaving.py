"""Leaving: the escape, leaving by consent, and matched tables, where leaving is an escape from the first (RULES §5)."""

from __future__ import annotations

from games.table import commands as c
from games.table import events as e
from tests.table.tabletop import S, Tabletop


def test_leaving_during_a_deal_is_an_escape_at_any_time() -> None:
    table = Tabletop().playing()
    seat = (table.turn + 2) % 4
    assert table.view(seat)["can"]["leave_price"] == {"points": 200, "coins": 2_000, "at_least": False}
    escaped, closed, stood = table.must(c.Leave(seat, "go"))
    assert isinstance(escaped, e.Acted) and (escaped.action, escaped.seat, escaped.cmd) == (
        "escape",
        seat,
        "go",
    )
    assert isinstance(closed, e.DealClosed) and closed.settlement is not None
    assert closed.settlement["points"] == tuple(-200 if index == seat else 0 for index in range(4))
    assert isinstance(stood, e.Stood) and stood.seat == seat


def test_after_an_escape_the_others_may_start_again_with_another_member() -> None:
    table = Tabletop().playing()
    table.must(c.Leave(0, "go"))
    assert table.view(1)["start_ms"] is None and table.view(1)["result"]["names"][0] == "Player 0"
    table.must(c.Sit(0, 500, "New"))
    assert table.view(1)["start_ms"] == 30_000
    table.all_ready().open()
    assert table.view(table.turn)["deal"]["duty"] == "3d"


def test_between_deals_leaving_is_standing_up() -> None:
    table = Tabletop().fill()
    (stood,) = table.must(c.Leave(0, "go"))
    assert isinstance(stood, e.Stood) and stood.reason == "left"


def test_leave_by_consent_needs_all_others() -> None:
    table = Tabletop().playing()
    table.must(c.AskLeave(0, "ask"))
    assert table.view(1)["vote"] == {"by": 0, "ms": 15_000, "answered": []}
    assert table.view(1)["can"]["answer_leave"] and not table.view(0)["can"]["answer_leave"]
    table.must(c.AnswerLeave(1, "y1", True))
    table.must(c.AnswerLeave(2, "y2", True))
    assert table.state.deal is not None
    events = table.must(c.AnswerLeave(3, "y3", True))
    assert table.kinds(events) == ["leave_answered", "leave_settled", "acted", "deal_closed"]
    closed = events[-1]
    assert isinstance(closed, e.DealClosed) and closed.how == "void" and closed.settlement is not None
    assert set(closed.settlement["points"]) == set(closed.settlement["net"]) == {0}
    assert None not in table.state.seats


def test_one_refusal_and_play_goes_on() -> None:
    table = Tabletop().playing()
    table.must(c.AskLeave(0, "ask"))
    table.must(c.AnswerLeave(1, "y", True))
    _, settled = table.must(c.AnswerLeave(2, "n", False))
    assert isinstance(settled, e.LeaveSettled) and (settled.agreed, settled.cause) == (False, "refused")
    assert table.refused(c.AnswerLeave(3, "y3", True)) == "nothing_to_answer"
    table.act()


def test_what_is_meant_for_one_deal_never_reaches_the_next() -> None:
    table = Tabletop().playing()
    old, other = "0" * 16, table.view(0)["deal"]["id"]
    for command in (
        c.Leave(0, "l", deal=old),
        c.AskLeave(0, "a", deal=old),
        c.Trustee(0, "t", True, deal=old),
        c.AnswerLeave(0, "y", True, deal=old),
    ):
        assert table.refused(command) == "wrong_deal"
    table.must(c.AskLeave(0, "ask", deal=other))


def test_an_answer_goes_to_the_request_it_was_given_to() -> None:
    table = Tabletop().playing()
    table.must(c.AskLeave(0, "ask"))
    assert table.refused(c.AnswerLeave(1, "y", True, by=2)) == "nothing_to_answer"
    table.must(c.AnswerLeave(1, "y2", True, by=0))


def test_fifteen_seconds_without_an_answer_and_play_goes_on() -> None:
    table = Tabletop().playing()
    table.must(c.AskLeave(0, "ask"))
    table.after(15 * S - 1).tick()
    assert table.view(0)["vote"]["ms"] == 1
    (settled,) = table.after(1).tick()
    assert isinstance(settled, e.LeaveSettled) and settled.cause == "time"
    assert table.refused(c.AnswerLeave(1, "late", True)) == "nothing_to_answer"


def test_play_and_clocks_go_on_meanwhile() -> None:
    table = Tabletop().playing()
    table.after(10 * S).must(c.AskLeave(0, "ask"))
    table.act()
    table.after(14 * S)
    assert table.view(0)["deal"]["clock"]["ms"] == 6_000


def test_one_request_per_player_and_deal() -> None:
    table = Tabletop().playing()
    table.must(c.AskLeave(0, "a"))
    assert table.refused(c.AskLeave(1, "b")) == "vote_running"
    table.must(c.AnswerLeave(1, "n", False))
    assert table.refused(c.AskLeave(0, "c")) == "already_asked"
    assert not table.view(0)["can"]["ask_leave"]
    table.must(c.AskLeave(1, "d"))
    table.must(c.AnswerLeave(0, "n0", False))
    table.play_out().all_ready().open()
    table.must(c.AskLeave(0, "e"))


def test_nobody_answers_twice_or_himself() -> None:
    table = Tabletop().playing()
    assert table.refused(c.AnswerLeave(1, "x", True)) == "nothing_to_answer"
    table.must(c.AskLeave(0, "a"))
    assert table.refused(c.AnswerLeave(0, "b", True)) == "nothing_to_answer"
    table.must(c.AnswerLeave(1, "c", True))
    assert table.refused(c.AnswerLeave(1, "d", False)) == "nothing_to_answer"


def test_a_trustee_seat_is_asked_like_a_person() -> None:
    table = Tabletop().playing()
    table.must(c.Trustee(2, "t", True))
    table.must(c.AskLeave(0, "a"))
    assert table.view(2)["can"]["answer_leave"]
    table.must(c.AnswerLeave(1, "b", True))
    table.must(c.AnswerLeave(3, "d", True))
    assert table.state.deal is not None


def test_practice_computers_agree_by_themselves() -> None:
    table = Tabletop("bigtwo.classic", practice=True, currency="none")
    table.must(c.Sit(0, 1, "A"))
    for seat in (1, 2, 3):
        table.must(c.Sit(seat, None, f"Bot {seat}", computer=True))
    table.all_ready().open()
    table.must(c.AskLeave(0, "a"))
    assert table.state.result is not None and table.state.result["how"] == "void"


def test_a_request_dies_with_its_deal() -> None:
    table = Tabletop().playing()
    table.must(c.AskLeave(0, "a"))
    table.must(c.Leave(1, "go"))
    table.fill().all_ready().open()
    assert table.view(2)["vote"] is None


def test_a_match_starts_its_first_deal_without_a_press() -> None:
    table = Tabletop(seating="match").fill()
    assert table.state.wants_deal and table.view(0)["start_ms"] is None
    table.open().play_out()
    assert not table.state.wants_deal, "later deals are started by pressing"
    assert table.view(0)["start_ms"] == 30_000


def test_an_incomplete_match_can_be_left_freely() -> None:
    table = Tabletop(seating="match")
    table.must(c.Sit(0, 1, "A"))
    table.must(c.Leave(0, "go"))
    assert table.state.seats[0] is None


def test_from_the_moment_a_match_is_complete_leaving_is_an_escape() -> None:
    table = Tabletop(seating="match").fill()
    assert table.refused(c.Stand(1, "s")) == "wrong_phase bound"
    table.must(c.Leave(1, "go"))
    assert table.refused(c.Leave(1, "again")) == "already_set"
    events = table.must(table.opening_command())
    assert table.kinds(events) == ["deal_opened", "acted", "deal_closed", "stood"]
    closed = events[2]
    assert isinstance(closed, e.DealClosed) and closed.settlement is not None
    assert (closed.how, closed.seat, closed.settlement["penalties"]) == ("escaped", 1, (0, 2_000, 0, 0))


def test_two_who_leave_a_match_early_the_first_escapes_both_are_gone() -> None:
    table = Tabletop(seating="match").fill()
    table.must(c.Leave(2, "a"))
    table.must(c.Leave(1, "b"))
    table.must(table.opening_command())
    result = table.state.result
    assert result is not None and result["seat"] == 2
    assert [seat is None for seat in table.state.seats] == [False, True, True, False]
