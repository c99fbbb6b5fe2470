"""The complaints' desk: who may look and decide, that what is given is what was shown, and what is refused in words."""

import html
import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from games.complaints import carrying, deciding, filing, reckoning
from games.complaints.admin import giving
from games.complaints.errors import BadVerdict
from games.complaints.models import Case, Complaint, Evidence, StaffAct, Verdict
from tests.complaints.conftest import Room
from tests.games.test_audit import unguarded
from tests.staff import sign_in as at_the_desk
from wallet import audit
from wallet import services as wallet
from wallet.models import Transaction

Make = Callable[..., Room]
RIGHTS = ("complaints.view_case", "complaints.change_case", "accounts.view_user")


def sign_in(user: Any, *rights: str) -> Client:
    """Return the browser of a member of staff with these rights."""
    for right in rights:
        app, codename = right.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))
    return at_the_desk(user)


class Desk:
    """Somebody of the staff at the complaints' desk, in front of one case."""

    def __init__(self, room: Room, staff: Any, *rights: str) -> None:
        self.room, self.staff = room, staff
        self.browser = sign_in(staff, *(rights or RIGHTS))
        self.case = Case.objects.latest("pk")

    @property
    def page(self) -> str:
        return reverse("admin:complaints_case_change", args=[self.case.pk])

    def look(self) -> Any:
        return self.browser.get(self.page)

    def do(self, act: str, follow: bool = True, **data: Any) -> Any:
        return self.browser.post(
            reverse(f"admin:complaints_case_{act}", args=[self.case.pk]), data, follow=follow
        )

    def form(self, offenders: list[int], **changes: Any) -> dict[str, Any]:
        form: dict[str, Any] = {
            "outcome": "upheld",
            "kind": "collusion",
            "deals": [self.room.deals[0].pk],
            "text": "upheld",
            "reasons": "The passes leave no doubt.",
        }
        for place, seat in enumerate(offenders, 1):
            form[f"order-{self.room.people[seat].pk}"] = str(place)
        return {**form, **changes}

    def preview(self, offenders: list[int], **changes: Any) -> Any:
        return self.do("preview", **self.form(offenders, **changes))


def said(answer: Any) -> str:
    return html.unescape(answer.content.decode())


@pytest.fixture
def desk(room: Make) -> Desk:
    """A case of one complaint, in the hands of somebody who has no part in it."""
    at = room()
    at.file(2, [0, 1])
    made = Desk(at, at.staff[0])
    made.do("take_up")
    return made


# ---- looking


def test_the_queue_shows_what_waits_the_oldest_first(room: Make) -> None:
    at = room(deals=2)
    at.file(2, [0, 1])
    at.file(2, [0], kind="spoiling")
    desk = Desk(at, at.staff[0])
    found = desk.browser.get(reverse("admin:complaints_case_changelist"))
    assert [case.kind for case in found.context["cl"].result_list] == ["collusion", "spoiling"]
    narrowed = desk.browser.get(reverse("admin:complaints_case_changelist") + "?kind__exact=spoiling")
    assert [case.kind for case in narrowed.context["cl"].result_list] == ["spoiling"]
    at.decide(Case.objects.get(kind="spoiling"), at.rejection())
    left = desk.browser.get(reverse("admin:complaints_case_changelist"))
    assert [case.kind for case in left.context["cl"].result_list] == ["collusion"]


def test_the_file_shows_the_deal_with_all_hands_and_that_the_evidence_holds(desk: Desk) -> None:
    answer = desk.look()
    page = said(answer)
    assert "The evidence is what was frozen" in page and "NOT what was frozen" not in page
    assert all(user.username in page for user in desk.room.people)
    file = answer.context["file"]
    assert file.deals[0].rows and all(len(row.hands) == 3 for row in file.deals[0].rows)
    assert "never a proof" in page


def test_evidence_that_was_changed_is_shown_and_nothing_is_decided_on_it(desk: Desk) -> None:
    shown = desk.preview([0, 1])
    with unguarded():
        one = Evidence.objects.get()
        Evidence.objects.filter(pk=one.pk).update(body=one.body.replace("play", "pass", 1))
    assert "NOT what was frozen" in said(desk.look())
    assert "nothing can be decided" in said(desk.preview([0, 1]))
    assert "nothing can be decided" in said(desk.do("give", token=shown.context["token"]))
    assert not Verdict.objects.exists()
    with unguarded():
        Evidence.objects.filter(pk=one.pk).update(body=one.body)


def test_who_sat_there_sees_that_there_is_a_case_and_no_more(desk: Desk) -> None:
    player = desk.room.people[0]
    player.is_staff = True
    player.save()
    own = Desk(desk.room, player)
    page = said(own.look())
    assert "You sat in a deal of this case" in page and "leave no doubt" not in page
    assert "file" not in own.look().context
    for act in ("take_up", "preview", "give", "confirm"):
        assert own.do(act).status_code == 403, act
    assert not Verdict.objects.exists()


@pytest.mark.parametrize("rights", [(), ("complaints.view_case",)])
def test_without_the_right_to_change_cases_nobody_acts(desk: Desk, rights: tuple[str, ...]) -> None:
    clerk = Desk(desk.room, desk.room.staff[1], *(rights or ("games.view_deal",)))
    assert clerk.look().status_code == (200 if rights else 403)
    token = desk.preview([0, 1]).context["token"]
    for act in ("take_up", "put_back", "ask", "preview", "give", "confirm", "send_back"):
        assert clerk.do(act, token=token).status_code == 403, act
        assert (
            clerk.browser.get(reverse(f"admin:complaints_case_{act}", args=[desk.case.pk])).status_code == 403
        )
    assert not Verdict.objects.exists()


# ---- the two steps


def test_the_preview_shows_every_coin_and_moves_none(desk: Desk) -> None:
    before = desk.room.coins()
    answer = desk.preview([0, 1])
    found = answer.context["sum"]
    assert desk.room.coins() == before and not Verdict.objects.exists()
    assert sum(found.totals) + found.house == 0
    assert all(sum(amounts) + house == 0 for _words, amounts, house in found.rows)
    assert [column.move.fine for column in found.columns] == [3000, 3000, 0]


def test_what_is_given_is_exactly_what_was_shown(desk: Desk) -> None:
    before = desk.room.coins()
    shown = desk.preview([0, 1])
    answer = desk.do("give", token=shown.context["token"])
    assert "carried out within seconds" in said(answer)
    carrying.carry_out_all()
    moved = [now - then for now, then in zip(desk.room.coins(), before, strict=True)]
    assert moved == shown.context["sum"].totals
    assert Complaint.objects.get().status == Complaint.Status.UPHELD
    assert [act.act for act in StaffAct.objects.order_by("pk")] == ["took_up", "decided", "carried_out"]
    assert "has been carried out" in said(desk.look())


def test_amounts_that_changed_meanwhile_are_shown_again_and_nothing_moves(desk: Desk) -> None:
    shown = desk.preview([0, 1])
    spend(desk.room.people[0], 9_990)  # now he will owe more
    again = desk.do("give", token=shown.context["token"])
    assert "amounts have changed" in said(again) and not Verdict.objects.exists()
    desk.do("give", token=again.context["token"])
    assert Verdict.objects.get().final is not None


def spend(user: Any, coins: int) -> None:
    coins = min(coins, wallet.balance(user.pk).available)
    wallet.post(
        code="adjustment",
        reference=f"test:{user.pk}",
        legs=[wallet.Leg(user.pk, -coins), wallet.Leg("house:revenue", coins)],
    )


def test_a_token_is_good_for_its_giver_its_case_and_as_it_was_made(desk: Desk, room: Make) -> None:
    token = desk.preview([0, 1]).context["token"]
    other = Desk(desk.room, desk.room.staff[1])
    desk.do("put_back")
    other.do("take_up")
    assert "not yours" in said(other.do("give", token=token))
    assert "Take the case up first" in said(desk.do("give", token=token))
    for forged in ("", "x", token[:-1] + ("a" if token[-1] != "a" else "b"), token + ":", "😀"):
        assert "too old, or not yours" in said(other.do("give", token=forged))
    assert not Verdict.objects.exists()


def test_going_back_from_the_preview_keeps_what_was_filled_in(desk: Desk) -> None:
    token = desk.preview([1, 0], reasons="Twice within a second.").context["token"]
    back = desk.do("give", token=token, change="1")
    places = {person["party"].name: person["place"] for person in back.context["fields"]["people"]}
    people = desk.room.people
    assert (places[people[1].username], places[people[0].username]) == (1, 2)
    assert "Twice within a second." in said(back) and not Verdict.objects.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": "no_proof"}, "prepared text"),
        ({"reasons": "  "}, "reasons"),
        ({"deals": []}, "at least one deal"),
        ({"deals": ["elsewhere"]}, "only deals of this case"),
        ({"outcome": "rejected", "text": "no_proof"}, "names no offenders"),
        ({"kind": "murder"}, "Choose an outcome"),
        ({"kind": "reveal"}, "offenders do not fit"),
    ],
)
def test_a_form_that_does_not_fit_is_refused_in_words(
    desk: Desk, changes: dict[str, Any], words: str
) -> None:
    answer = desk.preview([0, 1], **changes)
    assert answer.status_code == 200 and words in said(answer)
    assert "token" not in answer.context


def test_restrictions_are_laid_on_for_their_days(desk: Desk) -> None:
    guilty = desk.room.people[0]
    shown = desk.preview([0, 1], **{f"restrict-{guilty.pk}": "mute", f"days-{guilty.pk}": "3"})
    desk.do("give", token=shown.context["token"])
    carrying.carry_out_all()
    (one,) = guilty.restrictions.all()
    assert one.kind == "mute" and one.ends is not None
    assert (one.ends - one.begins).days in (2, 3)


# ---- the second person, and the appeal


@pytest.fixture
def proposed(desk: Desk, settings: Any) -> Desk:
    """A verdict whose fines are above the limit."""
    settings.VERDICT_SECOND_ABOVE = 5_999
    desk.do("give", token=desk.preview([0, 1]).context["token"])
    return desk


def test_a_large_verdict_waits_for_a_second_person(proposed: Desk) -> None:
    carrying.carry_out_all()
    assert Verdict.objects.get().final is None and Case.objects.get().status == Case.Status.PROPOSED
    own = proposed.look()
    assert "somebody else confirms it" in said(own)
    token = own.context["proposed"]["token"]
    assert "second person" in said(proposed.do("confirm", token=token))
    other = Desk(proposed.room, proposed.room.staff[1])
    assert "too old, or not yours" in said(other.do("confirm", token=token))
    other.do("confirm", token=other.look().context["proposed"]["token"])
    verdict = Verdict.objects.get()
    assert verdict.final is not None and verdict.confirmed_by == proposed.room.staff[1]


def test_a_second_person_sends_it_back_with_a_reason(proposed: Desk) -> None:
    other = Desk(proposed.room, proposed.room.staff[1])
    assert "Write down the reasons" in said(other.do("send_back", why=" "))
    other.do("send_back", why="Only one of them.")
    assert not Verdict.objects.exists() and Case.objects.get().status == Case.Status.TAKEN
    assert "Only one of them." in said(proposed.look())


def test_an_appeal_is_decided_by_somebody_else(desk: Desk) -> None:
    desk.do("give", token=desk.preview([0, 1]).context["token"])
    carrying.carry_out_all()
    after_fines = desk.room.coins()
    filing.appeal(user=desk.room.people[0], case_id=desk.case.pk, text="I held nothing that beats it.")
    assert "first verdict" in said(desk.do("take_up"))
    other = Desk(desk.room, desk.room.staff[1])
    other.do("take_up")
    page = other.look()
    assert "I held nothing that beats it." in said(page)
    rejection: dict[str, Any] = {
        "outcome": "rejected",
        "kind": "collusion",
        "text": "no_proof",
        "reasons": "He is right.",
    }
    other.do("give", token=other.do("preview", **rejection).context["token"])
    carrying.carry_out_all()
    assert desk.room.coins() != after_fines
    assert [verdict.outcome for verdict in Verdict.objects.order_by("number")] == ["upheld", "rejected"]
    assert "taken back" in said(desk.look())


def test_the_staff_asks_those_concerned_and_nobody_else(desk: Desk) -> None:
    desk.do("ask", to=str(desk.room.people[0].pk), text="Why did you pass?")
    assert desk.case.questions.get().to == desk.room.people[0]
    assert "Only those who complained" in said(desk.do("ask", to=str(desk.room.staff[1].pk), text="And you?"))
    for to in ("", "x", "9" * 30, "²"):
        assert desk.do("ask", to=to, text="?").status_code == 200
    assert desk.case.questions.count() == 1


# ---- what nobody edits


def test_nobody_edits_the_staff_log_or_a_case_by_its_form(desk: Desk) -> None:
    desk.staff.is_superuser = True
    desk.staff.save()
    act = StaffAct.objects.latest("pk")
    log = reverse("admin:complaints_staffact_change", args=[act.pk])
    assert desk.browser.get(log).status_code == 200
    for page in (
        log,
        desk.page,
        reverse("admin:complaints_staffact_add"),
        reverse("admin:complaints_case_add"),
    ):
        assert desk.browser.post(page, {"status": "closed", "act": "nothing"}).status_code == 403
    for name, key in (("staffact", act.pk), ("case", desk.case.pk)):
        assert (
            desk.browser.post(
                reverse(f"admin:complaints_{name}_delete", args=[key]), {"post": "yes"}
            ).status_code
            == 403
        )
    act.refresh_from_db()
    assert act.act == "took_up"


# ---- forms nobody would send

FORMS, FORMS_BY_PAGE = int(os.environ.get("PAISHE_WILD_FORMS", "500")), 25


def test_whatever_is_sent_no_page_breaks(desk: Desk) -> None:
    chance = random.Random(20)
    transactions = Transaction.objects.count()
    for _ in range(FORMS_BY_PAGE):
        assert desk.do("preview", **wild_form(desk, chance)).status_code == 200
    assert Transaction.objects.count() == transactions and not Verdict.objects.exists()


def test_whatever_is_sent_no_coin_is_out_of_place(desk: Desk) -> None:
    """Some of the forms that fit are given and carried out, and then it is as if they had not been."""
    chance = random.Random(21)
    people = [user.pk for user in desk.room.people]
    desk.case.refresh_from_db()
    fitting = 0
    for _ in range(FORMS):
        sent = QueryDict(mutable=True)
        for name, value in wild_form(desk, chance).items():
            sent.setlist(name, value if isinstance(value, list) else [value])
        try:
            form = giving.read(sent, people)
            preview = reckoning.preview(desk.case, form)
        except BadVerdict:
            continue
        fitting += 1
        assert sum(move.total for move in preview.moves) + preview.house == 0
        token = giving.token_of(staff=desk.staff, case=desk.case, form=form, preview=preview)
        assert giving.shown_by(staff=desk.staff, case_id=desk.case.pk, token=token).form == form
        if chance.random() < 0.15:
            with transaction.atomic():
                given = giving.give(staff=desk.staff, case_id=desk.case.pk, token=token)
                if given.final is not None:
                    assert carrying.carry_out(verdict_id=given.pk)
                assert audit.verify_books().breaches == []
                transaction.set_rollback(True)
    assert fitting > 5
    assert audit.verify_books().breaches == []


ANYTHING = [
    "",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "²",
    "٣",
    "1e3",
    "9" * 40,
    "\0",
    "😀",
    "null",
    "[]",
    "ever",
    "mute",
    "ban",
]


def wild_form(desk: Desk, chance: random.Random) -> dict[str, Any]:
    """Make a form as a broken browser, a tired clerk or a rogue might send it: one that may fit, spoiled in places."""
    people = [user.pk for user in desk.room.people]
    upheld = chance.random() < 0.8
    form: dict[str, Any] = {
        "outcome": "upheld" if upheld else "rejected",
        "kind": chance.choice(["collusion", "coaching", "reveal", "spoiling", "abuse"]),
        "deals": [desk.room.deals[0].pk] if upheld else [],
        "text": "upheld" if upheld else "no_proof",
        "reasons": chance.choice(["Seen.", "理由", "x" * 5_000]),
    }
    for place, user in enumerate(chance.sample(people, chance.randrange(3)) if upheld else [], 1):
        form[f"order-{user}"] = str(place)
    for user in chance.sample(people, chance.randrange(2)):
        form |= {f"restrict-{user}": chance.choice(["warning", "mute"]), f"days-{user}": "3"}
    strange = [*form, *(f"{what}-{user}" for what in ("order", "restrict", "days") for user in [*people, 0])]
    for name in chance.sample(strange, chance.choice([0, 0, 1, 2, 6])):
        form[name] = chance.choice([*ANYTHING, ["elsewhere"], "x" * 6_000])
    return form


def test_decide_is_not_given_twice(desk: Desk) -> None:
    token = desk.preview([0, 1]).context["token"]
    desk.do("give", token=token)
    assert "Take the case up first" in said(desk.do("give", token=token))
    assert Verdict.objects.count() == 1
    assert deciding.debts_after(Verdict.objects.get()) == 0
