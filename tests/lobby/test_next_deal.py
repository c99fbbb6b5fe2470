"""The next deal, in every coin tier: with the cap in hand, without a cap with a single coin (RULES §3 Entry)."""

from collections.abc import Callable

import pytest

from accounts.models import User
from games import tables
from games.models import Table, TableEvent
from games.table import commands as cmd
from lobby import seeds
from lobby.models import RoomTier
from tests.lobby.conftest import People
from wallet import audit
from wallet import services as wallet

pytestmark = pytest.mark.django_db(transaction=True)

House = Callable[[str], RoomTier]
CAPS = {
    "qq.bamboo": 2_000,
    "qq.orchid": 10_000,
    "qq.plum": 100_000,
    "taiwan.30": 1_200,
    "taiwan.50": 2_000,
    "taiwan.100": 4_000,
}
NO_CAP = ("classic.coins", "classic.coins-safe", "mala.bamboo", "mala.orchid", "mala.plum")
LEAST = {**CAPS, **dict.fromkeys(NO_CAP, 1)}
"""The least balance with which the next deal opens."""


def after_a_deal(tier: RoomTier, users: list[User]) -> Table:
    """Bring people to a table of a tier, between two deals."""
    table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    if tier.seating == RoomTier.Seating.MATCH:
        tables.seat_group(users=users, table=table, nonces=[""] * len(users))
        tables.perform(table.pk, cmd.Void("test", "staff"))
    else:
        for user in users:
            tables.take_seat(user=user, table=table)
    return table


def leave_with(user: User, coins: int) -> None:
    """Take from somebody all but so many coins."""
    more = wallet.balance(user.pk).total - coins
    legs = [wallet.Leg(user.pk, -more), wallet.Leg("house:complaints", more)]
    wallet.post(code="test", reference=f"spent:{user.pk}", legs=legs)


def test_every_coin_tier_is_here(house: House) -> None:
    assert {tier.code for tier in RoomTier.objects.filter(currency="coins")} == set(LEAST)
    assert {code for code in LEAST if house(code).cap is None} == set(NO_CAP)
    assert seeds.seed_tiers() == []


@pytest.mark.parametrize("plays", [True, False], ids=["enough", "one too few"])
@pytest.mark.parametrize(("code", "least"), LEAST.items())
def test_the_next_deal_opens_with_the_cap_in_hand_and_not_with_one_coin_less(
    people: People, house: House, code: str, least: int, plays: bool
) -> None:
    tier = house(code)
    users = people(tier.seats, (tier.entry or 0) + 1)
    table = after_a_deal(tier, users)
    seats = {seat.user: index for index, seat in enumerate(tables.state_of(table.pk).seats) if seat}
    poor = seats[users[0].pk]
    leave_with(users[0], least if plays else least - 1)
    for seat in range(tier.seats):
        answer = tables.perform(table.pk, cmd.Ready(seat, f"go{seat}", ""))
        assert answer.refusal is None
    state = tables.state_of(table.pk)
    assert (state.phase == "playing") is plays
    if not plays:
        assert [index for index, seat in enumerate(state.seats) if seat is None] == [poor]
        stood = TableEvent.objects.filter(table=table, kind="stood").latest("seq")
        assert f'"reason":"balance","seat":{poor}' in stood.body
    assert audit.verify_books().breaches == []
