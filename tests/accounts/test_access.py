"""`access_version` closes open sockets: it rises with a log-out, a new password and a ban, and never falls."""

import pytest
from django.test import Client

from accounts import selectors, services
from accounts.models import User

pytestmark = pytest.mark.django_db


def version(user: User) -> int:
    return selectors.access([user.pk])[user.pk].version


@pytest.fixture
def ravi() -> User:
    return User.objects.create_user("Ravi", password="a good password")


def test_a_log_out_raises_it(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    before = version(ravi)
    client.post("/accounts/logout/")
    assert version(ravi) == before + 1


def test_a_new_password_raises_it_and_ends_other_sessions(client: Client, ravi: User) -> None:
    other = Client()
    for browser in (client, other):
        browser.force_login(ravi)
    before = version(ravi)
    answer = client.post(
        "/accounts/password/change/",
        {"oldpassword": "a good password", "password1": "Another g00d one", "password2": "Another g00d one"},
    )
    assert answer.status_code == 302
    assert version(ravi) > before
    assert client.get("/wallet/").status_code == 200
    assert other.get("/wallet/").status_code == 302


def test_a_stronger_hash_of_the_same_password_does_not(ravi: User, settings: object) -> None:
    settings.PASSWORD_HASHERS = [  # type: ignore[attr-defined]
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    user = User.objects.get(pk=ravi.pk)
    before = version(ravi)
    assert user.check_password("a good password")
    assert User.objects.get(pk=ravi.pk).password.startswith("scrypt")
    assert version(ravi) == before


def test_a_ban_raises_it_and_takes_the_right_to_play(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    before = version(ravi)
    services.ban(user=ravi)
    assert selectors.access([ravi.pk])[ravi.pk] == (before + 1, False)
    assert client.get("/wallet/").status_code == 302
    services.lift_ban(user=ravi)
    assert selectors.access([ravi.pk])[ravi.pk].may_play


def test_a_ban_at_the_desk_raises_it_too(ravi: User) -> None:
    user = User.objects.get(pk=ravi.pk)
    before = version(ravi)
    user.is_active = False
    user.save()
    assert version(ravi) == before + 1


def test_saving_a_person_read_before_does_not_take_it_back(ravi: User) -> None:
    early = User.objects.get(pk=ravi.pk)
    services.close_access(user_id=ravi.pk)
    services.close_access(user_id=ravi.pk)
    early.theme = "dark"
    early.save()
    assert version(ravi) == 2


def test_access_of_many_is_one_query(ravi: User, django_assert_num_queries: object) -> None:
    mei = User.objects.create_user("Mei")
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = selectors.access([ravi.pk, mei.pk, 10**9])
    assert found == {ravi.pk: (0, True), mei.pk: (0, True)}
