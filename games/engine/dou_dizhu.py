"""What both Dou Dizhu rule sets share: the deal for three, the trick play, views and study positions
(RULES §2, §6, §7).

A rule set is a subclass: how its landlord is found, which carried types there are, what a deal is worth. A
Deal's `own` is an Auction, all of which is public; so is a View's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from games.engine.actions import PASS, Action
from games.engine.cards import mask_of, parse_cards
from games.engine.combos import Combo
from games.engine.deal import Deal, LeavePrice, Manners, Previous, Setup
from games.engine.dou_dizhu_combos import DECK_SIZE, Combos, beats
from games.engine.dou_dizhu_plays import Plays
from games.engine.errors import BAD_RECORD, DUPLICATE_CARD, EngineError, IllegalAction
from games.engine.fair import Draw
from games.engine.settlement import Settlement, Stakes, enough_for_a_deal
from games.engine.shapes import RECORD, REQUEST, Shapes
from games.engine.terms import Terms
from games.engine.tricks import (
    after_escape,
    after_pass,
    after_play,
    after_void,
    check_out_of_turn,
    check_seat,
)
from games.engine.views import View

SEATS = 3
HAND_SIZE = 17
BOTTOM_SIZE = 3
ALL_CARDS = frozenset(range(DECK_SIZE))
_BITS = tuple(1 << card for card in range(DECK_SIZE))
TRICK_KEYS = ("standing", "standing_by", "passes", "turn")


class Auction(NamedTuple):
    """How the landlord was found and what was agreed with him; `face_down` while the hands are hidden from
    their owners too.

    `bids` holds what each seat said (0: it declined), so the landlord's is what the deal is played for;
    `ladder` the steps of each farmer's pair; `asked` who is still to answer whom on this rung.
    """

    landlord: int | None = None
    bids: tuple[int | None, ...] = (None,) * SEATS
    ladder: tuple[int, ...] = (0,) * SEATS
    asked: tuple[tuple[int, int], ...] = ()
    shown: int | None = None
    face_down: bool = False

    @property
    def bid(self) -> int | None:
        """The landlord's bid: his points (taiwan) or the base score (mala)."""
        return None if self.landlord is None else self.bids[self.landlord]

    def bid_of(self, seat: int, bid: int) -> tuple[int | None, ...]:
        """Return the bids after one more."""
        return (*self.bids[:seat], bid, *self.bids[seat + 1 :])


@dataclass(frozen=True)
class DouDizhu(ABC):
    """One rule set of Dou Dizhu."""

    code: str
    version: int
    combos: Combos
    plays: Plays
    currencies: tuple[str, ...]
    manners: Manners
    seats: int = SEATS
    deck_size: int = DECK_SIZE
    has_landlord: bool = True
    suits_count: bool = False

    auction_keys: ClassVar[tuple[str, ...]]
    """What an opening says beside `landlord` and the trick."""

    # --- what each rule set has of its own ---

    @abstractmethod
    def _open(self, setup: Setup, first: int, given: Mapping[str, object]) -> Deal:
        """Return the deal at the beginning of its auction."""

    @abstractmethod
    def _agreed(self, setup: Setup, landlord: int, given: Mapping[str, object]) -> Auction:
        """Return the auction of a study position that starts at play."""

    @abstractmethod
    def _says(self, phase: str, auction: Auction, seat: int) -> list[Action]:
        """Return what a seat may say before play, the autoplay's choice first."""

    @abstractmethod
    def _said(self, deal: Deal, seat: int, action: Action) -> Deal:
        """Return the deal after a seat has said something that is allowed."""

    @abstractmethod
    def _sees_bottom(self, deal: Deal, seat: int | None) -> bool:
        """Whether a seat, or a spectator, may see the bottom while the deal runs."""

    @abstractmethod
    def _base_score(self, auction: Auction) -> int | None:
        """Return the base score a view tells."""

    @abstractmethod
    def next_opening(self, previous: Previous | None, draw: Draw, deck: Sequence[int]) -> dict[str, object]:
        """Return the opening of a table's next deal."""

    @abstractmethod
    def opening_agrees(self, opening: Mapping[str, object], draw: Draw, deck: Sequence[int]) -> bool | None:
        """Whether an opening is the one the draw gives; None where nothing of it is drawn."""

    @abstractmethod
    def outcome(self, deal: Deal, *, away: Sequence[int] = (), fined: Sequence[int] | None = None) -> Any:
        """Return how the deal ended; None while it runs, and after a redeal."""

    @abstractmethod
    def parse_outcome(self, value: object, shapes: Shapes = REQUEST) -> Any:
        """Read an outcome given directly."""

    @abstractmethod
    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: Any) -> Settlement:
        """Return what an outcome moves."""

    @abstractmethod
    def exposure(self, terms: Terms, balance: int) -> int:
        """Return the most a seat can lose in a deal."""

    @abstractmethod
    def stakes(self, view: View, terms: Terms) -> Stakes | None:
        """Return what the deal is played for by what is public so far; None without a landlord."""

    @abstractmethod
    def leave_price(self, view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
        """Return what leaving costs the view's seat now; None: before cards are dealt."""

    # --- beginning ---

    def start(self, *, deck: Sequence[int], opening: Mapping[str, object], terms: Terms) -> Deal:
        """Deal out a whole deck: card i goes to seat i mod 3, the last three are the bottom.

        Raises EngineError `bad_record`.
        """
        if len(deck) != DECK_SIZE or frozenset(deck) != ALL_CARDS:
            raise EngineError(BAD_RECORD, "deck: each of 54 cards once expected")
        dealt, bottom = deck[:-BOTTOM_SIZE], mask_of(deck[-BOTTOM_SIZE:])
        hands = tuple([sum([_BITS[card] for card in dealt[seat::SEATS]]) for seat in range(SEATS)])
        return self._begin(hands, bottom, opening, terms, whole=True)

    def place(
        self, *, hands: Sequence[int], bottom: int, opening: Mapping[str, object], terms: Terms
    ) -> Deal:
        """Set up a position from hands (masks); with a landlord it starts at play (RULES §6, §7).

        Raises EngineError `bad_record` for a wrong opening, empty or too large hands, `bad_card` and
        `duplicate_card`.
        """
        if not all(hands):
            RECORD.refuse("hands: an empty hand")
        if bottom.bit_count() > BOTTOM_SIZE:
            RECORD.refuse("bottom: at most 3 cards expected")
        return self._begin(tuple(hands), bottom, opening, terms, whole=False)

    def _begin(
        self,
        hands: tuple[int, ...],
        bottom: int,
        opening: Mapping[str, object],
        terms: Terms,
        *,
        whole: bool,
    ) -> Deal:
        given = RECORD.mapping(opening, "opening", ("first", "landlord", *self.auction_keys, *TRICK_KEYS))
        setup = Setup(self.code, self.version, dict(given), terms, hands, bottom)
        first = RECORD.seat(given["first"], "first", SEATS) if "first" in given else None
        if given.get("landlord") is not None:
            return self._at_play(setup, given, whole=whole)
        if not whole:
            if any(hand.bit_count() > HAND_SIZE for hand in hands):
                RECORD.refuse("hands: 1 to 17 cards each expected")
            if any(hand & bottom for hand in hands):
                raise EngineError(DUPLICATE_CARD, "bottom: a card is in a hand")
        if first is None:
            RECORD.refuse("opening: first expected")
        for key, value in given.items():
            if key not in ("first", "shown") and value is not None and (key, value) != ("turn", first):
                RECORD.refuse(f"opening: {key} needs a landlord")
        return self._open(setup, first, given)

    def _at_play(self, setup: Setup, given: Mapping[str, object], *, whole: bool) -> Deal:
        """Return the deal at play; the landlord takes the bottom of a deck, of given hands he has it."""
        landlord = RECORD.seat(given["landlord"], "landlord", SEATS)
        hands = list(setup.hands)
        for seat, hand in enumerate(hands):
            if hand.bit_count() > HAND_SIZE + (BOTTOM_SIZE if seat == landlord else 0):
                RECORD.refuse("hands: 1 to 17 cards each expected, the landlord's 20")
            if seat != landlord and hand & setup.bottom:
                RECORD.refuse("bottom: a farmer holds a card of it")
        if whole:
            hands[landlord] |= setup.bottom
        auction = self._agreed(setup, landlord, given)
        turn = RECORD.seat(given["turn"], "turn", SEATS) if "turn" in given else None
        if given.get("standing") is not None:
            return self._inside_a_trick(setup, given, tuple(hands), auction, turn)
        if given.get("standing_by") is not None or given.get("passes", 0) != 0:
            RECORD.refuse("opening: standing_by and passes need a standing combo")
        leader = landlord if turn is None else turn
        return Deal(setup, "play", leader, tuple(hands), None, None, 0, None, None, (), auction)

    def _inside_a_trick(
        self,
        setup: Setup,
        given: Mapping[str, object],
        hands: tuple[int, ...],
        auction: Auction,
        turn: int | None,
    ) -> Deal:
        cards = parse_cards(RECORD.text(given["standing"], "standing"), DECK_SIZE)
        mask = mask_of(cards)
        if any(mask & hand for hand in hands):
            raise EngineError(DUPLICATE_CARD, "standing: a card is still in a hand")
        readings = self.combos.readings(cards)
        if not readings:
            RECORD.refuse("standing: no combo")
        by = RECORD.seat(RECORD.field(given, "standing_by"), "standing_by", SEATS)
        passes = RECORD.integer(RECORD.field(given, "passes"), "passes", 0, SEATS - 2)
        if turn is None or turn != (by + 1 + passes) % SEATS:
            RECORD.refuse("turn: standing_by + 1 + passes expected")
        return Deal(setup, "play", turn, hands, readings[0], by, passes, None, None, (), auction)

    # --- what is legal ---

    def legal(self, deal: Deal) -> list[Action]:
        """Return the actions of the seat to act, suits merged, no escape and no void; `[]` when the deal has
        ended."""
        _, phase, seat, hands, standing, _, _, _, _, _, own = deal
        if seat is None:
            return []
        if standing is None:
            return self.plays.leads(hands[seat]) if phase == "play" else self._says(phase, own, seat)
        options = self.plays.follows(hands[seat], standing)
        options.append(PASS)
        return options

    def offers(self, view: View) -> list[Action]:
        """Return the legal actions of the view's seat from its view alone; `[]` when it is not its turn."""
        seat = view.turn
        if seat is None or seat != view.seat:
            return []
        if view.phase != "play":
            return self._says(view.phase, view.own, seat)
        hand = view.hand or 0
        if view.standing is None:
            return self.plays.leads(hand)
        return [*self.plays.follows(hand, view.standing), PASS]

    def verify(self, deal: Deal, seat: int | None, action: Action) -> None:
        """Raise IllegalAction with the first reason that applies (RULES §7), EngineError `bad_record` for
        what is no seat or no action; return None if the action is allowed."""
        self._check(deal, seat, action)

    def apply(self, deal: Deal, seat: int | None, action: Action) -> Deal:
        """Return the deal after an action, always verified. Raises as `verify` does."""
        _, phase, turn, hands, standing, _, _, _, _, _, own = deal
        if seat == turn and phase == "play" and type(action) is Action and type(seat) is int:
            kind, cards, _ = action  # what nearly every action is, without a second call
            if kind == "play":
                return after_play(deal, seat, self.combos.played(hands[seat], cards, standing), own)
            if kind == "pass" and standing is not None:
                return after_pass(deal, seat)
        self._check(deal, seat, action)
        if seat is None or action.kind == "void":
            return after_void(deal, seat, action)
        return after_escape(deal, seat, action) if action.kind == "escape" else self._said(deal, seat, action)

    def _check(self, deal: Deal, seat: int | None, action: Action) -> Combo | None:
        """Return the combo of a legal play, None for another legal action; raise otherwise."""
        _, phase, turn, hands, standing, _, _, _, _, _, own = deal
        if type(seat) is not int or seat != turn or type(action) is not Action:
            check_out_of_turn(deal, seat, action, has_escape=self.manners.has_escape)
            return None
        kind, cards, _ = action
        if phase == "play":
            if kind == "play":
                return self.combos.played(hands[seat], cards, standing)
            if kind == "pass":
                if standing is None:
                    raise IllegalAction("cannot_pass_lead", "the leader plays")
                return None
        elif action in self._says(phase, own, seat):
            return None
        if kind != "void" and not (kind == "escape" and self.manners.has_escape):
            self._refuse(deal, action)
        return None

    def _refuse(self, deal: Deal, action: Action) -> None:
        raise IllegalAction("wrong_phase", f"{str(action.kind)[:20]} is nothing to do now ({deal.phase})")

    # --- what a seat sees, and what the computer does for it ---

    def view(self, deal: Deal, seat: int | None) -> View:
        """Return what a seat, or a spectator (None), may know. Raises EngineError `bad_record` for what is no
        seat."""
        check_seat(deal, seat, nobody=True)
        hands, auction = deal.hands, deal.own
        is_open = deal.turn is not None
        hand = None if seat is None or (is_open and auction.face_down) else hands[seat]
        bottom: int | None = deal.setup.bottom
        unseen = 0
        if is_open:
            unseen = hands[0] | hands[1] | hands[2]
            if auction.landlord is None or auction.face_down:
                unseen |= deal.setup.bottom  # nobody holds it yet
            if hand is not None:
                unseen ^= hand
            if self._sees_bottom(deal, seat):
                unseen &= ~deal.setup.bottom
            else:
                bottom = None
            if auction.shown is not None:
                unseen &= ~(1 << auction.shown)
        return View(
            ruleset=self.code,
            version=self.version,
            seat=seat,
            phase=deal.phase,
            turn=deal.turn,
            hand=hand,
            counts=deal.counts,
            bottom=bottom,
            shown=auction.shown,
            landlord=auction.landlord,
            standing=deal.standing,
            standing_by=deal.standing_by,
            bids=auction.bids,
            base_score=self._base_score(auction),
            ladder=auction.ladder,
            hands=None if is_open else hands,
            unseen=unseen,
            opening=deal.setup.opening,
            duty=None,
            passes=deal.passes,
            history=deal.history,
            own=auction,
        )

    def autoplay(self, view: View) -> Action:
        """Return the computer's act for the view's seat (RULES §5 Autoplay): bid 0, look, decline or stay;
        pass when following, the smallest single when leading.

        Raises IllegalAction when it is not the view's turn.
        """
        seat = view.turn
        if seat is None:
            raise IllegalAction("deal_over", "nobody is to act")
        if view.seat != seat:
            raise IllegalAction("not_your_turn", "this seat is not to act")
        if view.phase != "play":
            return self._says(view.phase, view.own, seat)[0]
        if view.standing is not None:
            return PASS
        hand = view.hand or 0
        return Action("play", ((hand & -hand).bit_length() - 1,))

    # --- reading sets of cards ---

    def readings(self, cards: Sequence[int]) -> list[Combo]:
        """Return what a set of cards can be read as, in a leader's priority."""
        return self.combos.readings(cards)

    def beats(self, standing: Sequence[int], cards: Sequence[int]) -> bool:
        """Whether cards beat a standing set, which is read as a leader's. Raises EngineError `bad_request`
        when it is nothing."""
        readings = self.combos.readings(standing)
        if not readings:
            REQUEST.refuse("standing: no combo")
        return any(beats(combo, readings[0]) for combo in self.combos.readings(cards))

    def can_play_on(self, terms: Terms, balance: int) -> bool:
        """Whether a balance is enough for the next deal (RULES §3 Entry)."""
        return enough_for_a_deal(terms, balance)
