"""What a verdict moves at once, what it leaves as a debt, and how that is paid down (RULES §3)."""

import random

import pytest

from wallet import audit, debts
from wallet.debts import Charge, carry_out, undo
from wallet.errors import UnbalancedLegs
from wallet.models import CLAIMS, FEES, FINES, ISSUANCE, REVENUE, Debt, Transaction
from wallet.services import Leg, balances, grant, hold, house_balance, post, release

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("the_books_are_right")]


def coins(*users):
    found = balances(users)
    return [found[user].total for user in users]


def spend(user, amount, reference):
    post(code="settlement", reference=reference, legs=[Leg(user, -amount), Leg(FEES, amount)])


def collusion(first, second, victim):
    """RULES §3, a whole verdict: base 30, one deal with gross +60 −30 −30 and fee 3."""
    shares = ((victim, 1500),)
    return {
        "verdict": "verdict:1",
        "pays": [Leg(second, 30), Leg(victim, 330)],
        "charges": [
            Charge(first, "undone", 57),
            Charge(first, "fee", 152),
            Charge(second, "fee", 151),
            Charge(first, "fine", 3000, shares),
            Charge(second, "fine", 3000, shares),
        ],
    }


def test_a_whole_verdict_moves_what_the_rules_say(player):
    first, second, victim = player(10_000), player(10_000), player(10_000)
    carry_out(**collusion(first, second, victim))
    assert coins(first, second, victim) == [10_000 - 3209, 10_000 - 3121, 10_000 + 3330]
    assert (house_balance(FINES), house_balance(CLAIMS), house_balance(REVENUE)) == (3000, 0, 0)
    assert debts.debts_of(first) == debts.debts_of(second) == []


def test_carried_out_twice_moves_once(player):
    first, second, victim = player(10_000), player(10_000), player(10_000)
    for _ in range(2):
        carry_out(**collusion(first, second, victim))
    assert coins(first, second, victim) == [6791, 6879, 13_330]


def test_a_verdict_carried_out_by_four_at_once_moves_once(player, at_once):
    first, second, victim = player(10_000), player(100), player(10_000)
    assert at_once(*[lambda: carry_out(**collusion(first, second, victim))] * 4) == [None] * 4
    assert coins(first, second) == [6791, 0]


def test_the_victim_is_paid_back_at_once_and_the_rest_of_the_fine_as_it_is_collected(player):
    first, second, victim = player(0), player(10_000), player(1000)
    carry_out(**collusion(first, second, victim))
    assert coins(first, second, victim) == [0, 6879, 1000 + 330 + 1500]
    assert house_balance(CLAIMS) == -209
    assert [(d.part, d.owed, d.paid) for d in debts.debts_of(first)] == [
        ("undone", 57, 0),
        ("fee", 152, 0),
        ("fine", 3000, 0),
    ]
    grant(user_id=first, amount=60, reference="later")
    assert [(d.part, d.paid) for d in debts.debts_of(first)] == [("fee", 3), ("fine", 0)]
    assert house_balance(CLAIMS) == -149
    grant(user_id=first, amount=4000, reference="much later")
    assert coins(first, victim) == [4060 - 3209, 1000 + 3330]
    assert debts.owed_by(first) == 0


def test_many_small_payments_end_where_one_large_one_does(player):
    def fined(reference, pieces):
        offender, others = player(0), [player(0), player(0)]
        shares = tuple((other, 333) for other in others)
        carry_out(verdict=reference, charges=[Charge(offender, "fine", 1000, shares)])
        for n, piece in enumerate(pieces):
            before = house_balance(FINES) + sum(coins(*others))
            grant(user_id=offender, amount=piece, reference=f"{reference}:{n}")
            assert house_balance(FINES) + sum(coins(*others)) == before + piece
        return coins(offender, *others)

    draw = random.Random(5)
    pieces = []
    while sum(pieces) < 1000:
        pieces.append(min(draw.randint(1, 40), 1000 - sum(pieces)))
    assert fined("verdict:1", pieces) == fined("verdict:2", [1000]) == [0, 333, 333]


def test_coins_at_a_table_are_not_touched_until_they_are_released(player):
    offender = player(1000)
    hold(user_id=offender, reference="deal:7:0", amount=900)
    carry_out(verdict="verdict:1", charges=[Charge(offender, "fine", 600)])
    assert coins(offender) == [900]
    assert debts.owed_by(offender) == 500
    release(reference="deal:7:0")
    assert coins(offender) == [400]
    assert debts.debts_of(offender) == []


def test_a_settlement_that_closes_the_hold_pays_the_debt(player):
    offender, other = player(1000), player(1000)
    hold(user_id=offender, reference="deal:7:0", amount=1000)
    carry_out(verdict="verdict:1", charges=[Charge(offender, "fine", 600)])
    post(
        code="settlement",
        reference="deal:7",
        legs=[Leg(offender, -800), Leg(other, 800)],
        close_holds=["deal:7:0"],
    )
    assert coins(offender, other) == [0, 1800]
    assert debts.owed_by(offender) == 400


def test_the_oldest_verdict_is_paid_first_and_of_one_verdict_what_undoes_first(player):
    offender, victim = player(0), player(0)
    for n in (1, 2):
        carry_out(
            verdict=f"verdict:{n}",
            pays=[Leg(victim, 100)],
            charges=[
                Charge(offender, "fine", 50),
                Charge(offender, "fee", 40),
                Charge(offender, "undone", 60),
            ],
        )
    paid = []
    for n in range(30):
        grant(user_id=offender, amount=10, reference=f"g{n}")
        (newest,) = Transaction.objects.filter(code="debt").order_by("-created")[:1]
        paid.append(newest.reference)
    parts = [Debt.objects.get(pk=int(reference.split(":")[3])) for reference in paid]
    assert [(d.verdict, d.part) for d in parts] == [
        (f"verdict:{n}", part)
        for n in (1, 2)
        for part, times in (("undone", 6), ("fee", 4), ("fine", 5))
        for _ in range(times)
    ]


def test_an_innocent_winner_gives_what_he_has_and_the_house_bears_the_rest(player):
    offender, innocent, victim = player(5000), player(30), player(0)
    carry_out(
        verdict="verdict:1",
        pays=[Leg(victim, 100)],
        takes=[Leg(innocent, 60)],
        charges=[Charge(offender, "undone", 40)],
    )
    assert coins(offender, innocent, victim) == [4960, 0, 100]
    assert (house_balance(REVENUE), house_balance(CLAIMS)) == (-30, 0)
    assert debts.owed_by(innocent) == 0


def test_without_an_offender_the_house_bears_the_fees(player):
    winner, loser = player(100), player(0)
    carry_out(verdict="verdict:1", pays=[Leg(loser, 30)], takes=[Leg(winner, 27)], borne=3)
    assert coins(winner, loser) == [73, 30]
    assert (house_balance(REVENUE), house_balance(CLAIMS)) == (-3, 0)


def test_what_does_not_add_up_is_refused_and_nothing_moves(player):
    offender, victim = player(100), player(0)
    with pytest.raises(UnbalancedLegs):
        carry_out(verdict="verdict:1", pays=[Leg(victim, 30)], charges=[Charge(offender, "undone", 29)])
    assert coins(offender, victim) == [100, 0]
    assert Debt.objects.count() == 0


def test_debtors_who_owe_each_other_pay_until_nothing_is_at_hand(player):
    first, second = player(0), player(0)
    carry_out(verdict="verdict:1", charges=[Charge(first, "fine", 10_000, ((second, 8000),))])
    carry_out(verdict="verdict:2", charges=[Charge(second, "fine", 10_000, ((first, 8000),))])
    grant(user_id=first, amount=500, reference="g")
    assert coins(first, second) == [0, 0]
    assert house_balance(FINES) == 500


def test_an_appeal_reverses_every_transaction_collections_included(player):
    first, second, victim = player(100), player(10_000), player(1000)
    carry_out(**collusion(first, second, victim))
    grant(user_id=first, amount=500, reference="later")
    for _ in range(2):
        undo(verdict="verdict:1")
    assert coins(first, second, victim) == [600, 10_000, 1000]
    assert (house_balance(FINES), house_balance(CLAIMS), house_balance(REVENUE)) == (0, 0, 0)
    assert debts.owed_by(first) == 0
    grant(user_id=first, amount=5, reference="and then")
    assert coins(first) == [605]


def test_a_reversal_after_the_victim_has_spent_the_money_is_borne_by_the_house(player):
    first, second, victim = player(10_000), player(10_000), player(0)
    carry_out(**collusion(first, second, victim))
    spend(victim, 3000, "deal:2")
    undo(verdict="verdict:1")
    assert coins(first, second, victim) == [10_000, 10_000, 0]
    assert house_balance(REVENUE) == -3000
    assert debts.owed_by(victim) == 0


def test_what_a_reversal_gives_back_pays_other_debts(player):
    offender, victim = player(1000), player(0)
    carry_out(verdict="verdict:1", charges=[Charge(offender, "fine", 1000)])
    carry_out(verdict="verdict:2", charges=[Charge(offender, "fine", 300, ((victim, 150),))])
    undo(verdict="verdict:1")
    assert coins(offender, victim) == [700, 150]


def test_a_debt_takes_of_a_new_grant_before_anything_else_can(player, at_once):
    offender = player(0)
    carry_out(verdict="verdict:1", charges=[Charge(offender, "fine", 10_000)])
    at_once(*[lambda n=n: grant(user_id=offender, amount=100, reference=f"g{n}") for n in range(8)])
    assert coins(offender) == [0]
    assert debts.owed_by(offender) == 9200


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("UPDATE wallet_debt SET paid = paid + 1", "the ledger collected 40"),
        ("UPDATE wallet_wallet SET owed = 1 WHERE owed > 0", "keeps 1 as owed, its open debts sum to 60"),
        (
            "UPDATE wallet_entry SET wallet_id = -6 WHERE wallet_id = -5 AND amount < 0",
            "house:claims stands at 40, debtors owe it 60",
        ),
        ("DELETE FROM wallet_debt", "keeps 60 as owed, its open debts sum to 0"),
    ],
)
def test_a_changed_debt_is_found(player, tampering, change, finding):
    offender, victim = player(40), player(0)
    carry_out(verdict="verdict:1", pays=[Leg(victim, 100)], charges=[Charge(offender, "undone", 100)])
    assert audit.verify_books().breaches == []
    with tampering() as cursor:
        cursor.execute("SELECT id, amount, wallet_id FROM wallet_entry")
        kept = cursor.fetchall()
        cursor.execute("SELECT id, paid, owed, verdict, debtor_id, part, created FROM wallet_debt")
        (debt,) = cursor.fetchall()
        cursor.execute("SELECT id, owed FROM wallet_wallet")
        owed = cursor.fetchall()
        cursor.execute(change)
    found = " ".join(breach.detail for breach in audit.verify_books().breaches)
    with tampering() as cursor:
        cursor.executemany(
            "UPDATE wallet_entry SET amount = %s, wallet_id = %s WHERE id = %s",
            [(a, w, i) for i, a, w in kept],
        )
        cursor.executemany("UPDATE wallet_wallet SET owed = %s WHERE id = %s", [(o, i) for i, o in owed])
        cursor.execute("UPDATE wallet_debt SET paid = 40")
        cursor.execute("DELETE FROM wallet_debt")
        cursor.execute(
            "INSERT INTO wallet_debt (id, paid, owed, verdict, debtor_id, part, created, shares, cancelled)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, '[]', false)",
            debt,
        )
    assert finding in found


def test_random_verdicts_credits_and_reversals_keep_the_books(player):
    draw = random.Random(11)
    people = [player(draw.choice((0, 50, 2000))) for _ in range(4)]
    made = []
    for n in range(40):
        choice = draw.random()
        if choice < 0.35:
            offender, victim = draw.sample(people, 2)
            due = draw.randint(0, 300)
            made.append(f"verdict:{n}")
            carry_out(
                verdict=made[-1],
                pays=[Leg(victim, due)],
                charges=[
                    Charge(offender, "undone", due),
                    Charge(offender, "fine", 100, ((victim, draw.randint(0, 100)),)),
                ],
            )
        elif choice < 0.5 and made:
            undo(verdict=made.pop(draw.randrange(len(made))))
        elif choice < 0.8:
            grant(user_id=draw.choice(people), amount=draw.randint(1, 120), reference=f"g{n}")
        else:
            person = draw.choice(people)
            if (there := coins(person)[0]) > 0:
                post(code="adjustment", reference=f"s{n}", legs=[Leg(person, -there), Leg(ISSUANCE, there)])
        assert audit.verify_books().breaches == [], n
