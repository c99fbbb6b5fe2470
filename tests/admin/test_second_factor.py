"""The gate in front of the desk: nobody of the staff gets in by a password alone, superusers neither."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import second_factor
from accounts.models import User
from tests.admin.pages import registered, url
from tests.games.stories import make_user
from tests.staff import SECRET, code_now, give_authenticator, sign_in

PROVE, SET_UP = "/accounts/second-factor/", "/accounts/second-factor/set-up/"


@pytest.fixture(autouse=True)
def nobody_has_failed_yet() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture(params=["staff", "superuser"])
def member(request: Any, db: None) -> User:
    """Somebody of the staff."""
    if request.param == "superuser":
        return User.objects.create_superuser("Chief", password="a good one")
    return User.objects.create_user("Clerk", password="a good one", is_staff=True)


def browser_of(user: User) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def desk_pages() -> Iterator[str]:
    yield from (reverse("admin:index"), reverse("admin:password_change"))
    for model, _page in registered():
        yield from (url(model, "changelist"), url(model, "add"), url(model, "change", 1))


def test_no_page_of_the_desk_opens_before_the_second_factor_is_set_up(member: User) -> None:
    browser = browser_of(member)
    for page in desk_pages():
        for answer in (browser.get(page), browser.post(page)):
            assert (answer.status_code, answer["Location"].partition("?")[0]) == (302, SET_UP), page


def test_nor_before_it_was_passed_in_this_session(member: User) -> None:
    give_authenticator(member)
    browser = browser_of(member)
    for page in desk_pages():
        assert browser.get(page)["Location"].partition("?")[0] == PROVE, page
    assert sign_in(member).get("/admin/").status_code == 200


def test_the_first_log_in_sets_it_up_and_leads_on_to_the_desk(member: User) -> None:
    browser = Client()
    browser.post("/admin/login/?next=/admin/", {"username": member.username, "password": "a good one"})
    page = browser.get(browser.get("/admin/games/table/")["Location"])
    assert page.status_code == 200 and "data:image/svg+xml" in page.content.decode()
    secret = page.context["form"].secret
    wrong = browser.post(SET_UP, {"code": "000000", "next": "/admin/games/table/"})
    assert wrong.status_code == 200 and not second_factor.is_set_up(member)
    assert wrong.context["form"].secret == secret, "a mistyped code does not change the secret"
    right = browser.post(SET_UP, {"code": code_of(secret), "next": "/admin/"}, follow=True)
    codes = right.context["codes"]
    assert len(codes) == 10 and all(code in right.content.decode() for code in codes)
    assert browser.get("/admin/").status_code == 200


def code_of(secret: str) -> str:
    import time

    from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def test_a_code_opens_the_desk_once(member: User) -> None:
    give_authenticator(member)
    browser, thief = browser_of(member), browser_of(member)
    code = code_now()
    answer = browser.post(PROVE, {"code": code, "next": "/admin/games/deal/"})
    assert answer["Location"] == "/admin/games/deal/" and browser.get("/admin/").status_code == 200
    assert thief.post(PROVE, {"code": code}).status_code == 200, "seen over his shoulder"
    assert thief.get("/admin/").status_code == 302


def test_a_recovery_code_opens_it_once(member: User) -> None:
    browser = browser_of(member)
    page = browser.get(SET_UP)
    browser.post(SET_UP, {"code": code_of(page.context["form"].secret)})
    code = second_factor.recovery_codes(member)[0]
    for status in (302, 200):
        other = browser_of(member)
        assert other.post(PROVE, {"code": code}).status_code == status
        assert other.get("/admin/").status_code == (200 if status == 302 else 302)
    assert len(second_factor.recovery_codes(member)) == 9
    browser.post("/accounts/second-factor/codes/")
    assert (
        code not in second_factor.recovery_codes(member) and len(second_factor.recovery_codes(member)) == 10
    )


def test_who_guesses_is_stopped(member: User) -> None:
    give_authenticator(member)
    browser = browser_of(member)
    for _ in range(8):
        browser.post(PROVE, {"code": "000000"})
    assert "Too many" in browser.post(PROVE, {"code": code_now()}).content.decode()
    assert browser.get("/admin/").status_code == 302


def test_it_is_asked_anew_after_a_log_out_and_after_it_was_taken_away(member: User) -> None:
    browser = sign_in(member)
    assert browser.get("/admin/").status_code == 200
    call_command("reset_second_factor", member.username.upper())
    assert browser.get("/admin/")["Location"].partition("?")[0] == SET_UP
    with pytest.raises(CommandError, match="no second factor"):
        call_command("reset_second_factor", member.username)
    sign_in(member, browser)
    browser.post("/admin/logout/")
    browser.force_login(member)
    assert browser.get("/admin/")["Location"].partition("?")[0] == PROVE


def test_a_superuser_takes_it_from_who_has_lost_it_and_nobody_else_does(db: None) -> None:
    clerk = User.objects.create_user("Clerk", is_staff=True)
    chief = User.objects.create_superuser("Chief")
    give_authenticator(clerk)
    page = reverse("admin:accounts_user_take_second_factor", args=[clerk.pk])
    assert sign_in(clerk).post(page).status_code == 403
    assert sign_in(chief).get(page).status_code == 403
    assert "Take it away" in sign_in(chief).get(url(User, "change", clerk.pk)).content.decode()
    assert second_factor.is_set_up(clerk)
    assert sign_in(chief).post(page).status_code == 302
    assert (
        not second_factor.is_set_up(clerk) and LogEntry.objects.filter(object_id=str(clerk.pk)).count() == 1
    )


def test_who_has_one_passes_it_before_he_sets_up_another(member: User) -> None:
    give_authenticator(member)
    browser = browser_of(member)
    assert browser.get(SET_UP)["Location"].startswith(PROVE)
    assert browser.post(SET_UP, {"code": code_now()})["Location"].startswith(PROVE)
    assert browser.get("/accounts/second-factor/codes/")["Location"].startswith(PROVE)
    assert Authenticator.objects.filter(user=member).count() == 1


def test_a_players_mark_in_the_session_is_not_staffs(member: User) -> None:
    """What one account has passed is worth nothing to another in the same browser."""
    other = User.objects.create_user("Other", password="a good one", is_staff=True)
    give_authenticator(member)
    browser = sign_in(other)
    browser.force_login(member)
    assert browser.get("/admin/")["Location"].partition("?")[0] == PROVE


def test_players_have_no_such_pages(db: None) -> None:
    player = make_user("player")
    browser = browser_of(player)
    for page in (PROVE, SET_UP, "/accounts/second-factor/codes/"):
        assert browser.get(page).status_code == 404
        assert Client().get(page)["Location"].startswith("/accounts/login/")
    assert browser.get("/admin/")["Location"].startswith("/admin/login/")


def test_secrets_are_sealed_and_have_no_page(member: User) -> None:
    made = give_authenticator(member)
    assert SECRET not in str(made.data)
    assert Authenticator not in admin.site._registry
    assert not [name for name in ("mfa_index", "mfa_deactivate_totp") if is_there(name)]


def is_there(name: str) -> bool:
    from django.urls import NoReverseMatch

    try:
        reverse(name)
    except NoReverseMatch:
        return False
    return True


def test_where_somebody_wants_to_go_is_a_page_of_ours(member: User) -> None:
    give_authenticator(member)
    answer = browser_of(member).post(PROVE, {"code": code_now(), "next": "https://elsewhere.example/"})
    assert answer["Location"] == "/admin/"


def test_the_gate_is_open_only_where_the_setting_says_so(member: User, settings: Any) -> None:
    assert settings.STAFF_SECOND_FACTOR is True
    settings.STAFF_SECOND_FACTOR = False
    assert browser_of(member).get("/admin/").status_code == 200
    prod = (settings.BASE_DIR / "config" / "settings" / "prod.py").read_text()
    assert not re.search("SECOND_FACTOR", prod)
