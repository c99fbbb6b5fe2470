"""Attacks on complaints: what is another's, what was forged, and whatever a stranger sends."""

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from games.complaints import deciding, filing, notices, urls
from games.complaints.errors import Refused
from games.complaints.models import Appeal, Case, Complaint, Evidence, Kind, Notice, OpenComplaint, Question
from games.models import Deal
from lobby import relief, seeds
from tests.games.stories import make_user
from wallet import audit
from wallet import services as wallet
from wallet.models import Transaction

pytestmark = pytest.mark.both_databases

WHAT = "Wen passed twice on small pairs with Shu leading."
CHANCE = random.Random(11)


@pytest.fixture
def browse() -> Callable[[Any], Client]:
    def open_browser(user: Any) -> Client:
        client = Client(raise_request_exception=False)
        client.force_login(user)
        return client

    return open_browser


@pytest.fixture
def unmoved() -> Callable[[], tuple[Any, ...]]:
    """Take a picture of everything that a request may not have changed."""

    def picture() -> tuple[Any, ...]:
        rows = (Complaint, Case, Evidence, OpenComplaint, Question, Appeal, Transaction)
        read = Notice.objects.filter(read__isnull=False).count()
        states = (*Case.objects.order_by("pk").values_list("status", flat=True),)
        return (*(model.objects.count() for model in rows), read, Notice.objects.count(), states)

    return picture


def form(at: Any, **changes: Any) -> dict[str, Any]:
    return {
        "deal": at.deals[0].pk,
        "kind": "collusion",
        "deals": [at.deals[0].pk],
        "accused": [at.people[0].pk, at.people[1].pk],
        "text": WHAT,
        **changes,
    }


# --- what is another's ---


def test_what_is_anothers_is_not_there(room: Any, browse: Any, unmoved: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    deciding.take_up(staff=at.staff[0], case_id=made.case_id)
    asked = deciding.ask(
        staff=at.staff[0], case_id=made.case_id, user_id=at.people[0].pk, text="Why the pass?"
    )
    stranger = make_user("stranger", 10_000)
    before = unmoved()
    for user in (stranger, at.people[1], at.staff[1]):
        client = browse(user)
        case = f"/complaints/{made.case_id}/"
        assert client.get(case).status_code == 404
        assert client.get(f"/complaints/new/?deal={at.deals[0].pk}").status_code == (
            200 if user == at.people[1] else 404
        )
        assert client.post(f"/complaints/{made.pk}/withdraw/").status_code == 404
        assert client.post(f"/complaints/questions/{asked.pk}/answer/", {"text": "No."}).status_code == 404
        assert client.get(f"/go/{made.reference}").status_code == 404
        assert client.post(f"{case}read/").status_code == 204, "his own notices, of which there are none"
    assert browse(stranger).post(f"/complaints/{made.case_id}/appeal/", {"text": WHAT}).status_code == 404
    assert unmoved() == before


def test_one_complainant_reaches_nothing_of_another(room: Any, browse: Any, unmoved: Any) -> None:
    at = room("bigtwo.qq")
    mine, other = at.file(2, [0, 1]), at.file(3, [0, 1])
    before = unmoved()
    client = browse(at.people[2])
    assert client.post(f"/complaints/{other.pk}/withdraw/").status_code == 404
    page = client.get(f"/complaints/{mine.case_id}/").content.decode()
    assert at.people[3].username not in page
    assert f"/complaints/{other.pk}/withdraw/" not in page
    assert unmoved() == before


def test_nobody_appeals_a_case_he_has_no_part_in(room: Any, browse: Any) -> None:
    at = room("bigtwo.qq")
    case = at.file(2, [0], "coaching").case
    at.decide(case, at.rejection())
    for user in (at.people[1], at.people[3], at.staff[2]):
        answer = browse(user).post(f"/complaints/{case.pk}/appeal/", {"text": "I do not like it."})
        assert answer.status_code == 404
    assert Appeal.objects.count() == 0


def test_players_reach_no_page_of_the_staff(room: Any, browse: Any) -> None:
    at = room()
    at.file(2, [0, 1])
    client = browse(at.people[2])
    for path in ("/admin/", "/admin/complaints/", "/admin/complaints/case/"):
        assert client.get(path).status_code in (302, 403, 404)


# --- what was forged ---


def test_forged_fields_file_nothing_and_move_nothing(room: Any, browse: Any, unmoved: Any) -> None:
    at = room(deals=2)
    other = room()
    stranger = make_user("stranger", 10_000)
    at.at.start()
    live = Deal.objects.get(table=at.at.table, closed_seq=None)
    theirs = other.deals[0].pk
    mine = at.deals[0].pk
    people = [user.pk for user in at.people]
    forged: list[dict[str, Any]] = [
        {"kind": "cheating"},
        {"kind": ""},
        {"kind": "collusion\0"},
        {"deals": [theirs]},
        {"deals": [mine, theirs]},
        {"deals": [live.pk]},
        {"deals": [mine, live.pk]},
        {"deals": ["no-such-deal"]},
        {"deals": ["\0"]},
        {"deals": [f"{n}" for n in range(11)]},
        {"deals": [mine + "\0"]},
        {"deals": ["'; DROP TABLE games_deal; --"]},
        {"kind": "reveal", "accused": people[:1], "deals": [deal.pk for deal in at.deals]},
        {"accused": [people[0], stranger.pk]},
        {"accused": [people[0], people[2]]},
        {"accused": [people[0], people[0]]},
        {"accused": people},
        {"accused": ["0", "-1"]},
        {"accused": ["9" * 40, people[0]]},
        {"accused": ["\0", "１"]},
        {"text": "x" * 2_001},
        {"text": "y" * 200_000},
        {"text": "\0" * 40},
        {"text": "was it\0 so or so"},
        {"text": " \n\t \r\n         "},
        {"text": ""},
    ]
    client, before = browse(at.people[2]), (unmoved(), at.coins())
    for changes in forged:
        answer = client.post("/complaints/new/", form(at, **changes))
        assert answer.status_code == 400, changes
        assert b'role="alert"' in answer.content, changes
        assert (unmoved(), at.coins()) == before, changes
    for deal in (theirs, live.pk, "no-such-deal", "\0", ""):
        assert client.post("/complaints/new/", form(at, deal=deal)).status_code == 404, deal
    assert (unmoved(), at.coins()) == before
    at.at.play_out()


def test_the_fee_is_the_houses_to_set(room: Any, browse: Any) -> None:
    at = room()
    before = at.coins()[2]
    forged = form(
        at, fee="0", amount="-5000", complainant=at.people[0].pk, user=at.people[0].pk, status="upheld"
    )
    assert browse(at.people[2]).post("/complaints/new/", forged).status_code == 302
    made = Complaint.objects.get()
    assert (made.fee, made.complainant, made.status) == (300, at.people[2], "open")
    assert at.coins()[2] == before - 300


def test_eleven_deals_are_too_many(room: Any, browse: Any) -> None:
    at = room(deals=11, coins=100_000)
    deals = [deal.pk for deal in at.deals]
    client = browse(at.people[2])
    answer = client.post("/complaints/new/", form(at, deals=deals, kind="spoiling"))
    assert answer.status_code == 400 and b"at most 10" in answer.content
    assert client.post("/complaints/new/", form(at, deals=deals[:10], kind="spoiling")).status_code == 302


def test_what_is_told_is_shown_as_text(room: Any, browse: Any) -> None:
    at = room()
    evil = '<script>alert(1)</script>{% load x %}" onfocus="x'
    browse(at.people[2]).post("/complaints/new/", form(at, text=evil))
    case = Case.objects.get()
    page = browse(at.people[2]).get(f"/complaints/{case.pk}/").content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    refused = browse(at.people[2]).post("/complaints/new/", form(at, text=evil, accused=[]))
    assert b"<script>alert" not in refused.content


def test_odd_addresses_are_not_found(room: Any, browse: Any) -> None:
    at = room()
    client = browse(at.people[2])
    for path in (
        f"/complaints/{10**30}/",
        "/complaints/0/",
        "/complaints/-1/",
        "/complaints/1%00/",
        "/complaints/new/?deal=%00",
        "/complaints/new/?deal=" + "a" * 300,
        "/go/verdict:1",
        "/go/verdict:" + "9" * 40,
        "/go/complaint:%00",
        "/go/complaint:１",
    ):
        assert client.get(path).status_code == 404, path
    for path in (f"/complaints/{10**30}/withdraw/", f"/complaints/questions/{10**30}/answer/"):
        assert client.post(path, {"text": WHAT}).status_code == 404, path
    assert client.post(f"/complaints/{10**30}/appeal/", {"text": WHAT}).status_code == 404


# --- GET, CSRF, signed out ---


def every_address(case: int, complaint: int, question: int) -> list[str]:
    return [
        f"/complaints/{case}/",
        "/complaints/",
        "/complaints/new/",
        "/complaints/read/",
        f"/complaints/{case}/read/",
        f"/complaints/{case}/appeal/",
        f"/complaints/{complaint}/withdraw/",
        f"/complaints/questions/{question}/answer/",
        "/wallet/relief/",
    ]


def test_every_address_is_attacked() -> None:
    assert len(urls.urlpatterns) == len(every_address(1, 1, 1)) - 1, "relief apart"


def test_no_get_changes_anything(room: Any, browse: Any, unmoved: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    verdict = at.decide(made.case, at.form([0, 1]))
    asked = Question.objects.create(case=made.case, to=at.people[2], by=at.staff[0], text="And?")
    before = (unmoved(), at.coins())
    for user in at.people:
        client = browse(user)
        for path in every_address(made.case_id, made.pk, asked.pk):
            for method in (client.get, client.head, client.options, client.put, client.delete):
                assert method(path).status_code < 500
        client.get(f"/complaints/new/?deal={at.deals[0].pk}")
        client.get(f"/go/{verdict.reference}", follow=True)
    assert (unmoved(), at.coins()) == before
    assert notices.unread(at.people[2].pk) == 3


def test_without_a_token_nothing_is_done(room: Any, unmoved: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    client = Client(enforce_csrf_checks=True)
    client.force_login(at.people[2])
    before = unmoved()
    for path in every_address(made.case_id, made.pk, 1)[2:]:
        assert client.post(path, form(at)).status_code == 403, path
    assert unmoved() == before


def test_who_is_signed_out_is_led_to_the_door(room: Any, unmoved: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    before = unmoved()
    client = Client()
    for path in every_address(made.case_id, made.pk, 1):
        for answer in (client.get(path), client.post(path, form(at))):
            assert answer.status_code in (302, 405), path
            assert answer.status_code == 405 or "/accounts/login/" in answer.headers["Location"]
    assert unmoved() == before


# --- many at once ---


def at_once(count: int, act: Callable[[], None]) -> None:
    start = threading.Barrier(count, timeout=60)

    def run() -> None:
        try:
            start.wait()
            act()
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_fifty_clicks_on_relief_give_it_once(room: Any) -> None:
    seeds.seed_tiers()
    user = room().people[0]
    has = wallet.balance(user.pk).total
    wallet.post(
        code="test", reference="spent", legs=[wallet.Leg(user.pk, -has), wallet.Leg("house:relief", has)]
    )
    given: list[int] = []
    refused: list[str] = []

    def click() -> None:
        try:
            given.append(relief.give(user.pk))
        except relief.ReliefRefused as error:
            refused.append(error.code)

    at_once(50, click)
    assert given == [1_000]
    assert refused == ["relief_not_poor"] * 49
    assert wallet.balance(user.pk).total == 1_000


def test_appeals_from_both_sides_at_once_are_one(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    users = list(at.people)
    codes: list[str] = []

    def click() -> None:
        try:
            filing.appeal(user=users.pop(), case_id=case.pk, text="Look at it again.")
            codes.append("taken")
        except Refused as error:
            codes.append(error.code)

    at_once(3, click)
    assert sorted(codes) == ["already_appealed", "already_appealed", "taken"]


# --- anything at all ---


def noise() -> str:
    letters = "a0-_ \0\n\r\t<>&\"'{}%牌❤\u202e\ufffe"
    return "".join(CHANCE.choice(letters) for _ in range(CHANCE.choice((0, 1, 7, 40, 2_500))))


def any_form(at: Any, other: Any) -> dict[str, Any]:
    deals = [deal.pk for deal in (*at.deals, *other.deals)]
    people = [str(user.pk) for user in (*at.people, *other.people)]

    def some(choice: list[str]) -> list[str]:
        made = [CHANCE.choice(choice) for _ in range(CHANCE.randrange(4))]
        return made + [noise()] * (CHANCE.random() < 0.2)

    return {
        "deal": CHANCE.choice([*deals, noise()]) if CHANCE.random() < 0.3 else at.deals[0].pk,
        "kind": CHANCE.choice([*Kind.values, noise()]),
        "deals": some(deals) if CHANCE.random() < 0.5 else [at.deals[0].pk],
        "accused": some(people) if CHANCE.random() < 0.5 else [at.people[0].pk],
        "text": CHANCE.choice([WHAT, noise(), noise() * 3]),
        "fee": noise(),
    }


def test_five_hundred_forms_of_chance_break_nothing(room: Any, browse: Any) -> None:
    at, other = room(deals=2), room()
    start = at.coins()[2]
    client = browse(at.people[2])
    seen = {302: 0, 400: 0, 404: 0}
    for _ in range(150):
        seen[client.post("/complaints/new/", any_form(at, other)).status_code] += 1
    for _ in range(350):
        number = CHANCE.choice(["1", "2", "3", "9" * CHANCE.randrange(1, 40)])
        where = CHANCE.choice(["{}/withdraw/", "{}/appeal/", "{}/read/", "{}/", "questions/{}/answer/"])
        answer = client.post(f"/complaints/{where.format(number)}", {"text": noise()})
        assert answer.status_code in (204, 302, 400, 404, 405), (number, where)
    assert all(seen.values()), seen
    paid = sum(Complaint.objects.exclude(status="withdrawn").values_list("fee", flat=True))
    assert at.coins()[2] == start - paid
    assert audit.verify_books().breaches == []
