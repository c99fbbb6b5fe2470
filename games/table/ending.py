"""How a deal ends: it is settled, its secrets are opened, and who left is let go."""

from __future__ import annotations

from typing import Any

from games.engine.actions import ESCAPE, VOID
from games.engine.cards import format_cards, format_mask
from games.table import clocks
from games.table import events as e
from games.table.draft import Draft, act
from games.table.seats import close_table, stand_up
from games.table.state import DealState

DEAD_REDEALS = 3
"""So many redeals in a row without an act of a living player close the table (RULES §5)."""


def escape(draft: Draft, seat: int, cause: str, cmd: str | None = None) -> None:
    """End the deal by a seat's escape; its player is out of the table."""
    deal = draft.deal
    after = deal.head.rules.apply(deal.deal, seat, ESCAPE)
    act(draft, seat, ESCAPE, after, auto=cause, cmd=cmd)
    close_if_ended(draft)


def void(draft: Draft, cause: str, *, by: str | None = None, reason: str | None = None) -> None:
    """End the deal by consent, or by staff: nobody pays or scores anything."""
    deal = draft.deal
    after = deal.head.rules.apply(deal.deal, None, VOID)
    draft.emit(
        e.Acted(at=draft.at, action=str(VOID), turn=draft.state.turn, auto=cause, by=by, reason=reason), after
    )
    close_if_ended(draft)


def close_if_ended(draft: Draft) -> None:
    """Close the deal when the engine says it has ended: settle it, open its secrets, let go who left."""
    deal = draft.deal
    if deal.deal.turn is not None:
        return
    how = deal.deal.phase
    left = [index for index, seat in enumerate(deal.seats) if seat.away == "leave"]
    gone = deal.deal.gone
    early = [seat for seat in draft.state.leaving if seat != gone]
    closed = _closed(draft, deal, how, stays=gone is None and not left)
    draft.emit(closed)
    if closed.dead >= DEAD_REDEALS:
        close_table(draft, "redeals")
        return
    if how == "redeal":
        return
    if gone is not None:
        stand_up(draft, gone, "escaped")
    for index in dict.fromkeys([*left, *early]):
        stand_up(draft, index, "left")


def _closed(draft: Draft, deal: DealState, how: str, *, stays: bool) -> e.DealClosed:
    head, rules = deal.head, deal.head.rules
    away = tuple([index for index, seat in enumerate(deal.seats) if seat.away is not None])
    fined = tuple([index for index, seat in enumerate(deal.seats) if seat.fined])
    settlement: dict[str, Any] | None = None
    reasons: tuple[Any, ...] = ()
    if how != "redeal":
        early = deal.deal.gone in draft.state.leaving  # before the cards were dealt
        outcome = rules.outcome(deal.deal.undealt if early else deal.deal, away=away, fined=fined)
        result = rules.settle(deal.deal.setup.terms, head.balances, outcome)
        settlement, reasons = e.freeze(result.as_json()), e.freeze(result.reasons)
    start_at = None
    if how == "redeal":
        start_at = draft.now + clocks.OPEN_MS
    elif stays and draft.state.full:
        start_at = draft.now + draft.state.terms.start_ms
    return e.DealClosed(
        at=draft.at,
        deal=head.id,
        number=head.number,
        how=how,
        hands=tuple([format_mask(hand) for hand in deal.deal.hands]),
        bottom=format_mask(deal.deal.setup.bottom),
        deck=format_cards(draft.secrets.deck_of(head.id)),
        seed=draft.secrets.seed_of(head.id),
        away=away,
        fined=fined,
        dead=0 if how != "redeal" or deal.living else head.dead + 1,
        winner=deal.deal.winner,
        seat=deal.deal.gone,
        settlement=settlement,
        reasons=reasons,
        start_at=start_at,
    )
