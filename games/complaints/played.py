"""Finished deals as complaints need them: who sat where, the terms, what each seat won, and who was landlord."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from games import finished
from games.engine import record as engine_record
from games.engine.rulesets import RuleSet
from games.engine.terms import Terms
from games.engine.verdicts import PlayedDeal
from games.models import Deal
from games.table.terms import engine_terms, parse_terms, rules_of


class Played(NamedTuple):
    """One finished deal. `users` and `names` by seat; `currency` coins, points or none; `how` over, escaped or void."""

    deal: Deal
    users: tuple[int | None, ...]
    names: tuple[str, ...]
    rules: RuleSet
    terms: Terms
    currency: str
    tier: str
    how: str
    landlord: int | None
    result: PlayedDeal
    points: tuple[int, ...]
    closed: datetime

    @property
    def people(self) -> tuple[int, ...]:
        """The people who sat there, by seat."""
        return tuple(user for user in self.users if user is not None)


def played(deals: Sequence[Deal]) -> list[Played]:
    """Read finished deals from their logs, in the order given; redeals and live deals have no place here."""
    return [_played(deal, finished.read(deal)) for deal in deals]


def _played(deal: Deal, found: finished.Finished) -> Played:
    opened, closed = found.opened, found.closed
    terms = parse_terms(opened.terms)
    rules = rules_of(opened.ruleset, opened.rules_version)
    nothing = (0,) * rules.seats
    moved = closed.settlement if closed.settlement is not None and closed.how == Deal.How.OVER else None
    assert deal.closed is not None
    return Played(
        deal=deal,
        users=tuple(seat.get("user") for seat in opened.seats),
        names=tuple(found.names),
        rules=rules,
        terms=engine_terms(terms),
        currency=terms.currency,
        tier=str(opened.terms.get("tier", "")),
        how=closed.how,
        landlord=_landlord(found) if rules.has_landlord else None,
        result=PlayedDeal(
            tuple(moved["gross"]) if moved else nothing, tuple(moved["fees"]) if moved else nothing
        ),
        points=tuple(moved["points"]) if moved else nothing,
        closed=deal.closed,
    )


def _landlord(found: finished.Finished) -> int | None:
    """Return the landlord's seat; None when the deal ended before there was one."""
    record = engine_record.parse(found.record)
    return record.ruleset.view(engine_record.replay(record), None).landlord
