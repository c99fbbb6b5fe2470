"""Check a finished deal without the server: `python -m games.engine.verify FILE` (RULES §7).

FILE is a deal's downloaded record. Checked are the commitment, the deck, the opening, every action and the
settlement; what that proves and what it does not is said in the end. Exit status: 0 when everything holds,
1 when a check fails, 2 when the file cannot be read as a finished deal's record.
"""

from __future__ import annotations

import hmac
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from games.engine import record as records
from games.engine.cards import format_cards, format_mask
from games.engine.console import read_json
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.fair import DEAL_ID, NONCE, SEED_BYTES, Draw, commitment
from games.engine.record import Record
from games.engine.shapes import RECORD

PROVEN = """\
What this proves: the deck follows from the seed and the players' nonces alone, and the seed is the one whose
commitment stands in this record. If you saw that commitment at the table before you gave your nonce, nobody
changed the deck afterwards. Every action was legal, and the result follows from the actions, the terms and
the balances in this record."""
NOT_PROVEN = """\
What it does not prove: that the commitment in this file is the one you were shown (compare it), that the
house did not look at its own seed while the deal ran, who sat in the seats and whether they spoke to each
other, and that this file is whole: compare the actions and balances with the ones you saw."""


class Check(NamedTuple):
    """One thing checked: whether it holds (None: nothing to check it against), and what was found."""

    name: str
    holds: bool | None
    finding: str


class Fairness(NamedTuple):
    """What was revealed after the deal."""

    deal: str
    commitment: str
    seed: bytes
    nonces: tuple[str, ...]


def verify(value: object) -> list[Check]:
    """Return the checks of a record. Raises EngineError when it is no record of a deal with its fairness."""
    record = records.parse(value)
    given = RECORD.mapping(value, "record")
    fairness = _parse_fairness(RECORD.field(given, "fairness"), record.ruleset.seats)
    if record.deck is None:
        RECORD.refuse("a study position has no deck to verify")
    draw = Draw(fairness.seed, fairness.deal, fairness.nonces)
    deck = draw.deck(record.ruleset.deck_size)
    checks = [
        _check_commitment(fairness),
        Check("deck", record.deck == deck, f"drawn from the seed: {format_cards(deck)}"),
        _check_opening(record, draw, deck),
    ]
    try:
        deal = records.replay(record)
    except EngineError as error:
        place = "" if error.at is None else f" at action {error.at}"
        return [
            *checks,
            Check("actions", False, f"refused{place}: {error.reason or error.code}. {error.detail}"),
        ]
    checks.append(_check_actions(record, deal))
    checks.append(_check_settlement(record, deal, given.get("settlement")))
    return checks


def _parse_fairness(value: object, seats: int) -> Fairness:
    given = RECORD.mapping(value, "fairness")
    deal = RECORD.text(RECORD.field(given, "deal"), "deal")
    shown = RECORD.text(RECORD.field(given, "commitment"), "commitment")
    seed = RECORD.text(RECORD.field(given, "server_seed"), "server_seed")
    nonces = tuple(
        RECORD.text(nonce, "nonces") for nonce in RECORD.array(RECORD.field(given, "nonces"), "nonces", seats)
    )
    if not re.fullmatch(f"[0-9a-f]{{{2 * SEED_BYTES}}}", seed):
        RECORD.refuse("server_seed: 64 hex digits expected")
    if not DEAL_ID.fullmatch(deal) or not all(NONCE.fullmatch(nonce) for nonce in nonces):
        RECORD.refuse("fairness: a deal id or a nonce is not well-formed")
    return Fairness(deal, shown, bytes.fromhex(seed), nonces)


def _check_commitment(fairness: Fairness) -> Check:
    computed = commitment(fairness.seed)
    same = hmac.compare_digest(computed.encode(), fairness.commitment.encode("utf-8", "replace"))
    return Check("commitment", same, f"SHA-256 of the seed: {computed}")


def _check_opening(record: Record, draw: Draw, deck: Sequence[int]) -> Check:
    agrees = record.ruleset.opening_agrees(record.opening, draw, deck)
    if agrees is None:
        finding = "not checked: it depends on the table's last deal, which is not in this file"
    else:
        finding = "as drawn from the seed" if agrees else "not the one drawn from the seed"
    return Check("opening", agrees, finding)


def _check_actions(record: Record, deal: Deal) -> Check:
    if deal.is_open:
        return Check("actions", False, "the deal has not ended")
    left = " / ".join(format_mask(hand) or "-" for hand in deal.hands)
    return Check("actions", True, f"{len(record.actions)} legal actions, {deal.phase}; cards left: {left}")


def _check_settlement(record: Record, deal: Deal, stated: object) -> Check:
    settlement = records.settlement_of(record, deal)
    computed = None if settlement is None else settlement.as_json()
    if computed is None:
        return Check(
            "settlement", stated is None, "none: the cards are dealt again" if not deal.is_open else "none"
        )
    finding = ", ".join(f"{key} {entry}" for key, entry in computed.items())
    return Check("settlement", None if stated is None else stated == computed, finding)


def main(arguments: Sequence[str]) -> int:
    """Verify the file named in the arguments, print the findings, return the exit status."""
    if len(arguments) != 1:
        print("usage: python -m games.engine.verify FILE", file=sys.stderr)
        return 2
    try:
        checks = verify(read_json(Path(arguments[0]).read_bytes()))
    except (EngineError, OSError) as error:
        print(f"cannot verify {arguments[0]}: {_words(error)}", file=sys.stderr)
        return 2
    for check in checks:
        mark = {True: "ok", False: "FAILED", None: "--"}[check.holds]
        print(f"{check.name:<12}{mark:<8}{check.finding}")
    if any(check.holds is False for check in checks):
        print("\nThis record does not hold.")
        return 1
    print(f"\n{PROVEN}\n\n{NOT_PROVEN}")
    return 0


def _words(error: EngineError | OSError) -> str:
    return f"{error.code}: {error.detail}" if isinstance(error, EngineError) else str(error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
