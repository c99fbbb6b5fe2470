"""A finished deal's record (RULES §6), read from its events alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from games.engine.record import FORMAT
from games.engine.terms import POINTS
from games.table import events as e
from games.table.errors import FormatError
from games.table.terms import engine_terms, parse_terms, rules_of


def record_of(events: Iterable[e.Event], deal_id: str | None = None) -> dict[str, Any]:
    """Make the record of a finished deal, with its `fairness` and `settlement` for the verifier.

    `events` may be all of a table's; without `deal_id` the last finished deal is taken. FormatError when
    there is none. Replayed in the engine it gives the settlement of `deal_closed` (of a practice deal, its
    points).
    """
    opened: e.DealOpened | None = None
    found: dict[str, Any] | None = None
    actions: list[list[Any]] = []
    for event in events:
        if isinstance(event, e.DealOpened):
            opened, actions = event, []
        elif isinstance(event, e.Acted):
            actions.append([event.seat, event.action])
        elif isinstance(event, e.DealClosed) and opened is not None and event.deal == opened.deal:
            if deal_id is None or event.deal == deal_id:
                found = _record(opened, actions, event)
            opened = None
    if found is None:
        raise FormatError("no such finished deal")
    return found


def _record(opened: e.DealOpened, actions: list[list[Any]], closed: e.DealClosed) -> dict[str, Any]:
    terms = engine_terms(parse_terms(opened.terms)).to_json()
    rules = rules_of(opened.ruleset, opened.rules_version)
    practice = terms.get("currency") == POINTS and POINTS not in rules.currencies
    if practice:
        del terms["currency"]  # a practice deal of a rule set that has no points rooms
    record: dict[str, Any] = {
        "format": FORMAT,
        "ruleset": opened.ruleset,
        "rules_version": opened.rules_version,
        "deck": closed.deck,
        "opening": dict(opened.opening),
        "terms": terms,
        "balances": None if opened.balances is None else list(opened.balances),
        "actions": actions,
        "fairness": {
            "deal": opened.deal,
            "commitment": opened.commitment,
            "server_seed": closed.seed,
            "nonces": list(opened.nonces),
        },
    }
    if closed.settlement is not None and not practice:
        record["settlement"] = {
            name: value if isinstance(value, int) else list(value)
            for name, value in closed.settlement.items()
        }
    if closed.how == "escaped" and closed.seat in opened.leaving:
        record["undealt"] = True
    if closed.fined or closed.away:
        record["away"], record["fined"] = list(closed.away), list(closed.fined)
    return record
