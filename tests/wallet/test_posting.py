"""Moving coins: legs that sum to 0, funds that suffice, references that mean one thing."""

import pytest

from wallet import errors
from wallet.models import FEES, ISSUANCE, MAX_COINS, RELIEF, Entry, Transaction
from wallet.services import Leg, balance, balances, grant, house_balance, open_wallet, post, reverse

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_books_are_right")]


def test_a_settlement_moves_every_leg_at_once(player):
    winner, loser = player(1000), player(1000)
    post(code="settlement", reference="deal:1", legs=[Leg(winner, 190), Leg(loser, -200), Leg(FEES, 10)])
    assert (balance(winner).total, balance(loser).total, house_balance(FEES)) == (1190, 800, 10)


def test_a_settlement_of_four_seats_takes_seven_statements(player, django_assert_num_queries):
    seats = [player(1000) for _ in range(4)]
    nets = [140, -50, -50, -50]
    from wallet.services import Reservation, hold_all

    holds = hold_all(
        reservations=[Reservation(user, f"deal:1:{seat}", 500) for seat, user in enumerate(seats)]
    )
    with django_assert_num_queries(7):
        post(
            code="settlement",
            reference="deal:1",
            legs=[*map(Leg, seats, nets), Leg(FEES, 10)],
            close_holds=[hold.reference for hold in holds],
        )


def test_a_wallet_may_be_spent_to_the_last_coin_and_no_further(player):
    rich, poor = player(100), player()
    post(code="gift", reference="all", legs=[Leg(rich, -100), Leg(poor, 100)])
    with pytest.raises(errors.InsufficientFunds) as refused:
        post(code="gift", reference="more", legs=[Leg(rich, -1), Leg(poor, 1)])
    assert (refused.value.user_id, refused.value.needed, refused.value.available) == (rich, 1, 0)
    assert (balance(rich).total, balance(poor).total) == (0, 100)


def test_minus_50_and_minus_100_of_100_fail_somewhere(player):
    spender = player(100)
    post(code="fee", reference="first", legs=[Leg(spender, -50), Leg(FEES, 50)])
    with pytest.raises(errors.InsufficientFunds):
        post(code="fee", reference="second", legs=[Leg(spender, -100), Leg(FEES, 100)])
    assert balance(spender).total == 50


def test_two_legs_of_one_wallet_count_together(player):
    payer = player(100)
    legs = [Leg(payer, -150), Leg(payer, 60), Leg(FEES, 90)]
    post(code="settlement", reference="deal:1", legs=legs)
    assert balance(payer).total == 10


def test_legs_of_no_coins_are_left_out(player):
    payer, idle = player(100), player(100)
    made = post(code="fine", reference="f", legs=[Leg(payer, -5), Leg(idle, 0), Leg(FEES, 5)])
    assert made.entries.count() == 2


@pytest.mark.parametrize("amounts", [(-100, 99), (-100, 101), (0, 0), (5, 0), ()])
def test_legs_that_do_not_sum_to_0_or_move_nothing_are_refused(player, amounts):
    first, second = player(1000), player(1000)
    with pytest.raises(errors.UnbalancedLegs):
        post(code="gift", reference="g", legs=list(map(Leg, (first, second), amounts)))


@pytest.mark.parametrize("amount", [1.0, "5", None, True, MAX_COINS + 1, 2**63, -(2**63)])
def test_only_whole_coins_within_bounds_move(player, amount):
    with pytest.raises(errors.BadAmount):
        post(code="gift", reference="g", legs=[Leg(player(10), amount), Leg(FEES, -5)])


@pytest.mark.parametrize("amount", [0, -1])
def test_a_grant_is_of_at_least_one_coin(player, amount):
    with pytest.raises(errors.BadAmount):
        grant(user_id=player(), amount=amount, reference="g")


def test_no_wallet_holds_more_than_javascript_can_count(player):
    rich = player(MAX_COINS)
    with pytest.raises(errors.BadAmount):
        grant(user_id=rich, amount=1, reference="one too many")
    assert balance(rich).total == MAX_COINS


@pytest.mark.parametrize("wallet", ["house:nothing", "", 999_999, 1.5, None, True])
def test_an_unknown_wallet_is_refused(player, wallet):
    with pytest.raises(errors.UnknownWallet):
        post(code="gift", reference="g", legs=[Leg(player(10), -5), Leg(wallet, 5)])


@pytest.mark.parametrize(
    ("code", "reference"), [("", "r"), ("c" * 41, "r"), ("c", ""), ("c", "r" * 121), ("c", "a\0")]
)
def test_codes_and_references_are_short_text(player, code, reference):
    with pytest.raises(errors.BadReference):
        post(code=code, reference=reference, legs=[Leg(player(10), -5), Leg(FEES, 5)])


def test_the_same_post_twice_is_done_once(player):
    first, second = player(100), player()
    legs = [Leg(first, -60), Leg(second, 60)]
    made = post(code="gift", reference="g", legs=legs)
    assert post(code="gift", reference="g", legs=reversed(legs)) == made
    assert balance(first).total == 40


def test_a_reference_reused_for_something_else_is_refused(player):
    first, second = player(100), player(100)
    post(code="gift", reference="g", legs=[Leg(first, -6), Leg(second, 6)])
    for code, legs in [
        ("gift", [Leg(first, -7), Leg(second, 7)]),
        ("gift", [Leg(second, -6), Leg(first, 6)]),
        ("gift", [Leg(first, -6), Leg(FEES, 6)]),
        ("theft", [Leg(first, -6), Leg(second, 6)]),
    ]:
        with pytest.raises(errors.ReferenceReused):
            post(code=code, reference="g", legs=legs)
    assert balance(first).total == 94


def test_a_refused_post_leaves_the_caller_his_transaction(player):
    first, second = player(10), player()
    with pytest.raises(errors.InsufficientFunds):
        post(code="gift", reference="g", legs=[Leg(first, -11), Leg(second, 11)])
    post(code="gift", reference="g", legs=[Leg(first, -10), Leg(second, 10)])
    assert balance(second).total == 10


def test_coins_come_from_issuance_only(player):
    player(700)
    player(300)
    assert house_balance(ISSUANCE) == -1000


def test_the_relief_purse_cannot_be_overdrawn(player):
    needy = player(40)
    post(code="gift", reference="fill", legs=[Leg(needy, -40), Leg(RELIEF, 40)])
    with pytest.raises(errors.InsufficientFunds) as refused:
        post(code="relief", reference="r1", legs=[Leg(RELIEF, -41), Leg(needy, 41)])
    assert refused.value.user_id is None
    post(code="relief", reference="r2", legs=[Leg(RELIEF, -40), Leg(needy, 40)])
    assert (house_balance(RELIEF), balance(needy).total) == (0, 40)


def test_the_house_moves_coins_between_its_own_wallets(player):
    post(code="fee", reference="f", legs=[Leg(player(40), -40), Leg(FEES, 40)])
    post(code="split", reference="s", legs=[Leg(FEES, -40), Leg("house:revenue", 30), Leg(RELIEF, 10)])
    assert [house_balance(code) for code in (FEES, "house:revenue", RELIEF)] == [0, 30, 10]


def test_a_reversal_moves_back_what_was_moved(player):
    first, second = player(100), player()
    made = post(code="gift", reference="g", legs=[Leg(first, -60), Leg(second, 50), Leg(FEES, 10)])
    back = reverse(transaction=made, reference="appeal")
    assert (balance(first).total, balance(second).total, house_balance(FEES)) == (100, 0, 0)
    assert back.reversal_of == made
    assert reverse(transaction=made, reference="appeal") == back


def test_a_transaction_is_reversed_once(player):
    made = grant(user_id=player(100), amount=10, reference="g")
    reverse(transaction=made, reference="r1")
    with pytest.raises(errors.AlreadyReversed):
        reverse(transaction=made, reference="r2")


def test_a_reversal_needs_the_coins(player):
    first, second = player(100), player()
    made = post(code="gift", reference="g", legs=[Leg(first, -60), Leg(second, 60)])
    post(code="fee", reference="spent", legs=[Leg(second, -1), Leg(FEES, 1)])
    with pytest.raises(errors.InsufficientFunds):
        reverse(transaction=made, reference="r")


def test_a_reversal_of_part_is_none(player):
    first, second = player(100), player()
    made = post(code="gift", reference="g", legs=[Leg(first, -60), Leg(second, 60)])
    with pytest.raises(errors.NotAMirror):
        post(code="reversal", reference="r", legs=[Leg(first, 59), Leg(second, -59)], reversal_of=made)


def test_a_wallet_is_opened_once(player):
    user = player(5)
    assert open_wallet(user_id=user).balance == 5


def test_a_grant_opens_the_wallet(newcomer):
    grant(user_id=newcomer, amount=10_000, reference=f"signup:{newcomer}")
    assert balance(newcomer).available == 10_000


def test_who_has_no_wallet_has_no_coins(newcomer):
    assert balance(newcomer) == (0, 0)
    assert balances([newcomer]) == {}


def test_a_refused_post_writes_nothing(player):
    player(10)
    before = (Transaction.objects.count(), Entry.objects.count())
    with pytest.raises(errors.InsufficientFunds):
        post(code="gift", reference="g", legs=[Leg(player(), -11), Leg(FEES, 11)])
    assert (Transaction.objects.count(), Entry.objects.count()) == before
