"""How a trick runs, for every climbing game: a play or a pass moves the turn, and a trick ends when every
other seat has passed in a row since the last play; a pass binds only that turn (RULES §0)."""

from __future__ import annotations

from typing import Any

from games.engine.actions import PASS, Action
from games.engine.combos import Combo
from games.engine.deal import Deal
from games.engine.errors import BAD_RECORD, EngineError, IllegalAction

_deal = tuple.__new__
_PASSED = tuple(((seat, PASS),) for seat in range(8))
"""What a pass adds to the history, by seat."""


# These two run at every move. They unpack and build the tuple directly: half the time of the keyword form.


def after_play(deal: Deal, seat: int, combo: Combo, own: Any) -> Deal:
    """Return the deal after `seat` has put `combo` on the table; a seat that goes out ends it as winner."""
    setup, _, _, held, _, _, _, _, _, history, _ = deal
    _, _, _, mask, _, action, _ = combo
    left = held[seat] ^ mask
    after = [*held]
    after[seat] = left
    hands = (*after,)
    history += ((seat, action),)
    if left:
        turn = seat + 1 if seat + 1 < len(hands) else 0
        return _deal(Deal, (setup, "play", turn, hands, combo, seat, 0, None, None, history, own))
    return _deal(Deal, (setup, "over", None, hands, combo, seat, 0, seat, None, history, own))


def after_pass(deal: Deal, seat: int) -> Deal:
    """Return the deal after `seat` has passed; after the last pass of a trick its last player leads."""
    setup, _, _, hands, standing, by, passes, _, _, history, own = deal
    history += _PASSED[seat]
    seats = len(hands)
    if passes + 2 < seats:
        turn = seat + 1 if seat + 1 < seats else 0
        return _deal(Deal, (setup, "play", turn, hands, standing, by, passes + 1, None, None, history, own))
    return _deal(Deal, (setup, "play", by, hands, None, None, 0, None, None, history, own))


def after_escape(deal: Deal, seat: int, action: Action) -> Deal:
    """Return the deal ended by the escape of `seat`."""
    return deal._replace(phase="escaped", turn=None, gone=seat, history=(*deal.history, (seat, action)))


def after_void(deal: Deal, seat: int | None, action: Action) -> Deal:
    """Return the deal ended by consent of the whole table, or by the house."""
    return deal._replace(phase="void", turn=None, history=(*deal.history, (seat, action)))


def check_seat(deal: Deal, seat: object, *, nobody: bool = False) -> None:
    """Refuse what is no seat of this deal; `nobody` allows None. Raises EngineError `bad_record`."""
    if seat is None and nobody:
        return
    if type(seat) is not int or not 0 <= seat < len(deal.hands):
        raise EngineError(BAD_RECORD, "no seat of this deal")


def check_turn(deal: Deal, seat: object) -> None:
    """Refuse an act after the end or out of turn, in that order (RULES §7)."""
    if not deal.is_open:
        raise IllegalAction("deal_over", f"the deal has ended: {deal.phase}")
    if seat != deal.turn:
        raise IllegalAction("not_your_turn", f"seat {deal.turn} is to act")


def check_out_of_turn(deal: Deal, seat: object, action: object, *, has_escape: bool) -> None:
    """Check what can be done out of turn, by any seat until the deal has ended: void, and escape where there
    is one. Raises otherwise, as a rule set's `verify` does."""
    if not isinstance(action, Action):
        raise EngineError(BAD_RECORD, "no action")
    check_seat(deal, seat, nobody=action.kind == "void")
    check_turn(deal, deal.turn if action.kind in ("escape", "void") else seat)
    if action.kind == "escape" and not has_escape:
        raise IllegalAction("wrong_phase", "no escape in this rule set")
