"""Coming to a seat: entry limits, quick match, and the table one picks."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser

from accounts import services as accounts
from accounts.models import User
from games import selectors as games
from games import tables
from games.models import Table
from lobby import errors, services
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from wallet import services as wallet

pytestmark = pytest.mark.django_db

House = Callable[[str], RoomTier]


ENTRIES = {
    "classic.coins": 500,
    "classic.coins-safe": 500,
    "qq.bamboo": 3_000,
    "qq.orchid": 15_000,
    "qq.plum": 150_000,
    "mala.bamboo": 1_000,
    "mala.orchid": 10_000,
    "mala.plum": 100_000,
    "taiwan.30": 3_000,
    "taiwan.50": 5_000,
    "taiwan.100": 10_000,
}


def test_every_coin_tier_has_its_entry_limit(house: House) -> None:
    limits = RoomTier.objects.filter(currency="coins").values_list("code", "entry")
    assert dict(limits) == ENTRIES


@pytest.mark.parametrize(("tier", "limit"), ENTRIES.items())
def test_joining_needs_a_balance_strictly_above_the_entry_limit(
    people: People, tier: str, limit: int
) -> None:
    poor, rich = people(1, limit)[0], people(1, limit + 1)[0]
    with pytest.raises(errors.EntryLimit) as caught:
        services.quick_match(user=poor, tier_code=tier)
    assert caught.value.needed == limit + 1
    assert games.seat_of(poor) is None and not QueueTicket.objects.filter(user=poor).exists()
    found = services.quick_match(user=rich, tier_code=tier)
    assert isinstance(found, services.Seated | services.Waiting)


@pytest.mark.parametrize(
    "tier",
    ["classic.coins-safe", "qq.orchid", "mala.bamboo", "mala.orchid", "mala.plum", "taiwan.100"],
)
def test_who_fell_to_the_entry_limit_while_he_waited_is_not_matched(
    people: People, house: House, tier: str
) -> None:
    limit = ENTRIES[tier]
    poor, *others = people(house(tier).seats, limit + 1)
    services.quick_match(user=poor, tier_code=tier)
    spend(poor, 1)
    for user in others:
        assert isinstance(services.quick_match(user=user, tier_code=tier), services.Waiting)
    assert QueueTicket.objects.get(user=poor).refusal == "entry_limit"
    (last,) = people(1, limit + 1)
    assert isinstance(services.quick_match(user=last, tier_code=tier), services.Seated)


def spend(user: User, amount: int) -> None:
    wallet.post(
        code="test",
        reference=f"spent:{user.pk}",
        legs=[wallet.Leg(user.pk, -amount), wallet.Leg("house:complaints", amount)],
    )


def test_a_points_room_asks_for_no_coins(people: People) -> None:
    assert isinstance(services.quick_match(user=people(1, 0)[0], tier_code="classic.points"), services.Seated)


def test_quick_match_fills_the_fullest_table_then_opens_another(people: People) -> None:
    codes = [services.quick_match(user=user, tier_code="qq.bamboo") for user in people(9)]
    found = [code.table_code for code in codes if isinstance(code, services.Seated)]
    assert [found.count(code) for code in dict.fromkeys(found)] == [4, 4, 1]


def test_quick_match_prefers_company_to_an_empty_table(people: People, house: House) -> None:
    lone, second, third = people(3)
    tier = house("qq.bamboo")
    empty = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    busy = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    tables.take_seat(user=lone, table=busy)
    assert services.quick_match(user=second, tier_code=tier.code) == services.Seated(busy.code)
    assert services.sit(user=third, table_code=empty.code.lower(), seat=3) == services.Seated(empty.code)
    assert games.seat_of(third).seat == 3  # type: ignore[union-attr]


def test_quick_match_passes_by_a_table_of_older_terms(people: People, house: House) -> None:
    first, second = people(2)
    old = services.quick_match(user=first, tier_code="qq.bamboo")
    RoomTier.objects.filter(code="qq.bamboo").update(base_stake=20)
    new = services.quick_match(user=second, tier_code="qq.bamboo")
    assert old != new
    assert Table.objects.get(code=new.table_code).terms["base_stake"] == 20  # type: ignore[union-attr]


def test_one_person_has_one_seat(people: People) -> None:
    (user,) = people(1)
    seated = services.quick_match(user=user, tier_code="qq.bamboo")
    for tier in ("qq.bamboo", "classic.points", "classic.points-safe"):
        with pytest.raises(errors.AlreadySeated) as caught:
            services.quick_match(user=user, tier_code=tier)
        assert services.Seated(caught.value.table_code) == seated


def test_a_taken_seat_is_refused_and_named(people: People) -> None:
    first, second = people(2)
    found = services.quick_match(user=first, tier_code="qq.bamboo")
    assert isinstance(found, services.Seated)
    with pytest.raises(errors.SeatRefused) as caught:
        services.sit(user=second, table_code=found.table_code, seat=0)
    assert caught.value.code == "seat_taken"


def test_the_table_one_picks_asks_for_its_own_entry_limit(people: People) -> None:
    rich, poor = people(1)[0], people(1, 3_000)[0]
    found = services.quick_match(user=rich, tier_code="qq.bamboo")
    assert isinstance(found, services.Seated)
    RoomTier.objects.filter(code="qq.bamboo").update(cap=None, entry=0)
    with pytest.raises(errors.EntryLimit):
        services.sit(user=poor, table_code=found.table_code)


def test_seats_that_are_drawn_cannot_be_picked(people: People, house: House) -> None:
    tier = house("classic.points-safe")
    table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    with pytest.raises(errors.SeatRefused) as caught:
        services.sit(user=people(1)[0], table_code=table.code)
    assert caught.value.code == "seats_are_drawn"


def test_sitting_down_gives_up_the_queue(people: People) -> None:
    (user,) = people(1)
    services.quick_match(user=user, tier_code="classic.points-safe")
    services.quick_match(user=user, tier_code="qq.bamboo")
    assert not QueueTicket.objects.exists()


def test_what_the_lobby_does_not_grant_has_a_code(people: People, house: House) -> None:
    (user,) = people(1)
    with pytest.raises(errors.NotSignedIn):
        services.quick_match(user=AnonymousUser(), tier_code="qq.bamboo")
    with pytest.raises(errors.UnknownTier):
        services.quick_match(user=user, tier_code="qq.nowhere")
    RoomTier.objects.filter(code="qq.plum").update(is_open=False)
    with pytest.raises(errors.TierClosed):
        services.quick_match(user=user, tier_code="qq.plum")
    with pytest.raises(errors.BadNonce):
        services.quick_match(user=user, tier_code="qq.bamboo", nonce="0123g")
    with pytest.raises(errors.BadNonce):
        services.quick_match(user=user, tier_code="qq.bamboo", nonce="0" * 65)
    with pytest.raises(errors.SeatRefused):
        services.sit(user=user, table_code="NOWHERE")
    accounts.ban(user=user)
    with pytest.raises(errors.MayNotPlay):
        services.quick_match(user=user, tier_code="qq.bamboo")


def test_a_closed_tier_takes_nobody_at_its_open_tables(people: People) -> None:
    first, second = people(2)
    found = services.quick_match(user=first, tier_code="qq.bamboo")
    assert isinstance(found, services.Seated)
    RoomTier.objects.update(is_open=False)
    with pytest.raises(errors.TierClosed):
        services.sit(user=second, table_code=found.table_code)
