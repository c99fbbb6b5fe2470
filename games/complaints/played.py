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
from games.table.terms import engine_terms, parse_terms, rules_of


class Played(NamedTuple):
    """One finished deal. `users` and `names` by seat; `currency` coins, points or none; `how` over, escaped or void."""

    id: str
    number: int
    table_id: int
    table: str
    first_seq: int
    last_seq: int
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


def played(deal_ids: Sequence[str]) -> list[Played]:
    """Read deals from their logs, in the order given; redeals and those that are not over are left out."""
    return [_played(found) for found in finished.find(deal_ids)]


def played_since(table_id: int, since: datetime, limit: int) -> list[Played]:
    """Read the newest deals of a table that ended since then, newest first."""
    return [_played(found) for found in finished.at_table(table_id, since=since, limit=limit)]


def _played(found: finished.Finished) -> Played:
    deal, opened, closed = found.deal, found.opened, found.closed
    terms = parse_terms(opened.terms)
    rules = rules_of(opened.ruleset, opened.rules_version)
    nothing = (0,) * rules.seats
    moved = closed.settlement if closed.settlement is not None and closed.how == "over" else None
    assert deal.closed is not None and deal.closed_seq is not None
    return Played(
        id=deal.pk,
        number=deal.number,
        table_id=deal.table_id,
        table=deal.table.code,
        first_seq=deal.opened_seq,
        last_seq=deal.closed_seq,
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
