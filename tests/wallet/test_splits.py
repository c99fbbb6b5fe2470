"""What the house takes goes on to revenue and relief, once, whole, by the settings' shares."""

from datetime import timedelta

import pytest
from django.utils import timezone

from wallet import audit, debts, splits, tasks
from wallet.debts import Charge
from wallet.models import FEES, FINES, RELIEF, REVENUE, AuditRun, Wallet
from wallet.services import Leg, house_balance, post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("the_books_are_right")]


@pytest.fixture(autouse=True)
def thirty_percent(settings):
    settings.RELIEF_PERCENT = 30


def taken(player, amount, code=FEES, reference="deal:1"):
    post(code="settlement", reference=reference, legs=[Leg(player(amount), -amount), Leg(code, amount)])


def test_the_whole_balance_is_split_by_the_shares(player):
    taken(player, 101)
    taken(player, 50, FINES, "deal:2")
    assert splits.split_all() == {FEES: 101, FINES: 50}
    assert [house_balance(code) for code in (FEES, FINES, RELIEF, REVENUE)] == [0, 0, 30 + 15, 71 + 35]
    assert splits.split_all() == {FEES: 0, FINES: 0}


def test_eight_at_once_split_once(player, at_once):
    taken(player, 100)
    assert sorted(at_once(*[lambda: splits.split(FEES)] * 8)) == [0] * 7 + [100]
    assert house_balance(REVENUE) == 70


def test_what_is_settled_meanwhile_falls_into_the_next_split(player, at_once):
    payers = [player(10) for _ in range(12)]
    jobs = [
        lambda n=n, payer=payer: post(
            code="settlement", reference=f"deal:{n}", legs=[Leg(payer, -10), Leg(FEES, 10)]
        )
        for n, payer in enumerate(payers)
    ]
    at_once(*jobs, *[lambda: splits.split(FEES)] * 4)
    splits.split(FEES)
    assert house_balance(FEES) == 0
    assert house_balance(RELIEF) + house_balance(REVENUE) == 120


def test_a_wallet_overdrawn_by_a_reversed_verdict_waits_until_it_is_full_again(player):
    offender = player(100)
    debts.carry_out(verdict="verdict:1", charges=[Charge(offender, "fine", 100)])
    splits.split(FINES)
    debts.undo(verdict="verdict:1")
    assert house_balance(FINES) == -100
    assert splits.split(FINES) == 0
    taken(player, 130, FINES)
    assert splits.split(FINES) == 30


def test_the_job_splits_once_a_day_however_often_it_runs(player):
    taken(player, 10)
    assert tasks.split_daily() == {FEES: 10, FINES: 0}
    taken(player, 10, reference="deal:2")
    assert tasks.split_daily() == {}


def test_the_audit_is_written_down_once_a_day():
    assert tasks.audit_nightly() == 0
    assert tasks.audit_nightly() is None
    (run,) = AuditRun.objects.all()
    assert run.right
    assert run.checks == audit.verify_books().checks
    assert timezone.now() - run.began < timedelta(minutes=5)


def test_an_audit_that_finds_something_says_what(player, tampering, caplog):
    user = player(70)
    with tampering() as cursor:
        cursor.execute("UPDATE wallet_wallet SET balance = 71 WHERE balance = 70")
    run = tasks.run_audit()
    Wallet.objects.filter(user_id=user).update(balance=70)
    assert not run.right
    assert any("keeps 71, its entries sum to 70" in detail for _, detail in run.breaches)
    assert "books_are_wrong" in caplog.text


def test_an_audit_and_those_who_write_meanwhile_do_not_disturb_each_other(player, at_once):
    payers = [player(100) for _ in range(6)]

    def pay(payer):
        for n in range(10):
            post(code="settlement", reference=f"deal:{payer}:{n}", legs=[Leg(payer, -10), Leg(FEES, 10)])

    found = at_once(
        *[lambda payer=payer: pay(payer) for payer in payers],
        *[lambda: [audit.verify_books().breaches for _ in range(4)]] * 2,
    )
    assert found == [None] * 6 + [[[], [], [], []]] * 2
