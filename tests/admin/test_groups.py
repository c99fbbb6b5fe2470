"""What support, floor and finance may open and do: every page of the desk, as each of them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.models import Restriction, User
from games.complaints import groups
from games.complaints.models import StaffAct
from games.models import Deal
from tests.admin.conftest import House
from tests.admin.pages import registered, rows, url
from tests.staff import sign_in
from wallet import audit
from wallet import services as wallet
from wallet.models import Adjustment, Entry, Transaction, Wallet

As = Callable[[str], Client]

OPEN = {
    "support": {
        "games.Table", "games.Deal", "games.SeatResult", "games.PlayerRecord", "lobby.RoomTier", "lobby.QueueTicket",
        "accounts.User", "complaints.Case", "complaints.StaffAct", "wallet.Transaction", "wallet.Wallet", "wallet.Debt",
    },
    "floor": {
        "games.Table", "games.Deal", "games.SeatResult", "games.PlayerRecord", "lobby.RoomTier", "lobby.QueueTicket",
        "accounts.User", "games.ServerProcess", "games.Connection", "games.ServiceClock",
    },
    "finance": {
        "games.Table", "games.Deal", "accounts.User", "complaints.StaffAct", "wallet.Wallet", "wallet.Transaction",
        "wallet.Hold", "wallet.Debt", "wallet.AuditRun", "wallet.Adjustment",
    },
}  # fmt: skip
MAY_CHANGE = {"floor": {"lobby.RoomTier"}}


@pytest.fixture
def as_group(house: House) -> As:
    """Return the browser of a new member of staff who is in one of the house's groups."""
    groups.make()

    def made(name: str) -> Client:
        user = User.objects.create_user(f"{name}{User.objects.count()}", is_staff=True)
        user.groups.add(Group.objects.get(name=name))
        return sign_in(user)

    return made


@pytest.mark.parametrize("name", OPEN)
def test_a_group_opens_its_own_pages_and_no_others(house: House, as_group: As, name: str) -> None:
    browser = as_group(name)
    assert browser.get(reverse("admin:index")).status_code == 200
    for model, _page in registered():
        label = model._meta.label
        status = 200 if label in OPEN[name] else 403
        assert browser.get(url(model, "changelist")).status_code == status, label
        assert browser.get(url(model, "add")).status_code == 403, label
        assert browser.post(url(model, "add"), {}).status_code == 403, label
        for row in rows(model, most=1):
            assert browser.get(url(model, "change", row.pk)).status_code == status, label
            if label not in MAY_CHANGE.get(name, ()):
                assert browser.post(url(model, "change", row.pk), {}).status_code == 403, label
            assert browser.post(url(model, "delete", row.pk), {"post": "yes"}).status_code == 403, label
        assert browser.post(url(model, "changelist"), {"action": "delete_selected"}).status_code in (
            403,
            200,
            302,
        )


def test_groups_have_exactly_their_rights_however_often_they_are_made(db: None) -> None:
    assert groups.make() == list(groups.GROUPS)
    assert groups.make() == []
    Group.objects.get(name="support").permissions.clear()
    Group.objects.create(name="our own")
    assert groups.make() == ["support"]
    assert set(Group.objects.values_list("name", flat=True)) == {*groups.GROUPS, "our own"}


# ---- restrictions


def restrict(browser: Client, user: User, **data: Any) -> Any:
    sent = {"kind": "mute", "days": "3", "reason": "Bad language at 4F2K.", **data}
    return browser.post(reverse("admin:complaints_case_restrict", args=[user.pk]), sent)


@pytest.mark.parametrize(("name", "may"), [("support", True), ("floor", True), ("finance", False)])
def test_a_person_is_restricted_and_freed_with_reasons(
    house: House, as_group: As, name: str, may: bool
) -> None:
    browser, player = as_group(name), house.at.users[0]
    answer = restrict(browser, player)
    assert answer.status_code == (302 if may else 403)
    assert Restriction.objects.filter(user=player, lifted=None).count() == may
    if not may:
        return
    lift = reverse("admin:complaints_case_lift", args=[player.pk])
    reference = Restriction.objects.get().reference
    browser.post(lift, {"reference": reference, "reason": " "})
    assert Restriction.objects.get().lifted is None
    browser.post(lift, {"reference": reference, "reason": "He has excused himself."})
    assert Restriction.objects.get().lifted is not None
    acts = StaffAct.objects.filter(subject=f"user:{player.pk}").order_by("pk")
    assert [(act.act, act.data["reason"]) for act in acts] == [
        ("restricted", "Bad language at 4F2K."),
        ("lifted", "He has excused himself."),
    ]


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "jail"}, {"days": "0"}, {"days": "99999999"}, {"days": "²"}, {"reason": ""}, {"kind": ""}],
)
def test_a_restriction_that_makes_no_sense_is_not_laid_on(
    house: House, as_group: As, wrong: dict[str, str]
) -> None:
    assert restrict(as_group("support"), house.at.users[0], **wrong).status_code == 302
    assert not Restriction.objects.exists()


def test_staff_restricts_neither_itself_nor_other_staff(house: House, as_group: As) -> None:
    browser = as_group("support")
    me = User.objects.latest("pk")
    for user in (me, house.chief):
        assert restrict(browser, user).status_code == 403
    assert not Restriction.objects.exists()


# ---- void


def void(browser: Client, house: House, deal: Deal, reason: str = "A cable was cut.") -> Any:
    data = {"deal": deal.pk, "reason": reason}
    return browser.post(reverse("admin:complaints_case_void", args=[house.at.table.pk]), data)


def test_the_floor_declares_a_running_deal_void(house: House, as_group: As) -> None:
    browser = as_group("floor")
    before = sum(house.at.balances())
    page = browser.get(reverse("admin:games_table_change", args=[house.at.table.pk]))
    assert house.live.pk in page.content.decode()
    assert void(browser, house, house.live, reason=" ").status_code == 302
    house.live.refresh_from_db()
    assert house.live.closed_seq is None
    void(browser, house, house.live)
    house.live.refresh_from_db()
    assert house.live.how == "void" and sum(house.at.balances()) == before
    act = StaffAct.objects.get(act="voided")
    assert act.data == {"deal": house.live.pk, "reason": "A cable was cut."}
    assert audit.verify_books().breaches == []


def test_a_void_means_the_deal_it_names(house: House, as_group: As) -> None:
    void(as_group("floor"), house, house.played)
    house.live.refresh_from_db()
    assert house.live.closed_seq is None and not StaffAct.objects.filter(act="voided").exists()


@pytest.mark.parametrize("name", ["support", "finance"])
def test_others_declare_nothing_void(house: House, as_group: As, name: str) -> None:
    assert void(as_group(name), house, house.live).status_code == 403
    house.live.refresh_from_db()
    assert house.live.closed_seq is None


# ---- corrections


def corrections(of: Wallet) -> Any:
    return Adjustment.objects.filter(user=of.user_id).order_by("pk")


@pytest.fixture
def wallet_of(house: House) -> Wallet:
    return Wallet.objects.get(user=house.at.users[3])


def ask(browser: Client, of: Wallet, amount: str, reason: str = "Grant forgotten.") -> Any:
    sent = {"amount": amount, "reason": reason}
    return browser.post(reverse("admin:wallet_adjustment_ask", args=[of.pk]), sent, follow=True)


def test_a_small_correction_is_posted_once_against_revenue(
    house: House, as_group: As, wallet_of: Wallet
) -> None:
    browser, before = as_group("finance"), wallet.balance(wallet_of.user_id or 0).total
    ask(browser, wallet_of, "250")
    ask(browser, wallet_of, "-50")
    assert wallet.balance(wallet_of.user_id or 0).total == before + 200
    assert wallet.house_balance("house:revenue") == -200
    made = corrections(wallet_of).first()
    assert made is not None and Transaction.objects.filter(reference=f"adjustment:{made.pk}").count() == 1
    again = browser.post(reverse("admin:wallet_adjustment_post", args=[made.pk]), follow=True)
    assert "waits for nobody" in again.content.decode()
    assert audit.verify_books().breaches == []
    assert [
        act.act for act in StaffAct.objects.filter(subject=f"user:{wallet_of.user_id}").order_by("pk")
    ] == [
        "correction_asked",
        "correction_posted",
    ] * 2


def test_a_large_correction_needs_a_second_person(
    house: House, as_group: As, wallet_of: Wallet, settings: Any
) -> None:
    settings.ADJUSTMENT_SECOND_ABOVE = 1_000
    first, second = as_group("finance"), as_group("finance")
    before = wallet.balance(wallet_of.user_id or 0).total
    ask(first, wallet_of, "1,001")
    made = corrections(wallet_of).get()
    post = reverse("admin:wallet_adjustment_post", args=[made.pk])
    assert "second person" in first.post(post, follow=True).content.decode()
    assert wallet.balance(wallet_of.user_id or 0).total == before
    second.post(post)
    assert wallet.balance(wallet_of.user_id or 0).total == before + 1_001


def test_many_small_corrections_count_as_one_large(as_group: As, wallet_of: Wallet, settings: Any) -> None:
    settings.ADJUSTMENT_SECOND_ABOVE = 1_000
    browser = as_group("finance")
    for _ in range(3):
        ask(browser, wallet_of, "400")
    assert list(corrections(wallet_of).values_list("status", flat=True)) == [
        "posted",
        "posted",
        "asked",
    ]


def test_a_correction_that_waits_is_refused_or_taken_back(
    as_group: As, wallet_of: Wallet, settings: Any
) -> None:
    settings.ADJUSTMENT_SECOND_ABOVE = 0
    browser, entries = as_group("finance"), Entry.objects.count()
    ask(browser, wallet_of, "400")
    browser.post(reverse("admin:wallet_adjustment_refuse", args=[corrections(wallet_of).get().pk]))
    assert corrections(wallet_of).get().status == "refused" and Entry.objects.count() == entries


@pytest.mark.parametrize("amount", ["0", "", "x", "²", "1e5", "--5", "9" * 30, "1.5", "-9999999"])
def test_a_correction_that_cannot_be_is_refused(
    as_group: As, wallet_of: Wallet, settings: Any, amount: str
) -> None:
    settings.ADJUSTMENT_SECOND_ABOVE = 10**9
    assert ask(as_group("finance"), wallet_of, amount).status_code == 200
    assert not corrections(wallet_of).exists() and not Transaction.objects.filter(code="adjustment").exists()


def test_nobody_corrects_his_own_wallet_and_others_none(
    house: House, as_group: As, wallet_of: Wallet
) -> None:
    clerk = as_group("finance")
    me = User.objects.latest("pk")
    wallet.open_wallet(user_id=me.pk)
    mine = Wallet.objects.get(user=me)
    assert "Nobody corrects his own wallet" in ask(clerk, mine, "100").content.decode()
    for name in ("support", "floor"):
        assert ask(as_group(name), wallet_of, "100").status_code == 403
    house_purse = Wallet.objects.get(code="house:revenue")
    assert "Correct this wallet" not in clerk.get(url(Wallet, "change", house_purse.pk)).content.decode()
    assert not corrections(wallet_of).exists() and not corrections(mine).exists()
