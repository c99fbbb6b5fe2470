"""People, tables and whole deals for the tests of the Django side, through the same door as everybody."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from accounts.models import User
from games import service_time, tables
from games.table import commands as cmd
from games.table.state import TableState
from wallet import services as wallet

START_MS = 1_700_000_000_000

BAMBOO: dict[str, Any] = {
    "tier": "qq.bamboo",
    "base_stake": 10,
    "cap": 2000,
    "entry": 3000,
    "fee": {"kind": "flat", "value": 10},
    "initial_multiplier": 1,
    "currency": "coins",
    "turn_s": 20,
    "anti_cheat": False,
    "practice": False,
    "seating": "pick",
    "spectators": True,
}


class Story:
    """A table with its people and a clock that is moved by hand."""

    def __init__(
        self, ruleset: str = "bigtwo.qq", coins: int = 10_000, people: int = 4, **terms: Any
    ) -> None:
        self.now = START_MS
        self._pin = service_time.pinned(self.now)
        self._pin.__enter__()
        self.users = [make_user(f"player{n}-{random.randrange(10**9)}", coins) for n in range(people)]
        self.table = tables.open_table(tier="qq.bamboo", ruleset=ruleset, terms={**BAMBOO, **terms})
        self.random = random.Random(7)
        self._id = 0

    def end(self) -> None:
        self._pin.__exit__(None, None, None)
        service_time.forget()

    def wait(self, seconds: float) -> None:
        """Let service time pass."""
        self.now += round(seconds * 1000)
        service_time.move_pin(self.now)

    def sit(self) -> "Story":
        for user in self.users:
            tables.take_seat(user=user, table=self.table)
        return self

    @property
    def state(self) -> TableState:
        return tables.state_of(self.table.pk)

    def id(self) -> str:
        self._id += 1
        return f"c{self._id}"

    def perform(self, command: cmd.Command) -> tables.Answer:
        return tables.perform(self.table.pk, command)

    def start(self) -> TableState:
        """Have everybody press start; return the state with the deal open."""
        for seat in range(len(self.users)):
            answer = self.perform(cmd.Ready(seat, self.id(), ""))
            assert answer.refusal is None, answer.refusal
        assert answer.state.phase == "playing"
        return answer.state

    def act(self, action: str | None = None) -> tables.Answer:
        """Have the seat to act play something legal, or the action named."""
        state = self.state
        assert state.deal is not None and state.deal.clock is not None
        seat = state.deal.clock.seat
        if action is None:
            offers = state.rules.offers(state.rules.view(state.deal.deal, seat))
            action = str(self.random.choice(offers))
        answer = self.perform(cmd.Act(seat, self.id(), state.deal.clock.turn, action))
        assert answer.refusal is None, answer.refusal
        return answer

    def play_out(self) -> TableState:
        """Play the running deal to its end with random legal acts."""
        while self.state.phase == "playing":
            self.act()
        return self.state

    def deal(self) -> TableState:
        """Start and play out one deal."""
        self.start()
        return self.play_out()

    def balances(self) -> list[int]:
        return [wallet.balance(user.pk).total for user in self.users]

    def held(self) -> list[int]:
        return [wallet.balance(user.pk).held for user in self.users]


def make_user(name: str, coins: int = 0) -> User:
    """Make a user with exactly so many coins."""
    user = User.objects.create_user(username=name)
    have = wallet.balance(user.pk).total
    if have > coins:
        wallet.post(
            code="test",
            reference=f"less:{user.pk}",
            legs=[wallet.Leg(user.pk, coins - have), wallet.Leg("issuance", have - coins)],
        )
    elif have < coins:
        wallet.grant(user_id=user.pk, amount=coins - have, reference=f"more:{user.pk}", code="test")
    else:
        wallet.open_wallet(user_id=user.pk)
    return user


@contextmanager
def as_another_process() -> Iterator[None]:
    """Run with an empty memory, as another process would; what this one knew comes back, stale, afterwards."""
    known = dict(tables._known)
    tables.forget()
    try:
        yield
    finally:
        tables._known.clear()
        tables._known.update(known)


StoryMaker = Callable[..., Story]
