"""Many at once: one person one seat, one chair one person, one ticket one match. On a database file or a server."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from games import tables
from games.models import Seat, Table
from lobby import matchmaking, services
from lobby.errors import AlreadySeated, SeatRefused
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from tests.threads import AtOnce

pytestmark = pytest.mark.django_db(transaction=True)

House = Callable[[str], RoomTier]
SAFE = "classic.points-safe"


def test_fifty_tries_of_one_person_take_one_seat(people: People, at_once: AtOnce) -> None:
    (user,) = people(1)
    again = [
        partial(services.quick_match, user=user, tier_code=code)
        for code in ("qq.bamboo", "classic.coins") * 25
    ]
    results = at_once(*again)
    kinds = Counter(type(result) for result in results)
    assert kinds == {services.Seated: 1, AlreadySeated: 49}, results
    assert Seat.objects.get().user == user


def test_of_fifty_at_the_last_chair_one_sits_and_the_others_are_told(
    people: People, house: House, at_once: AtOnce
) -> None:
    tier = house("qq.bamboo")
    table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    for user in people(3):
        tables.take_seat(user=user, table=table)
    crowd = people(50)
    results = at_once(*[partial(services.sit, user=user, table_code=table.code, seat=3) for user in crowd])
    assert Counter(getattr(result, "code", "sits") for result in results) == {"sits": 1, "seat_taken": 49}, (
        results
    )
    assert all(isinstance(result, SeatRefused | services.Seated) for result in results)
    assert Seat.objects.filter(table=table).count() == 4


def test_thirty_who_come_at_once_fill_tables(people: People, at_once: AtOnce) -> None:
    results = at_once(
        *[partial(services.quick_match, user=user, tier_code="qq.bamboo") for user in people(30)]
    )
    assert all(isinstance(result, services.Seated) for result in results), results
    assert sorted(Counter(result.table_code for result in results).values()) == [2, *[4] * 7]


def test_fifty_who_join_at_once_are_matched_in_threes(people: People, at_once: AtOnce) -> None:
    results = at_once(
        *[partial(services.quick_match, user=user, tier_code="mala.bamboo") for user in people(50)]
    )
    assert all(isinstance(result, services.Seated | services.Waiting) for result in results), results
    assert sorted(Counter(Seat.objects.values_list("table_id", flat=True)).values()) == [3] * 16
    _everybody_sits_once(48)
    assert QueueTicket.objects.count() == 2


def test_fifty_clicks_of_one_person_are_one_place_in_the_queue(people: People, at_once: AtOnce) -> None:
    (user,) = people(1)
    results = at_once(*[partial(services.quick_match, user=user, tier_code="mala.bamboo")] * 50)
    assert all(isinstance(result, services.Waiting) for result in results), results
    assert QueueTicket.objects.get().user == user
    assert not Seat.objects.exists()


def test_three_who_click_wildly_sit_at_one_table(people: People, at_once: AtOnce) -> None:
    users = people(3)
    results = at_once(
        *[
            partial(services.quick_match, user=user, tier_code="mala.bamboo")
            for user in users
            for _ in range(16)
        ]
    )
    assert all(_is_an_answer(result) for result in results), results
    assert Table.objects.count() == 1
    _everybody_sits_once(3)
    assert not QueueTicket.objects.exists()


def test_many_matchers_seat_each_ticket_once(people: People, house: House, at_once: AtOnce) -> None:
    now, tier = timezone.now(), house(SAFE)
    for place, user in enumerate(people(22)):
        moment = now + timedelta(milliseconds=place)
        QueueTicket.objects.create(user=user, tier=tier, created=moment, last_seen=moment)
    results = at_once(*[partial(matchmaking.match_all, now=now)] * 8)
    opened = [code for codes in results for code in codes]
    assert len(opened) == len(set(opened)) == 5
    _everybody_sits_once(20)
    assert QueueTicket.objects.count() == 2


def test_joining_and_sitting_elsewhere_at_once_seat_nobody_twice(people: People, at_once: AtOnce) -> None:
    users = people(12)
    wishes: list[Callable[[], Any]] = []
    for user in users:
        wishes.append(partial(services.quick_match, user=user, tier_code=SAFE))
        wishes.append(partial(services.quick_match, user=user, tier_code="qq.bamboo"))
    results = at_once(*wishes, *[matchmaking.match_all] * 3)
    for _ in range(2):
        matchmaking.match_all()
    unexpected = [result for result in results[: len(wishes)] if not _is_an_answer(result)]
    assert not unexpected
    seated = set(Seat.objects.values_list("user_id", flat=True))
    waiting = set(QueueTicket.objects.values_list("user_id", flat=True))
    assert seated | waiting == {user.pk for user in users}
    for table in Table.objects.filter(tier=SAFE):
        assert table.seats.count() == 4


def test_two_names_alike_at_once_make_one_account(at_once: AtOnce) -> None:
    results = at_once(*[partial(User.objects.create_user, name) for name in ("Élodie", "ÉLODIE", "élodie")])
    assert sum(isinstance(result, User) for result in results) == User.objects.count() == 1


def _is_an_answer(result: Any) -> bool:
    told = isinstance(result, SeatRefused) and result.code == "ticket_gone"
    return told or isinstance(result, services.Seated | services.Waiting | AlreadySeated)


def _everybody_sits_once(people: int) -> None:
    users = list(Seat.objects.values_list("user_id", flat=True))
    assert len(users) == len(set(users)) == people
    assert set(Table.objects.values_list("status", flat=True)) == {"playing"}
