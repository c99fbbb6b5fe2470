"""In anti-cheat rooms two people of one network or device are never put at one table, and nobody waits in vain."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations

import pytest
from django.test import Client
from django.utils import timezone

from accounts import devices
from accounts.devices import Origin
from accounts.models import User
from games import selectors as games
from games.models import Seat, Table
from lobby import matchmaking, services
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from tests.threads import AtOnce

pytestmark = pytest.mark.django_db(transaction=True)

House = Callable[[str], RoomTier]
SAFE, OPEN = "classic.points-safe", "mala.bamboo"
PASSWORD = "Correct-horse-9"


def come_from(user: User, network: str, device: str = "") -> None:
    devices.note(user_id=user.pk, origin=Origin(network, device))


def put_in_queue(users: list[User], tier: RoomTier, now: datetime) -> None:
    """Give tickets without matching, as if all had come while the matcher was away."""
    for place, user in enumerate(users):
        moment = now + timedelta(milliseconds=place)
        QueueTicket.objects.create(user=user, tier=tier, created=moment, last_seen=moment)


def strangers_everywhere(tier: str = SAFE) -> bool:
    """Say whether nobody sits with somebody he shares a mark with."""
    return not any(
        devices.sharing(a, {b})
        for table in Table.objects.filter(tier=tier)
        for a, b in combinations(table.seats.values_list("user_id", flat=True), 2)
    )


def test_two_of_one_network_wait_for_another_company(people: People) -> None:
    users = people(5)
    for user, network in zip(users, ("home", "home", "a", "b", "c"), strict=True):
        come_from(user, network)
    for user in users[:4]:
        assert isinstance(services.quick_match(user=user, tier_code=SAFE), services.Waiting)
    assert isinstance(services.quick_match(user=users[4], tier_code=SAFE), services.Seated)
    assert QueueTicket.objects.get().user == users[1], "the first who came sits first"
    assert strangers_everywhere()


def test_two_of_one_device_too_whatever_their_networks(people: People) -> None:
    users = people(4)
    for place, user in enumerate(users):
        come_from(user, f"network {place}", "tablet" if place < 2 else f"phone {place}")
    for user in users:
        assert isinstance(services.quick_match(user=user, tier_code=SAFE), services.Waiting)
    assert not Table.objects.exists()


def test_who_was_at_a_network_some_days_ago_shares_it_still(people: People) -> None:
    users = people(4)
    for place, user in enumerate(users):
        come_from(user, f"network {place}")
    earlier = timezone.now() - timedelta(days=3)
    devices.note(user_id=users[0].pk, origin=Origin("network 3"), now=earlier)
    for user in users:
        assert isinstance(services.quick_match(user=user, tier_code=SAFE), services.Waiting)


def test_elsewhere_a_household_may_play_together(people: People) -> None:
    users = people(3)
    for user in users:
        come_from(user, "home")
    for user in users[:2]:
        services.quick_match(user=user, tier_code=OPEN)
    assert isinstance(services.quick_match(user=users[2], tier_code=OPEN), services.Seated)


def test_a_crowd_of_one_network_keeps_nobody_else_waiting(people: People, house: House) -> None:
    crowd, others = people(12), people(7)
    for user in crowd:
        come_from(user, "school")
    for place, user in enumerate(others):
        come_from(user, f"network {place}")
    put_in_queue([*crowd, *others], house(SAFE), timezone.now())
    assert len(matchmaking.match_all()) == 2
    waiting = set(QueueTicket.objects.values_list("user_id", flat=True))
    assert waiting == {user.pk for user in (*crowd[2:], others[6])}
    assert not QueueTicket.objects.exclude(refusal="").exists()
    assert strangers_everywhere()


def test_everybody_is_seated_once_there_is_company_for_him(people: People) -> None:
    """Twelve of one network: as others come by and by, the longest waiting is served each time."""
    crowd, others = people(4), people(12)
    for user in crowd:
        come_from(user, "home")
        services.quick_match(user=user, tier_code=SAFE)
    for place, user in enumerate(others):
        come_from(user, f"network {place}")
        services.quick_match(user=user, tier_code=SAFE)
        assert Seat.objects.filter(user__in=crowd).count() == (place + 1) // 3
    assert not QueueTicket.objects.exists() and strangers_everywhere()


@pytest.mark.parametrize("seed", range(3))
def test_fifty_who_join_at_once_meet_nobody_of_their_network(
    people: People, at_once: AtOnce, seed: int
) -> None:
    dice = random.Random(seed)
    users = people(50)
    for user in users:
        come_from(user, f"network {dice.randrange(12)}", f"device {dice.randrange(40)}")
    joins = [partial(services.quick_match, user=user, tier_code=SAFE) for user in users]
    results = at_once(*joins, *[matchmaking.match_all] * 4)
    assert all(isinstance(one, services.Seated | services.Waiting) for one in results[:50]), results
    matchmaking.match_all()
    sitting = list(Seat.objects.values_list("user_id", flat=True))
    assert len(sitting) == len(set(sitting)) and set(Counter(_tables()).values()) <= {4}
    assert len(sitting) + QueueTicket.objects.count() == 50
    assert strangers_everywhere()
    assert matchmaking.match_all() == [], "who still waits finds no company among those who wait"
    marks = devices.recent_marks(QueueTicket.objects.values_list("user_id", flat=True))
    assert not any(
        all(a.isdisjoint(b) for a, b in combinations(some, 2)) for some in combinations(marks.values(), 4)
    )


def test_the_seats_of_a_match_are_drawn(people: People) -> None:
    places = []
    for _ in range(6):
        users = people(4)
        for user in users:
            services.quick_match(user=user, tier_code=SAFE)
        places.append(tuple(games.seat_of(user).seat for user in users))  # type: ignore[union-attr]
    assert len(set(places)) > 1  # six times alike: once in eight million


# ---- through the doors


def browser(name: str, address: str) -> Client:
    """Sign somebody up from an address."""
    client = Client(REMOTE_ADDR=address)
    answer = client.post("/accounts/signup/", {"username": name, "password1": PASSWORD})
    assert answer.status_code == 302
    return client


def test_four_accounts_of_one_address_never_meet_and_strangers_do(house: House) -> None:
    alike = [browser(f"alike{n}", "203.0.113.5") for n in range(4)]
    for client in alike:
        assert client.post("/quick/", {"tier": SAFE}).headers["Location"] == "/waiting/"
    assert not Table.objects.exists()
    for n in range(3):
        browser(f"other{n}", f"198.51.100.{n}").post("/quick/", {"tier": SAFE})
    assert Table.objects.count() == 1 and strangers_everywhere()
    page = alike[3].get("/waiting/").content.decode()
    assert "share a network or a device" in page


def test_one_browser_that_signs_up_four_times_never_plays_with_itself(house: House) -> None:
    shared = Client()
    for n in range(4):
        shared.post(
            "/accounts/signup/", {"username": f"mask{n}", "password1": PASSWORD}, REMOTE_ADDR=f"10.0.0.{n}"
        )
        shared.post("/quick/", {"tier": SAFE}, REMOTE_ADDR=f"10.0.0.{n}")
        shared.post("/accounts/logout/", REMOTE_ADDR=f"10.0.0.{n}")
    assert QueueTicket.objects.count() == 4
    assert matchmaking.match_all() == [] and not Table.objects.exists()


def test_no_page_tells_who_sits_in_an_anti_cheat_room(people: People, client: Client) -> None:
    users = people(5)
    for user in users[:4]:
        services.quick_match(user=user, tier_code=SAFE)
    code = Table.objects.get().code
    for reader in users:
        client.force_login(reader)
        for path in ("/", "/tables/", f"/tables/{code}/"):
            page = client.get(path).content.decode()
            assert not [user for user in users[:4] if user != reader and user.username in page], path
            assert path.endswith(f"{code}/") or reader in users[:4] or code not in page


def _tables() -> list[int]:
    return list(Seat.objects.values_list("table_id", flat=True))
