"""The rules console: one JSON request in, one JSON answer out (RULES §6).

It has no clock and no chance, keeps nothing between requests, and survives anything: whatever a line holds,
the answer is a result or a typed error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from games.engine import record as records
from games.engine import rulesets, verdicts
from games.engine.actions import format_action
from games.engine.cards import format_mask, parse_cards
from games.engine.errors import BAD_REQUEST, DUPLICATE_CARD, EngineError
from games.engine.perft import perft
from games.engine.rulesets import RuleSet
from games.engine.shapes import REQUEST
from games.engine.terms import Terms

Request = Mapping[str, object]
Answer = dict[str, Any]


def _ruleset(request: Request) -> RuleSet:
    return rulesets.get(request.get("ruleset"))


def _cards(request: Request, key: str, ruleset: RuleSet) -> tuple[int, ...]:
    return parse_cards(REQUEST.text(REQUEST.field(request, key), key), ruleset.deck_size)


def _record(request: Request) -> records.Record:
    return records.parse(REQUEST.field(request, "record"))


def _terms(request: Request) -> Terms:
    return Terms.from_json(request.get("terms", {}))


def classify(request: Request) -> Answer:
    """Return what a set of cards can be read as, in a leader's priority."""
    ruleset = _ruleset(request)
    return {"readings": [combo.as_json() for combo in ruleset.readings(_cards(request, "cards", ruleset))]}


def beats(request: Request) -> Answer:
    """Return whether cards beat a standing set; a card on both sides is `duplicate_card`."""
    ruleset = _ruleset(request)
    standing, cards = _cards(request, "standing", ruleset), _cards(request, "cards", ruleset)
    if set(standing) & set(cards):
        raise EngineError(DUPLICATE_CARD, "a card on both sides")
    return {"beats": ruleset.beats(standing, cards)}


def legal(request: Request) -> Answer:
    """Return the actions of the seat to act, sorted as text."""
    record = _record(request)
    deal = records.replay(record)
    return {"seat": deal.turn, "actions": sorted(map(format_action, record.ruleset.legal(deal)))}


def autoplay(request: Request) -> Answer:
    """Return what the computer would do for the seat to act."""
    record = _record(request)
    deal = records.replay(record)
    if deal.turn is None:
        return {"seat": None, "action": None}
    action = record.ruleset.autoplay(record.ruleset.view(deal, deal.turn))
    return {"seat": deal.turn, "action": format_action(action)}


def count(request: Request) -> Answer:
    """Return how many action sequences of a length exist."""
    record = _record(request)
    depth = REQUEST.integer(REQUEST.field(request, "depth"), "depth")
    return {"nodes": perft(record.ruleset, records.replay(record), depth)}


def replay(request: Request) -> Answer:
    """Return where a record ends, all cards shown, and what it settles."""
    record = _record(request)
    deal = records.replay(record)
    settlement = records.settlement_of(record, deal)
    return {
        "phase": deal.phase,
        "turn": deal.turn,
        "hands": [format_mask(hand) for hand in deal.hands],
        "bottom": format_mask(deal.setup.bottom),
        "winner": deal.winner,
        "landlord": record.ruleset.view(deal, None).landlord,
        "settlement": None if settlement is None else settlement.as_json(),
    }


def view(request: Request) -> Answer:
    """Return what a seat, or with null a spectator, may know."""
    record = _record(request)
    seat = REQUEST.field(request, "seat")
    if seat is not None:
        seat = REQUEST.seat(seat, "seat", record.ruleset.seats)
    return record.ruleset.view(records.replay(record), seat).as_json()


def settle(request: Request) -> Answer:
    """Return the settlement of an outcome given directly."""
    ruleset = _ruleset(request)
    terms = _terms(request)
    balances = REQUEST.balances(request.get("balances"), ruleset.seats)
    outcome = ruleset.parse_outcome(REQUEST.field(request, "outcome"))
    return ruleset.settle(terms, balances, outcome).as_json()


def verdict(request: Request) -> Answer:
    """Return what an upheld complaint moves."""
    ruleset = _ruleset(request)
    terms = _terms(request)
    decided = verdicts.decide(ruleset, terms, verdicts.parse_case(ruleset, request))
    return {"deltas": list(decided.deltas), "house": decided.house}


OPERATIONS: dict[str, Callable[[Request], Answer]] = {
    "classify": classify,
    "beats": beats,
    "legal": legal,
    "autoplay": autoplay,
    "perft": count,
    "replay": replay,
    "view": view,
    "settle": settle,
    "verdict": verdict,
}


def read_json(line: str | bytes) -> object:
    """Read strict JSON: no NaN, no key twice, bounded depth and numbers. Raises EngineError `bad_request`."""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise EngineError(BAD_REQUEST, f"no JSON: {str(error)[:80]}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key twice")
    return result


def answer(line: str | bytes) -> str:
    """Return the answer to one line, as JSON without line breaks. Never raises for anything a line may
    hold."""
    try:
        request = REQUEST.mapping(read_json(line), "a request")
        operation = request.get("op")
        if not isinstance(operation, str) or operation not in OPERATIONS:
            REQUEST.refuse("op: unknown")
        result = OPERATIONS[operation](request)
    except EngineError as error:
        result = {"error": error.as_json()}
    return json.dumps(result, separators=(",", ":"))
