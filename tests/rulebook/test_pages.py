"""The rule pages as a reader gets them: in his language, whoever he is, with nothing left untranslated."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from lobby.seeds import seed_tiers
from rulebook import texts
from rulebook.books import BOOKS
from tests.browser.test_pages import INLINE

pytestmark = pytest.mark.django_db

PATHS = ("/rules/", *(f"/rules/{code}/" for code in BOOKS))
# What stays Latin in a Chinese text: cards, seats, names of things that have no other name.
LATIN = re.compile(
    r"\b(?:Paishe|EN|English|[AJKQ]|[ABCD]|QQ|JavaScript|python|games|engine|verify|paishe|json|Mei)\b|[-.#]m\b"
)


@pytest.fixture(autouse=True)
def tiers() -> None:
    seed_tiers()


def page(client: Client, path: str, language: str) -> str:
    client.post(reverse("set_language"), {"language": language, "next": "/"})
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def words_of(html: str) -> str:
    """Return what of a page is read, aloud or by eye; not a game's name at home, nor the names of languages."""
    main = html[html.index("<main") : html.index("</main>")]
    main = re.sub(r'<span class="zh home".*?</span>|<form.*?</form>', "", main, flags=re.DOTALL)
    spoken = " ".join(re.findall(r'aria-label="([^"]*)"', main))
    return unescape(re.sub(r"<[^>]*>", " ", main)) + " " + unescape(spoken)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_a_stranger_and_a_player_may_read_every_page(client: Client, path: str, language: str) -> None:
    for user in (None, User.objects.create_user("Mei", password="seven-red-lanterns")):
        if user is not None:
            user.language = language
            user.save()
            client.force_login(user)
        html = page(client, path, language)
        assert not INLINE.search(html.encode())
        assert "{%" not in html and "{{" not in html and "&lt;" not in html


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
def test_a_chinese_page_has_no_english_left(client: Client, path: str, language: str) -> None:
    left = re.findall(r"[A-Za-z]{2,}", LATIN.sub(" ", words_of(page(client, path, language))))
    assert not left, left


@pytest.mark.parametrize("path", PATHS)
def test_both_scripts_are_kept_apart(client: Client, path: str) -> None:
    simplified = words_of(page(client, path, "zh-hans"))
    traditional = words_of(page(client, path, "zh-hant"))
    assert not set("這個張過還錢點數單對順後從開發給與農結賬樓鬥賠輪") & set(simplified)
    assert not set("这个张过还钱点数单对顺从开发给与农结斗赔轮") & set(traditional)


def test_an_unknown_game_has_no_page(client: Client) -> None:
    for code in ("bigtwo", "bigtwo.QQ", "chess", "..", "doudizhu.mala.1"):
        assert client.get(f"/rules/{code}/").status_code == 404


@pytest.mark.parametrize("code", list(BOOKS))
def test_the_contents_lead_to_every_part(client: Client, code: str) -> None:
    html = page(client, f"/rules/{code}/", "en")
    contents = html[html.index('<nav class="contents"') :]
    links = re.findall(r'href="#([\w-]+)"', contents[: contents.index("</nav>")])
    assert links == [*BOOKS[code].parts, "rooms"]
    for anchor in links:
        assert html.count(f'id="{anchor}"') == 1


def test_no_anchor_stands_twice(client: Client) -> None:
    for path in PATHS:
        ids = re.findall(r'\sid="([^"]+)"', page(client, path, "en"))
        assert len(ids) == len(set(ids)), path


def test_the_index_shows_every_game_and_the_rules_of_the_house(client: Client) -> None:
    html = page(client, "/rules/", "en")
    for code in BOOKS:
        assert reverse("rules_of", args=[code]) in html
    for anchor in texts.HOUSE_PARTS:
        assert f'id="{anchor}"' in html


def test_a_page_shows_the_rooms_as_they_are(client: Client) -> None:
    html = page(client, "/rules/bigtwo.qq/", "en")
    rooms = html[html.index('id="rooms"') :]
    assert "100,000" in rooms and "more than 150,000" in rooms


def test_a_reader_of_another_language_gets_english() -> None:
    with translation.override("de"):
        assert texts.language() == "en"


def test_the_rules_are_a_step_away_from_the_lobby(client: Client) -> None:
    stranger = client.get("/").content.decode()
    assert 'href="/rules/"' in stranger and 'href="/rules/bigtwo.qq/"' in stranger
    client.force_login(User.objects.create_user("Mei", password="seven-red-lanterns"))
    player = client.get("/").content.decode()
    assert player.count('href="/rules/"') == 2  # in the head, and in the bar of phones
    assert 'aria-current="page"' in client.get("/rules/doudizhu.mala/").content.decode()
