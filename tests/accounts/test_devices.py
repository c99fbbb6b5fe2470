"""Where people come from is kept as keyed marks: enough to tell two of one line apart from strangers, and no more."""

import hashlib
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import devices
from accounts.devices import COOKIE, Origin
from accounts.models import Device, User

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOME, MOBILE, CAFE = "203.0.113.77", "198.51.100.23", "2001:db8:5:6::1"
NAME, PASSWORD = "Ravi", "Correct-horse-9"


@pytest.fixture
def ravi() -> User:
    return User.objects.create_user(NAME, password=PASSWORD)


@pytest.fixture
def mei() -> User:
    return User.objects.create_user("Mei", password=PASSWORD)


def seen(user: User, network: str = "", device: str = "", days_ago: float = 0) -> None:
    moment = timezone.now() - timedelta(days=days_ago)
    devices.note(user_id=user.pk, origin=Origin(network, device), now=moment)


# ---- whose address it is


@pytest.mark.parametrize(
    ("address", "network"),
    [
        (HOME, HOME),
        ("::ffff:203.0.113.77", HOME),
        ("2001:db8:5:6:1:2:3:4", "2001:db8:5:6::/64"),
        ("2001:DB8:5:6::99", "2001:db8:5:6::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("unix:", ""),
        ("203.0.113.777", ""),
    ],
)
def test_a_network_is_an_ipv4_address_or_the_64_bits_of_an_ipv6_one(address: str, network: str) -> None:
    assert devices.network_of(address) == network


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, f"{HOME}, {MOBILE}", CAFE),  # whoever says so himself is not believed
        (1, f"{HOME}, {MOBILE}", MOBILE),
        (2, f"{HOME}, {MOBILE}", HOME),
        (1, "", CAFE),
        (2, HOME, CAFE),
    ],
)
def test_an_address_is_what_our_own_outermost_proxy_saw(
    settings: Any, proxies: int, forwarded: str, address: str
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    assert devices.client_address(CAFE, forwarded) == address


def test_a_cookie_that_is_not_ours_names_no_device() -> None:
    cookie = devices.signed("one")
    assert devices.named(cookie) == "one"
    for forged in ("", "one", "two:" + cookie.split(":")[1], cookie + "x"):
        assert devices.named(forged) == ""


# ---- marks


def test_a_mark_is_neither_the_address_nor_its_hash(ravi: User, settings: Any) -> None:
    seen(ravi, HOME)
    (mark,) = Device.objects.values_list("mark", flat=True)
    plain = (hashlib.sha256(HOME.encode()), hashlib.md5(HOME.encode()))
    assert mark not in {HOME, *(digest.hexdigest() for digest in plain)}
    settings.DEVICE_SECRETS = ["another secret"]
    assert mark not in dict(devices.marks(Origin(HOME))).values()


def test_a_network_and_a_device_of_one_name_have_different_marks() -> None:
    network, device = (mark for _, mark in devices.marks(Origin("same", "same")))
    assert network != device


def test_two_of_one_network_or_one_device_share_and_others_do_not(ravi: User, mei: User) -> None:
    ann, bo = (User.objects.create_user(name) for name in ("Ann", "Bo"))
    seen(ravi, HOME, "phone")
    seen(mei, HOME, "tablet")
    seen(ann, MOBILE, "phone")
    seen(bo, MOBILE, "watch")
    others = {mei.pk, ann.pk, bo.pk}
    assert devices.sharing(ravi.pk, others) == {mei.pk, ann.pk}
    assert devices.sharing(ravi.pk, {bo.pk}) == devices.sharing(ravi.pk, set()) == set()


def test_what_was_shared_long_ago_counts_no_more_and_is_deleted(ravi: User, mei: User, settings: Any) -> None:
    seen(ravi, HOME, days_ago=settings.DEVICE_DAYS + 1)
    seen(mei, HOME)
    assert devices.sharing(ravi.pk, {mei.pk}) == set()
    assert devices.forget_old() == 1
    assert Device.objects.get().user == mei


def test_a_secret_can_be_replaced_without_losing_sight_of_anybody(
    ravi: User, mei: User, settings: Any
) -> None:
    settings.DEVICE_SECRETS = ["old"]
    seen(ravi, HOME)
    settings.DEVICE_SECRETS = ["new", "old"]
    seen(mei, HOME)
    assert devices.sharing(ravi.pk, {mei.pk}) == {mei.pk}
    seen(ravi, HOME)
    settings.DEVICE_SECRETS = ["old"]
    Device.objects.filter(mark__in=[mark for _, mark in devices.marks(Origin(HOME))]).delete()
    settings.DEVICE_SECRETS = ["new"]
    assert devices.sharing(ravi.pk, {mei.pk}) == {mei.pk}


def test_a_line_is_written_down_once_an_hour(ravi: User) -> None:
    now = timezone.now()
    for minutes in (0, 1, 59):
        devices.note(user_id=ravi.pk, origin=Origin(HOME), now=now + timedelta(minutes=minutes))
    row = Device.objects.get()
    assert row.first_seen == row.last_seen == now
    devices.note(user_id=ravi.pk, origin=Origin(HOME), now=now + timedelta(minutes=61))
    row.refresh_from_db()
    assert (row.first_seen, row.last_seen) == (now, now + timedelta(minutes=61))


def test_evidence_has_marks_of_each_and_says_when(ravi: User, mei: User) -> None:
    seen(ravi, HOME, "phone")
    found = devices.marks_of([ravi.pk, mei.pk])
    assert [mark["kind"] for mark in found[ravi.pk]] == ["network", "device"] and found[mei.pk] == []
    assert HOME not in json.dumps(found) and "phone" not in json.dumps(found)


# ---- when it is written


def sign_up(client: Client, address: str) -> User:
    answer = client.post("/accounts/signup/", {"username": NAME, "password1": PASSWORD}, REMOTE_ADDR=address)
    assert answer.status_code == 302
    return User.objects.get(username=NAME)


def test_signing_up_names_the_browser_and_notes_where_it_is(client: Client) -> None:
    user = sign_up(client, HOME)
    cookie = client.cookies[COOKIE]
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["max-age"] == devices.COOKIE_S
    expected = set(devices.marks(Origin(HOME, devices.named(cookie.value))))
    assert set(Device.objects.filter(user=user).values_list("kind", "mark")) == expected


def test_signing_in_on_the_same_device_tells_two_people_of_one_browser(client: Client, mei: User) -> None:
    user = sign_up(client, HOME)
    name = client.cookies[COOKIE].value
    client.post("/accounts/logout/")
    client.post("/accounts/login/", {"login": "Mei", "password": PASSWORD}, REMOTE_ADDR=MOBILE)
    assert client.cookies[COOKIE].value == name
    assert devices.sharing(user.pk, {mei.pk}) == {mei.pk}


def test_whoever_does_something_is_noted_and_who_only_reads_is_not(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    client.get("/preferences/", REMOTE_ADDR=HOME)
    assert not Device.objects.exists() and COOKIE in client.cookies
    client.post("/waiting/cancel/", REMOTE_ADDR=MOBILE)
    kinds = list(Device.objects.filter(user=ravi).values_list("kind", flat=True))
    assert sorted(kinds) == ["device", "network"]


def test_pages_that_caches_keep_name_no_browser(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    client.get("/words/en.js")
    assert COOKIE not in client.cookies
    client.logout()
    client.get("/")
    assert COOKIE not in client.cookies


# ---- what is not kept


@pytest.fixture
def everything_said(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> Iterator[Any]:
    yield lambda: caplog.text + "".join(capfd.readouterr())


def test_no_address_is_in_any_row_or_line_of_the_log(client: Client, everything_said: Any) -> None:
    user = sign_up(client, HOME)
    client.post("/accounts/logout/", REMOTE_ADDR=HOME)
    client.post("/accounts/login/", {"login": NAME, "password": "wrong"}, REMOTE_ADDR=HOME)
    client.post("/accounts/login/", {"login": NAME, "password": PASSWORD}, REMOTE_ADDR=HOME)
    client.post("/quick/", {"tier": "nowhere"}, REMOTE_ADDR=HOME)
    assert Device.objects.filter(user=user).exists()
    assert HOME not in everything_said()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            assert HOME not in repr(cursor.fetchall()), table
