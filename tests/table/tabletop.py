"""A table under test: commands go in at moments the test chooses, and after each of them the promises of the machine
are checked (`Tabletop.do`)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from games.engine import fair, rulesets
from games.engine.cards import NAMES
from games.table import commands as c
from games.table import events as e
from games.table.decide import Decision, decide
from games.table.errors import Refusal
from games.table.evolve import evolve
from games.table.state import TableState
from games.table.views import DIGITS, event_view, table_view

CARD = re.compile(r"(?<![0-9A-Za-z])(?:[3-9TJQKA2][dchs]|BJ|RJ)(?![0-9A-Za-z])")
S = 1_000
QQ = {"tier": "qq.bamboo", "base_stake": 10, "cap": 2000, "entry": 3000, "fee": {"kind": "flat", "value": 10}}


class Dealer:
    """Decks and seeds of a table's deals, as the secrets of the log."""

    def __init__(self) -> None:
        self.seeds: dict[str, bytes] = {}
        self.decks: dict[str, tuple[int, ...]] = {}

    def announce(self, deal_id: str) -> str:
        self.seeds[deal_id] = hashlib.sha256(deal_id.encode()).digest()
        return fair.commitment(self.seeds[deal_id])

    def deck_of(self, deal_id: str, /) -> tuple[int, ...]:
        return self.decks[deal_id]

    def seed_of(self, deal_id: str, /) -> str:
        return self.seeds[deal_id].hex()


class Tabletop:
    """One table, its log, and a clock the test turns."""

    def __init__(
        self, ruleset: str = "bigtwo.qq", *, deck: tuple[int, ...] | None = None, **terms: Any
    ) -> None:
        self.dealer, self.now, self.deck = Dealer(), 1_000_000, deck
        self.rules = rulesets.get(ruleset)
        opened = e.TableOpened(
            self.now, "4F2K", ruleset, {**QQ, **terms}, "deal-1", self.dealer.announce("deal-1")
        )
        self.log: list[e.Event] = [opened]
        self.state: TableState = evolve(None, opened, self.dealer)
        self.digest = self.folded_digest = e.chain(b"", e.encode(opened))
        self.folded = evolve(None, e.decode(e.encode(opened)), self.dealer)
        self.answered: dict[tuple[int, str], int] = {}
        self.ids = 0

    # --- asking ----------------------------------------------------------------------------------------------------

    def do(self, command: c.Command) -> Decision:
        """Decide a command at the present moment, append its events, check every promise."""
        before = self.state
        decision = decide(before, command, self.now, self.dealer)
        self.log.extend(decision.events)
        self.state = decision.state
        self._check_log(before, decision)
        self._check_answer(before, command, decision)
        self.check_views(decision.events)
        return decision

    def must(self, command: c.Command) -> tuple[e.Event, ...]:
        """Do what the table has to take."""
        decision = self.do(command)
        assert decision.refusal is None, (command, decision.refusal)
        return decision.events

    def refused(self, command: c.Command) -> str:
        """Do what the table has to refuse; the code and the detail."""
        refusal = self.do(command).refusal
        assert isinstance(refusal, Refusal), command
        return f"{refusal.code} {refusal.detail}".strip()

    def at(self, moment: int) -> Tabletop:
        """Turn the clock."""
        self.now = moment
        return self

    def after(self, ms: int) -> Tabletop:
        """Turn the clock on."""
        self.now += ms
        return self

    def tick(self) -> tuple[e.Event, ...]:
        """Let the table do what is due."""
        return self.must(c.Tick())

    def new_id(self) -> str:
        self.ids += 1
        return f"c{self.ids}"

    # --- playing ---------------------------------------------------------------------------------------------------

    def fill(self, **more: Any) -> Tabletop:
        """Give every seat to a player."""
        for seat in range(self.rules.seats):
            if self.state.seats[seat] is None:
                self.must(c.Sit(seat, 100 + seat, f"Player {seat}", **more))
        return self

    def all_ready(self) -> Tabletop:
        for index, seat in enumerate(self.state.seats):
            if seat is not None and not seat.ready:
                self.must(c.Ready(index, self.new_id()))
        return self

    def opening_command(self, **changes: Any) -> c.OpenDeal:
        """The command that opens the announced deal, as the platform would give it."""
        state, number = self.state, self.state.number + 1
        draw = fair.Draw(self.dealer.seeds[state.next_deal], state.next_deal, state.nonces)
        deck = draw.deck(self.rules.deck_size)
        self.dealer.decks[state.next_deal] = self.deck or deck
        opening = self.rules.next_opening(state.previous_deal, draw, self.deck or deck)
        following = f"deal-{number + 1}"
        command = c.OpenDeal(
            deal_id=state.next_deal,
            number=number,
            commitment=state.next_commitment,
            next_deal_id=following,
            next_commitment=self.dealer.announce(following),
            nonces=state.nonces,
            balances=(5_000,) * self.rules.seats,
            opening=opening,
            rules_version=self.rules.version,
        )
        return command._replace(**changes)

    def open(self) -> Tabletop:
        """Open the deal everybody waits for."""
        assert self.state.wants_deal
        self.must(self.opening_command())
        return self

    def playing(self) -> Tabletop:
        """Sit down, press start, deal."""
        self.fill().all_ready()
        return self.open()

    @property
    def turn(self) -> int:
        """The seat to act."""
        assert self.state.deal is not None and self.state.deal.clock is not None
        return self.state.deal.clock.seat

    def offers(self) -> list[str]:
        """The legal actions of the seat to act, as its own view offers them."""
        assert self.state.deal is not None
        return [str(a) for a in self.rules.offers(self.rules.view(self.state.deal.deal, self.turn))]

    def act(self, action: str | None = None) -> tuple[e.Event, ...]:
        """Let the seat to act do something, by default the first thing it can."""
        chosen = self.offers()[0] if action is None else action
        return self.must(c.Act(self.turn, self.new_id(), self.state.turn, chosen))

    def until_turn_of(self, seat: int) -> Tabletop:
        """Let the others act until it is a seat's turn."""
        while self.turn != seat:
            self.act("pass" if "pass" in self.offers() else None)
        return self

    def play_out(self) -> Tabletop:
        """Play the deal to its end, each seat the last thing it is offered."""
        while self.state.deal is not None:
            self.act(self.offers()[-1])
        return self

    def kinds(self, events: tuple[e.Event, ...] | None = None) -> list[str]:
        """The kinds of some events, by default of the whole log."""
        return [e.kind_of(event) for event in (self.log if events is None else events)]

    def view(self, seat: int | None) -> dict[str, Any]:
        return table_view(self.state, seat, self.now)

    # --- promises --------------------------------------------------------------------------------------------------

    def _check_log(self, before: TableState, decision: Decision) -> None:
        """What stands in the log as bytes folds to the very state and digest."""
        at = before.at
        for event in decision.events:
            assert at <= event.at <= max(self.now, before.at), "moments never run backwards"
            at = event.at
            body = e.encode(event)
            read = e.decode(body)
            assert read == event and e.encode(read) == body
            if isinstance(read, e.DealOpened):
                assert evolve(None, read, self.dealer) == evolve(self.folded, read, self.dealer)
            self.folded = evolve(self.folded, read, self.dealer)
            self.digest = e.chain(self.digest, body)
        assert self.folded == self.state
        assert self.state.seq == len(self.log)
        if before is self.state:
            return  # an answer given before is given again, whatever the clocks say
        due = self.state.next_due()
        assert due is None or due.at > self.now, "what is due is done"

    def _check_answer(self, before: TableState, command: c.Command, decision: Decision) -> None:
        cmd, seat = getattr(command, "id", None), getattr(command, "seat", None)
        if decision.refusal is not None:
            assert not CARD.search(f"{decision.refusal.code} {decision.refusal.detail}")
            return
        if cmd is None or seat is None:
            return
        again = decide(self.state, command, self.now + 5 * S, self.dealer)
        assert again.seq == decision.seq and not again.events, "the same id has the same answer and no effect"
        assert (
            e.kind_of(self.log[decision.seq - 1]) and getattr(self.log[decision.seq - 1], "cmd", None) == cmd
        )

    def check_views(self, events: tuple[e.Event, ...] = ()) -> None:
        """No browser gets a card that is not its own or on the table."""
        for event in events:
            if isinstance(event, e.DealClosed):
                continue
            found = set(CARD.findall(e.encode(event).decode()))
            assert not found or isinstance(event, e.Acted | e.Said | e.DealOpened)
            assert set(CARD.findall(json.dumps(event_view(event)))) <= found
        for seat in (*range(self.rules.seats), None):
            self._check_view(seat)

    def _check_view(self, seat: int | None) -> None:
        view = self.view(seat)
        deal = self.state.deal
        assert (view["deal"] is None) == (deal is None)
        if deal is None:
            return
        shown = view["deal"]["state"]
        hands = [set(_names(hand)) for hand in deal.deal.hands]
        face_down = shown["hand"] is None
        mine: set[str] = set() if seat is None or face_down else hands[seat]
        played = {NAMES[card] for _, action in deal.deal.history for card in action.cards}
        seen = mine | played | set((shown["bottom"] or "").split()) | set((shown["shown"] or "").split())
        dealt = set(_names(deal.deal.setup.bottom)).union(
            *[set(_names(hand)) for hand in deal.deal.setup.hands]
        )
        assert set(shown.pop("unseen").split()) == dealt - seen
        assert view["deal"].pop("duty") in (None, "3d", "last_card")
        self._check_plays(view, seat)
        said = json.dumps(view, ensure_ascii=False)
        assert set(CARD.findall(said)) <= seen
        assert not CARD.search(repr(self.state) + repr(self.state.deal))

    def _check_plays(self, view: dict[str, Any], seat: int | None) -> None:
        plays = view["can"].pop("plays")
        assert (plays is not None) == (seat is not None and self.turn == seat)
        if plays is None:
            assert view["can"]["acts"] == []
            return
        hand = (view["deal"]["state"]["hand"] or "").split()
        offered = [
            "play " + " ".join(hand[DIGITS.index(digit)] for digit in play)
            for several in plays.values()
            for play in several
        ]
        assert sorted([*view["can"]["acts"], *offered]) == sorted(self.offers())


def _names(mask: int) -> list[str]:
    return [name for card, name in enumerate(NAMES) if mask >> card & 1]
