"""Finished deals as people may see them: who sat there, and staff who may. A live deal has no page for anybody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from games import log
from games.engine.verify import Check, verify
from games.models import Deal
from games.table.events import Acted, DealClosed, DealOpened, Event
from games.table.records import record_of


class Finished(NamedTuple):
    """A closed deal: its row, its events in order, and the seat of whoever looks (None: he did not sit there)."""

    deal: Deal
    events: list[Event]
    seat: int | None

    @property
    def opened(self) -> DealOpened:
        """The opening event."""
        first = self.events[0]
        assert isinstance(first, DealOpened)
        return first

    @property
    def closed(self) -> DealClosed:
        """The closing event."""
        last = self.events[-1]
        assert isinstance(last, DealClosed)
        return last

    @property
    def goes_on(self) -> bool:
        """Whether it was dealt again: its players may know no more of one another than while a deal runs."""
        return self.closed.how == Deal.How.REDEAL

    @property
    def names(self) -> list[str]:
        """The names at the seats as they were then; "" of the others if it was dealt again in an anti-cheat room."""
        hides = self.goes_on and bool(self.opened.terms.get("anti_cheat"))
        return ["" if hides and n != self.seat else seat["name"] for n, seat in enumerate(self.opened.seats)]

    @property
    def record(self) -> dict[str, Any]:
        """The deal's record (RULES §6), with what proves that its shuffle was fair; where it goes on, no purses."""
        record = record_of(self.events)
        return {**record, "balances": None} if self.goes_on else record

    @property
    def when(self) -> datetime | None:
        """When it ended."""
        return self.deal.closed


def finished_deal(deal_id: str, user: Any) -> Finished | None:
    """Return a closed deal that this user may look at; None for any other, also one that is not over."""
    deal = Deal.objects.select_related("table").filter(pk=deal_id).exclude(closed_seq=None).first()
    if deal is None or deal.closed_seq is None:
        return None
    found = read(deal)
    seat = next((n for n, body in enumerate(found.opened.seats) if body.get("user") == user.pk), None)
    if seat is None and not user.has_perm("games.view_deal"):
        return None
    return found._replace(seat=seat)


def read(deal: Deal) -> Finished:
    """Read a closed deal from its log, for whoever has the right to."""
    assert deal.closed_seq is not None
    events = [log.parse(body) for _, body in log.bodies(deal.table_id, deal.opened_seq, deal.closed_seq)]
    return Finished(deal, events, None)


def find(deal_ids: Sequence[str]) -> list[Finished]:
    """Return those of these deals that are over, in the order asked for; redeals and live ones are left out."""
    rows = _over().in_bulk(list(deal_ids))
    return [read(rows[deal_id]) for deal_id in dict.fromkeys(deal_ids) if deal_id in rows]


def at_table(table_id: int, *, since: datetime, limit: int) -> list[Finished]:
    """Return the newest deals of a table that ended since then, newest first, without redeals."""
    return [read(row) for row in _over().filter(table=table_id, closed__gt=since).order_by("-number")[:limit]]


def _over() -> QuerySet[Deal]:
    return Deal.objects.exclude(closed_seq=None).exclude(how=Deal.How.REDEAL).select_related("table")


def checks_of(found: Finished) -> list[Check]:
    """Return what a verifier of the record says: commitment, deck, opening, play, settlement."""
    return verify(found.record)


def receipt_of(found: Finished) -> dict[str, Any]:
    """Return the deal in the shape the table's receipt is drawn from: a view with a result and no live deal."""
    opened, closed, names = found.opened, found.closed, found.names
    terms = opened.terms
    return {
        "me": found.seat,
        "phase": "between",
        "terms": {
            "currency": terms.get("currency", "coins"),
            "cap": terms.get("cap"),
            "fee": terms.get("fee"),
        },
        "seats": [{"name": name, "ready": False} for name in names],
        "can": {"ready": False, "stand": False},
        "result": {
            "deal": opened.deal,
            "number": opened.number,
            "how": closed.how,
            "winner": closed.winner,
            "seat": closed.seat,
            "settlement": closed.settlement,
            "reasons": closed.reasons,
            "hands": closed.hands,
            "seed": closed.seed,
            "commitment": opened.commitment,
            "nonces": opened.nonces,
            "names": names,
        },
    }


def acts_of(found: Finished) -> list[Acted]:
    """Return every act of the deal, in order."""
    return [event for event in found.events if isinstance(event, Acted)]


def endings_of(deals: Iterable[Deal]) -> dict[str, DealClosed]:
    """Return how these deals ended, by id, in one query; a live deal is left out."""
    places = [(deal.table_id, deal.closed_seq) for deal in deals if deal.closed_seq is not None]
    events = [log.parse(body) for body in log.closings(places)]
    return {event.deal: event for event in events if isinstance(event, DealClosed)}
