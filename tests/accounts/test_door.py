"""Signing up, logging in and out, by the pages."""

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "plum blossom 7"


@pytest.fixture(autouse=True)
def no_earlier_attempts() -> None:
    cache.clear()


def sign_up(client: Client, name: str) -> int:
    return client.post("/accounts/signup/", {"username": name, "password1": PASSWORD}).status_code


def log_in(client: Client, name: str, password: str = PASSWORD, **more: str) -> bool:
    client.post("/accounts/login/", {"login": name, "password": password}, **more)  # type: ignore[arg-type]
    return "_auth_user_id" in client.session


def test_a_name_and_a_password_make_an_account_and_sign_in(client: Client) -> None:
    assert sign_up(client, " Ｒａｖｉ ") == 302
    user = User.objects.get()
    assert user.username == "Ravi"
    assert client.session["_auth_user_id"] == str(user.pk)


@pytest.mark.parametrize("name", ["R", "Ra\u200bvi", "x" * 25, "ravi"])
def test_a_bad_or_taken_name_is_refused_with_a_word(client: Client, name: str) -> None:
    User.objects.create_user("Ravi")
    answer = client.post("/accounts/signup/", {"username": name, "password1": PASSWORD})
    assert answer.status_code == 200
    assert answer.context["form"].errors["username"]
    assert User.objects.count() == 1


def test_of_two_who_ask_for_one_name_at_once_the_later_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.create_user("Ravi")
    answers = iter([False, True])
    monkeypatch.setattr("accounts.selectors.is_name_taken", lambda name: next(answers))
    answer = client.post("/accounts/signup/", {"username": "RAVI", "password1": PASSWORD}, follow=True)
    assert answer.redirect_chain == [("/accounts/signup/", 302)]
    assert [str(message) for message in answer.context["messages"]] == ["This name is taken."]
    assert User.objects.count() == 1


@pytest.mark.parametrize("typed", ["Élodie", "ÉLODIE", "élodie", "Ｅ\u0301lodie"])
def test_one_logs_in_however_the_name_is_typed(client: Client, typed: str) -> None:
    User.objects.create_user("Élodie", password=PASSWORD)
    assert log_in(client, typed)


def test_a_banned_account_does_not_get_in(client: Client) -> None:
    User.objects.create_user("Ravi", password=PASSWORD, is_active=False)
    assert not log_in(client, "Ravi")


def test_a_strangers_failures_do_not_lock_the_owner_out(client: Client) -> None:
    User.objects.create_user("Ravi", password=PASSWORD)
    for attempt in range(20):
        assert not log_in(Client(), "ravi" if attempt % 2 else "RAVI", "guess", REMOTE_ADDR="192.0.2.66")
    assert not log_in(Client(), "Ravi", REMOTE_ADDR="192.0.2.66"), "the guesser has to wait"
    assert log_in(client, "Ravi", REMOTE_ADDR="198.51.100.7")


def test_many_people_may_log_in_from_one_house(client: Client) -> None:
    for number in range(50):
        User.objects.create_user(f"player {number}", password=PASSWORD)
        assert log_in(Client(), f"player {number}")


def test_logging_in_leads_to_the_seat_or_the_lobby(client: Client) -> None:
    User.objects.create_user("Ravi", password=PASSWORD)
    answer = client.post("/accounts/login/", {"login": "Ravi", "password": PASSWORD}, follow=True)
    assert answer.redirect_chain == [("/resume/", 302), ("/", 302)]


def test_logging_out_takes_a_post(client: Client) -> None:
    client.force_login(User.objects.create_user("Ravi"))
    client.get("/accounts/logout/")
    assert "_auth_user_id" in client.session
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session


def test_signing_up_takes_two_fields_and_says_what_they_may_be(client: Client) -> None:
    page = client.get("/accounts/signup/")
    assert [field.name for field in page.context["form"].visible_fields()] == ["username", "password1"]
    assert "At least 8 characters" in page.content.decode()


@pytest.mark.parametrize("password", ["short", "password", "12345678"])
def test_a_weak_password_is_refused_with_a_word(client: Client, password: str) -> None:
    answer = client.post("/accounts/signup/", {"username": "Ravi", "password1": password})
    assert answer.context["form"].errors["password1"]
    assert not User.objects.exists()
