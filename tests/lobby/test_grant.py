"""The welcome: every account has a wallet, and the grant is in it exactly once."""

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from wallet import audit
from wallet import services as wallet
from wallet.errors import WalletError

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def generous(settings: LazySettings) -> None:
    settings.SIGNUP_GRANT = 10_000


def lines(user: User) -> list[tuple[str, int]]:
    return [(line.reference, line.amount) for line in wallet.statement(user.pk)]


def test_signing_up_brings_the_grant(client: Client) -> None:
    client.post("/accounts/signup/", {"username": "Ravi", "password1": "plum blossom 7"})
    user = User.objects.get()
    assert lines(user) == [(f"signup:{user.pk}", 10_000)]
    assert audit.verify_books().breaches == []


def test_saving_again_and_logging_in_again_bring_nothing(client: Client) -> None:
    user = User.objects.create_user("Ravi", password="plum blossom 7")
    user.save()
    client.force_login(user)
    assert wallet.balance(user.pk).total == 10_000


def test_an_account_made_at_the_command_line_has_a_wallet_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "plum blossom 7")
    call_command(
        "createsuperuser", interactive=False, username="Chief", email="chief@example.org", verbosity=0
    )
    assert wallet.balance(User.objects.get().pk).total == 10_000


def test_without_the_grant_there_is_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: object) -> None:
        raise WalletError("the ledger is closed")

    monkeypatch.setattr(wallet, "grant", broken)
    with pytest.raises(WalletError):
        User.objects.create_user("Ravi")
    assert not User.objects.exists()


def test_a_house_may_grant_nothing(settings: LazySettings) -> None:
    settings.SIGNUP_GRANT = 0
    user = User.objects.create_user("Ravi")
    assert wallet.balance(user.pk) == wallet.Balance(0, 0)
    assert lines(user) == []
