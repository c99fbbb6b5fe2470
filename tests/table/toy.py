"""A toy game for three, to try the manners no Big Two table has: play goes on without a lost player, and an auction in
which all may decline is dealt anew.

Each seat bids 0 or 1, in turn; the first 1 leads, three 0 are a redeal. Then single cards, higher beats lower.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from games.engine import rulesets
from games.engine.actions import BIDS, PASS, Action
from games.engine.cards import cards_of, mask_of
from games.engine.combos import Combo
from games.engine.deal import Deal, LeavePrice, Manners, Previous, Setup
from games.engine.errors import IllegalAction
from games.engine.settlement import Settlement
from games.engine.terms import COINS, POINTS, Terms
from games.engine.tricks import after_escape, after_pass, after_play, after_void, check_turn
from games.engine.views import View

SEATS = 3


class ToyOutcome(NamedTuple):
    how: str
    winner: int | None
    away: tuple[int, ...]
    fined: tuple[int, ...]
    escaped: int | None = None


class Toy(NamedTuple):
    code: str
    manners: Manners
    version: int = 1
    seats: int = SEATS
    deck_size: int = 12
    has_landlord: bool = False
    suits_count: bool = True
    currencies: tuple[str, ...] = (COINS, POINTS)

    def start(self, *, deck: Sequence[int], opening: Mapping[str, object], terms: Terms) -> Deal:
        hands = tuple(mask_of(deck[seat::SEATS]) for seat in range(SEATS))
        return self.place(hands=hands, bottom=0, opening=opening, terms=terms)

    def place(
        self, *, hands: Sequence[int], bottom: int, opening: Mapping[str, object], terms: Terms
    ) -> Deal:
        setup = Setup(self.code, self.version, dict(opening), terms, tuple(hands), bottom)
        first = opening["first"]
        assert isinstance(first, int)
        return Deal(setup, "bidding", first, tuple(hands), None, None, 0, None, None, (), 0)

    def next_opening(self, previous: Previous | None, draw: Any, deck: Sequence[int]) -> dict[str, object]:
        first = draw.below(SEATS) if previous is None else (previous.opening["first"] + 1) % SEATS
        return {"first": first}

    def opening_agrees(self, opening: Mapping[str, object], draw: Any, deck: Sequence[int]) -> bool | None:
        return None

    def _legal(self, phase: str, hand: int, standing: Combo | None) -> list[Action]:
        if phase == "bidding":
            return list(BIDS[:2])
        singles = [Action("play", (card,)) for card in cards_of(hand)]
        if standing is None:
            return singles
        return [PASS, *(play for play in singles if play.cards[0] > standing.top)]

    def legal(self, deal: Deal) -> list[Action]:
        return [] if deal.turn is None else self._legal(deal.phase, deal.hands[deal.turn], deal.standing)

    def offers(self, view: View) -> list[Action]:
        return self._legal(view.phase, view.hand or 0, view.standing) if view.my_turn else []

    def verify(self, deal: Deal, seat: int | None, action: Action) -> None:
        check_turn(deal, deal.turn if action.kind in ("void", "escape") else seat)
        if action.kind == "void" or (action.kind == "escape" and self.manners.has_escape):
            return
        if action not in self.legal(deal):
            raise IllegalAction("wrong_phase" if action.kind != "play" else "must_beat")

    def apply(self, deal: Deal, seat: int | None, action: Action) -> Deal:
        self.verify(deal, seat, action)
        if action.kind == "void":
            return after_void(deal, seat, action)
        assert seat is not None
        if action.kind == "escape":
            return after_escape(deal, seat, action)
        if action.kind == "bid":
            return self._after_bid(deal, seat, action)
        if action.kind == "pass":
            return after_pass(deal, seat)
        card = action.cards[0]
        return after_play(deal, seat, Combo("single", 1, card, 1 << card, card, action), None)

    def _after_bid(self, deal: Deal, seat: int, action: Action) -> Deal:
        history = (*deal.history, (seat, action))
        if action.value:
            return deal._replace(phase="play", history=history)
        if len(history) == SEATS:
            return deal._replace(phase="redeal", turn=None, history=history)
        return deal._replace(turn=(seat + 1) % SEATS, history=history)

    def view(self, deal: Deal, seat: int | None) -> View:
        hands, is_open = deal.hands, deal.turn is not None
        unseen = 0
        for other, hand in enumerate(hands):
            if is_open and other != seat:
                unseen |= hand
        return View(
            ruleset=self.code,
            version=self.version,
            seat=seat,
            phase=deal.phase,
            turn=deal.turn,
            hand=None if seat is None else hands[seat],
            counts=deal.counts,
            bottom=0,
            shown=None,
            landlord=None,
            standing=deal.standing,
            standing_by=deal.standing_by,
            bids=(None,) * SEATS,
            base_score=None,
            ladder=(0,) * SEATS,
            hands=None if is_open else hands,
            unseen=unseen,
            opening=deal.setup.opening,
            duty=None,
            passes=deal.passes,
            history=deal.history,
        )

    def autoplay(self, view: View) -> Action:
        return self.offers(view)[0]

    def readings(self, cards: Sequence[int]) -> list[Combo]:
        return [Combo("single", 1, cards[0], 1 << cards[0], cards[0], Action("play", tuple(cards)))]

    def beats(self, standing: Sequence[int], cards: Sequence[int]) -> bool:
        return cards[0] > standing[0]

    def outcome(self, deal: Deal, away: Sequence[int] = (), fined: Sequence[int] | None = None) -> Any:
        if deal.turn is not None or deal.phase == "redeal":
            return None
        lost = tuple(away) if fined is None else tuple(fined)
        return ToyOutcome(deal.phase, deal.winner, tuple(away), lost, deal.gone)

    def parse_outcome(self, value: object, shapes: Any = None) -> Any:
        raise NotImplementedError

    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: Any) -> Settlement:
        zeros = (0,) * SEATS
        points = zeros
        if outcome.winner is not None:
            points = tuple(2 if seat == outcome.winner else -1 for seat in range(SEATS))
        fine = 2 * terms.base_stake
        penalties = tuple(fine if seat in outcome.fined else 0 for seat in range(SEATS))
        if outcome.escaped is not None:
            penalties = tuple(5 * fine if seat == outcome.escaped else 0 for seat in range(SEATS))
        return Settlement(points, zeros, zeros, penalties, ({"row": "points", "values": list(points)},))

    def exposure(self, terms: Terms, balance: int) -> int:
        return 2 * terms.base_stake

    def stakes(self, view: View, terms: Terms) -> None:
        return None

    def leave_price(self, view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
        return LeavePrice(0, 2 * terms.base_stake)

    def can_play_on(self, terms: Terms, balance: int) -> bool:
        return balance > 0


PLAY_ON = Toy("toy.play_on", Manners(20, "leave", "play_on", 15, False, 2, None))
WAIT = Toy("toy.wait", Manners(20, "escape", "wait", 180, True, 0, 10))


@contextmanager
def registered() -> Iterator[None]:
    """Have the toy games known for a while."""
    for one in (PLAY_ON, WAIT):
        rulesets.register(one)
    try:
        yield
    finally:
        for one in (PLAY_ON, WAIT):
            rulesets._VERSIONS.pop(one.code, None)
