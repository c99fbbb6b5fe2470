"""Who gets in, who may look at what, and that nobody writes where the house keeps evidence or money."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import Model
from django.db.transaction import atomic
from django.forms.models import model_to_dict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import restrictions
from accounts.models import User
from lobby.models import RoomTier
from tests.admin.conftest import House
from tests.admin.pages import every_page, registered, rows, url
from tests.games.stories import make_user
from wallet.desk import ReadOnlyAdmin

Member = Callable[..., Client]
READ_ONLY = [model for model, page in registered() if isinstance(page, ReadOnlyAdmin)]
EVIDENCE = {
    "wallet.Wallet", "wallet.Transaction", "wallet.Hold", "games.Table", "games.Deal", "games.SeatResult",
    "games.PlayerRecord", "complaints.Case", "complaints.StaffAct",
    "wallet.Adjustment", "wallet.AuditRun", "wallet.Debt",
    "games.ServerProcess", "games.Connection", "games.ServiceClock", "admin.LogEntry",
}  # fmt: skip


@pytest.fixture(autouse=True)
def nobody_has_failed_yet() -> None:
    cache.clear()


def test_what_the_house_keeps_as_evidence_is_for_reading() -> None:
    assert {model._meta.label for model in READ_ONLY} >= EVIDENCE


def test_secrets_events_and_entries_have_no_pages_of_their_own() -> None:
    labels = {model._meta.label for model, _ in registered()}
    assert not labels & {
        "complaints.Evidence",
        "games.DealSecret",
        "games.TableEvent",
        "games.Seat",
        "wallet.Entry",
    }


def test_strangers_and_players_are_sent_to_the_door(house: House) -> None:
    player = Client()
    player.force_login(house.at.users[0])
    for browser in (Client(), player):
        for page in every_page():
            answer = browser.get(page)
            assert answer.status_code == 302, page
            assert answer["Location"].startswith("/admin/login/?next="), page


def test_staff_without_rights_sees_the_first_page_and_nothing_on_it(house: House, member: Member) -> None:
    clerk = member()
    first = clerk.get(reverse("admin:index"))
    assert first.status_code == 200
    assert not {"complaints", "tiles", "books", "keeping", "tiers"} & first.context.keys()
    for page in every_page():
        if page == reverse("admin:index"):
            continue
        assert clerk.get(page).status_code in (403, 404), (
            page
        )  # 404: the page of an app of which he may see nothing


def test_staff_sees_what_its_rights_name_and_no_more(house: House, member: Member) -> None:
    clerk = member("games.view_table")
    table = house.at.table
    assert clerk.get(reverse("admin:games_table_change", args=[table.pk])).status_code == 200
    assert clerk.get(reverse("admin:games_table_log", args=[table.pk])).status_code == 200
    assert clerk.get(reverse("admin:games_deal_change", args=[house.played.pk])).status_code == 403
    assert clerk.get(reverse("admin:wallet_wallet_changelist")).status_code == 403
    first = clerk.get(reverse("admin:index")).context
    assert "tiles" in first and "books" not in first


@pytest.mark.parametrize("model", READ_ONLY, ids=lambda model: model._meta.label)
def test_not_even_a_superuser_writes_on_a_page_for_reading(
    desk: Client, house: House, model: type[Model]
) -> None:
    def kept() -> list[dict[str, Any]]:
        found = model._default_manager.order_by("pk")
        return [
            {field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}
            for row in found
        ]

    before = kept()
    assert before, "nothing to try it on"
    page = admin.site._registry[model]
    delete = {
        "action": "delete_selected",
        "_selected_action": [str(row["id"]) if "id" in row else "1" for row in before],
    }
    assert desk.get(url(model, "add")).status_code == 403
    assert desk.post(url(model, "add"), {"amount": "1"}).status_code == 403
    assert desk.post(url(model, "changelist"), {**delete, "post": "yes"}).status_code == 403
    for row in rows(model):
        everything = {name: value for name, value in model_to_dict(row).items() if value is not None}
        assert (
            desk.post(url(model, "change", row.pk), {**everything, "amount": "1", "_save": "1"}).status_code
            == 403
        )
        assert desk.get(url(model, "delete", row.pk)).status_code == 403
        assert desk.post(url(model, "delete", row.pk), {"post": "yes"}).status_code == 403
        assert desk.get(url(model, "history", row.pk)).status_code == 403
        for method in (desk.put, desk.patch, desk.delete):
            assert method(url(model, "change", row.pk)).status_code == 403
    assert not page.get_actions(desk.get(url(model, "changelist")).wsgi_request)
    assert kept() == before


def test_nothing_but_a_set_of_rights_can_be_deleted(desk: Client, house: House) -> None:
    for model, _ in registered():
        if model is Group:
            continue
        for row in rows(model):
            assert desk.post(url(model, "delete", row.pk), {"post": "yes"}).status_code == 403, model
    everybody = list(User.objects.values_list("pk", flat=True))
    for model, chosen in ((User, everybody), (RoomTier, [1])):
        sent = {"action": "delete_selected", "_selected_action": chosen, "post": "yes"}
        desk.post(url(model, "changelist"), sent)
    assert list(User.objects.values_list("pk", flat=True)) == everybody
    assert RoomTier.objects.count() > 0


def test_a_change_of_a_person_touches_neither_coins_nor_results(desk: Client, house: House) -> None:
    user = house.at.users[0]
    balances, seat = house.at.balances(), user.seat.pk
    form = {"username": user.username, "email": "", "deck": "2", "hand_sort": "rank", "is_active": "on"}
    tries = {
        "wallet": "1",
        "balance": "999",
        "desk_coins": "999",
        "access_version": "77",
        "date_joined_0": "2001-01-01",
    }
    assert desk.post(url(User, "change", user.pk), {**form, **tries, "deck": "4"}).status_code == 302
    user.refresh_from_db()
    assert (user.deck, user.access_version) == ("4", 0)
    assert house.at.balances() == balances
    assert User.objects.get(pk=user.pk).seat.pk == seat


def test_a_ban_at_the_desk_closes_open_sockets(desk: Client, house: House) -> None:
    user = house.at.users[0]
    form = {"username": user.username, "email": "", "deck": "2", "hand_sort": "rank"}
    assert desk.post(url(User, "change", user.pk), form).status_code == 302
    user.refresh_from_db()
    assert (user.is_active, user.access_version) == (False, 1)


def test_no_end_of_another_ban_opens_an_account_that_was_closed_at_the_desk(
    desk: Client, house: House
) -> None:
    user = house.at.users[0]
    form = {"username": user.username, "email": "", "deck": "2", "hand_sort": "rank"}

    def may_play() -> bool:
        return User.objects.get(pk=user.pk).is_active

    def ban(reference: str, days: int) -> None:
        ends = timezone.now() + timedelta(days=days)
        restrictions.restrict(user_id=user.pk, kind="ban", ends=ends, cause="abuse", reference=reference)

    ban("verdict:1", -1)
    assert restrictions.end_bans() == 1 and may_play()
    assert desk.post(url(User, "change", user.pk), form).status_code == 302
    assert restrictions.end_bans() == 0 and not may_play()
    ban("verdict:2", 3)
    restrictions.lift(reference="verdict:1")
    restrictions.lift(reference="verdict:2")
    assert not may_play()
    assert desk.post(url(User, "change", user.pk), {**form, "is_active": "on"}).status_code == 302
    assert may_play()
    ban("verdict:3", 3)
    restrictions.lift(reference="verdict:3")
    assert may_play()


def test_a_clerk_gives_nobody_rights_and_changes_no_other_staff(house: House, member: Member) -> None:
    clerk = member("accounts.change_user", "accounts.view_user", "accounts.add_user")
    me = User.objects.order_by("-pk").first()
    player = house.at.users[0]
    assert me is not None
    rights = {"is_staff": "on", "is_superuser": "on", "user_permissions": ["1"]}
    form = {"username": player.username, "email": "", "deck": "2", "hand_sort": "rank", "is_active": "on"}
    assert clerk.post(url(User, "change", player.pk), {**form, **rights}).status_code == 302
    player.refresh_from_db()
    assert not (player.is_staff or player.is_superuser or player.user_permissions.exists())
    for user in (me, house.chief):
        sent = {**form, **rights, "username": user.username}
        assert clerk.post(url(User, "change", user.pk), sent).status_code == 403
        password = f"/admin/accounts/user/{user.pk}/password/"
        assert (
            clerk.post(password, {"password1": "new words 77", "password2": "new words 77"}).status_code
            == 403
        )
    assert clerk.get(url(Group, "changelist")).status_code == 403


# --- the door ---


def sign_in(browser: Client, name: str, password: str) -> Any:
    return browser.post("/admin/login/?next=/admin/", {"username": name, "password": password})


def test_staff_signs_in_at_the_desks_own_door(chief: User) -> None:
    browser = Client()
    assert sign_in(browser, "ＣＨＩＥＦ", "a good one")["Location"] == "/admin/"
    assert browser.get("/admin/")["Location"].startswith("/accounts/second-factor/set-up/")


def test_a_player_does_not_get_in_with_the_right_password(db: None) -> None:
    user = make_user("player")
    user.set_password("a good one")
    user.save()
    browser = Client()
    assert sign_in(browser, "player", "a good one").status_code == 200
    assert "_auth_user_id" not in browser.session


def test_who_fails_too_often_waits_even_with_the_right_password(chief: User) -> None:
    browser = Client()
    for _ in range(8):
        assert "Too many" not in sign_in(browser, "Chief", "guess").content.decode()
    answer = sign_in(browser, "Chief", "a good one")
    assert answer.status_code == 200 and "Too many" in answer.content.decode()
    assert "_auth_user_id" not in browser.session


def test_failures_at_both_doors_count_together(chief: User) -> None:
    browser = Client()
    for _ in range(8):
        browser.post("/accounts/login/", {"login": "Chief", "password": "guess"})
    assert "Too many" in sign_in(browser, "Chief", "a good one").content.decode()


def test_only_the_desk_has_the_relaxed_policy(desk: Client) -> None:
    relaxed = desk.get("/admin/")["Content-Security-Policy"]
    assert (
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'" in relaxed and "frame-ancestors 'none'" in relaxed
    )
    for path in ("/", "/wallet/", "/accounts/preferences/", "/administration/"):
        assert "unsafe" not in desk.get(path)["Content-Security-Policy"]


@pytest.mark.both_databases
def test_the_database_itself_keeps_the_staffs_log(house: House) -> None:
    entry = LogEntry.objects.get()
    for change in (entry.delete, lambda: LogEntry.objects.update(object_repr="nothing")):
        with pytest.raises(DatabaseError), atomic():
            change()
    assert LogEntry.objects.get().object_repr == "something"
