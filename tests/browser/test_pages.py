"""The pages beside the table, without a browser: what they show to whom, and in which language."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.templatetags import house
from lobby.seeds import seed_tiers
from wallet import services as wallet

pytestmark = pytest.mark.django_db

INLINE = re.compile(rb"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", re.IGNORECASE)


@pytest.fixture(autouse=True)
def tiers() -> None:
    seed_tiers()


@pytest.fixture
def mei(client: Client) -> Client:
    user = User.objects.create_user("Mei", password="seven-red-lanterns")
    wallet.grant(user_id=user.pk, amount=10_000, reference=f"signup:{user.pk}", code="signup_grant")
    client.force_login(user)
    return client


@pytest.mark.parametrize("path", ["/", "/tables/", "/accounts/login/", "/accounts/signup/"])
def test_a_stranger_may_look_at_the_open_pages(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert not INLINE.search(answer.content)


@pytest.mark.parametrize(
    "path", ["/", "/tables/", "/wallet/", "/accounts/preferences/", "/accounts/password/change/"]
)
def test_no_page_has_a_script_or_style_of_its_own(mei: Client, path: str) -> None:
    answer = mei.get(path)
    assert answer.status_code == 200
    assert not INLINE.search(answer.content)
    assert "'unsafe" not in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("language", "title", "button"),
    [
        ("en", "Pull up a chair", "Quick match"),
        ("zh-hans", "请入座", "快速开始"),
        ("zh-hant", "請入座", "快速開始"),
    ],
)
def test_the_lobby_speaks_three_languages(client: Client, language: str, title: str, button: str) -> None:
    client.post(reverse("set_language"), {"language": language, "next": "/"})
    page = client.get("/").content.decode()
    assert title in page
    assert button in page


def test_a_tier_above_the_balance_says_what_it_needs_in_its_buttons_place(mei: Client) -> None:
    page = mei.get("/").content.decode()
    assert "needs 15,001" in page
    forms = re.findall(r"<form[^>]*>.*?</form>", page, re.DOTALL)
    hidden = {
        tier: " hidden" in form.split(">")[0]
        for form in forms
        for tier in re.findall(r'value="(qq\.\w+)"', form)
    }
    assert hidden["qq.plum"] and not hidden["qq.bamboo"]


def test_the_welcome_grant_is_a_line_of_the_statement(mei: Client) -> None:
    page = mei.get("/wallet/").content.decode()
    assert "Welcome grant" in page
    assert "+10,000" in page


def test_the_scripts_words_come_in_the_language_of_their_address(client: Client) -> None:
    assert rb"\u51fa\u724c" in client.get("/words/zh-hans.js").content
    assert client.get("/words/xx.js").status_code == 404


def test_a_table_that_is_not_there_is_a_page_of_the_house(mei: Client) -> None:
    answer = mei.get("/tables/ZZZZZ/")
    assert answer.status_code == 404
    assert "There is no such page" in answer.content.decode()


def test_figures_have_commas_signs_and_a_true_minus() -> None:
    assert house.figure(12480) == "12,480"
    assert house.figure(-90) == "−90"
    assert [house.signed(n) for n in (657, -1200, 0)] == ["+657", "−1,200", "0"]
    assert house.fee_text({"kind": "percent", "value": 5}) == "5 %"
