"""Whatever is changed behind the ledger's back, `verify_books` finds it."""

import io
from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from wallet import audit
from wallet.models import FEES, Wallet
from wallet.services import Leg, grant, hold, post, reverse

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def some_business(player):
    """Two players, a settlement, an open hold and a reversal."""
    first, second = player(1000), player(1000)
    post(code="settlement", reference="deal:1", legs=[Leg(first, -120), Leg(second, 110), Leg(FEES, 10)])
    hold(user_id=first, reference="deal:2:0", amount=300)
    reverse(transaction=grant(user_id=second, amount=5, reference="g"), reference="r")


def verify():
    """Return what `verify_books` prints, and whether it was content."""
    out = io.StringIO()
    try:
        call_command("verify_books", stdout=out)
    except CommandError as error:
        assert error.returncode == 1
        return out.getvalue(), False
    return out.getvalue(), True


def test_untouched_books_are_right():
    printed, right = verify()
    assert right
    assert "9 wallets, 5 transactions, 11 entries, 1 open holds, 0 open debts" in printed


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (
            "UPDATE wallet_entry SET amount = amount + 1 WHERE amount = -120",
            "transactions sum to 0: transaction",
        ),
        (
            "UPDATE wallet_entry SET wallet_id = -6 WHERE wallet_id = -2 OR amount = 110",
            "keeps 1110, its entries",
        ),
        ("DELETE FROM wallet_entry WHERE amount = -120", "(deal:1) has 2 entries that sum to 120"),
        (
            "UPDATE wallet_wallet SET balance = balance + 1 WHERE balance = 1110",
            "keeps 1111, its entries sum to 1110",
        ),
        ("UPDATE wallet_wallet SET balance = balance + 1 WHERE balance = 1110", "other wallets sum to 1"),
        (
            "UPDATE wallet_wallet SET held = held - 1 WHERE held = 300",
            "keeps 299 as held, its open holds sum to 300",
        ),
        ("UPDATE wallet_hold SET closed = created", "keeps 300 as held, its open holds sum to 0"),
        ("UPDATE wallet_entry SET amount = amount * 2 WHERE abs(amount) = 5", "reversals mirror"),
    ],
)
def test_a_changed_row_is_found(tampering, change, finding):
    if "abs" in change:
        change += " AND id > (SELECT MAX(id) - 2 FROM wallet_entry)"
    with tampering() as cursor:
        cursor.execute(change)
        assert cursor.rowcount
    printed, right = verify()
    assert not right
    assert finding in printed


@pytest.mark.parametrize("name", ["wallet_entry_sealed", "wallet_transaction_seal", "wallet_entry_no_delete"])
def test_a_dropped_trigger_is_found(name):
    with connection.cursor() as cursor:
        dropped = f"guard_{name}"
        cursor.execute(
            f"DROP TRIGGER {dropped}"
            if connection.vendor == "sqlite"
            else f"DROP FUNCTION {dropped}() CASCADE"
        )
    printed, right = verify()
    assert not right
    assert f"guards: guard_{name} on wallet_" in printed


def test_a_hollow_trigger_is_found():
    name = "guard_wallet_entry_no_update"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"DROP TRIGGER {name}")
            cursor.execute(f"CREATE TRIGGER {name} BEFORE UPDATE ON wallet_entry BEGIN SELECT 1; END")
        else:
            function = f"FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql"
            cursor.execute(f"CREATE OR REPLACE {function} AS $$BEGIN RETURN NEW; END;$$")
    assert f"{name} on wallet_entry is not as declared" in verify()[0]


def test_what_another_app_registers_is_checked(monkeypatch):
    monkeypatch.setattr(audit, "_checks", {})
    audit.register("deals", lambda: iter(["deal 7 was paid 3 coins too much"]))
    printed, right = verify()
    assert not right
    assert "deals: deal 7 was paid 3 coins too much" in printed


def test_a_hundred_breaches_of_a_kind_are_enough(tampering, player):
    users = [player() for _ in range(120)]
    Wallet.objects.filter(user_id__in=users).update(balance=3)
    found = Counter(breach.check for breach in audit.verify_books().breaches)
    assert found == {"balances are the sums of entries": 100, "all coins come from issuance": 1}
