"""Coins set aside: still the player's, but for one purpose."""

import pytest

from wallet import errors
from wallet.models import FEES
from wallet.services import Leg, Reservation, balance, hold, hold_all, post, release, release_all

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_books_are_right")]


def test_held_coins_are_there_but_not_available(player):
    user = player(100)
    hold(user_id=user, reference="deal:1:0", amount=70)
    assert balance(user) == (100, 70)
    assert balance(user).available == 30


def test_other_debits_draw_on_the_rest(player):
    user = player(100)
    hold(user_id=user, reference="deal:1:0", amount=70)
    with pytest.raises(errors.InsufficientFunds) as refused:
        post(code="fee", reference="f1", legs=[Leg(user, -31), Leg(FEES, 31)])
    assert (refused.value.needed, refused.value.available) == (31, 30)
    post(code="fee", reference="f2", legs=[Leg(user, -30), Leg(FEES, 30)])
    assert balance(user) == (70, 70)


def test_a_settlement_draws_on_the_hold_it_closes(player):
    user, winner = player(100), player()
    hold(user_id=user, reference="deal:1:0", amount=100)
    post(
        code="settlement",
        reference="deal:1",
        legs=[Leg(user, -80), Leg(winner, 80)],
        close_holds=["deal:1:0"],
    )
    assert balance(user) == (20, 0)


def test_a_settlement_cannot_draw_on_another_deals_hold(player):
    user, winner = player(100), player()
    hold(user_id=user, reference="deal:1:0", amount=60)
    hold(user_id=user, reference="verdict:1", amount=40)
    with pytest.raises(errors.InsufficientFunds) as refused:
        post(
            code="settlement",
            reference="deal:1",
            legs=[Leg(user, -61), Leg(winner, 61)],
            close_holds=["deal:1:0"],
        )
    assert (refused.value.needed, refused.value.available) == (61, 60)


def test_the_hold_of_a_seat_that_moves_nothing_is_closed_too(player):
    loser, winner, idle = player(100), player(), player(100)
    hold_all(reservations=[Reservation(loser, "d:0", 50), Reservation(idle, "d:2", 100)])
    post(code="settlement", reference="d", legs=[Leg(loser, -9), Leg(winner, 9)], close_holds=["d:0", "d:2"])
    assert balance(idle) == (100, 0)


def test_no_hold_beyond_what_is_available(player):
    user = player(100)
    hold(user_id=user, reference="a", amount=60)
    with pytest.raises(errors.InsufficientFunds) as refused:
        hold(user_id=user, reference="b", amount=41)
    assert (refused.value.user_id, refused.value.needed, refused.value.available) == (user, 41, 40)
    assert balance(user).held == 60


def test_holds_for_a_whole_table_are_all_or_none(player):
    rich, poor = player(100), player(10)
    with pytest.raises(errors.InsufficientFunds):
        hold_all(reservations=[Reservation(rich, "d:0", 50), Reservation(poor, "d:1", 11)])
    assert balance(rich).held == 0
    first, second = hold_all(reservations=[Reservation(rich, "d:0", 50), Reservation(poor, "d:1", 10)])
    assert (first.reference, second.reference) == ("d:0", "d:1")


def test_the_same_hold_twice_is_placed_once(player):
    user = player(100)
    assert hold(user_id=user, reference="a", amount=60) == hold(user_id=user, reference="a", amount=60)
    assert balance(user).held == 60


def test_a_hold_reference_reused_is_refused(player):
    user, other = player(100), player(100)
    hold(user_id=user, reference="a", amount=60)
    with pytest.raises(errors.ReferenceReused):
        hold(user_id=user, reference="a", amount=59)
    with pytest.raises(errors.ReferenceReused):
        hold(user_id=other, reference="a", amount=60)
    with pytest.raises(errors.ReferenceReused):
        hold_all(reservations=[Reservation(user, "b", 1), Reservation(other, "b", 1)])


@pytest.mark.parametrize("amount", [0, -1, 1.5, True])
def test_a_hold_is_of_at_least_one_whole_coin(player, amount):
    with pytest.raises(errors.BadAmount):
        hold(user_id=player(100), reference="a", amount=amount)


def test_a_released_hold_gives_its_coins_back_once(player):
    user = player(100)
    hold_all(reservations=[Reservation(user, "a", 60), Reservation(user, "b", 40)])
    assert release(reference="a").closed is not None
    release_all(references=["a", "a", "b"])
    release(reference="b")
    assert balance(user) == (100, 0)


def test_a_released_hold_covers_no_settlement(player):
    user, winner = player(100), player()
    hold(user_id=user, reference="a", amount=60)
    release(reference="a")
    legs = [Leg(user, -50), Leg(winner, 50)]
    with pytest.raises(errors.HoldClosed):
        post(code="settlement", reference="d", legs=legs, close_holds=["a"])


def test_an_unknown_hold_is_neither_released_nor_closed(player):
    user, winner = player(100), player()
    with pytest.raises(errors.UnknownHold):
        release(reference="a")
    with pytest.raises(errors.UnknownHold):
        post(code="s", reference="d", legs=[Leg(user, -50), Leg(winner, 50)], close_holds=["a"])


def test_a_settlement_repeated_with_other_holds_is_refused(player):
    user, winner = player(100), player()
    hold_all(reservations=[Reservation(user, "a", 10), Reservation(user, "b", 10)])
    legs = [Leg(user, -10), Leg(winner, 10)]
    made = post(code="settlement", reference="d", legs=legs, close_holds=["a"])
    assert post(code="settlement", reference="d", legs=legs, close_holds=["a"]) == made
    for holds in ([], ["b"], ["a", "b"]):
        with pytest.raises(errors.ReferenceReused):
            post(code="settlement", reference="d", legs=legs, close_holds=holds)
    assert balance(user) == (90, 10)


def test_a_hold_stays_closed_when_its_settlement_is_reversed(player):
    from wallet.services import reverse

    user, winner = player(100), player()
    hold(user_id=user, reference="a", amount=60)
    made = post(code="s", reference="d", legs=[Leg(user, -50), Leg(winner, 50)], close_holds=["a"])
    reverse(transaction=made, reference="r")
    assert balance(user) == (100, 0)
