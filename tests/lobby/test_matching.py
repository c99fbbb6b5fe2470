"""The queue: a complete group is seated in one go, in the order it came, and only of people who may still sit."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from accounts import services as accounts
from accounts.models import User
from games import selectors as games
from games import tables
from games.models import Seat, Table
from lobby import matchmaking, services, tasks
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from wallet import services as wallet

pytestmark = pytest.mark.django_db

House = Callable[[str], RoomTier]
SAFE = "classic.points-safe"


@pytest.fixture
def noon() -> datetime:
    return timezone.now().replace(microsecond=0)


def join(user: User, now: datetime, tier: str = SAFE) -> services.Seated | services.Waiting:
    return services.quick_match(user=user, tier_code=tier, nonce="00ff", now=now)


def put_in_queue(users: list[User], tier: RoomTier, now: datetime) -> None:
    """Give tickets without matching, as if all had come while the matcher was away."""
    for place, user in enumerate(users):
        moment = now + timedelta(milliseconds=place)
        QueueTicket.objects.create(user=user, tier=tier, created=moment, last_seen=moment)


def test_the_fourth_completes_the_match_and_the_deal_begins(people: People, noon: datetime) -> None:
    users = people(4)
    assert [type(join(user, noon)) for user in users[:3]] == [services.Waiting] * 3
    last = join(users[3], noon)
    assert isinstance(last, services.Seated)
    assert {games.seat_of(user).table_code for user in users} == {last.table_code}  # type: ignore[union-attr]
    assert Table.objects.get().status == "playing"
    assert not QueueTicket.objects.exists()


def test_the_first_who_came_are_seated_first(people: People, house: House, noon: datetime) -> None:
    users = people(6)
    put_in_queue(users[::-1], house(SAFE), noon)
    assert len(matchmaking.match_all(now=noon)) == 1
    assert set(QueueTicket.objects.values_list("user_id", flat=True)) == {users[0].pk, users[1].pk}


def test_many_groups_are_seated_in_one_go(people: People, house: House, noon: datetime) -> None:
    put_in_queue(people(11), house(SAFE), noon)
    assert len(matchmaking.match_all(now=noon)) == 2
    assert (Seat.objects.count(), QueueTicket.objects.count()) == (8, 3)


def test_each_tier_has_a_queue_of_its_own(people: People, house: House, noon: datetime) -> None:
    users = people(4, 20_000)
    put_in_queue(users[:2], house(SAFE), noon)
    put_in_queue(users[2:], house("qq.orchid"), noon)
    assert matchmaking.match_all(now=noon) == []


def test_asking_again_keeps_the_place_and_asking_elsewhere_moves_it(people: People, noon: datetime) -> None:
    (user,) = people(1, 20_000)
    join(user, noon)
    join(user, noon + timedelta(seconds=5))
    ticket = QueueTicket.objects.get()
    assert (ticket.created, ticket.last_seen) == (noon, noon + timedelta(seconds=5))
    join(user, noon + timedelta(seconds=9), "qq.orchid")
    ticket = QueueTicket.objects.get()
    assert (ticket.tier.code, ticket.created) == ("qq.orchid", noon + timedelta(seconds=9))


def test_thirty_seconds_without_a_sign_of_life_drop_a_ticket(people: People, noon: datetime) -> None:
    gone, there = people(2)
    join(gone, noon)
    join(there, noon)
    services.show_life(user=there, now=noon + timedelta(seconds=20))
    matchmaking.match_all(now=noon + timedelta(seconds=30))
    assert QueueTicket.objects.count() == 2
    matchmaking.match_all(now=noon + timedelta(seconds=31))
    assert QueueTicket.objects.get().user == there


def test_a_match_is_never_made_with_somebody_who_is_gone(
    people: People, house: House, noon: datetime
) -> None:
    put_in_queue(people(1), house(SAFE), noon - timedelta(seconds=31))
    put_in_queue(people(3), house(SAFE), noon)
    assert matchmaking.match_all(now=noon) == []


def test_the_balance_is_looked_at_again_when_the_match_is_made(
    people: People, house: House, noon: datetime
) -> None:
    users = people(5, 15_001)
    put_in_queue(users, house("qq.orchid"), noon)
    wallet.post(code="test", reference="spent", legs=[wallet.Leg(users[0].pk, -1), wallet.Leg("issuance", 1)])
    assert len(matchmaking.match_all(now=noon)) == 1
    assert QueueTicket.objects.get().refusal == "entry_limit"
    assert not Seat.objects.filter(user=users[0]).exists()


def test_whoever_sat_down_elsewhere_makes_room_for_the_next(
    people: People, house: House, noon: datetime
) -> None:
    users = people(5)
    put_in_queue(users, house(SAFE), noon)
    tier = house("qq.bamboo")
    elsewhere = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    tables.take_seat(user=users[0], table=elsewhere)
    (code,) = matchmaking.match_all(now=noon)
    assert set(Seat.objects.filter(table__code=code).values_list("user_id", flat=True)) == {
        u.pk for u in users[1:]
    }
    assert not QueueTicket.objects.exists()


def test_a_banned_person_is_not_matched(people: People, house: House, noon: datetime) -> None:
    users = people(4)
    put_in_queue(users, house(SAFE), noon)
    accounts.ban(user=users[1])
    assert matchmaking.match_all(now=noon) == []
    assert QueueTicket.objects.get(user=users[1]).refusal == "may_not_play"


def test_a_tier_that_closes_tells_those_who_wait(people: People, house: House, noon: datetime) -> None:
    put_in_queue(people(4), house(SAFE), noon)
    RoomTier.objects.filter(code=SAFE).update(is_open=False)
    assert matchmaking.match_all(now=noon) == []
    assert set(QueueTicket.objects.values_list("refusal", flat=True)) == {"tier_closed"}


def test_a_match_that_fails_leaves_everybody_where_he_was(
    people: People, house: House, noon: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("no table today")

    put_in_queue(people(4), house(SAFE), noon)
    monkeypatch.setattr(tables, "seat_group", broken)
    assert matchmaking.match_all(now=noon) == []
    assert (QueueTicket.objects.count(), Table.objects.count(), Seat.objects.count()) == (4, 0, 0)


def test_the_nonce_of_the_ticket_goes_into_the_draw(people: People, noon: datetime) -> None:
    for number, user in enumerate(people(4)):
        services.quick_match(user=user, tier_code=SAFE, nonce=f"0{number}", now=noon)
    opened = Table.objects.get().events.get(kind="deal_opened").body
    assert all(f'"0{number}"' in opened for number in range(4))


def test_the_sweep_matches_too(people: People, house: House) -> None:
    put_in_queue(people(4), house(SAFE), timezone.now())
    tasks.match()
    assert Seat.objects.count() == 4


def test_giving_up_waiting(people: People, noon: datetime) -> None:
    (user,) = people(1)
    join(user, noon)
    services.cancel(user=user)
    services.cancel(user=user)
    assert services.show_life(user=user) is None
