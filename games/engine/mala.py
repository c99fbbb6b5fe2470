"""`doudizhu.mala`, 麻辣斗地主: hands dealt face down, a blind grab or calls, and the ladder 倒拉垒沃 between the
landlord and each farmer (RULES §4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from games.engine import mala_score
from games.engine.actions import PLAIN, Action
from games.engine.cards import format_cards, parse_cards
from games.engine.deal import Deal, LeavePrice, Manners, Previous, Setup
from games.engine.dou_dizhu import BOTTOM_SIZE, SEATS, Auction, DouDizhu
from games.engine.dou_dizhu_combos import DECK_SIZE, Combos
from games.engine.dou_dizhu_plays import Plays
from games.engine.fair import Draw
from games.engine.mala_score import CALLED, GRABBED_BLIND, RUNGS, MalaOutcome
from games.engine.settlement import Settlement, Stakes
from games.engine.shapes import RECORD, REQUEST, Shapes
from games.engine.terms import COINS, Terms
from games.engine.views import View

_FIRST_WORDS = (PLAIN["look"], PLAIN["blind"])
_CALLS = (PLAIN["decline"], PLAIN["call"])
_STEPS = tuple((Action("stay", (), seat), Action("raise", (), seat)) for seat in range(SEATS))


@dataclass(frozen=True)
class Mala(DouDizhu):
    """The rule set. A seat's bid is 2 for the blind grab, 1 for a call, 0 when it declined: the base score."""

    auction_keys: ClassVar[tuple[str, ...]] = ("shown", "base_score", "ladder")

    # --- finding the landlord ---

    def _open(self, setup: Setup, first: int, given: Mapping[str, object]) -> Deal:
        auction = Auction(shown=_shown(setup, first, given), face_down=True)
        return Deal(setup, "blind", first, setup.hands, None, None, 0, None, None, (), auction)

    def _agreed(self, setup: Setup, landlord: int, given: Mapping[str, object]) -> Auction:
        base_score = RECORD.integer(RECORD.field(given, "base_score"), "base_score", CALLED, GRABBED_BLIND)
        return Auction(
            landlord,
            Auction().bid_of(landlord, base_score),
            mala_score.parse_ladder(RECORD.field(given, "ladder"), landlord, RECORD),
            shown=_shown(setup, given.get("first"), given),
        )

    def _says(self, phase: str, auction: Auction, seat: int) -> list[Action]:
        if phase == "blind":
            return list(_FIRST_WORDS)
        if phase == "bidding":
            return list(_CALLS)
        _, toward = auction.asked[0]
        return list(_STEPS[toward])

    def _said(self, deal: Deal, seat: int, action: Action) -> Deal:
        kind = action.kind
        deal = deal._replace(history=(*deal.history, (seat, action)))
        if kind == "look":
            return deal._replace(phase="bidding", own=deal.own._replace(face_down=False))
        if kind == "blind":
            return _to_ladder(deal, seat, GRABBED_BLIND)
        if kind == "call":
            return _to_ladder(_with_bottom(deal, seat), seat, CALLED)
        if kind == "decline":
            auction: Auction = deal.own._replace(bids=deal.own.bid_of(seat, 0))
            if None in auction.bids:
                return deal._replace(turn=(seat + 1) % SEATS, own=auction)
            return deal._replace(phase="redeal", turn=None, own=auction)
        return _stepped(deal, raised=kind == "raise")

    # --- what is drawn, what is seen ---

    def next_opening(self, previous: Previous | None, draw: Draw, deck: Sequence[int]) -> dict[str, object]:
        """Return the card that is shown, drawn among those dealt right after the deck, and its owner, who
        acts first."""
        place = draw.below(len(deck) - BOTTOM_SIZE)
        return {"first": place % SEATS, "shown": format_cards((deck[place],))}

    def opening_agrees(self, opening: Mapping[str, object], draw: Draw, deck: Sequence[int]) -> bool | None:
        """Whether the shown card, where the opening names it, and its owner are the ones drawn."""
        drawn = self.next_opening(None, draw, deck)
        return {**drawn, **opening} == drawn

    def _sees_bottom(self, deal: Deal, seat: int | None) -> bool:
        auction: Auction = deal.own
        if auction.landlord is None or auction.face_down:
            return False
        return auction.bid == CALLED or seat == auction.landlord

    def _base_score(self, auction: Auction) -> int | None:
        return auction.bid

    # --- what it is worth ---

    def outcome(
        self, deal: Deal, *, away: Sequence[int] = (), fined: Sequence[int] | None = None
    ) -> MalaOutcome | None:
        """Return how the deal ended; None while it runs, and after a redeal. The table waits for who is
        away."""
        return mala_score.outcome_of_deal(deal)

    def parse_outcome(self, value: object, shapes: Shapes = REQUEST) -> MalaOutcome:
        """Read an outcome given directly (RULES §6)."""
        return mala_score.parse_outcome(value, shapes)

    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: MalaOutcome) -> Settlement:
        """Return what an outcome moves (RULES §4)."""
        return mala_score.settle(terms, balances, outcome)

    def exposure(self, terms: Terms, balance: int) -> int:
        """Return the most a seat can lose in a deal: everything, as no cap limits an escape."""
        return balance if terms.moves_coins else 0

    def stakes(self, view: View, terms: Terms) -> Stakes | None:
        """Return what the deal is played for by what is public so far; None without a landlord."""
        return mala_score.stakes(view, terms)

    def leave_price(self, view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
        """Return what an escape costs at least, from the cards this seat has seen (RULES §5)."""
        return mala_score.leave_price(view, terms, balance)


def _shown(setup: Setup, first: object, given: Mapping[str, object]) -> int | None:
    """Return the shown card, None where the record leaves it out; F must hold it, or have it on the table."""
    if given.get("shown") is None:
        return None
    cards = parse_cards(RECORD.text(given["shown"], "shown"), DECK_SIZE)
    if len(cards) != 1 or not isinstance(first, int):
        RECORD.refuse("shown: one card expected, of the seat that acts first")
    standing = given.get("standing")
    on_table = given.get("standing_by") == first and format_cards(cards) in str(standing).split(" ")
    if not setup.hands[first] >> cards[0] & 1 and not on_table:
        RECORD.refuse("shown: the first seat does not hold it")
    return cards[0]


def _with_bottom(deal: Deal, landlord: int) -> Deal:
    hands = list(deal.hands)
    hands[landlord] |= deal.setup.bottom
    return deal._replace(hands=tuple(hands))


def _farmers(landlord: int) -> tuple[int, ...]:
    """Return the farmers in play order, from the landlord's next."""
    return tuple((landlord + step) % SEATS for step in range(1, SEATS))


def _to_ladder(deal: Deal, landlord: int, base_score: int) -> Deal:
    """Return the deal at the foot of the ladder: each farmer is asked first."""
    auction: Auction = deal.own
    asked = tuple((farmer, landlord) for farmer in _farmers(landlord))
    own = auction._replace(landlord=landlord, bids=auction.bid_of(landlord, base_score), asked=asked)
    return deal._replace(phase="ladder", turn=asked[0][0], own=own)


def _stepped(deal: Deal, *, raised: bool) -> Deal:
    """Return the deal after a step of one pair, or its refusal; after the last one play begins.

    A rung is asked pair by pair in play order; on the next one the other side answers where it was raised.
    """
    auction: Auction = deal.own
    landlord = auction.landlord
    assert landlord is not None
    (seat, toward), *waiting = auction.asked
    farmer = toward if seat == landlord else seat
    rung = auction.ladder[farmer] + 1
    ladder = list(auction.ladder)
    ladder[farmer] += raised
    if not waiting and rung < RUNGS:
        still = [other for other in _farmers(landlord) if ladder[other] == rung]
        waiting = [(other, landlord) if seat == landlord else (landlord, other) for other in still]
    own = auction._replace(ladder=tuple(ladder), asked=tuple(waiting))
    if waiting:
        return deal._replace(turn=waiting[0][0], own=own)
    if own.face_down:
        deal = _with_bottom(deal, landlord)
    return deal._replace(phase="play", turn=landlord, own=own._replace(face_down=False))


_COMBOS = Combos(("triple_single", "airplane_singles", "quad_singles"), distinct_kickers=True)

MALA = Mala(
    "doudizhu.mala",
    1,
    combos=_COMBOS,
    plays=Plays(_COMBOS.carried, distinct_kickers=True),
    currencies=(COINS,),
    manners=Manners(
        turn_s=20,
        third_time_out="escape",
        absence="wait",
        absence_default_s=180,
        has_escape=True,
        leave_fine=0,
        escape_points=None,
    ),
)
