"""Practice: one picks the tier and sits among computer players, with the first deal open (RULES §5, seeded tiers)."""

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.urls import reverse

from games import selectors as games
from games import tables
from games.models import Seat
from lobby import errors, services
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from wallet import services as wallet

pytestmark = pytest.mark.django_db

House = Callable[[str], RoomTier]
PRACTICE = ("classic.practice", "qq.practice")


def state_of(user: Any) -> Any:
    seat = games.seat_of(user)
    assert seat is not None
    table = games.table_by_code(seat.table_code)
    assert table is not None
    return tables.state_of(table.pk)


@pytest.mark.parametrize("tier", PRACTICE)
def test_one_sits_at_once_among_computer_players_and_the_deal_is_open(people: People, tier: str) -> None:
    (user,) = people(1, 0)
    found = services.quick_match(user=user, tier_code=tier)
    assert isinstance(found, services.Seated)
    state = state_of(user)
    assert state.phase == "playing" and [seat.computer for seat in state.seats] == [False, True, True, True]
    assert state.deal.head.balances is None and wallet.balance(user.pk).held == 0
    assert Seat.objects.count() == 1 and not QueueTicket.objects.exists()


def test_the_house_may_say_how_long_its_computer_players_think(people: People, settings: Any) -> None:
    (user,) = people(1)
    settings.COMPUTER_THINKS_MS = (100, 250)
    services.quick_match(user=user, tier_code="qq.practice")
    assert state_of(user).terms.think_ms == (100, 250)


def test_nobody_waits_for_another_person(people: People) -> None:
    codes = {services.quick_match(user=user, tier_code="qq.practice") for user in people(3)}
    assert len(codes) == 3 and all(isinstance(code, services.Seated) for code in codes)


def test_who_sits_elsewhere_cannot_practise_too(people: People) -> None:
    (user,) = people(1)
    services.quick_match(user=user, tier_code="qq.bamboo")
    with pytest.raises(errors.AlreadySeated):
        services.quick_match(user=user, tier_code="qq.practice")


def test_a_closed_tier_takes_nobody(people: People, house: House) -> None:
    RoomTier.objects.filter(code="qq.practice").update(is_open=False)
    with pytest.raises(errors.TierClosed):
        services.quick_match(user=people(1)[0], tier_code="qq.practice")


def test_who_waits_for_a_match_and_practises_instead_has_left_the_queue(people: People) -> None:
    (user,) = people(1, 20_000)
    services.quick_match(user=user, tier_code="qq.orchid")
    services.quick_match(user=user, tier_code="qq.practice")
    assert not QueueTicket.objects.exists()


def test_the_button_leads_to_the_table(people: People, client: Client) -> None:
    (user,) = people(1, 0)
    client.force_login(user)
    answer = client.post(reverse("lobby:quick"), {"tier": "classic.practice", "nonce": "00ff"})
    seat = games.seat_of(user)
    assert seat is not None and answer.headers["Location"] == reverse("games:table", args=[seat.table_code])
    assert state_of(user).deal.head.nonces == ("00ff", "", "", "")


def test_a_house_that_was_seeded_before_opens_its_practice(house: House) -> None:
    RoomTier.objects.filter(practice=True).update(is_open=False)
    RoomTier.objects.filter(code="qq.plum").update(is_open=False)
    migration = import_module("lobby.migrations.0002_open_practice")
    migration.open_practice(apps, SimpleNamespace(connection=connection))
    assert all(house(code).is_open for code in PRACTICE)
    assert not house("qq.plum").is_open
