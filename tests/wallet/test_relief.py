"""A few coins for who has too few: under the limit, three times a day, from a purse that has an end."""

from datetime import date

import pytest

from wallet import relief
from wallet.debts import Charge, carry_out, owed_by
from wallet.models import RELIEF
from wallet.services import balance, hold, house_balance

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("the_books_are_right")]

MONDAY, TUESDAY = date(2026, 11, 30), date(2026, 12, 1)


@pytest.fixture(autouse=True)
def purse(settings, db):
    settings.RELIEF_COINS, settings.RELIEF_TIMES, settings.RELIEF_FUND = 1000, 3, 5000
    relief.fund()


def ask(user, day=MONDAY, not_above=500):
    return relief.give(user_id=user, not_above=not_above, day=day)


def test_who_has_too_few_coins_gets_some_of_the_purse(player):
    user = player(500)
    assert ask(user) == 1000
    assert (balance(user).total, house_balance(RELIEF)) == (1500, 4000)


def test_the_purse_is_filled_once():
    assert relief.fund() is False
    assert house_balance(RELIEF) == 5000


def test_who_has_one_coin_more_gets_none_and_coins_at_a_table_count(player):
    rich, seated = player(501), player(501)
    hold(user_id=seated, reference="deal:1:0", amount=501)
    for user in (rich, seated):
        with pytest.raises(relief.NotPoor):
            ask(user)


def test_three_times_a_day_and_again_on_the_next(player):
    user = player(0)
    for _ in range(3):
        ask(user, not_above=10_000)
    with pytest.raises(relief.ReliefUsedUp):
        ask(user, not_above=10_000)
    assert ask(user, day=TUESDAY, not_above=10_000) == 1000


def test_an_empty_purse_gives_nothing(player):
    users = [player(0) for _ in range(6)]
    for user in users[:5]:
        ask(user)
    with pytest.raises(relief.ReliefEmpty):
        ask(users[5])


def test_fifty_clicks_at_once_give_one(player, at_once):
    user = player(0)
    answers = at_once(*[lambda: ask(user)] * 50)
    assert answers.count(1000) == 1
    assert all(isinstance(answer, relief.NotPoor) for answer in answers if answer != 1000)
    assert balance(user).total == 1000


def test_relief_pays_debts_first(player):
    user = player(0)
    carry_out(verdict="verdict:1", charges=[Charge(user, "fine", 1200)])
    ask(user)
    assert (balance(user).total, owed_by(user)) == (0, 200)
