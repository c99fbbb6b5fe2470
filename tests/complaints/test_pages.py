"""The players' pages: filing, following, answering, appealing; who reads what, and in which words."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from accounts import restrictions
from games.complaints import deciding, filing, notices, reckoning, wording
from games.complaints.errors import Refused
from games.complaints.models import Case, Complaint, Kind, Notice, OpenComplaint
from games.models import Deal
from lobby import seeds
from wallet import services as wallet

WHAT = "Wen passed twice on small pairs with Shu leading."


@pytest.fixture
def browse() -> Callable[[Any], Client]:
    def open_browser(user: Any) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return open_browser


def send(client: Client, at: Any, **changes: Any) -> Any:
    """File what the form would send, with changes."""
    data = {
        "deal": at.deals[0].pk,
        "kind": "collusion",
        "deals": [at.deals[0].pk],
        "accused": [at.people[0].pk, at.people[1].pk],
        "text": WHAT,
        **changes,
    }
    return client.post("/complaints/new/", data)


def text_of(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


# --- filing ---


def test_the_form_shows_deals_people_fees_and_what_is_there(room: Any, browse: Any) -> None:
    at = room(deals=2)
    answer = browse(at.people[2]).get(f"/complaints/new/?deal={at.deals[0].pk}")
    body = text_of(answer)
    assert answer.status_code == 200
    assert "The house has the final decision." in body
    assert body.index("Deal 2") < body.index("Deal 1")
    assert all(user.username in body for user in at.people[:2])
    assert f'name="accused" value="{at.people[2].pk}"' not in answer.content.decode()
    assert "costs 300" in body and f"{at.coins()[2]:,}" in body
    assert "at most 10" in body


def test_a_complaint_is_filed_and_followed_from_the_form(room: Any, browse: Any) -> None:
    at = room()
    before = at.coins()[2]
    client = browse(at.people[2])
    answer = send(client, at)
    made = Complaint.objects.get()
    assert answer.url == f"/complaints/{made.case_id}/"
    assert at.coins()[2] == before - 300
    page = text_of(client.get(answer.url))
    assert "Collusion" in page and WHAT in page and "Fee paid: 300" in page and "Waiting" in page


def test_a_second_click_leads_to_what_the_first_one_filed(room: Any, browse: Any) -> None:
    at = room()
    client = browse(at.people[2])
    first, second = send(client, at), send(client, at)
    assert first.url == second.url
    assert Complaint.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": "cheating"}, "choose one of the kinds"),
        ({"text": "too short"}, "10–2,000 characters"),
        ({"accused": []}, "one alone cannot do this"),
        ({"kind": "spoiling", "accused": []}, "name at least one of them"),
        ({"kind": "reveal"}, "names one person"),
        ({"deals": []}, "at most 10"),
    ],
)
def test_a_refusal_says_why_and_keeps_what_was_typed(
    room: Any, browse: Any, changes: dict[str, Any], words: str
) -> None:
    at = room()
    answer = send(browse(at.people[2]), at, **changes)
    assert answer.status_code == 400
    assert words in text_of(answer)
    assert changes.get("text", WHAT) in answer.content.decode()
    assert Complaint.objects.count() == 0


def test_who_is_too_poor_is_told_the_fee_and_pays_nothing(room: Any, browse: Any) -> None:
    at = room(coins=3000)
    poor = at.people[2]
    has = at.coins()[2]
    wallet.post(
        code="test",
        reference="spent",
        legs=[wallet.Leg(poor.pk, 299 - has), wallet.Leg("issuance", has - 299)],
    )
    answer = send(browse(poor), at)
    assert "this complaint costs 300" in text_of(answer)
    assert at.coins()[2] == 299


def test_a_deal_of_last_month_cannot_be_reported_any_more(room: Any, browse: Any) -> None:
    at = room()
    Deal.objects.filter(pk=at.deals[0].pk).update(closed=timezone.now() - timedelta(days=30))
    client = browse(at.people[2])
    answer = client.get(f"/complaints/new/?deal={at.deals[0].pk}")
    assert "for seven days" in text_of(answer)
    assert b"<textarea" not in answer.content
    assert b"/complaints/new/" not in client.get(f"/deals/{at.deals[0].pk}/").content


def test_a_deal_leads_its_people_to_the_form(room: Any, browse: Any) -> None:
    at = room()
    way = f'href="/complaints/new/?deal={at.deals[0].pk}"'
    assert way in browse(at.people[0]).get(f"/deals/{at.deals[0].pk}/").content.decode()
    assert way not in browse(at.staff[0]).get(f"/deals/{at.deals[0].pk}/").content.decode()


# --- following ---


def test_withdrawn_in_time_the_fee_comes_back(room: Any, browse: Any) -> None:
    at = room()
    before = at.coins()
    made = at.file(2, [0, 1])
    client = browse(at.people[2])
    assert "comes back to you" in text_of(client.get(f"/complaints/{made.case_id}/"))
    assert client.post(f"/complaints/{made.pk}/withdraw/").status_code == 302
    assert at.coins() == before
    assert "Withdrawn" in text_of(client.get(f"/complaints/{made.case_id}/"))


def test_once_taken_up_it_cannot_be_withdrawn(room: Any, browse: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    deciding.take_up(staff=at.staff[0], case_id=made.case_id)
    client = browse(at.people[2])
    page = client.get(f"/complaints/{made.case_id}/")
    assert b"/withdraw/" not in page.content
    assert "Taken up by the staff" in text_of(page)
    answer = client.post(f"/complaints/{made.pk}/withdraw/", follow=True)
    assert "cannot be withdrawn any more" in text_of(answer)
    assert Complaint.objects.get().status == "open"


def test_whoever_withdrew_reads_no_more_of_the_case(room: Any, browse: Any) -> None:
    at = room("bigtwo.qq")
    mine, other = at.file(2, [0, 1]), at.file(3, [0, 1])
    filing.withdraw(user=at.people[2], complaint_id=mine.pk)
    at.decide(other.case, at.form([0, 1]))
    page = text_of(browse(at.people[2]).get(f"/complaints/{mine.case_id}/"))
    assert "Withdrawn" in page and "The verdict" not in page


def test_the_accused_reads_of_what_and_where_never_by_whom(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    accused = browse(at.people[0])
    assert accused.get(f"/complaints/{case.pk}/").status_code == 404, "nobody has told him yet"
    deciding.take_up(staff=at.staff[0], case_id=case.pk)
    deciding.ask(staff=at.staff[0], case_id=case.pk, user_id=at.people[0].pk, text="Why the pass?")
    page = accused.get(f"/complaints/{case.pk}/")
    body = text_of(page)
    assert "Collusion" in body and "Deal 1" in body and "Why the pass?" in body
    assert at.people[2].username not in page.content.decode()
    assert WHAT not in body


def test_a_question_is_answered_once_and_shown(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    deciding.take_up(staff=at.staff[0], case_id=case.pk)
    asked = deciding.ask(staff=at.staff[0], case_id=case.pk, user_id=at.people[0].pk, text="Why the pass?")
    client = browse(at.people[0])
    where = f"/complaints/questions/{asked.pk}/answer/"
    assert client.post(where, {"text": "  "}).status_code == 400
    assert client.post(where, {"text": "I had <b>nothing</b>."}).status_code == 302
    assert "answered this already" in text_of(client.post(where, {"text": "Or so."}, follow=True))
    page = client.get(f"/complaints/{case.pk}/").content.decode()
    assert "I had &lt;b&gt;nothing&lt;/b&gt;." in page and "Or so." not in page
    assert where not in page


def test_the_verdict_says_to_each_what_moves_for_him_alone(room: Any, result: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    result([60, -30, -30], [3, 0, 0])
    at.decide(case, at.form([0, 1]))
    pages = [text_of(browse(user).get(f"/complaints/{case.pk}/")) for user in at.people]
    assert all("bear out what was complained of" in page and "Upheld as: Collusion" in page for page in pages)
    assert "Fine −3,000" in pages[0] and "Fine" not in pages[2]
    assert "+300" in pages[2] and "+3,000" in pages[2]
    assert "−3,209" not in pages[2] and "−3,121" not in pages[0]
    assert "The passes leave no doubt." not in "".join(pages), "reasons are for the staff"


def test_a_debt_is_shown_with_the_case_and_in_the_wallet(room: Any, browse: Any) -> None:
    at = room(coins=3001)
    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    owed = at.people[0].wallet.owed
    assert owed > 0
    client = browse(at.people[0])
    assert f"still owe {owed:,}" in text_of(client.get(f"/complaints/{case.pk}/"))
    page = text_of(client.get("/wallet/"))
    assert f"You owe {owed:,} coins" in page and "pays them first" in page


def test_a_restriction_stands_on_both_pages_until_its_day(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0], "abuse").case
    until = (at.people[0].pk, "mute", 3)
    at.decide(case, at.form([0], "abuse", restrictions=(until,)))
    client = browse(at.people[0])
    for path in ("/complaints/", f"/complaints/{case.pk}/"):
        page = text_of(client.get(path))
        assert "Mute" in page and "not talk at any table" in page and "Abuse in the talk" in page
    assert "What stands against you" not in text_of(browse(at.people[2]).get("/complaints/"))


def test_what_the_staff_laid_on_by_hand_stands_without_a_verdict(room: Any, browse: Any) -> None:
    user = room().people[0]
    restrictions.restrict(user_id=user.pk, kind="suspension", ends=None, cause="by_hand", reference="desk:1")
    page = browse(user).get("/complaints/")
    assert "Suspension · for ever" in text_of(page) and "Laid on by the staff." in text_of(page)
    assert b"/go/" not in page.content


def test_somebody_held_guilty_though_nobody_named_him_is_told_and_may_appeal(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0], "spoiling").case
    at.decide(case, at.form([1], "spoiling"))
    client = browse(at.people[1])
    assert "Upheld" in text_of(client.get(f"/complaints/{case.pk}/"))
    client.post(f"/complaints/{case.pk}/appeal/", {"text": "I was not even named."})
    assert Case.objects.get().status == "appealed"


def test_a_verdict_is_appealed_once_within_seven_days(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    verdict = at.decide(case, at.rejection())
    client, where = browse(at.people[2]), f"/complaints/{case.pk}/appeal/"
    page = client.get(f"/complaints/{case.pk}/")
    assert b"appeal/" in page.content
    assert "do not prove what was complained of" in text_of(page)
    assert client.post(where, {"text": "short"}).status_code == 400
    assert client.post(where, {"text": "Look at the fourth trick."}).status_code == 302
    assert "There is only one" in text_of(client.post(where, {"text": "And at the fifth."}, follow=True))
    assert where not in client.get(f"/complaints/{case.pk}/").content.decode()
    assert verdict.case.appeal.text == "Look at the fourth trick."


def test_after_seven_days_the_appeal_is_over(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    verdict = at.decide(case, at.rejection())
    type(verdict).objects.update(final=timezone.now() - timedelta(days=8))
    client, where = browse(at.people[2]), f"/complaints/{case.pk}/appeal/"
    assert where not in client.get(f"/complaints/{case.pk}/").content.decode()
    assert "They are over" in text_of(client.post(where, {"text": "But look again."}, follow=True))


def test_a_verdict_that_waits_for_a_second_person_is_not_told(room: Any, browse: Any, settings: Any) -> None:
    settings.VERDICT_SECOND_ABOVE = 0
    at = room()
    case = at.file(2, [0, 1]).case
    at.decide(case, at.form([0, 1]))
    page = text_of(browse(at.people[2]).get(f"/complaints/{case.pk}/"))
    assert "In hand" in page and "Upheld" not in page


# --- notices ---


def test_unread_notices_are_counted_in_the_head_and_read_with_their_case(room: Any, browse: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    client = browse(at.people[2])
    assert "1 unread notice" in text_of(client.get("/wallet/"))
    assert "Your complaint was filed." in text_of(client.get("/complaints/"))
    assert notices.unread(at.people[2].pk) == 1, "looking changes nothing"
    assert client.post(f"/complaints/{case.pk}/read/").status_code == 204
    assert "unread notice" not in text_of(client.get("/wallet/"))


def test_all_can_be_marked_as_read(room: Any, browse: Any) -> None:
    at = room()
    at.file(2, [0, 1])
    at.file(2, [0], "spoiling")
    client = browse(at.people[2])
    assert "2 unread notices" in text_of(client.get("/complaints/"))
    client.post("/complaints/read/")
    assert notices.unread(at.people[2].pk) == 0


def test_the_count_takes_no_query_of_its_own(room: Any, browse: Any, django_assert_num_queries: Any) -> None:
    from lobby.selectors import head_of

    at = room()
    at.file(2, [0, 1])
    with django_assert_num_queries(1):
        assert head_of(at.people[2].pk) == (at.at.table.code, 1)


# --- words ---


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_every_code_has_its_words(language: str) -> None:
    with translation.override(language):
        assert {kind for kinds in reckoning.TEXTS.values() for kind in kinds} == set(wording.TEXTS)
        assert set(wording.KINDS) == set(Kind)
        other = wording.refusal(Refused("no such code"))
        for code in (*wording.FIELDS, "fee_too_high", "taken_up", "too_late", "already_appealed", "answered"):
            assert wording.refusal(Refused(code, 3)) not in ("", other)
        assert wording.notice("asked_17") == wording.notice("asked_2") != wording.notice("news")


def test_every_refusal_of_filing_has_words() -> None:
    source = Path(filing.__file__).read_text("utf-8")
    codes = set(re.findall(r'Refused\("(\w+)"', source))
    assert len(codes) > 15
    assert codes <= set(wording._REFUSALS)


# --- the ledger ---


def test_lines_of_a_verdict_lead_those_concerned_to_the_case(room: Any, result: Any, browse: Any) -> None:
    at = room()
    made = at.file(2, [0, 1])
    result([60, -30, -30], [3, 0, 0])
    verdict = at.decide(made.case, at.form([0, 1]))
    where = reverse("complaints:case", args=[made.case_id])
    for user, reference in (
        (at.people[2], made.reference),
        (at.people[2], verdict.reference),
        (at.people[0], f"{verdict.reference}:debt:1:0"),
    ):
        assert browse(user).get(f"/go/{reference}").url == where
    assert browse(at.people[0]).get(f"/go/{made.reference}").status_code == 404, "the complaint is another's"
    assert browse(at.staff[0]).get(f"/go/{verdict.reference}").status_code == 404
    lines = text_of(browse(at.people[2]).get("/wallet/?show=fees&span=all"))
    assert "Complaint filed" in lines and "Verdict" in lines and "Share of a fine" in lines
    assert "Paid for a verdict" in text_of(browse(at.people[0]).get("/wallet/?show=fees&span=all"))


# --- relief ---


def poor(room: Any, coins: int = 0) -> Any:
    seeds.seed_tiers()
    user = room().people[0]
    has = wallet.balance(user.pk).total
    legs = [wallet.Leg(user.pk, coins - has), wallet.Leg("house:relief", has - coins)]
    wallet.post(code="test", reference="spent", legs=legs)
    return user


def test_relief_is_given_three_times_a_day_to_who_is_poor(room: Any, browse: Any, settings: Any) -> None:
    settings.RELIEF_COINS = 100
    user = poor(room)
    client = browse(user)
    assert "Get 100 relief coins" in text_of(client.get("/wallet/"))
    for times in (1, 2, 3):
        client.post("/wallet/relief/")
        assert wallet.balance(user.pk).total == 100 * times
    answer = client.post("/wallet/relief/", {"back": "wallet"}, follow=True)
    assert "all the relief there is for one day" in text_of(answer)
    assert wallet.balance(user.pk).total == 300


def test_relief_is_refused_in_words_to_who_has_enough(room: Any, browse: Any) -> None:
    user = poor(room, 501)
    client = browse(user)
    assert "relief coins" not in text_of(client.get("/wallet/"))
    assert "coins enough" in text_of(client.post("/wallet/relief/", {"back": "wallet"}, follow=True))
    assert wallet.balance(user.pk).total == 501


def test_a_get_gives_no_relief(room: Any, browse: Any) -> None:
    user = poor(room)
    assert browse(user).get("/wallet/relief/").status_code == 405
    assert wallet.balance(user.pk).total == 0


def test_open_complaints_are_gone_with_the_verdict(room: Any) -> None:
    at = room()
    case = at.file(2, [0, 1]).case
    at.decide(case, at.rejection())
    assert OpenComplaint.objects.count() == 0
    assert Notice.objects.filter(kind="verdict_1").count() == 3
