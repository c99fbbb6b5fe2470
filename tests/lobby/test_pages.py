"""The pages: the lobby is open to all, wishes are carried to the services, and refusals come back in words."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from games import selectors as games
from lobby import matchmaking, services
from lobby.models import QueueTicket, RoomTier
from tests.lobby.conftest import People
from tests.staff import sign_in
from wallet import services as wallet

pytestmark = pytest.mark.django_db

House = Callable[[str], RoomTier]
SAFE = "classic.points-safe"


@pytest.fixture
def ravi(people: People, client: Client) -> User:
    (user,) = people(1)
    client.force_login(user)
    return user


def told(answer: object) -> list[str]:
    return [str(message) for message in answer.context["messages"]]  # type: ignore[attr-defined]


def tier_in(client: Client, code: str) -> dict[str, object]:
    rows = [tier for game in client.get("/").context["games"] for tier in game["tiers"]]
    return next(row for row in rows if row["code"] == code)


def test_everybody_may_look_into_the_lobby(client: Client, house: House) -> None:
    context = client.get("/").context
    assert [game["code"] for game in context["games"]][:2] == ["bigtwo.classic", "bigtwo.qq"]
    assert (context["balance"], context["seat"], context["ticket"]) == (None, None, None)


def test_a_tier_shows_what_it_is_played_for_and_who_is_there(
    client: Client, ravi: User, people: People
) -> None:
    for user in people(5):
        services.quick_match(user=user, tier_code="qq.bamboo")
    row = tier_in(client, "qq.bamboo")
    shown = {
        key: row[key]
        for key in ("base_stake", "cap", "entry", "fee", "currency", "seating", "players", "tables")
    }
    assert shown == {
        "base_stake": 10,
        "cap": 2_000,
        "entry": 3_000,
        "fee": {"kind": "flat", "value": 10},
        "currency": "coins",
        "seating": "pick",
        "players": 5,
        "tables": 2,
    }


def test_a_locked_tier_says_why(client: Client, ravi: User) -> None:
    assert tier_in(client, "qq.bamboo")["locked_reason"] is None
    assert tier_in(client, "qq.plum")["locked_reason"] == "entry_limit"
    RoomTier.objects.filter(code="qq.orchid").update(is_open=False)
    assert tier_in(client, "qq.orchid")["locked_reason"] == "closed"


def test_the_lobby_asks_the_database_little(
    client: Client, ravi: User, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    with django_assert_max_num_queries(17):  # type: ignore[attr-defined]
        client.get("/")


def test_quick_match_leads_to_the_table(client: Client, ravi: User) -> None:
    answer = client.post("/quick/", {"tier": "qq.bamboo", "nonce": "abc"})
    seat = games.seat_of(ravi)
    assert seat is not None
    assert answer["Location"] == f"/tables/{seat.table_code}/"
    assert client.get("/").context["seat"] == seat.table_code
    assert client.get("/resume/")["Location"] == f"/tables/{seat.table_code}/"


def test_somebody_signed_out_is_led_to_the_sign_up(client: Client, house: House) -> None:
    assert client.post("/quick/", {"tier": "qq.bamboo"})["Location"] == "/accounts/signup/"
    assert client.post("/tables/ABCDE/sit/", {"seat": "0"})["Location"] == "/accounts/signup/"
    assert client.get("/waiting/").status_code == 302


def test_a_refusal_comes_back_in_words_with_its_figure(client: Client, ravi: User) -> None:
    answer = client.post("/quick/", {"tier": "qq.plum"}, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    assert told(answer) == ["This room needs a balance of at least 150,001."]


def test_whoever_has_a_seat_is_led_to_it(client: Client, ravi: User) -> None:
    first = client.post("/quick/", {"tier": "qq.bamboo"})["Location"]
    assert client.post("/quick/", {"tier": "classic.points"})["Location"] == first
    assert client.post("/quick/", {"tier": SAFE})["Location"] == first


def test_waiting_is_polled_until_there_is_a_table(client: Client, ravi: User, people: People) -> None:
    assert client.post("/quick/", {"tier": SAFE})["Location"] == "/waiting/"
    page = client.get("/waiting/")
    assert (page.context["waiting"], page.context["seats"]) == (1, 4)
    assert client.get("/").context["ticket"] == SAFE
    for user in people(3):
        services.quick_match(user=user, tier_code=SAFE)
    seat = games.seat_of(ravi)
    assert seat is not None
    assert client.get("/waiting/")["Location"] == f"/tables/{seat.table_code}/"


def test_polling_is_a_sign_of_life(client: Client, ravi: User) -> None:
    client.post("/quick/", {"tier": SAFE})
    QueueTicket.objects.update(last_seen=timezone.now() - timedelta(seconds=29))
    client.get("/waiting/")
    matchmaking.match_all(now=timezone.now() + timedelta(seconds=20))
    assert QueueTicket.objects.exists()


def test_whoever_waits_in_vain_is_told(client: Client, ravi: User) -> None:
    client.post("/quick/", {"tier": SAFE})
    QueueTicket.objects.update(refusal="tier_closed")
    assert client.get("/waiting/")["Location"] == "/"
    assert told(client.get("/")) == ["This room is closed just now."]
    assert not QueueTicket.objects.exists()
    client.get("/waiting/")
    assert told(client.get("/")) == ["You are no longer waiting for a match. Join again when you are ready."]


def test_giving_up_leads_to_the_lobby(client: Client, ravi: User) -> None:
    client.post("/quick/", {"tier": SAFE})
    assert client.post("/waiting/cancel/")["Location"] == "/"
    assert not QueueTicket.objects.exists()


def test_the_tables_page_shows_free_chairs_and_lets_one_sit(
    client: Client, ravi: User, people: People
) -> None:
    (mei,) = people(1)
    found = services.quick_match(user=mei, tier_code="qq.bamboo")
    assert isinstance(found, services.Seated)
    tiers = {row["code"]: row for row in client.get("/tables/").context["tiers"]}
    assert SAFE not in tiers
    (table,) = tiers["qq.bamboo"]["open_tables"]
    assert table["seats"] == [(0, mei.username), (1, None), (2, None), (3, None)]
    sit = f"/tables/{found.table_code}/sit/"
    refused = client.post(sit, {"seat": "0"}, follow=True)
    assert told(refused) == ["Somebody was faster: this seat is taken."]
    assert client.post(sit, {"seat": "2"})["Location"] == f"/tables/{found.table_code}/"
    assert games.seat_of(ravi).seat == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("seat", ["9", "-1", "99999999999", "two", "²"])
def test_a_seat_that_is_none_does_no_harm(client: Client, ravi: User, people: People, seat: str) -> None:
    found = services.quick_match(user=people(1)[0], tier_code="qq.bamboo")
    assert isinstance(found, services.Seated)
    assert client.post(f"/tables/{found.table_code}/sit/", {"seat": seat}).status_code == 302


def test_wishes_take_a_post(client: Client, ravi: User) -> None:
    for path in ("/quick/", "/waiting/cancel/", "/tables/ABCDE/sit/"):
        assert client.get(path).status_code == 405


def test_the_statement_shows_lines_with_their_causes(client: Client, ravi: User) -> None:
    wallet.grant(user_id=ravi.pk, amount=7, reference=f"signup:{ravi.pk}")
    context = client.get("/wallet/").context
    newest = context["lines"][0]
    assert context["balance"] == wallet.Balance(10_007, 0)
    assert (newest["amount"], newest["running"], newest["code"]) == (7, 10_007, "grant")
    assert newest["link"] == f"/go/signup:{ravi.pk}"
    assert client.get(newest["link"])["Location"] == "/wallet/"
    assert context["lines"][1]["link"] is None


def test_the_statement_goes_on_from_line_to_line(client: Client, ravi: User) -> None:
    for number in range(70):
        wallet.grant(user_id=ravi.pk, amount=1, reference=f"coin:{number}")
    first = client.get("/wallet/").context
    second = client.get("/wallet/" + first["older"]).context
    assert second["older"] is None
    running = [line["running"] for line in first["lines"] + second["lines"]]
    assert running == [10_070 - n for n in range(71)]


def test_a_statement_is_its_owners(client: Client, ravi: User, people: People) -> None:
    people(1, 123)
    assert [line["amount"] for line in client.get("/wallet/").context["lines"]] == [10_000]
    client.logout()
    assert client.get("/wallet/").status_code == 302


@pytest.mark.parametrize("before", ["x", "-1", "1" * 40, "²"])
def test_a_key_that_is_none_is_not_found(client: Client, ravi: User, before: str) -> None:
    assert client.get("/wallet/", {"before": before}).status_code == 404


@pytest.mark.parametrize(
    "reference", ["deal:nowhere", "nothing", "https://elsewhere.example", "deal:../admin", "x:y"]
)
def test_a_reference_without_a_page_is_not_found(client: Client, ravi: User, reference: str) -> None:
    assert client.get(reverse("lobby:go", args=[reference])).status_code == 404


def test_a_line_of_a_deal_leads_to_its_deal_or_table(client: Client, people: People) -> None:
    users = people(4)
    for user in users:
        services.quick_match(user=user, tier_code=SAFE)
    client.force_login(users[0])
    seat = games.seat_of(users[0])
    assert seat is not None
    deal = games.table_by_code(seat.table_code).deals.get()  # type: ignore[union-attr]
    assert client.get(f"/go/deal:{deal.pk}")["Location"] in (
        f"/deals/{deal.pk}/",
        f"/tables/{seat.table_code}/",
    )


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_the_pages_speak_every_language(client: Client, ravi: User, language: str) -> None:
    client.cookies["django_language"] = language
    for path in ("/", "/tables/", "/wallet/", "/accounts/preferences/"):
        answer = client.get(path)
        assert (answer.status_code, answer["Content-Language"]) == (200, language)


def test_the_desk_changes_a_tier_and_is_told_what_makes_no_sense(client: Client, house: House) -> None:
    sign_in(User.objects.create_superuser("Chief", password="x"), client)
    tier = house("qq.bamboo")
    path = f"/admin/lobby/roomtier/{tier.pk}/change/"
    numbers = [
        "base_stake",
        "cap",
        "entry",
        "fee_value",
        "initial_multiplier",
        "turn_seconds",
        "start_seconds",
    ]
    given = ["name", "position", "currency", "fee_kind", "seating", *numbers]
    fields = {name: getattr(tier, name) for name in given} | {"is_open": "on", "spectators": "on"}
    assert client.get(path).status_code == 200
    refused = client.post(path, {**fields, "cap": 3_001})
    assert "entry" in refused.context["adminform"].form.errors
    assert client.post(path, {**fields, "entry": 4_000}).status_code == 302
    assert house("qq.bamboo").entry == 4_000
    assert client.post(f"/admin/lobby/roomtier/{tier.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/accounts/user/").status_code == 200
