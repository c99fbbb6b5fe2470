"""The way back for who forgot his password: an address, confirmed, and a letter in the reader's language."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client

from accounts import selectors, services
from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD, NEW = "plum blossom 7", "seven red lanterns"
ADDRESS = "ravi@example.org"


@pytest.fixture(autouse=True)
def no_earlier_attempts() -> None:
    cache.clear()


@pytest.fixture
def ravi() -> User:
    return User.objects.create_user("Ravi", password=PASSWORD)


@pytest.fixture
def signed_in(ravi: User, client: Client) -> Client:
    """Signed in, and has said the password again."""
    client.post("/accounts/login/", {"login": "Ravi", "password": PASSWORD})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def link_in(letter: mail.EmailMessage) -> str:
    return re.search(r"http://testserver(/\S+)", str(letter.body))[1]  # type: ignore[index]


def confirm(user: User, address: str = ADDRESS) -> None:
    EmailAddress.objects.create(user=user, email=address, verified=True, primary=True)


def ask_for_reset(address: str = ADDRESS, client: Client | None = None) -> None:
    answer = (client or Client()).post("/accounts/password/reset/", {"email": address})
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/password/reset/done/")


def test_an_address_counts_once_its_owner_has_confirmed_it(signed_in: Client, ravi: User) -> None:
    signed_in.post("/accounts/email/", {"email": ADDRESS, "action_add": ""})
    assert mail.outbox[0].to == [ADDRESS]
    assert selectors.confirmed_email(ravi) is None
    link = link_in(mail.outbox[0])
    assert "Is ravi@example.org the address of Ravi?" in signed_in.get(link).content.decode()
    assert selectors.confirmed_email(ravi) is None
    signed_in.post(link)
    assert selectors.confirmed_email(ravi) == ADDRESS


def test_a_forgotten_password_is_set_anew_by_a_letter(ravi: User) -> None:
    confirm(ravi)
    ask_for_reset(ADDRESS.upper())
    client = Client()
    form = client.get(link_in(mail.outbox[0]), follow=True)
    client.post(form.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    ravi.refresh_from_db()
    assert ravi.check_password(NEW)
    assert "_auth_user_id" in client.session
    assert mail.outbox[1].subject == "Your password was changed"


def test_a_link_is_good_once(ravi: User) -> None:
    confirm(ravi)
    ask_for_reset()
    link = link_in(mail.outbox[0])
    client = Client()
    form = client.get(link, follow=True)
    client.post(form.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    page = Client().get(link, follow=True)
    assert "This link is too old, or it was used already." in page.content.decode()


def test_a_reset_closes_open_sockets(ravi: User) -> None:
    confirm(ravi)
    before = ravi.access_version
    ask_for_reset()
    client = Client()
    form = client.get(link_in(mail.outbox[0]), follow=True)
    client.post(form.request["PATH_INFO"], {"password1": NEW, "password2": NEW})
    ravi.refresh_from_db()
    assert ravi.access_version > before


def test_an_address_that_was_not_confirmed_gets_no_letter(ravi: User) -> None:
    EmailAddress.objects.create(user=ravi, email=ADDRESS, verified=False)
    User.objects.filter(pk=ravi.pk).update(email="desk@example.org")
    for address in (ADDRESS, "desk@example.org", "nobody@example.org"):
        ask_for_reset(address)
    assert mail.outbox == []


def test_a_banned_player_gets_no_letter(ravi: User) -> None:
    confirm(ravi)
    services.ban(user=ravi)
    ask_for_reset()
    assert mail.outbox == []


def test_nobody_is_flooded_with_letters(ravi: User) -> None:
    confirm(ravi)
    for _ in range(9):
        Client().post("/accounts/password/reset/", {"email": ADDRESS})
    assert len(mail.outbox) == 5


def test_a_new_address_replaces_the_old_one_and_the_old_one_is_told(signed_in: Client, ravi: User) -> None:
    confirm(ravi, "old@example.org")
    signed_in.post("/accounts/email/", {"email": ADDRESS, "action_add": ""})
    assert selectors.confirmed_email(ravi) == "old@example.org"
    signed_in.post(link_in(mail.outbox[0]))
    assert selectors.confirmed_email(ravi) == ADDRESS
    assert mail.outbox[-1].to == ["old@example.org"]
    assert ADDRESS in mail.outbox[-1].body


def test_an_address_that_is_removed_is_told(signed_in: Client, ravi: User) -> None:
    confirm(ravi)
    signed_in.post("/accounts/email/", {"email": ADDRESS, "action_remove": ""})
    assert selectors.confirmed_email(ravi) is None
    assert (mail.outbox[0].to, mail.outbox[0].subject) == ([ADDRESS], "Your mail address was removed")


def test_a_changed_password_is_told_and_leads_back_to_the_preferences(signed_in: Client, ravi: User) -> None:
    confirm(ravi)
    new = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert signed_in.post("/accounts/password/change/", new)["Location"] == "/accounts/preferences/"
    assert "Your password is changed." in signed_in.get("/accounts/preferences/").content.decode()
    assert mail.outbox[0].subject == "Your password was changed"


def test_an_address_is_changed_only_by_who_knows_the_password(client: Client, ravi: User) -> None:
    client.force_login(ravi)
    answer = client.post("/accounts/email/", {"email": ADDRESS, "action_add": ""})
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    assert client.post(answer["Location"], {"password": "a guess"}).status_code == 200
    assert mail.outbox == []
    client.post(answer["Location"], {"password": PASSWORD})
    assert mail.outbox[0].to == [ADDRESS]


@pytest.mark.parametrize(
    ("language", "subject"),
    [("en", "A new password for Paishe"), ("zh-hans", "重设牌舍密码"), ("zh-hant", "重設牌舍密碼")],
)
def test_a_letter_speaks_the_language_of_the_account(ravi: User, language: str, subject: str) -> None:
    confirm(ravi)
    services.save_preferences(user=ravi, language=language)
    ask_for_reset(client=Client(headers={"accept-language": "en"}))
    (letter,) = mail.outbox
    assert letter.subject == subject
    assert "Ravi" in letter.body
    assert "http://testserver/accounts/password/reset/key/" in letter.body
    assert "{" not in letter.body


def test_a_mail_server_that_is_down_breaks_no_page(ravi: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)
    confirm(ravi)
    ask_for_reset()


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
@pytest.mark.parametrize(
    "path",
    [
        "password/reset/",
        "password/reset/done/",
        "password/reset/key/1-nothing/",
        "confirm-email/nothing/",
        "login/",
        "signup/",
    ],
)
def test_the_pages_at_the_door_speak_every_language(client: Client, path: str, language: str) -> None:
    client.cookies["django_language"] = language
    answer = client.get(f"/accounts/{path}")
    assert (answer.status_code, answer["Content-Language"]) == (200, language)


def test_the_preferences_show_the_address_and_the_way_to_it(signed_in: Client, ravi: User) -> None:
    assert "Add address" in signed_in.get("/accounts/preferences/").content.decode()
    confirm(ravi)
    page = signed_in.get("/accounts/preferences/").content.decode()
    assert ADDRESS in page
    assert "Change address" in page
    assert signed_in.get("/accounts/email/").status_code == 200
