"""Many at once: coins are spent once, references mean one thing, nobody meets a database error."""

import random
from collections import Counter
from functools import partial

import pytest

from wallet import errors
from wallet.models import FEES, RELIEF, Transaction
from wallet.services import (
    Leg,
    Reservation,
    balance,
    balances,
    grant,
    hold,
    hold_all,
    house_balance,
    open_wallet,
    post,
    release_all,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("the_books_are_right")]


def outcomes(results):
    """Count results by error code, "done" for those without."""
    return Counter(
        result.code if isinstance(result, errors.WalletError) else _done(result) for result in results
    )


def _done(result):
    if isinstance(result, Exception):
        raise result
    return "done"


def test_of_eight_who_spend_the_whole_balance_one_succeeds(player, at_once):
    spender, shops = player(1000), [player() for _ in range(8)]
    spend = [
        partial(post, code="gift", reference=f"g{shop}", legs=[Leg(spender, -1000), Leg(shop, 1000)])
        for shop in shops
    ]
    assert outcomes(at_once(*spend)) == {"done": 1, "insufficient_funds": 7}
    assert balance(spender).total == 0


def test_of_eight_who_hold_the_whole_balance_one_succeeds(player, at_once):
    user = player(1000)
    holds = [partial(hold, user_id=user, reference=f"h{n}", amount=1000) for n in range(8)]
    assert outcomes(at_once(*holds)) == {"done": 1, "insufficient_funds": 7}


def test_eight_settlements_of_one_deal_are_one(player, at_once):
    loser, winner = player(1000), player()
    hold(user_id=loser, reference="deal:1:0", amount=500)
    legs = [Leg(loser, -300), Leg(winner, 290), Leg(FEES, 10)]
    settle = partial(post, code="settlement", reference="deal:1", legs=legs, close_holds=["deal:1:0"])
    results = at_once(*[settle] * 8)
    assert outcomes(results) == {"done": 8}
    assert len({made.pk for made in results}) == 1
    assert balance(loser) == (700, 0)


def test_one_reference_for_two_things_at_once_means_one(player, at_once):
    """Wallets of different players: nothing but the reference brings them together."""
    pairs = [(player(100), player()) for _ in range(4)]
    gifts = [partial(post, code="gift", reference="g", legs=[Leg(a, -1), Leg(b, 1)]) for a, b in pairs]
    assert outcomes(at_once(*gifts)) == {"done": 1, "reference_reused": 3}


def test_the_house_splits_a_balance_once(player, at_once):
    post(code="fee", reference="f", legs=[Leg(player(90), -90), Leg(FEES, 90)])
    legs = [Leg(FEES, -90), Leg("house:revenue", 90)]
    assert outcomes(at_once(*[partial(post, code="split", reference="s", legs=legs)] * 6)) == {"done": 6}
    assert house_balance(FEES) == 0


def test_a_wallet_opened_by_many_is_one(newcomer, at_once):
    opened = at_once(*[partial(open_wallet, user_id=newcomer)] * 8)
    assert len({wallet.pk for wallet in opened}) == 1
    grants = [partial(grant, user_id=newcomer, amount=10_000, reference=f"signup:{newcomer}")] * 8
    assert outcomes(at_once(*grants)) == {"done": 8}
    assert balance(newcomer).total == 10_000


def test_random_business_at_once_loses_no_coin_and_no_temper(player, at_once):
    users = [player(500) for _ in range(6)]
    post(code="gift", reference="purse", legs=[Leg(users[0], -100), Leg(RELIEF, 100)])

    def business(name):
        dice = random.Random(name)
        for number in range(25):
            seats = dice.sample(users, 4)
            deal = f"{name}:{number}"
            try:
                one_deal(dice, deal, seats)
            except errors.InsufficientFunds:
                continue

    assert at_once(*[partial(business, f"table {n}") for n in range(6)]) == [None] * 6
    total = sum(balance(user).total for user in users) + house_balance(FEES) + house_balance(RELIEF)
    assert total == 3000
    assert all(balances(users)[user].held == 0 for user in users)


def one_deal(dice, deal, seats):
    """Hold, then settle or call off, for four players in the order they sit."""
    have = balances(seats)
    holds = [Reservation(user, f"{deal}:{user}", max(1, have[user].available // 4)) for user in seats]
    hold_all(reservations=holds)
    references = [held.reference for held in holds]
    if dice.random() < 0.2:
        release_all(references=references)
        return
    losses = [dice.randint(1, held.amount) for held in holds[1:]]
    legs = [Leg(held.user_id, -loss) for held, loss in zip(holds[1:], losses, strict=True)]
    fee = min(2, sum(losses) - 1)
    legs += [Leg(seats[0], sum(losses) - fee), Leg(FEES, fee)]
    if dice.random() < 0.3:
        legs[-1] = Leg(RELIEF, fee)
    post(code="settlement", reference=f"deal:{deal}", legs=legs, close_holds=references)
    assert Transaction.objects.filter(reference=f"deal:{deal}").exists()
