"""Preferences belong to the account and go with it to every browser."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from accounts import services
from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def ravi() -> User:
    return User.objects.create_user("Ravi", password="x")


def spoken(client: Client) -> str:
    return client.get("/accounts/login/" if "_auth_user_id" not in client.session else "/wallet/")[
        "Content-Language"
    ]


def test_the_page_speaks_the_language_of_the_account(client: Client, ravi: User) -> None:
    services.save_preferences(user=ravi, language="zh-hant")
    client.force_login(ravi)
    client.cookies["django_language"] = "zh-hans"
    assert spoken(client) == "zh-hant"


def test_an_account_without_a_language_leaves_it_to_the_browser(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    assert client.get("/wallet/", headers={"accept-language": "zh-hans"})["Content-Language"] == "zh-hans"


def test_the_switch_is_kept_in_the_browser_and_in_the_account(client: Client, ravi: User) -> None:
    answer = client.post("/language/", {"language": "zh-hans", "next": "/wallet/"})
    assert (answer.status_code, answer["Location"]) == (302, "/wallet/")
    assert spoken(client) == "zh-hans"
    client.force_login(ravi)
    client.post("/language/", {"language": "zh-hant"})
    ravi.refresh_from_db()
    assert ravi.language == "zh-hant"


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", ""]
)
def test_the_switch_leads_nowhere_else(client: Client, target: str) -> None:
    assert client.post("/language/", {"language": "en", "next": target})["Location"] == "/"


def test_a_language_that_is_not_ours_is_refused(client: Client) -> None:
    assert client.post("/language/", {"language": "xx"}).status_code == 400


def test_a_switch_on_a_page_changes_only_what_it_sends(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    assert client.post("/accounts/preferences/set/", {"theme": "dark", "sounds": "0"}).status_code == 204
    ravi.refresh_from_db()
    assert (ravi.theme, ravi.sounds, ravi.deck, ravi.hand_sort) == ("dark", False, "2", "rank")


def test_a_value_that_is_no_choice_is_refused(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    assert client.post("/accounts/preferences/set/", {"deck": "9"}).status_code == 400
    with pytest.raises(ValidationError):
        services.save_preferences(user=ravi, hand_sort="colour")
    ravi.refresh_from_db()
    assert (ravi.deck, ravi.hand_sort) == ("2", "rank")


def test_what_is_no_preference_cannot_be_set(ravi: User) -> None:
    with pytest.raises(TypeError):
        services.save_preferences(user=ravi, is_staff=True)  # type: ignore[call-arg]


def test_every_page_carries_the_choices_of_the_account(client: Client, ravi: User) -> None:
    services.save_preferences(user=ravi, theme="dark", deck="4", sounds=False, hand_sort="suit")
    assert b"data-account" not in client.get("/").content
    client.force_login(ravi)
    head = client.get("/wallet/").content.decode().split("<head>")[0]
    for choice in (
        "data-account",
        'data-theme="dark"',
        'data-deck="4"',
        'data-sound="off"',
        'data-order="suit"',
    ):
        assert choice in head


def test_the_preferences_page_keeps_what_is_chosen(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    chosen = {"language": "zh-hans", "theme": "light", "deck": "4", "hand_sort": "suit"}
    assert client.post("/accounts/preferences/", chosen)["Location"] == "/accounts/preferences/"
    ravi.refresh_from_db()
    assert {name: getattr(ravi, name) for name in chosen} == chosen
    assert ravi.sounds is False
    assert client.post("/accounts/preferences/", {**chosen, "deck": "9"}).status_code == 200


def sign_up(client: Client, **more: str) -> User:
    form = {"username": "Mei", "password1": "seven-red-lanterns", **more}
    assert client.post("/accounts/signup/", form).status_code == 302
    return User.objects.get(username="Mei")


def test_language_and_colours_chosen_before_signing_up_go_into_the_account(client: Client) -> None:
    client.post("/language/", {"language": "zh-hant"})
    assert b'name="theme"' in client.get("/accounts/signup/").content
    mei = sign_up(client, theme="dark")
    assert (mei.language, mei.theme) == ("zh-hant", "dark")
    page = client.get("/wallet/", headers={"accept-language": "en"})
    assert page["Content-Language"] == "zh-hant" and b'data-theme="dark"' in page.content


def test_who_chose_nothing_leaves_both_to_browser_and_system(client: Client) -> None:
    mei = sign_up(client, theme="")
    assert (mei.language, mei.theme) == ("", "")


def test_a_choice_that_is_none_is_not_taken_over(client: Client) -> None:
    client.cookies["django_language"] = "xx"
    mei = sign_up(client, theme="purple")
    assert (mei.language, mei.theme) == ("", "")
