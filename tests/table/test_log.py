"""The log of a table: exact bytes, exact readings, a chain of digests; commands answered once."""

from __future__ import annotations

import json

import pytest

from games.table import commands as c
from games.table import events as e
from games.table.clocks import Clock
from games.table.decide import decide
from games.table.errors import FormatError
from games.table.evolve import evolve, fold
from tests.table.tabletop import S, Tabletop


def story() -> Tabletop:
    """A table with a bit of everything in its log."""
    table = Tabletop().playing()
    table.must(c.Say(0, "hi", text="大家好 — good luck"))
    table.must(c.AskLeave(1, "ask"))
    table.must(c.AnswerLeave(2, "no", False))
    table.must(c.Trustee(3, "t", True))
    table.must(c.Lost(0, table.now))
    table.after(21 * S).tick()
    table.must(c.Connected(0))
    for _ in range(6):
        table.after(S).act() if table.turn != 3 else table.after(S).tick()
    table.must(c.Leave(table.turn, "go"))
    table.fill().all_ready().open()
    table.act()
    return table


def test_bodies_are_compact_sorted_and_read_back_exactly() -> None:
    for event in story().log:
        body = e.encode(event)
        assert (
            body
            == json.dumps(
                json.loads(body), ensure_ascii=False, separators=(",", ":"), sort_keys=True
            ).encode()
        )
        assert e.decode(body) == event and e.encode(e.decode(body)) == body


def test_a_fold_may_start_at_any_deal_and_meets_the_same_state() -> None:
    table = story()
    assert fold(None, table.log, table.dealer) == table.state
    for index, event in enumerate(table.log):
        if isinstance(event, e.DealOpened):
            assert event.seq == index + 1
            assert fold(None, table.log[index:], table.dealer) == table.state


def test_a_fold_starts_nowhere_else() -> None:
    table = story()
    with pytest.raises(FormatError):
        fold(None, table.log[1:], table.dealer)
    with pytest.raises(FormatError):
        fold(None, [], table.dealer)


def test_a_changed_line_of_chat_or_moment_breaks_the_chain_as_surely_as_a_changed_card() -> None:
    table = story()
    bodies = [e.encode(event) for event in table.log]
    digest = b""
    for body in bodies:
        digest = e.chain(digest, body)
    assert digest == table.digest
    at = next(index for index, event in enumerate(table.log) if isinstance(event, e.Said))
    for changed in (bodies[at].replace(b"luck", b"duck"), bodies[at].replace(b'"at":1', b'"at":2')):
        assert changed != bodies[at]
        digest = b""
        for index, body in enumerate(bodies):
            digest = e.chain(digest, changed if index == at else body)
        assert digest != table.digest


def test_what_this_version_cannot_read_is_a_format_error() -> None:
    good = {"kind": "said", "at": 1, "seat": 0, "text": "x"}
    assert e.from_json(good) == e.Said(1, 0, "x")
    for bad in (
        {**good, "kind": "sung"},
        {"at": 1},
        {**good, "loud": True},
        {"kind": "said", "at": 1},
        {"kind": "table_opened", "at": 1, "format": e.FORMAT + 1},
    ):
        with pytest.raises(FormatError):
            e.from_json(bad)
    for body in (b"", b"[]", b"{", b"\xff"):
        with pytest.raises(FormatError):
            e.decode(body)


def test_a_newer_format_or_unknown_rules_are_refused_in_the_fold_too() -> None:
    table = Tabletop().playing()
    opened = next(event for event in table.log if isinstance(event, e.DealOpened))
    for newer in (opened._replace(format=e.FORMAT + 1), opened._replace(rules_version=99)):
        with pytest.raises(FormatError):
            evolve(None, newer, table.dealer)


def test_a_log_that_does_not_replay_is_a_format_error() -> None:
    table = Tabletop().playing()
    with pytest.raises(FormatError, match="does not replay"):
        evolve(table.state, e.Acted(table.now, "pass", 1, table.turn), table.dealer)


def test_the_clock_of_an_event_reads_back_as_a_clock() -> None:
    table = Tabletop().playing()
    table.act()
    event = e.decode(e.encode(table.log[-1]))
    assert isinstance(event, e.Acted) and isinstance(event.clock, Clock)


def test_an_accepted_id_answers_its_first_number_and_changes_nothing() -> None:
    table = Tabletop().playing()
    command = c.Act(table.turn, "mine", table.state.turn, table.offers()[0])
    first = table.do(command)
    table.act()
    again = table.after(60 * S)
    decision = decide(again.state, command, again.now, again.dealer)
    assert (decision.seq, decision.events, decision.refusal) == (first.seq, (), None)


def test_a_refused_id_may_be_used_again() -> None:
    table = Tabletop().playing()
    seat, turn = table.turn, table.state.turn
    table.refused(c.Act(seat, "one", turn, "pass"))
    table.must(c.Act(seat, "one", turn, table.offers()[0]))


def test_ids_are_remembered_across_deals_and_after_loading_from_the_opening() -> None:
    table = Tabletop().playing()
    command = c.Act(table.turn, "mine", table.state.turn, table.offers()[0])
    first = table.do(command).seq
    table.play_out().all_ready().open()
    at = max(index for index, event in enumerate(table.log) if isinstance(event, e.DealOpened))
    loaded = fold(None, table.log[at:], table.dealer)
    decision = decide(loaded, command, table.now, table.dealer)
    assert (decision.seq, decision.events) == (first, ())


def test_the_last_64_accepted_ids_of_a_seat_are_remembered() -> None:
    table = Tabletop(start_s=300).fill()
    for number in range(65):
        table.after(2_500).must(c.Say(0, f"s{number}", text="x"))
    assert table.state.accepted(0, "s0") is None
    assert table.state.accepted(0, "s1") is not None and len(table.state.answers[0]) == 64
    table.all_ready().open()
    assert table.state.accepted(0, "s3") is not None, "the start press pushed one more out"


def test_the_same_id_at_another_seat_is_another_command() -> None:
    table = Tabletop().fill()
    table.must(c.Ready(0, "same"))
    table.must(c.Ready(1, "same"))
    assert table.state.accepted(0, "same") != table.state.accepted(1, "same")


def test_a_new_sitter_does_not_inherit_answers() -> None:
    table = Tabletop().fill()
    table.must(c.Ready(0, "press"))
    table.must(c.Stand(0, "up"))
    assert table.state.accepted(0, "up") is not None, "he may ask again"
    table.must(c.Sit(0, 777, "New"))
    assert table.state.accepted(0, "press") is None
    table.must(c.Ready(0, "press"))


@pytest.mark.parametrize("bad", ["", "x" * 41, "汉", "a\n"])
def test_an_id_is_short_printable_ascii(bad: str) -> None:
    table = Tabletop().fill()
    assert table.refused(c.Ready(0, bad)) == "bad_id"


@pytest.mark.parametrize("text", ["", "   ", "x" * 201, "a\x00b", "a\nb", "\ud800"])
def test_a_line_of_chat_is_short_and_without_controls(text: str) -> None:
    table = Tabletop().fill()
    assert table.refused(c.Say(0, "s", text=text)) == "bad_text"
    assert table.refused(c.Say(0, "t")) == "bad_text"
    assert table.refused(c.Say(0, "u", text="a", phrase="b")) == "bad_text"


def test_commands_of_an_empty_seat_or_no_seat_are_refused() -> None:
    table = Tabletop()
    for seat in (0, -1, 4):
        for command in (
            c.Ready(seat, "a"),
            c.Leave(seat, "b"),
            c.Say(seat, "d", text="x"),
            c.Connected(seat),
        ):
            assert table.refused(command) == "not_seated"


def test_a_seat_says_five_lines_in_ten_seconds_and_not_a_sixth() -> None:
    table = Tabletop(start_s=300).fill()
    for number in range(5):
        table.must(c.Say(0, f"s{number}", text="x"))
        table.after(1_000)
    assert table.refused(c.Say(0, "s5", phrase="hello")) == "too_fast"
    table.must(c.Say(1, "s5", text="x"))
    assert table.must(c.Say(0, "s4", text="x")) == (), "one that was accepted is answered as before"
    table.after(5_000).must(c.Say(0, "s6", text="x"))
    assert table.refused(c.Say(0, "s7", text="x")) == "too_fast"


def test_whoever_sits_down_has_all_his_lines() -> None:
    table = Tabletop(start_s=300).fill()
    for number in range(5):
        table.must(c.Say(2, f"s{number}", text="x"))
    table.must(c.Stand(2, "up"))
    table.must(c.Sit(2, 900, "Newcomer"))
    table.must(c.Say(2, "n", text="hello"))
