"""`doudizhu.taiwan`, 鬥地主: an auction of points, the bottom open to all, a hand cap; who leaves is fined and
the computer plays on for him (RULES §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from games.engine import taiwan_score
from games.engine.actions import BIDS, Action
from games.engine.deal import Deal, LeavePrice, Manners, Previous, Setup
from games.engine.dou_dizhu import SEATS, Auction, DouDizhu
from games.engine.dou_dizhu_combos import CARRIED, Combos
from games.engine.dou_dizhu_plays import Plays
from games.engine.errors import IllegalAction
from games.engine.fair import Draw
from games.engine.settlement import Settlement, Stakes
from games.engine.shapes import RECORD, REQUEST, Shapes
from games.engine.taiwan_score import LEAVE_FINE, TaiwanOutcome
from games.engine.terms import COINS, Terms
from games.engine.views import View

HIGHEST_BID = 3


@dataclass(frozen=True)
class Taiwan(DouDizhu):
    """The rule set. Bids are the points 1 to 3, each higher than any before, or 0; a 3 ends the auction."""

    auction_keys: ClassVar[tuple[str, ...]] = ("bid",)

    # --- the auction ---

    def _open(self, setup: Setup, first: int, given: Mapping[str, object]) -> Deal:
        return Deal(setup, "bidding", first, setup.hands, None, None, 0, None, None, (), Auction())

    def _agreed(self, setup: Setup, landlord: int, given: Mapping[str, object]) -> Auction:
        bid = RECORD.integer(RECORD.field(given, "bid"), "bid", 1, HIGHEST_BID)
        return Auction(landlord, Auction().bid_of(landlord, bid))

    def _says(self, phase: str, auction: Auction, seat: int) -> list[Action]:
        return [BIDS[0], *BIDS[_highest(auction) + 1 :]]

    def _said(self, deal: Deal, seat: int, action: Action) -> Deal:
        setup, _, _, hands, _, _, _, _, _, history, auction = deal
        bids = auction.bid_of(seat, action.value or 0)
        history = (*history, (seat, action))
        highest = max([bid or 0 for bid in bids])
        if highest < HIGHEST_BID and None in bids:
            turn = (seat + 1) % SEATS
            return Deal(
                setup, "bidding", turn, hands, None, None, 0, None, None, history, Auction(None, bids)
            )
        if highest == 0:
            return Deal(setup, "redeal", None, hands, None, None, 0, None, None, history, Auction(None, bids))
        landlord = bids.index(highest)
        taken = list(hands)
        taken[landlord] |= setup.bottom
        own = Auction(landlord, bids)
        return Deal(setup, "play", landlord, tuple(taken), None, None, 0, None, None, history, own)

    def _refuse(self, deal: Deal, action: Action) -> None:
        if deal.phase == "bidding" and action in BIDS:
            raise IllegalAction("bid_too_low", f"more than {_highest(deal.own)} expected, or 0")
        super()._refuse(deal, action)

    def _sees_bottom(self, deal: Deal, seat: int | None) -> bool:
        return deal.own.landlord is not None

    def _base_score(self, auction: Auction) -> int | None:
        return None

    def next_opening(self, previous: Previous | None, draw: Draw, deck: Sequence[int]) -> dict[str, object]:
        """Return who bids first: drawn for a table's first deal, then one seat on from auction to auction, a
        redeal's included (RULES §3 Bidding)."""
        if previous is None:
            return {"first": draw.below(SEATS)}
        return {"first": (previous.opening["first"] + 1) % SEATS}

    def opening_agrees(self, opening: Mapping[str, object], draw: Draw, deck: Sequence[int]) -> bool | None:
        """Return None: whether this was the table's first deal, whose first bidder is drawn, is not known;
        False for a study position."""
        return None if set(opening) == {"first"} else False

    # --- what it is worth ---

    def outcome(
        self, deal: Deal, *, away: Sequence[int] = (), fined: Sequence[int] | None = None
    ) -> TaiwanOutcome | None:
        """Return how the deal ended; None while it runs, and after a redeal."""
        return taiwan_score.outcome_of_deal(deal, away, away if fined is None else fined)

    def parse_outcome(self, value: object, shapes: Shapes = REQUEST) -> TaiwanOutcome:
        """Read an outcome given directly (RULES §6)."""
        return taiwan_score.parse_outcome(value, shapes)

    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: TaiwanOutcome) -> Settlement:
        """Return what an outcome moves (RULES §3)."""
        return taiwan_score.settle(terms, balances, outcome)

    def exposure(self, terms: Terms, balance: int) -> int:
        """Return the most a seat can lose in a deal: cap, flat fee and leaving fine; everything without a
        cap."""
        if not terms.moves_coins:
            return 0
        if terms.cap is None:
            return balance
        return min(balance, terms.cap + terms.flat_fee + LEAVE_FINE * terms.base_stake)

    def stakes(self, view: View, terms: Terms) -> Stakes | None:
        """Return what the deal is played for by what is public so far; None without a landlord."""
        return taiwan_score.stakes(view)

    def leave_price(self, view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
        """Return the leaving fine; the deal's result counts as well and is not known yet."""
        if not terms.moves_coins:
            return LeavePrice(0, 0)
        coins = LEAVE_FINE * terms.base_stake
        return LeavePrice(0, coins if balance is None else min(coins, balance))


def _highest(auction: Auction) -> int:
    return max([bid or 0 for bid in auction.bids])


_COMBOS = Combos(tuple(CARRIED), distinct_kickers=False)

TAIWAN = Taiwan(
    "doudizhu.taiwan",
    1,
    combos=_COMBOS,
    plays=Plays(_COMBOS.carried, distinct_kickers=False),
    currencies=(COINS,),
    manners=Manners(
        turn_s=20,
        third_time_out="leave",
        absence="play_on",
        absence_default_s=15,
        has_escape=False,
        leave_fine=LEAVE_FINE,
        escape_points=None,
    ),
)
