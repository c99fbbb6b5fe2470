"""What only PostgreSQL can do: two writers in the ledger at one time."""

import threading

import pytest
from django.db import connection
from django.db.transaction import atomic

from wallet import triggers
from wallet.models import FEES
from wallet.retry import TRIES
from wallet.services import Leg, balance, balances, house_balance, post, retrying

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("the_books_are_right")]


def test_the_victim_of_a_deadlock_runs_again(player, at_once):
    first, second = player(100), player(100)
    both_hold_one = threading.Barrier(2)
    runs = []

    def crossing(own, other, reference):
        @retrying
        def lock_the_wrong_way_round():
            runs.append(reference)
            with atomic():
                balances([own], for_update=True)
                if len(runs) <= 2:
                    both_hold_one.wait(30)
                post(code="gift", reference=reference, legs=[Leg(other, -1), Leg(own, 1)])

        return lock_the_wrong_way_round

    assert at_once(crossing(first, second, "a"), crossing(second, first, "b")) == [None, None]
    # The victim may lock its own wallet anew before the other wakes up, and they meet once more.
    assert len(runs) > 2 and all(runs.count(reference) <= TRIES for reference in ("a", "b"))
    assert (balance(first).total, balance(second).total) == (100, 100)


def test_a_settlement_does_not_wait_for_the_split_of_fees(player):
    user = player(100)
    post(code="fee", reference="before", legs=[Leg(user, -10), Leg(FEES, 10)])

    def settle():
        post(code="fee", reference="meanwhile", legs=[Leg(user, -5), Leg(FEES, 5)])
        connection.close()

    with atomic():
        whole = house_balance(FEES, for_update=True)
        settlement = threading.Thread(target=settle)
        settlement.start()
        settlement.join(10)
        assert not settlement.is_alive()
        post(code="split", reference="s", legs=[Leg(FEES, -whole), Leg("house:revenue", whole)])
    assert (whole, house_balance(FEES)) == (10, 5)


def test_a_disabled_trigger_is_found(db):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE wallet_entry DISABLE TRIGGER guard_wallet_entry_sealed")
    assert triggers.differences(connection) == [
        "guard_wallet_entry_sealed on wallet_entry is not as declared"
    ]
    triggers.install(connection)
