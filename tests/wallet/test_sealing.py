"""What the database refuses, whoever asks it."""

import uuid

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection
from django.db.transaction import atomic

from wallet import triggers
from wallet.models import FEES, SYSTEM_WALLETS, Entry, Hold, Transaction, Wallet
from wallet.services import Leg, grant, hold, post

pytestmark = pytest.mark.django_db


def refused(action):
    with pytest.raises(IntegrityError), atomic():
        action()
        connection.check_constraints()


@pytest.fixture
def made(player):
    return post(code="fee", reference="f", legs=[Leg(player(100), -40), Leg(FEES, 40)])


def entries(transaction_id, *amounts):
    wallets = list(SYSTEM_WALLETS.values())
    Entry.objects.bulk_create(
        Entry(transaction_id=transaction_id, wallet_id=wallet, amount=amount)
        for wallet, amount in zip(wallets, amounts, strict=False)
    )


@pytest.mark.parametrize("amounts", [(), (5,), (5, -4), (5, 5, -9)])
def test_a_transaction_that_does_not_balance_is_not_sealed(amounts):
    key = uuid.uuid4()
    with pytest.raises(IntegrityError, match="at least two legs"), atomic():
        entries(key, *amounts)
        Transaction.objects.create(id=key, code="c", reference="r")


def test_a_balanced_one_is(made):
    key = uuid.uuid4()
    entries(key, 5, 4, -9)
    assert Transaction.objects.create(id=key, code="c", reference="r").entries.count() == 3


def test_a_sealed_transaction_takes_no_more_entries(made):
    refused(lambda: entries(made.pk, 5, -5))


def test_an_entry_of_no_transaction_is_refused():
    refused(lambda: entries(uuid.uuid4(), 5, -5))


def test_transactions_and_entries_never_change(made):
    refused(lambda: Transaction.objects.filter(pk=made.pk).update(note="what note"))
    refused(lambda: made.entries.update(amount=1))
    refused(lambda: made.entries.filter(amount__gt=0).update(wallet_id=SYSTEM_WALLETS["house:revenue"]))


def test_transactions_and_entries_are_never_deleted(made):
    refused(lambda: made.entries.all().delete())
    refused(lambda: Transaction.objects.filter(pk=made.pk)._raw_delete("default"))


def test_nor_replaced_by_others(made):
    entry = made.entries.first()

    def replace(table, **values):
        with connection.cursor() as cursor:
            verb = "INSERT OR REPLACE" if connection.vendor == "sqlite" else "INSERT"
            marks = ", ".join(["%s"] * len(values))
            cursor.execute(
                f"{verb} INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values())
            )

    key, other = (k.hex if connection.vendor == "sqlite" else k for k in (made.pk, uuid.uuid4()))
    when = made.created
    refused(lambda: replace("wallet_transaction", id=key, code="c", reference="other", created=when, note=""))
    refused(lambda: replace("wallet_entry", id=entry.pk, transaction_id=other, wallet_id=-1, amount=5))


def test_a_wallet_never_has_less_than_it_holds(player):
    user = player(100)
    hold(user_id=user, reference="h", amount=60)
    wallets = Wallet.objects.filter(user_id=user)
    refused(lambda: wallets.update(balance=59))
    refused(lambda: wallets.update(held=101))
    refused(lambda: wallets.update(held=-1))
    refused(lambda: wallets.update(balance=2**53))


def test_a_wallet_of_the_house_keeps_no_balance():
    refused(lambda: Wallet.objects.filter(code=FEES).update(balance=1))


def test_a_wallet_belongs_to_a_player_or_the_house(player):
    refused(lambda: Wallet.objects.create())
    refused(lambda: Wallet.objects.filter(user_id=player()).update(code="mine"))


def test_a_hold_of_no_coins_is_none(player):
    wallet = Wallet.objects.get(user_id=player(5))
    refused(lambda: Hold.objects.create(wallet=wallet, reference="h", amount=0))


def test_installing_twice_changes_nothing(django_assert_num_queries):
    with django_assert_num_queries(1):  # reads the catalogue, and writes nothing
        triggers.install(connection)
    assert triggers.differences(connection) == []


def test_a_guard_of_an_earlier_version_is_made_anew():
    drop = {"sqlite": "DROP TRIGGER guard_wallet_entry_sealed"}
    with connection.cursor() as cursor:
        cursor.execute(drop.get(connection.vendor, "DROP FUNCTION guard_wallet_entry_sealed() CASCADE"))
        if connection.vendor == "sqlite":
            cursor.execute(
                "CREATE TRIGGER guard_wallet_entry_sealed BEFORE INSERT ON wallet_entry BEGIN SELECT 1; END"
            )
            cursor.execute("CREATE TRIGGER guard_of_old AFTER INSERT ON wallet_entry BEGIN SELECT 1; END")
    assert len(triggers.differences(connection)) == 1
    triggers.install(connection)
    assert triggers.differences(connection) == []
    assert "guard_of_old" not in triggers._found(connection)


@pytest.mark.django_db(transaction=True)
def test_a_flush_empties_the_ledger_and_leaves_it_guarded(player):
    grant(user_id=player(), amount=5, reference="g")
    call_command("flush", interactive=False, verbosity=0, inhibit_post_migrate=True)
    assert not Transaction.objects.exists()
    assert triggers.differences(connection) == []
    assert Wallet.objects.filter(code__isnull=False).count() == len(SYSTEM_WALLETS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", [1, 2])
def test_tests_that_commit_clean_up_after_themselves(player, turn):
    assert not Transaction.objects.exists()
    grant(user_id=player(), amount=5, reference="the same in both turns")
