"""What leaving costs, in the books: from the leaver to house:fines, and into his record; nobody else gains or loses."""

from typing import Any

import pytest

from games import tables
from games.errors import TableError
from games.models import PlayerRecord, SeatResult
from games.table import commands as cmd
from tests.games.stories import Story, StoryMaker, make_user
from tests.table.rooms import ALL, ROOMS, TAIWAN, WAITING
from wallet import audit
from wallet import services as wallet

pytestmark = pytest.mark.both_databases

COINS = 10_000


def seats_of(code: str) -> int:
    return 4 if code.startswith("bigtwo") else 3


def playing(story: StoryMaker, code: str, **terms: Any) -> Story:
    at = story(ruleset=code, coins=COINS, people=seats_of(code), **{**ROOMS[code], **terms}).sit()
    at.start()
    if code == "doudizhu.mala":
        at.act("look")
        at.act("call")
        at.act(_stay(at))
        at.act(_stay(at))
    return at


def _stay(at: Story) -> str:
    """Return the refusal that the seat to act on the ladder may give."""
    state = at.state
    assert state.deal is not None and state.deal.clock is not None
    view = state.rules.view(state.deal.deal, state.deal.clock.seat)
    return next(str(offer) for offer in state.rules.offers(view) if str(offer).startswith("stay"))


def records(at: Story) -> dict[int, tuple[int, int, int]]:
    """Return (deals, points, escapes) by seat."""
    rows = PlayerRecord.objects.filter(ruleset=at.state.ruleset)
    found = {row.user_id: (row.deals, row.points, row.escapes) for row in rows}
    return {seat: found.get(user.pk, (0, 0, 0)) for seat, user in enumerate(at.users)}


@pytest.mark.parametrize("how", ["leave", "time-outs", "absence"])
@pytest.mark.parametrize("code", WAITING)
def test_an_escape_is_paid_to_the_house_and_stands_in_his_record_alone(
    story: StoryMaker, code: str, how: str
) -> None:
    at = playing(story, code)
    seat = at.state.deal.clock.seat  # type: ignore[union-attr]
    before, fines = at.balances(), wallet.house_balance("house:fines")
    if how == "leave":
        at.perform(cmd.Leave(seat, "go"))
    elif how == "absence":
        at.perform(cmd.Lost(seat, at.now))
        at.wait(180)
        at.perform(cmd.Tick())
    else:
        _time_out_thrice(at, seat)
    result = at.state.result
    assert result is not None and (result["how"], result["seat"]) == ("escaped", seat)
    cost = result["settlement"]["penalties"][seat]
    assert cost > 0
    moved = [now - was for now, was in zip(at.balances(), before, strict=True)]
    assert moved == [-cost if index == seat else 0 for index in range(len(moved))]
    assert wallet.house_balance("house:fines") - fines == cost
    assert at.held() == [0] * len(moved), "and all that was reserved is free again"
    points = result["settlement"]["points"][seat]
    assert records(at) == {
        index: (1, points, 1) if index == seat else (0, 0, 0) for index in range(len(moved))
    }
    assert SeatResult.objects.get(deal=result["deal"], seat=seat).outcome == "escaped"
    assert audit.verify_books().breaches == []


def _time_out_thrice(at: Story, seat: int) -> None:
    while at.state.deal is not None:
        clock, rules = at.state.deal.clock, at.state.rules
        assert clock is not None
        if clock.seat == seat:
            at.wait(21)
            at.perform(cmd.Tick())
        else:
            at.act(str(rules.autoplay(rules.view(at.state.deal.deal, clock.seat))))


def test_taiwans_fine_is_paid_after_the_settlement_and_the_deal_counts(story: StoryMaker) -> None:
    at = playing(story, TAIWAN)
    at.act("bid 3")
    state = at.state
    assert state.deal is not None and state.deal.clock is not None
    gone = (state.deal.clock.seat + 1) % 3
    fines = wallet.house_balance("house:fines")
    at.perform(cmd.Leave(gone, "go"))
    while at.state.deal is not None:
        clock = at.state.deal.clock
        if clock is not None and clock.seat == gone:
            at.wait(1)
            at.perform(cmd.Tick())
        else:
            at.act()
    result = at.state.result
    assert result is not None and result["how"] == "over"
    assert wallet.house_balance("house:fines") - fines == result["settlement"]["penalties"][gone] == 60
    assert at.balances() == [COINS + net for net in result["settlement"]["net"]]
    assert {seat: escapes for seat, (_, _, escapes) in records(at).items()} == {0: 0, 1: 0, 2: 0}
    assert all(deals == 1 for deals, _, _ in records(at).values())
    assert audit.verify_books().breaches == []


@pytest.mark.parametrize("code", ALL)
@pytest.mark.parametrize("by", ["consent", "staff"])
def test_a_void_deal_moves_no_coin_and_stands_in_no_record(story: StoryMaker, code: str, by: str) -> None:
    at = playing(story, code)
    at.act()
    before = wallet.house_balance("house:fines"), wallet.house_balance("house:fees")
    if by == "staff":
        at.perform(cmd.Void("a fault of ours", "staff:1"))
    else:
        at.perform(cmd.AskLeave(0, "ask"))
        for seat in range(1, len(at.users)):
            at.perform(cmd.AnswerLeave(seat, f"y{seat}", True))
    assert at.state.result is not None and at.state.result["how"] == "void"
    assert at.balances() == [COINS] * len(at.users) and at.held() == [0] * len(at.users)
    assert (wallet.house_balance("house:fines"), wallet.house_balance("house:fees")) == before
    assert not PlayerRecord.objects.exists()
    assert audit.verify_books().breaches == []


def test_while_the_deal_he_left_still_runs_he_sits_nowhere_else(story: StoryMaker) -> None:
    at = playing(story, TAIWAN)
    at.act("bid 3")
    other = story(ruleset=TAIWAN, people=0, **ROOMS[TAIWAN])
    seat = at.state.deal.clock.seat  # type: ignore[union-attr]
    at.perform(cmd.Leave(seat, "go"))
    with pytest.raises(TableError):
        tables.take_seat(user=at.users[seat], table=other.table)
    newcomer = make_user("newcomer", COINS)
    tables.take_seat(user=newcomer, table=other.table)
    answer = at.perform(cmd.Connected(seat, at.users[seat].pk))
    assert answer.refusal is None
    standing = at.state.deal.seats[seat]  # type: ignore[union-attr]
    assert standing.away is None and standing.fined, "from wherever he comes back, he plays on at once"
