"""Time-outs in each rule set (RULES §5): the grace to the millisecond, what is played for whom, the third."""

from __future__ import annotations

import gettext
from pathlib import Path

import pytest

from games.table import commands as c
from games.table import events as e
from tests.table.rooms import (
    ALL,
    TAIWAN,
    WAITING,
    agreed,
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
    until_turn,
)
from tests.table.tabletop import S, Tabletop

LOCALE = Path(__file__).parents[2] / "config" / "locale"
AT_THREE = (
    "Please note: you have timed out {n} time. At three it counts as an escape.",
    "Please note: you have timed out {n} times. At three it counts as an escape.",
)
AT_THREE_TAIWAN = (
    "Please note: you have timed out {n} time. At three it counts as leaving: a fine of twice the base,"
    " and the computer plays on.",
    "Please note: you have timed out {n} times. At three it counts as leaving: a fine of twice the base,"
    " and the computer plays on.",
)


def words(language: str) -> gettext.GNUTranslations:
    """The words of the page's scripts in a language."""
    with (LOCALE / language / "LC_MESSAGES" / "djangojs.mo").open("rb") as file:
        return gettext.GNUTranslations(file)


def opened(code: str, state: str) -> Tabletop:
    return dealt(code) if state == "first act" else in_play(code)


STATES = [(code, state) for code in ALL for state in ("first act", "first card")]


@pytest.mark.parametrize(("code", "state"), STATES)
def test_a_millisecond_before_the_end_of_the_grace_an_act_is_taken(code: str, state: str) -> None:
    table = opened(code, state)
    table.after(21 * S - 1).act()
    assert "timed_out" not in table.kinds()


@pytest.mark.parametrize(("code", "state"), STATES)
def test_at_the_end_of_the_grace_it_is_not(code: str, state: str) -> None:
    table = opened(code, state)
    seat, turn, act = table.turn, table.state.turn, table.offers()[0]
    assert table.after(21 * S).refused(c.Act(seat, "late", turn, act)) == "stale_turn"
    assert seat_of(table, seat)["time_outs"] == 1


@pytest.mark.parametrize("code", WAITING)
def test_the_third_is_an_escape_at_once_and_nothing_is_played_for_him(code: str) -> None:
    table = in_play(code)
    late = table.turn
    for times in (1, 2):
        timed, acted = run_out(until_turn(table, late))[:2]
        assert isinstance(timed, e.TimedOut) and (timed.seat, timed.times) == (late, times)
        assert isinstance(acted, e.Acted) and (acted.seat, acted.auto) == (late, "time_out")
    timed, escaped, closed, stood = run_out(until_turn(table, late))
    assert isinstance(timed, e.TimedOut) and timed.times == 3
    assert isinstance(escaped, e.Acted) and (escaped.seat, escaped.action) == (late, "escape")
    assert isinstance(closed, e.DealClosed) and (closed.how, closed.seat) == ("escaped", late)
    assert isinstance(stood, e.Stood) and stood.seat == late


def test_taiwans_third_is_leaving_the_fine_and_the_computer_plays_on() -> None:
    table = in_play(TAIWAN)
    late = table.turn
    for times in (1, 2):
        run_out(until_turn(table, late))
        assert (seat_of(table, late)["time_outs"], seat_of(table, late)["away"]) == (times, False)
    timed, away, acted = run_out(until_turn(table, late))[:3]
    assert isinstance(timed, e.TimedOut) and timed.times == 3
    assert isinstance(away, e.AwaySet) and (away.seat, away.cause, away.fined) == (late, "time_out", True)
    assert isinstance(acted, e.Acted) and (acted.seat, acted.auto) == (late, "time_out")
    assert table.state.deal is not None
    until_turn(table, late).after(S).tick()
    assert (last_act(table).seat, last_act(table).auto) == (late, "away"), "a second, not his whole clock"


def test_a_seat_away_for_its_third_is_back_by_acting_and_can_time_out_again_without_a_second_fine() -> None:
    table = in_play(TAIWAN)
    late = table.turn
    for _ in range(3):
        run_out(until_turn(table, late))
    until_turn(table, late).act(table.offers()[0])
    assert not seat_of(table, late)["away"]
    run_out(until_turn(table, late))
    assert seat_of(table, late)["away"] and seat_of(table, late)["time_outs"] == 4
    while table.state.deal is not None:
        table.after(2 * S).tick() if table.turn == late else pass_or_play(table)
    assert result_of(table)["settlement"]["penalties"][late] == 60


@pytest.mark.parametrize("code", ALL)
def test_time_outs_count_per_deal_and_per_seat(code: str) -> None:
    table = in_play(code)
    late = table.turn
    run_out(table)
    run_out(table)
    counts = [seat_of(table, seat)["time_outs"] for seat in range(table.rules.seats)]
    assert counts == [
        int(seat in (late, (late + 1) % table.rules.seats)) for seat in range(table.rules.seats)
    ]
    while table.state.deal is not None:
        table.act(table.offers()[-1])
    if not table.state.wants_deal:
        deal(table)
    assert {seat_of(table, seat)["time_outs"] for seat in range(table.rules.seats)} == {0}


# ---- what is played for whom


def test_nobody_is_bid_for_in_taiwan() -> None:
    table = dealt(TAIWAN)
    run_out(table)
    assert last_act(table).action == "bid 0"
    table.act("bid 1")
    run_out(table)
    assert last_act(table).action == "bid 0"


def test_in_mala_the_cards_are_looked_at_and_the_landlords_place_declined() -> None:
    table = dealt("doudizhu.mala")
    for action in ("look", "decline", "decline"):
        run_out(table)
        assert last_act(table).action == action


@pytest.mark.parametrize("grab", [("blind",), ("look", "call")])
def test_on_the_ladder_every_step_is_refused(grab: tuple[str, ...]) -> None:
    table = dealt("doudizhu.mala")
    for action in grab:
        table.act(action)
    while phase(table) == "ladder":
        run_out(table)
        assert last_act(table).action.startswith("stay")
    assert phase(table) == "play"


@pytest.mark.parametrize("code", ALL)
def test_a_lead_is_the_smallest_single_and_whoever_follows_passes(code: str) -> None:
    table = in_play(code)
    leader = table.turn
    hand = table.view(leader)["deal"]["state"]["hand"].split()
    run_out(table)
    assert last_act(table).action == f"play {'3d' if code.startswith('bigtwo') else hand[0]}"
    run_out(table)
    assert last_act(table).action == "pass"


def last_card_duty(leading: bool) -> Tabletop:
    """A deal of classic in which the seat to act must mind that the next holds one card."""
    for number in range(200):
        table = Tabletop("bigtwo.classic", deck=_shuffled(number)).playing()
        while table.state.deal is not None:
            view = table.view(table.turn)["deal"]
            if view["duty"] == "last_card" and (view["state"]["standing"] is None) == leading:
                return table
            table.act(table.offers()[-1])
    raise AssertionError("no such deal")


def _shuffled(number: int) -> tuple[int, ...]:
    return tuple(sorted(range(52), key=lambda card: (card * 7919 + number * 104_729) ** 3 % 1_000_003))


@pytest.mark.parametrize("leading", [True, False], ids=["leading", "following"])
def test_under_the_last_card_duty_the_largest_of_the_tricks_size_is_played(leading: bool) -> None:
    table = last_card_duty(leading)
    view = table.view(table.turn)["deal"]["state"]
    size = 1 if leading else len(view["standing"]["cards"].split())
    plays = [offer for offer in table.offers() if offer.startswith("play") and len(offer.split()) == size + 1]
    run_out(table)
    played = last_act(table).action
    if size == 1 and plays:
        assert played == f"play {view['hand'].split()[-1]}", "the highest card in hand"
    else:
        assert played in (plays or ["pass"])


# ---- the words


@pytest.mark.parametrize(
    ("language", "forms", "said"),
    [
        ("zh_Hans", AT_THREE, "请注意，你已经超时 {n} 次了，超时三次会当作逃跑处理。"),
        ("zh_Hant", AT_THREE, "請注意，你已經超時 {n} 次了，超時三次會當作逃跑處理。"),
        ("zh_Hans", AT_THREE_TAIWAN, "请注意，你已经超时 {n} 次了，超时三次会当作离局处理，扣 2 倍底分并由电脑接手。"),
        ("zh_Hant", AT_THREE_TAIWAN, "請注意，你已經超時 {n} 次了，超時三次會當作離局處理，扣 2 倍底分並由電腦接手。"),
    ],
)  # fmt: skip
def test_the_warning_says_what_the_rules_say(language: str, forms: tuple[str, str], said: str) -> None:
    assert [words(language).ngettext(*forms, k) for k in (1, 2)] == [said, said]


@pytest.mark.parametrize("code", ALL)
def test_the_view_tells_the_page_which_warning_is_due(code: str) -> None:
    table = agreed(deal(room(code)))
    late = table.turn
    run_out(table)
    assert table.view(late)["seats"][late]["time_outs"] == 1
    assert table.view(late)["terms"]["leaves"] == (code == TAIWAN)
