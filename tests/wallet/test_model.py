"""The ledger against a dictionary: the same answers after any business."""

from typing import ClassVar

import pytest
from django.db.transaction import atomic, set_rollback
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from wallet import audit, errors
from wallet.models import FEES
from wallet.services import Leg, balance, grant, hold, house_balance, post, release, reverse

COINS = st.integers(1, 120)


class Ledger(RuleBasedStateMachine):
    """Three players do business; `have` and `held` say what a dictionary thinks of it."""

    users: ClassVar[list[int]] = []
    holds = Bundle("holds")
    moves = Bundle("moves")
    player = st.integers(0, 2)

    def __init__(self):
        super().__init__()
        self.block = atomic()
        self.block.__enter__()
        self.have = dict.fromkeys(self.users, 0)
        self.held = dict.fromkeys(self.users, 0)
        self.fees = 0
        self.open = {}
        self.names = 0

    def teardown(self):
        assert audit.verify_books().breaches == []
        set_rollback(True)
        self.block.__exit__(None, None, None)

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def available(self, user):
        return self.have[user] - self.held[user]

    @initialize()
    def begin(self):
        for user in self.users:
            self.give(self.users.index(user), 100)

    @rule(who=player, amount=COINS)
    def give(self, who, amount):
        user = self.users[who]
        grant(user_id=user, amount=amount, reference=self.name())
        self.have[user] += amount

    @rule(target=moves, payer=player, payee=player, amount=COINS, fee=st.integers(0, 5))
    def transfer(self, payer, payee, amount, fee):
        payer, payee, reference = self.users[payer], self.users[payee], self.name()
        legs = [Leg(payer, -amount - fee), Leg(payee, amount), Leg(FEES, fee)]
        cost = fee if payer == payee else amount + fee

        def move():
            return post(code="gift", reference=reference, legs=legs)

        if self.available(payer) < cost:
            with pytest.raises(errors.InsufficientFunds):
                move()
            return None
        made = move()
        assert move() == made
        self.shift(payer, payee, amount, fee)
        return made, payer, payee, amount, fee

    def shift(self, payer, payee, amount, fee):
        self.have[payer] -= amount + fee
        self.have[payee] += amount
        self.fees += fee

    @rule(move=consumes(moves))
    def take_back(self, move):
        if move is None:
            return
        made, payer, payee, amount, fee = move
        reference = self.name()
        if payer != payee and self.available(payee) < amount:
            with pytest.raises(errors.InsufficientFunds):
                reverse(transaction=made, reference=reference)
            return
        reverse(transaction=made, reference=reference)
        self.shift(payer, payee, -amount, -fee)

    @rule(target=holds, who=player, amount=COINS)
    def set_aside(self, who, amount):
        user, reference = self.users[who], self.name()
        if self.available(user) < amount:
            with pytest.raises(errors.InsufficientFunds):
                hold(user_id=user, reference=reference, amount=amount)
            return None
        hold(user_id=user, reference=reference, amount=amount)
        self.held[user] += amount
        self.open[reference] = (user, amount)
        return reference

    @rule(reference=holds)
    def let_go(self, reference):
        if reference is None:
            return
        release(reference=reference)
        user, amount = self.open.pop(reference, (self.users[0], 0))
        self.held[user] -= amount

    @rule(reference=consumes(holds), payee=player, amount=COINS)
    def settle(self, reference, payee, amount):
        if reference is None or reference not in self.open:
            return
        (payer, covered), payee = self.open[reference], self.users[payee]
        if payer == payee:
            return
        move = {
            "code": "settlement",
            "reference": self.name(),
            "legs": [Leg(payer, -amount), Leg(payee, amount)],
        }
        if self.available(payer) + covered < amount:
            with pytest.raises(errors.InsufficientFunds):
                post(**move, close_holds=[reference])
            return
        post(**move, close_holds=[reference])
        del self.open[reference]
        self.held[payer] -= covered
        self.shift(payer, payee, amount, 0)

    @invariant()
    def the_dictionary_agrees(self):
        for user in self.users:
            assert balance(user) == (self.have[user], self.held[user])
        assert house_balance(FEES) == self.fees


def test_the_ledger_agrees_with_a_dictionary(player):
    Ledger.users = [player() for _ in range(3)]
    run_state_machine_as_test(
        Ledger,
        settings=settings(
            max_examples=40, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
