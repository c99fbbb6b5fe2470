"""What happens to coins around a deal: at the edges of what one can pay, and while others move coins too."""

import pytest
from django.db.models import ProtectedError

from games import tables
from games.models import Table
from games.table import commands as cmd
from games.table.errors import FormatError
from tests.games.stories import BAMBOO, Story, StoryMaker
from wallet import audit
from wallet import services as wallet

pytestmark = pytest.mark.both_databases

NO_CAP = {"cap": None, "base_stake": 100, "fee": None, "entry": None}


def move(at: Story, seat: int, amount: int, reference: str) -> None:
    """Take coins from a player, or give him some, as another service does."""
    user = at.users[seat].pk
    wallet.post(
        code="test",
        reference=reference,
        legs=[wallet.Leg(user, amount), wallet.Leg("house:complaints", -amount)],
    )


def set_balances(at: Story, coins: list[int]) -> None:
    for seat, (have, wanted) in enumerate(zip(at.balances(), coins, strict=True)):
        if have != wanted:
            move(at, seat, wanted - have, f"set:{seat}")


def verify_books() -> None:
    assert audit.verify_books().breaches == []


@pytest.mark.parametrize(("coins", "plays"), [(2_000, True), (1_999, False)])
def test_with_a_cap_one_plays_with_exactly_the_cap(story: StoryMaker, coins: int, plays: bool) -> None:
    at = story().sit()
    set_balances(at, [coins, 10_000, 10_000, 10_000])
    for seat in range(4):
        answer = at.perform(cmd.Ready(seat, at.id()))
    assert (answer.state.phase == "playing") is plays
    assert at.held()[0] == (2_000 if plays else 0)
    at.play_out()
    verify_books()


@pytest.mark.parametrize(("coins", "plays"), [(1, True), (0, False)])
def test_without_a_cap_one_plays_with_a_single_coin(story: StoryMaker, coins: int, plays: bool) -> None:
    at = story(**NO_CAP).sit()
    set_balances(at, [coins, 10_000, 10_000, 10_000])
    for seat in range(4):
        answer = at.perform(cmd.Ready(seat, at.id()))
    assert (answer.state.phase == "playing") is plays
    at.play_out()
    assert min(at.balances()) >= 0
    verify_books()


def test_who_escapes_pays_no_more_than_he_has(story: StoryMaker) -> None:
    at = story(**NO_CAP).sit()
    set_balances(at, [7, 10_000, 10_000, 10_000])
    at.start()
    assert at.perform(cmd.Leave(0, "go")).refusal is None
    assert at.balances() == [0, 10_000, 10_000, 10_000]
    verify_books()


@pytest.mark.parametrize("terms", [{}, NO_CAP], ids=["cap", "no cap"])
def test_what_others_take_and_give_in_the_midst_of_a_deal_changes_nothing_of_it(
    story: StoryMaker, terms: dict[str, object]
) -> None:
    """All that is not held is spent, then coins arrive: the deal settles by the balances it began with."""
    at = story(**terms).sit()
    state = at.start()
    assert state.deal is not None
    for seat in range(4):
        have = wallet.balance(at.users[seat].pk)
        if have.available:
            move(at, seat, -have.available, f"spent:{seat}")
    move(at, 1, 50_000, "given")
    before = at.balances()
    result = at.play_out().result
    assert result is not None
    net = list(result["settlement"]["net"])
    assert [now - was for now, was in zip(at.balances(), before, strict=True)] == net
    assert all(-loss <= start for loss, start in zip(net, state.deal.head.balances or (), strict=True))
    assert at.held() == [0] * 4
    verify_books()


def test_stakes_beyond_any_table_of_ours_are_paid_to_the_coin(story: StoryMaker) -> None:
    at = story(coins=2**51, cap=None, base_stake=2**40, fee=None, entry=None).sit()
    result = at.deal().result
    assert result is not None
    assert sum(at.balances()) == 4 * 2**51
    assert max(abs(amount) for amount in result["settlement"]["net"]) < 2**53
    verify_books()


@pytest.mark.parametrize(
    "terms",
    [
        {"base_stake": 0},
        {"base_stake": -10},
        {"base_stake": 2**40 + 1},
        {"base_stake": 1.5},
        {"base_stake": True},
        {"cap": -1},
        {"fee": {"kind": "flat", "value": -10}},
        {"fee": {"kind": "percent", "value": 101}},
        {"initial_multiplier": 0},
    ],
    ids=str,
)
def test_no_table_opens_on_terms_that_have_no_sense(story: StoryMaker, terms: dict[str, object]) -> None:
    there = story(people=0).table
    with pytest.raises(FormatError):
        tables.open_table(tier="qq.bamboo", ruleset="bigtwo.qq", terms={**BAMBOO, **terms})
    assert [table.pk for table in Table.objects.all()] == [there.pk]


def test_who_is_barred_in_the_midst_of_a_deal_is_settled_with_the_others(story: StoryMaker) -> None:
    at = story().sit()
    at.start()
    at.users[2].is_active = False
    at.users[2].save()
    with pytest.raises(ProtectedError):
        at.users[2].delete()
    assert at.play_out().result is not None
    assert at.held() == [0] * 4
    verify_books()
