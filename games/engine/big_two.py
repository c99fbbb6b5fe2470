"""Big Two: one module, two rule sets that differ in data (RULES §1).

`bigtwo.classic` knows the last-card duty and has points rooms; `bigtwo.qq` neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from games.engine import big_two_combos, big_two_score
from games.engine.actions import PASS, Action
from games.engine.big_two_combos import combo_of, combo_played, fives, follows, leads, leads_without_singles
from games.engine.big_two_score import ESCAPE_POINTS, HAND_SIZE, SEATS, BigTwoOutcome
from games.engine.cards import THREE_OF_DIAMONDS, format_cards, mask_of, parse_cards
from games.engine.combos import Combo
from games.engine.deal import Deal, LeavePrice, Manners, Previous, Setup
from games.engine.errors import BAD_CARD, BAD_RECORD, DUPLICATE_CARD, EngineError, IllegalAction
from games.engine.fair import Draw
from games.engine.settlement import Settlement, Stakes, enough_for_a_deal
from games.engine.shapes import RECORD, REQUEST, Shapes
from games.engine.terms import COINS, POINTS, Terms
from games.engine.tricks import (
    after_escape,
    after_pass,
    after_play,
    after_void,
    check_out_of_turn,
    check_seat,
)
from games.engine.views import View

DECK_SIZE = 52
THE_THREE = 1 << THREE_OF_DIAMONDS
ALL_CARDS = frozenset(range(DECK_SIZE))
OPENING_KEYS = ("lead", "first", "standing", "standing_by", "passes", "turn")


@dataclass(frozen=True)
class BigTwo:
    """One rule set of Big Two. A Deal's `own` is whether the first play must still contain `3d`."""

    code: str
    version: int
    last_card_duty: bool
    currencies: tuple[str, ...]
    manners: Manners
    seats: int = SEATS
    deck_size: int = DECK_SIZE
    has_landlord: bool = False
    suits_count: bool = True

    # --- beginning ---

    def start(self, *, deck: Sequence[int], opening: Mapping[str, object], terms: Terms) -> Deal:
        """Deal out a whole deck: card i goes to seat i mod 4. Raises EngineError `bad_record`."""
        if len(deck) != DECK_SIZE or frozenset(deck) != ALL_CARDS:
            raise EngineError(BAD_RECORD, "deck: each of 52 cards once expected")
        hands = tuple([mask_of(deck[seat::SEATS]) for seat in range(SEATS)])
        return self.place(hands=hands, bottom=0, opening=opening, terms=terms)

    def place(
        self, *, hands: Sequence[int], bottom: int, opening: Mapping[str, object], terms: Terms
    ) -> Deal:
        """Set up a position from hands (masks); `opening` may start inside a trick (RULES §6, §7).

        Raises EngineError `bad_record` for a wrong opening, empty hands or hands over 13 cards, `bad_card`
        and `duplicate_card` for a standing combo that cannot be.
        """
        if bottom:
            raise EngineError(BAD_RECORD, "bottom: there is none in Big Two")
        if not all(0 < hand.bit_count() <= HAND_SIZE for hand in hands):
            raise EngineError(BAD_RECORD, "hands: 1 to 13 cards each expected")
        given = RECORD.mapping(opening, "opening", OPENING_KEYS)
        setup = Setup(self.code, self.version, dict(given), terms, tuple(hands), 0)
        if given.get("standing") is not None:
            return self._inside_a_trick(setup, given)
        leader, duty = self._leader(setup.hands, given)
        return Deal(setup, "play", leader, setup.hands, None, None, 0, None, None, (), duty)

    def _leader(self, hands: tuple[int, ...], given: Mapping[str, object]) -> tuple[int, bool]:
        """Return who leads and whether the `3d` duty holds."""
        if given.get("standing_by") is not None or given.get("passes", 0) != 0:
            RECORD.refuse("opening: standing_by and passes need a standing combo")
        if "lead" in given:
            if given["lead"] != "3d" or "first" in given:
                RECORD.refuse('opening: {"lead": "3d"} or {"first": seat} expected')
            holder = next((seat for seat, hand in enumerate(hands) if hand & THE_THREE), None)
            if holder is None:
                RECORD.refuse("opening: nobody holds the 3d")
            if "turn" in given and RECORD.seat(given["turn"], "turn", SEATS) != holder:
                RECORD.refuse("turn: the holder of the 3d leads")
            return holder, True
        first = RECORD.seat(given["first"], "first", SEATS) if "first" in given else None
        if "turn" in given:
            return RECORD.seat(given["turn"], "turn", SEATS), False
        if first is None:
            RECORD.refuse('opening: {"lead": "3d"} or {"first": seat} expected')
        return first, False

    def _inside_a_trick(self, setup: Setup, given: Mapping[str, object]) -> Deal:
        if "lead" in given:
            RECORD.refuse("opening: no 3d duty inside a trick")
        if "first" in given:
            RECORD.seat(given["first"], "first", SEATS)
        cards = parse_cards(RECORD.text(given["standing"], "standing"), DECK_SIZE)
        mask = mask_of(cards)
        if any(mask & hand for hand in setup.hands):
            raise EngineError(DUPLICATE_CARD, "standing: a card is still in a hand")
        combo = combo_of(mask)
        if combo is None:
            RECORD.refuse("standing: no combo")
        by = RECORD.seat(RECORD.field(given, "standing_by"), "standing_by", SEATS)
        passes = RECORD.integer(RECORD.field(given, "passes"), "passes", 0, SEATS - 2)
        turn = RECORD.seat(RECORD.field(given, "turn"), "turn", SEATS)
        if turn != (by + 1 + passes) % SEATS:
            RECORD.refuse("turn: standing_by + 1 + passes expected")
        return Deal(setup, "play", turn, setup.hands, combo, by, passes, None, None, (), False)

    def next_opening(self, previous: Previous | None, draw: Draw, deck: Sequence[int]) -> dict[str, object]:
        """Return the next deal's opening: the last winner leads, or the `3d` in a table's first deal and
        after changed members, an escape or a void (RULES §1 Opening). Nothing is drawn."""
        if previous is None or previous.phase != "over" or not previous.same_members:
            return {"lead": "3d"}
        return {"lead": "3d"} if previous.winner is None else {"first": previous.winner}

    def opening_agrees(self, opening: Mapping[str, object], draw: Draw, deck: Sequence[int]) -> bool | None:
        """Whether an opening is the one the draw gives; None, as Big Two draws nothing for it, but False for
        a study position."""
        return None if set(opening) in ({"lead"}, {"first"}) else False

    # --- what is legal ---

    def legal(self, deal: Deal) -> list[Action]:
        """Return the actions of the seat to act, no escape and no void; `[]` when the deal has ended."""
        seat = deal.turn
        if seat is None:
            return []
        hands = deal.hands
        next_hand = hands[seat - 3]  # of four seats, seat + 1
        return self._options(hands[seat], deal.standing, deal.own, not next_hand & next_hand - 1)

    def offers(self, view: View) -> list[Action]:
        """Return the legal actions of the view's seat from its view alone; `[]` when it is not its turn."""
        seat = view.turn
        if seat is None or seat != view.seat or view.hand is None:
            return []
        return self._options(view.hand, view.standing, view.duty == "3d", view.counts[seat - 3] == 1)

    def _options(
        self, hand: int, standing: Combo | None, opening_duty: bool, next_has_one: bool
    ) -> list[Action]:
        """Return the legal actions of a hand: the rules of RULES §1 in one place, by listing."""
        bound = next_has_one and self.last_card_duty
        if standing is None:
            if opening_duty:
                return [play for play in leads(hand) if play.cards[0] == THREE_OF_DIAMONDS]
            if bound:
                return [_highest_single(hand), *leads_without_singles(hand)]
            return leads(hand)
        plays = follows(hand, standing)
        if not bound:
            plays.append(PASS)
            return plays
        if standing.size == 1:
            plays = [_highest_single(hand)] if plays else plays
        return plays or [PASS]

    def verify(self, deal: Deal, seat: int | None, action: Action) -> None:
        """Raise IllegalAction with the first reason that applies (RULES §7), EngineError `bad_record` for
        what is no seat or no action; return None if the action is allowed."""
        self._check(deal, seat, action)

    def apply(self, deal: Deal, seat: int | None, action: Action) -> Deal:
        """Return the deal after an action, always verified. Raises as `verify` does."""
        combo = self._check(deal, seat, action)
        if seat is None:
            return after_void(deal, seat, action)  # nothing else passes without a seat
        if combo is not None:
            return after_play(deal, seat, combo, False)
        kind = action.kind
        if kind == "pass":
            return after_pass(deal, seat)
        return after_escape(deal, seat, action) if kind == "escape" else after_void(deal, seat, action)

    def _check(self, deal: Deal, seat: int | None, action: Action) -> Combo | None:
        """Return the combo of a legal play, None for another legal action; raise otherwise."""
        if type(seat) is not int or seat != deal.turn or type(action) is not Action:
            check_out_of_turn(deal, seat, action, has_escape=self.manners.has_escape)
            return None
        kind, cards, _ = action
        if kind == "play":
            combo = combo_played(cards)
            hand = deal.hands[seat]
            if combo is None or combo.mask & hand != combo.mask:
                combo = _read_play(hand, cards)
            standing = deal.standing
            if standing is None:
                if deal.own and not combo.mask & THE_THREE:
                    raise IllegalAction("must_contain_3d", "the first play contains the 3d")
            elif standing.size != combo.size or standing.power >= combo.power:
                raise IllegalAction("must_beat", f"{combo.text} does not beat {standing.text}")
            if combo.size == 1 and self.last_card_duty and not deal.own and hand >> combo.top + 1:
                next_hand = deal.hands[seat - 3]
                if not next_hand & next_hand - 1:
                    raise IllegalAction("must_play_highest_single", "the next seat holds one card")
            return combo
        if kind == "pass":
            self._check_pass(deal, seat)
        elif kind not in ("escape", "void"):
            raise IllegalAction("wrong_phase", f"{kind} is no action of Big Two")
        return None

    def _check_pass(self, deal: Deal, seat: int) -> None:
        standing = deal.standing
        if standing is None:
            raise IllegalAction("cannot_pass_lead", "the leader plays")
        if self.last_card_duty:
            next_hand = deal.hands[seat - 3]
            if not next_hand & next_hand - 1 and _can_beat(deal.hands[seat], standing):
                raise IllegalAction("must_play_last_card_duty", "the next seat holds one card")

    # --- what a seat sees, and what the computer does for it ---

    def view(self, deal: Deal, seat: int | None) -> View:
        """Return what a seat, or a spectator (None), may know. Raises EngineError
        `bad_record` for what is no seat."""
        check_seat(deal, seat, nobody=True)
        hands = deal.hands
        is_open = deal.turn is not None
        unseen = 0
        if is_open:
            for other, hand in enumerate(hands):
                if other != seat:
                    unseen |= hand
        counts = deal.counts
        return View(
            ruleset=self.code,
            version=self.version,
            seat=seat,
            phase=deal.phase,
            turn=deal.turn,
            hand=None if seat is None else hands[seat],
            counts=counts,
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
            duty=self._duty(deal, counts),
            passes=deal.passes,
            history=deal.history,
        )

    def _duty(self, deal: Deal, counts: Sequence[int]) -> str | None:
        """Return the duty that binds the seat to act; while the `3d` duty holds the last-card duty does
        not."""
        if deal.turn is None:
            return None
        if deal.own:
            return "3d"
        return "last_card" if self.last_card_duty and counts[deal.turn - 3] == 1 else None

    def autoplay(self, view: View) -> Action:
        """Return the computer's act for the view's seat (RULES §5 Autoplay): pass when following, the
        smallest single when leading (`3d` while that duty holds), the largest legal play under the
        last-card duty.

        Raises IllegalAction when it is not the view's turn.
        """
        if view.turn is None:
            raise IllegalAction("deal_over", "nobody is to act")
        if view.seat != view.turn or view.hand is None:
            raise IllegalAction("not_your_turn", "this seat is not to act")
        if view.duty != "last_card":
            return PASS if view.standing is not None else _lowest_single(view.hand)
        size = 1 if view.standing is None else view.standing.size
        combos = [combo_of(mask_of(action.cards)) for action in self.offers(view)]
        plays = [combo for combo in combos if combo is not None and combo.size == size]
        if not plays:
            return PASS
        largest = max(combo.power for combo in plays)
        return min((combo.action for combo in plays if combo.power == largest), key=str)

    # --- reading sets of cards ---

    def readings(self, cards: Sequence[int]) -> list[Combo]:
        """Return what a set of cards can be read as: one reading, or none."""
        combo = combo_of(mask_of(cards))
        return [] if combo is None else [combo]

    def beats(self, standing: Sequence[int], cards: Sequence[int]) -> bool:
        """Whether cards beat a standing set. Raises EngineError `bad_request` when the standing set is
        nothing."""
        combo = combo_of(mask_of(standing))
        if combo is None:
            REQUEST.refuse("standing: no combo")
        answer = combo_of(mask_of(cards))
        return answer is not None and big_two_combos.beats(answer, combo)

    # --- what it is worth ---

    def outcome(
        self, deal: Deal, *, away: Sequence[int] = (), fined: Sequence[int] | None = None
    ) -> BigTwoOutcome | None:
        """Return how the deal ended, None while it runs. Nobody is ever away in Big Two: the table waits."""
        return big_two_score.outcome_of_deal(deal)

    def parse_outcome(self, value: object, shapes: Shapes = REQUEST) -> BigTwoOutcome:
        """Read an outcome given directly (RULES §6)."""
        return big_two_score.parse_outcome(value, shapes)

    def settle(self, terms: Terms, balances: Sequence[int] | None, outcome: BigTwoOutcome) -> Settlement:
        """Return what an outcome moves (RULES §1)."""
        return big_two_score.settle(terms, balances, outcome)

    def exposure(self, terms: Terms, balance: int) -> int:
        """Return the most a seat can lose in a deal: cap and flat fee, or the escape fine; everything
        without a cap."""
        if not terms.moves_coins:
            return 0
        if terms.cap is None:
            return balance
        return min(balance, max(terms.cap + terms.flat_fee, ESCAPE_POINTS * terms.base_stake))

    def stakes(self, view: View, terms: Terms) -> Stakes | None:
        """Return None: what a deal is worth shows at its end."""
        return None

    def leave_price(self, view: View | None, terms: Terms, balance: int | None) -> LeavePrice:
        """Return what an escape costs this seat now (RULES §1 Escape)."""
        if not terms.moves_coins:
            return LeavePrice(ESCAPE_POINTS, 0)
        coins = ESCAPE_POINTS * terms.base_stake
        return LeavePrice(ESCAPE_POINTS, coins if balance is None else min(coins, balance))

    def can_play_on(self, terms: Terms, balance: int) -> bool:
        """Whether a balance is enough for the next deal (RULES §3 Entry)."""
        return enough_for_a_deal(terms, balance)


def _highest_single(hand: int) -> Action:
    combo = combo_of(1 << hand.bit_length() - 1)
    assert combo is not None
    return combo.action


def _lowest_single(hand: int) -> Action:
    combo = combo_of(hand & -hand)
    assert combo is not None
    return combo.action


def _can_beat(hand: int, standing: Combo) -> bool:
    """Whether a hand has a play for the last-card duty: a single must be its highest, which beats if any
    does."""
    if standing.size == 5:
        held = fives(hand)
        return bool(held) and held[-1].power > standing.power
    return bool(follows(hand, standing))


def _read_play(hand: int, cards: tuple[int, ...]) -> Combo:
    """Return the combo of cards that are in hand, in any order. Raises IllegalAction."""
    try:
        held = bool(cards) and len(set(cards)) == len(cards) and all(hand >> card & 1 for card in cards)
    except (TypeError, ValueError):
        raise EngineError(BAD_CARD, "no cards") from None
    if not held:
        raise IllegalAction("not_in_hand", "a card is not in hand")
    combo = combo_of(mask_of(cards))
    if combo is None:
        raise IllegalAction("not_a_combo", f"{format_cards(sorted(cards))} is nothing")
    return combo


_MANNERS = Manners(
    turn_s=20,
    third_time_out="escape",
    absence="wait",
    absence_default_s=180,
    has_escape=True,
    leave_fine=0,
    escape_points=ESCAPE_POINTS,
)

CLASSIC = BigTwo("bigtwo.classic", 1, last_card_duty=True, currencies=(COINS, POINTS), manners=_MANNERS)
QQ = BigTwo("bigtwo.qq", 1, last_card_duty=False, currencies=(COINS,), manners=_MANNERS)
