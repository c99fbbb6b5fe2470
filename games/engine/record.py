"""Records: JSON that replays a deal with no other input (RULES §6).

`parse` reads one strictly, `replay` plays it, `record_of` writes one of a deal that was played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.engine import rulesets
from games.engine.actions import Action, format_action, parse_action
from games.engine.cards import format_cards, mask_of, parse_cards
from games.engine.deal import Deal
from games.engine.errors import DUPLICATE_CARD, EngineError
from games.engine.rulesets import RuleSet
from games.engine.settlement import Settlement
from games.engine.shapes import RECORD, REQUEST
from games.engine.terms import Terms

FORMAT = 1


class Record(NamedTuple):
    """A record, read. Either `deck` (in dealing order) or `hands` (masks, a study position) is given.

    `undealt`: its escape was decided before the cards were dealt (RULES §5).
    """

    ruleset: RuleSet
    deck: tuple[int, ...] | None
    hands: tuple[int, ...] | None
    bottom: int
    opening: Mapping[str, object]
    terms: Terms
    balances: tuple[int, ...] | None
    actions: tuple[tuple[int | None, Action], ...]
    away: tuple[int, ...]
    fined: tuple[int, ...]
    undealt: bool = False

    def __repr__(self) -> str:
        return f"<Record {self.ruleset.code}, {len(self.actions)} actions>"


def parse(value: object) -> Record:
    """Read a record.

    Raises EngineError: `bad_request` if it is no object, `unknown_ruleset`, `bad_record` for a wrong shape
    inside it, `bad_card` and `duplicate_card`; for an action with its index in `at`. Keys a record does not
    know are left alone.
    """
    given = REQUEST.mapping(value, "record")
    RECORD.integer(RECORD.field(given, "format"), "format", FORMAT, FORMAT)
    version = given.get("rules_version")
    ruleset = rulesets.get(
        given.get("ruleset"), None if version is None else RECORD.integer(version, "rules_version", 1)
    )
    terms = Terms.from_json(given.get("terms", {}), RECORD)
    balances = RECORD.balances(given.get("balances"), ruleset.seats)
    opening = RECORD.mapping(RECORD.field(given, "opening"), "opening")
    deck, hands, bottom = _parse_cards(given, ruleset)
    away = RECORD.seat_list(given.get("away", []), "away", ruleset.seats)
    fined = RECORD.seat_list(given.get("fined", list(away)), "fined", ruleset.seats)
    if not set(away) <= set(fined):
        RECORD.refuse("fined: at least those who are away")
    if fined and ruleset.manners.absence != "play_on":
        RECORD.refuse("away: nobody plays on without a player in this rule set")
    entries = RECORD.array(RECORD.field(given, "actions"), "actions")
    actions = tuple(_parse_entry(entry, index, ruleset) for index, entry in enumerate(entries))
    undealt = RECORD.boolean(given.get("undealt", False), "undealt")
    return Record(ruleset, deck, hands, bottom, opening, terms, balances, actions, away, fined, undealt)


def _parse_cards(
    given: Mapping[str, object], ruleset: RuleSet
) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None, int]:
    """Return deck, hands and bottom; one of the first two is None."""
    size = ruleset.deck_size
    if "deck" in given:
        if "hands" in given or "bottom" in given:
            RECORD.refuse("a deck, or hands: not both")
        deck = parse_cards(RECORD.text(given["deck"], "deck"), size)
        if len(deck) != size:
            RECORD.refuse(f"deck: {size} cards expected")
        return deck, None, 0
    texts = RECORD.array(RECORD.field(given, "hands"), "hands", ruleset.seats)
    hands = tuple(mask_of(parse_cards(RECORD.text(text, "hands"), size)) for text in texts)
    seen = 0
    for hand in hands:
        if hand & seen:
            raise EngineError(DUPLICATE_CARD, "hands: a card in two hands")
        seen |= hand
    return None, hands, mask_of(parse_cards(RECORD.text(given.get("bottom", ""), "bottom"), size))


def _parse_entry(entry: object, index: int, ruleset: RuleSet) -> tuple[int | None, Action]:
    try:
        seat, text = RECORD.array(entry, "an action", 2)
        action = parse_action(
            RECORD.text(text, "an action"), seats=ruleset.seats, deck_size=ruleset.deck_size
        )
        if seat is None and action.kind == "void":
            return None, action
        return RECORD.seat(seat, "the seat of an action", ruleset.seats), action
    except EngineError as error:
        error.at = index
        raise


def begin(record: Record) -> Deal:
    """Return the deal a record starts from, before its first action. Raises EngineError as RULES §7 says."""
    ruleset, opening, terms = record.ruleset, record.opening, record.terms
    if record.deck is not None:
        return ruleset.start(deck=record.deck, opening=opening, terms=terms)
    assert record.hands is not None
    return ruleset.place(hands=record.hands, bottom=record.bottom, opening=opening, terms=terms)


def replay(record: Record) -> Deal:
    """Play a record to its end. Raises IllegalAction with the index of the refused action in `at`."""
    deal = begin(record)
    for index, (seat, action) in enumerate(record.actions):
        try:
            deal = record.ruleset.apply(deal, seat, action)
        except EngineError as error:
            error.at = index
            raise
    return deal


def settlement_of(record: Record, deal: Deal) -> Settlement | None:
    """Return what the replayed deal of a record moves; None while it runs, and for a redeal."""
    judged = deal.undealt if record.undealt and deal.phase == "escaped" else deal
    outcome = record.ruleset.outcome(judged, away=record.away, fined=record.fined)
    return None if outcome is None else record.ruleset.settle(record.terms, record.balances, outcome)


def record_of(
    deal: Deal,
    *,
    deck: Sequence[int],
    balances: Sequence[int] | None,
    away: Sequence[int] = (),
    fined: Sequence[int] | None = None,
    settlement: Settlement | None = None,
) -> dict[str, Any]:
    """Return the record of a deal that was dealt from `deck` (RULES §6), with the version of its rules and, if
    given, what was settled: the verifier compares it."""
    setup = deal.setup
    record: dict[str, Any] = {
        "format": FORMAT,
        "ruleset": setup.ruleset,
        "rules_version": setup.version,
        "deck": format_cards(deck),
        "opening": dict(setup.opening),
        "terms": setup.terms.to_json(),
        "balances": None if balances is None else list(balances),
        "actions": [[seat, format_action(action)] for seat, action in deal.history],
    }
    if away or fined:
        record["away"] = list(away)
        record["fined"] = list(away if fined is None else fined)
    if settlement is not None:
        record["settlement"] = settlement.as_json()
    return record
