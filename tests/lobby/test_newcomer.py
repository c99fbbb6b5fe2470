"""A newcomer knows the front page only; what he presses there he gets once he has a name and a password."""

import re
import time
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from games import selectors as games
from games import tables
from games.table.commands import Stand
from lobby import services, wishes
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People

pytestmark = pytest.mark.django_db
House = Callable[[str], RoomTier]
PASSWORD = "plum blossom 7"
PRACTICE, PICK, SAFE = "classic.practice", "qq.bamboo", "classic.points-safe"


@pytest.fixture(autouse=True)
def no_earlier_attempts(house: House, settings: object) -> None:
    settings.SIGNUP_GRANT = 10_000  # type: ignore[attr-defined]
    cache.clear()


def fields(page: str, action: str, holding: str = "") -> dict[str, str]:
    """Return the fields of a form of a page, as a browser without scripts would send them."""
    forms = re.findall(rf'<form[^>]*action="{re.escape(action)}"[^>]*>(.*?)</form>', page, re.DOTALL)
    form = next(form for form in forms if holding in form)
    found = (re.search(r'name="(\w+)"', tag) for tag in re.findall(r"<input[^>]*>", form))
    values = (re.search(r'value="([^"]*)"', tag) for tag in re.findall(r"<input[^>]*>", form))
    return {name[1]: value[1] if value else "" for name, value in zip(found, values, strict=True) if name}


def sign_up(client: Client, name: str = "Mei") -> str:
    """Fill in the sign-up form; return where one ends up."""
    client.post("/accounts/signup/", {"username": name, "password1": PASSWORD})
    answer = client.get("/resume/")
    return str(answer["Location"])


def test_from_the_front_page_to_a_practice_deal_in_five_requests() -> None:
    client = Client(enforce_csrf_checks=True)
    front = client.get("/").content.decode()
    pressed = client.post("/quick/", fields(front, "/quick/", PRACTICE), follow=True)
    assert pressed.redirect_chain == [("/accounts/signup/", 302)]
    form = pressed.content.decode()
    assert "Then you sit down at Big Two, classic · Practice." in form
    filled = {**fields(form, "/accounts/signup/"), "username": "Mei", "password1": PASSWORD}
    answer = client.post("/accounts/signup/", filled, follow=True)
    seat = games.seat_of(User.objects.get(username="Mei"))
    assert seat is not None and seat.tier == PRACTICE
    assert answer.redirect_chain == [("/resume/", 302), (f"/tables/{seat.table_code}/", 302)]
    assert answer.status_code == 200
    deal = tables.state_of(seat.table_id).deal
    assert deal is not None and deal.deal.phase == "play"


def test_a_quick_button_leads_to_its_table_after_sign_up(client: Client) -> None:
    client.post("/quick/", {"tier": PICK})
    assert re.fullmatch(r"/tables/\w+/", sign_up(client))
    assert games.seat_of(User.objects.get()).tier == PICK  # type: ignore[union-attr]


def test_a_room_seated_by_match_leads_to_waiting(client: Client) -> None:
    client.post("/quick/", {"tier": SAFE})
    assert sign_up(client) == "/waiting/"
    assert QueueTicket.objects.get().tier.code == SAFE


def test_a_chair_picked_at_a_table_is_kept_too(client: Client, people: People) -> None:
    found = services.quick_match(user=people(1)[0], tier_code=PICK)
    assert isinstance(found, services.Seated)
    client.post(f"/tables/{found.table_code}/sit/", {"seat": "2"})
    assert sign_up(client) == f"/tables/{found.table_code}/"
    seat = games.seat_of(User.objects.get(username="Mei"))
    assert seat is not None and seat.seat == 2


def test_who_has_an_account_logs_in_and_is_led_there_as_well(client: Client, people: People) -> None:
    (ravi,) = people(1)
    ravi.set_password(PASSWORD)
    ravi.save()
    client.post("/quick/", {"tier": PRACTICE})
    answer = client.post("/accounts/login/", {"login": ravi.username, "password": PASSWORD}, follow=True)
    seat = games.seat_of(ravi)
    assert seat is not None
    assert answer.redirect_chain[-1] == (f"/tables/{seat.table_code}/", 302)


def test_a_wish_that_cannot_be_granted_is_answered_in_words(client: Client) -> None:
    client.post("/quick/", {"tier": "qq.plum"})
    assert sign_up(client) == "/"
    told = [str(message) for message in client.get("/").context["messages"]]
    assert "This room needs a balance of at least 150,001." in told


def test_a_wish_is_granted_once_and_the_last_one_counts(client: Client) -> None:
    client.post("/quick/", {"tier": SAFE})
    client.post("/quick/", {"tier": PICK})
    assert sign_up(client).startswith("/tables/")
    seat = games.seat_of(User.objects.get())
    assert seat is not None and seat.tier == PICK
    tables.perform(seat.table_id, Stand(seat.seat, None))
    assert client.get("/resume/")["Location"] == "/"


def test_an_old_wish_is_forgotten(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.post("/quick/", {"tier": PICK})
    later = time.time() + wishes.FRESH_S + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert sign_up(client) == "/"


@pytest.mark.parametrize("tier", ["", "nowhere.at-all", "x" * 5000])
def test_a_wish_for_nothing_of_ours_leads_to_the_lobby(client: Client, tier: str) -> None:
    assert client.post("/quick/", {"tier": tier})["Location"] == "/accounts/signup/"
    assert client.get("/accounts/signup/").status_code == 200
    assert sign_up(client) == "/"


def test_the_filled_button_of_a_newcomer_is_practice_or_the_cheapest_tier(client: Client) -> None:
    cheapest = {"doudizhu.mala": "mala.bamboo", "doudizhu.taiwan": "taiwan.30"}
    for path in ("/", "/"):
        for row in client.get(path).context["games"]:
            practice = next((tier["code"] for tier in row["tiers"] if tier["practice"]), None)
            assert row["suggested"] == (practice or cheapest[row["code"]])
        client.force_login(User.objects.get_or_create(username="Mei")[0])
