"""The machine under random commands, right, wrong and hostile, at odd moments (the promises: `Tabletop.do`).

At the end of each run the clock alone must lead out: every state has an exit by time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from games.engine.cards import NAMES
from games.table import commands as c
from games.table import events as e
from games.table.evolve import fold
from tests.table.tabletop import S, Tabletop

SEATS = st.sampled_from([0, 1, 2, 0, 1, 2, 3, -1, 4])
PAUSES = st.sampled_from(
    [0, 1, 999, S, 3 * S, 14_999, 15 * S, 20_999, 21 * S, 30 * S, 90 * S, 179_999, 180 * S]
)
HOSTILE = st.one_of(
    st.sampled_from(
        ["", "pass", "escape", "void", "play", "play ", "bid 9", "raise 0", "look", "play 3d\x00", "💥"]
    ),
    st.lists(st.sampled_from(NAMES), max_size=6).map(lambda cards: "play " + " ".join(cards)),
    st.text(max_size=20),
)
MOST_TICKS = 1_500


class Machine(RuleBasedStateMachine):
    ruleset = "bigtwo.qq"
    terms: dict[str, Any] = {}
    computers = 0

    @initialize(dealt=st.sampled_from([True, True, True, False]))
    def open_table(self, dealt: bool) -> None:
        self.table = Tabletop(self.ruleset, **self.terms)
        self.sent: list[c.Command] = []
        for index in range(self.computers):
            self.table.must(c.Sit(index + 1, None, f"Computer {index}", computer=True))
        if dealt:
            self.table.playing()

    def send(self, command: c.Command) -> None:
        before = self.table.state
        decision = self.table.do(command)
        if isinstance(command, c.Act) and decision.refusal is None and decision.events:
            acted = [
                event for event in decision.events if isinstance(event, e.Acted) and event.cmd == command.id
            ]
            assert [event.seat for event in acted] == [command.seat], "nobody acts for another seat"
            assert before.deal is not None
        self.sent.append(command)

    @rule(pause=PAUSES)
    def time_passes(self, pause: int) -> None:
        self.table.after(pause)

    @rule(pause=PAUSES)
    def tick(self, pause: int) -> None:
        self.table.after(pause).tick()

    @rule()
    def the_very_moment_of_a_deadline(self) -> None:
        due = self.table.state.next_due()
        if due is not None:
            self.table.at(max(self.table.now, due.at)).tick()

    @rule(seat=SEATS, user=st.integers(1, 9), nonce=st.sampled_from(["", "00ff", "zz"]))
    def sit(self, seat: int, user: int, nonce: str) -> None:
        self.send(c.Sit(seat, user, f"Player {user}", nonce))

    @rule(opens=st.booleans())
    def everybody_sits_and_is_ready(self, opens: bool) -> None:
        table = self.table
        table.tick()
        if table.state.phase == "between" and table.state.carry is None:
            for seat, sitter in enumerate(table.state.seats):
                if sitter is None:
                    self.send(c.Sit(seat, 100 + seat, f"Regular {seat}"))
            table.all_ready()
        if opens and table.state.wants_deal:
            table.open()

    @rule(right=st.booleans())
    def open_deal(self, right: bool) -> None:
        self.table.tick()
        if right and not self.table.state.wants_deal:
            return
        if self.table.state.wants_deal:
            self.table.open()
        else:
            self.table.refused(self.table.opening_command())

    @rule(seats=st.dictionaries(st.integers(0, 2), st.just("cannot_pay"), max_size=2))
    def decline(self, seats: dict[int, str]) -> None:
        self.table.do(c.DeclineDeal(seats))

    @precondition(lambda self: self.table.state.deal is not None)
    @rule(data=st.data(), count=st.integers(1, 6))
    def play(self, data: st.DataObject, count: int) -> None:
        for _ in range(count):
            self.table.tick()
            if self.table.state.deal is None:
                return
            offers = self.table.offers()
            chosen = offers[data.draw(st.integers(0, len(offers) - 1))]
            command = c.Act(self.table.turn, self.table.new_id(), self.table.state.turn, chosen)
            self.send(command)

    @rule(seat=SEATS, action=HOSTILE, late=st.integers(-2, 2))
    def hostile_act(self, seat: int, action: str, late: int) -> None:
        self.send(c.Act(seat, self.table.new_id(), self.table.state.turn + late, action))

    @rule(seat=SEATS, on=st.booleans())
    def trustee(self, seat: int, on: bool) -> None:
        self.send(c.Trustee(seat, self.table.new_id(), on))

    @rule(seat=SEATS, kind=st.sampled_from([c.Stand, c.Leave, c.AskLeave, c.AskLeave, c.Ready]))
    def seat_command(self, seat: int, kind: Callable[[int, str], c.Command]) -> None:
        self.send(kind(seat, self.table.new_id()))

    @rule(seat=SEATS, agree=st.booleans())
    def answer(self, seat: int, agree: bool) -> None:
        self.send(c.AnswerLeave(seat, self.table.new_id(), agree))

    @rule(
        seat=SEATS, text=st.one_of(st.none(), st.text(max_size=12)), phrase=st.sampled_from([None, "hello"])
    )
    def say(self, seat: int, text: str | None, phrase: str | None) -> None:
        self.send(c.Say(seat, self.table.new_id(), text, phrase))

    @rule(seat=SEATS, ago=PAUSES)
    def lose_line(self, seat: int, ago: int) -> None:
        self.table.do(c.Lost(seat, self.table.now - ago))

    @rule(seat=SEATS)
    def connect(self, seat: int) -> None:
        self.table.do(c.Connected(seat))

    @rule(sure=st.integers(0, 9))
    def void(self, sure: int) -> None:
        if sure == 9:
            self.table.do(c.Void("test", "staff"))

    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        if self.sent:
            command = self.sent[data.draw(st.integers(0, len(self.sent) - 1))]
            first = self.table.state.accepted(getattr(command, "seat", 0), getattr(command, "id", None))
            decision = self.table.do(command)
            assert first is None or (decision.seq == first and not decision.events)

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        self.folds_from_every_opening()
        table = self.table
        for _ in range(MOST_TICKS):
            due = table.state.next_due()
            if due is None:
                break
            table.at(max(table.now, due.at)).tick()
        assert table.state.phase == "closed" and set(table.state.seats) == {None}

    def folds_from_every_opening(self) -> None:
        log = self.table.log
        openings = [index for index, event in enumerate(log) if isinstance(event, e.DealOpened)]
        for index in openings[-3:]:
            assert fold(None, log[index:], self.table.dealer) == self.table.state


def machine(name: str, **traits: Any) -> Any:
    case: Any = type(name, (Machine,), traits).TestCase  # type: ignore[attr-defined]
    case.settings = settings(
        max_examples=15, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
    )
    return case


TestPickedTable = machine("PickedTable")
TestMatchedAntiCheatTable = machine(
    "MatchedAntiCheatTable", ruleset="bigtwo.classic", terms={"seating": "match", "anti_cheat": True}
)
TestPracticeTable = machine(
    "PracticeTable",
    ruleset="bigtwo.classic",
    terms={"seating": "match", "practice": True, "currency": "none"},
    computers=3,
)
TestPlayOnTable = machine("PlayOnTable", ruleset="toy.play_on")
TestWaitingTableWithRedeals = machine(
    "WaitingTableWithRedeals", ruleset="toy.wait", terms={"seating": "match"}
)
