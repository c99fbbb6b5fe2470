"""What happened at a table, as values and as the exact bytes of the log.

Every event has `at` (milliseconds of service time), and `seat` and `cmd` when a client's command caused it.
An event holds results, so that folding never decides; it never holds a card that is not public at that
moment: hands, deck and seed stand in `deal_closed` alone. Bodies are compact JSON with sorted keys; a field
that is None is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from games.table.clocks import Clock
from games.table.errors import FormatError

FORMAT = 1
"""The newest format of events this version writes and reads."""

Json = Mapping[str, Any]


class TableOpened(NamedTuple):
    """The first event of a table."""

    at: int
    table: str
    ruleset: str
    terms: Json
    next_deal: str
    next_commitment: str
    format: int = FORMAT


class Sat(NamedTuple):
    """A seat was taken; `start_at` is the end of the start clock if this filled the table."""

    at: int
    seat: int
    name: str
    nonce: str
    computer: bool
    ready: bool
    user: int | None = None
    start_at: int | None = None


class Stood(NamedTuple):
    """A seat is empty again; reason: left, not_ready, lost, idle, no_deal, escaped, redeals, closed, or a
    decliner's."""

    at: int
    seat: int
    reason: str
    cmd: str | None = None


class Readied(NamedTuple):
    """A player pressed start; `nonce` is the one now in force, `start_at` the end of the start clock from
    here on."""

    at: int
    seat: int
    nonce: str
    start_at: int | None = None
    cmd: str | None = None


class LeavingNoted(NamedTuple):
    """A player left a complete match before its deal was open: it counts as soon as the deal opens."""

    at: int
    seat: int
    cmd: str | None = None


class DealOpened(NamedTuple):
    """A deal began. It carries all of the table's state, so that a fold may start here.

    `seq` is its own number in the log; `seats` is one object a seat (user, name, computer, lost_since, away
    …), `accepted` the last commands a seat as [id, seq]; `budget_from` the moment from which absence counts
    (the first of a row of redeals), `dead` how many redeals went before without an act of a living player.
    """

    at: int
    seq: int
    table: str
    ruleset: str
    rules_version: int
    terms: Json
    deal: str
    number: int
    commitment: str
    next_deal: str
    next_commitment: str
    nonces: tuple[str, ...]
    opening: Json
    seats: tuple[Json, ...]
    accepted: tuple[tuple[tuple[str, int], ...], ...]
    leaving: tuple[int, ...]
    budget_from: int
    dead: int
    turn: int
    clock: Clock | None = None
    balances: tuple[int, ...] | None = None
    format: int = FORMAT


class DealDeclined(NamedTuple):
    """The next deal was not opened: seat (as text) → reason."""

    at: int
    seats: Json


class Acted(NamedTuple):
    """An action of the engine: of a player, of the autoplay, an escape, or (`seat` None) a void.

    `turn` is the number of the turn it ended; `clock` the next turn's; `combo` the type of a play. `auto` is
    None for a player's own act, else what acted for him: time_out, trustee, computer, away; an escape's
    cause: leave, time_out, absence; a void's: consent, staff (then `by` and `reason`).
    """

    at: int
    action: str
    turn: int
    seat: int | None = None
    combo: str | None = None
    auto: str | None = None
    by: str | None = None
    reason: str | None = None
    clock: Clock | None = None
    cmd: str | None = None


class TimedOut(NamedTuple):
    """A seat let its clock run out, for the `times`th time in this deal."""

    at: int
    seat: int
    times: int


class TrusteeSet(NamedTuple):
    """A seat was handed to the autoplay, or taken back."""

    at: int
    seat: int
    on: bool
    clock: Clock | None = None
    cmd: str | None = None


class AwaySet(NamedTuple):
    """A computer plays on for an away seat (cause: absence, time_out, leave), or its player is back (cause
    None)."""

    at: int
    seat: int
    fined: bool
    cause: str | None = None
    clock: Clock | None = None
    cmd: str | None = None


class AbsenceBegan(NamedTuple):
    """A seat's player has no live connection since `since`."""

    at: int
    seat: int
    since: int
    clock: Clock | None = None


class AbsenceEnded(NamedTuple):
    """He is back; `used` is the sum of his absences in the running deal."""

    at: int
    seat: int
    used: int
    clock: Clock | None = None


class LeaveAsked(NamedTuple):
    """A player asked to end the deal; `agreed` are the seats that agree by themselves."""

    at: int
    seat: int
    ends: int
    agreed: tuple[int, ...]
    cmd: str | None = None


class LeaveAnswered(NamedTuple):
    """A seat answered; `auto` when it agreed by itself."""

    at: int
    seat: int
    agree: bool
    auto: bool = False
    cmd: str | None = None


class LeaveSettled(NamedTuple):
    """The request is decided; cause: all, refused, time."""

    at: int
    agreed: bool
    cause: str


class Said(NamedTuple):
    """A line of chat: a text or a phrase's code."""

    at: int
    seat: int
    text: str | None = None
    phrase: str | None = None
    cmd: str | None = None


class DealClosed(NamedTuple):
    """A deal ended and its secrets are open. `how`: over, escaped, void, redeal; `seat` is who escaped.

    `settlement` and `reasons` are the engine's (none for a redeal); `hands` what each seat still held;
    `start_at` the end of the start clock (of a redeal: until when it may be opened); `dead` counts redeals in
    a row without an act of a living player.
    """

    at: int
    deal: str
    number: int
    how: str
    hands: tuple[str, ...]
    bottom: str
    deck: str
    seed: str
    away: tuple[int, ...]
    fined: tuple[int, ...]
    dead: int
    winner: int | None = None
    seat: int | None = None
    settlement: Json | None = None
    reasons: tuple[Json, ...] = ()
    start_at: int | None = None


class TableClosed(NamedTuple):
    """The last event; reason: idle, redeals, or the closer's."""

    at: int
    reason: str


Event = (
    Acted
    | TableOpened
    | Sat
    | Stood
    | Readied
    | LeavingNoted
    | DealOpened
    | DealDeclined
    | TimedOut
    | TrusteeSet
    | AwaySet
    | AbsenceBegan
    | AbsenceEnded
    | LeaveAsked
    | LeaveAnswered
    | LeaveSettled
    | Said
    | DealClosed
    | TableClosed
)

KINDS: dict[str, type[Any]] = {
    "table_opened": TableOpened,
    "sat": Sat,
    "stood": Stood,
    "readied": Readied,
    "leaving_noted": LeavingNoted,
    "deal_opened": DealOpened,
    "deal_declined": DealDeclined,
    "acted": Acted,
    "timed_out": TimedOut,
    "trustee_set": TrusteeSet,
    "away_set": AwaySet,
    "absence_began": AbsenceBegan,
    "absence_ended": AbsenceEnded,
    "leave_asked": LeaveAsked,
    "leave_answered": LeaveAnswered,
    "leave_settled": LeaveSettled,
    "said": Said,
    "deal_closed": DealClosed,
    "table_closed": TableClosed,
}
_NAMES = {cls: kind for kind, cls in KINDS.items()}
_FIELDS = {cls: ("kind", *cls._fields) for cls in KINDS.values()}
_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True).encode


def kind_of(event: Event) -> str:
    """Name the kind of an event."""
    return _NAMES[type(event)]


def to_json(event: Event) -> dict[str, Any]:
    """Make the JSON object of an event; fields that are None are left out."""
    cls = type(event)
    fields = zip(_FIELDS[cls], (_NAMES[cls], *event), strict=True)
    return {name: value for name, value in fields if value is not None}


def from_json(body: Mapping[str, Any]) -> Event:
    """Read an event from its JSON object; FormatError for an unknown kind or field or a newer format."""
    cls = KINDS.get(body.get("kind", ""))
    if cls is None:
        raise FormatError(f"unknown event kind: {str(body.get('kind'))[:40]}")
    if body.get("format", FORMAT) > FORMAT:
        raise FormatError("newer event format")
    try:
        values = {name: freeze(value) for name, value in body.items() if name != "kind"}
        if values.get("clock") is not None:
            values["clock"] = Clock(*values["clock"])
        event: Event = cls(**values)
    except TypeError as error:
        raise FormatError(f"{body['kind']}: {error}") from None
    return event


def encode(event: Event) -> bytes:
    """Write the exact bytes of an event as they stand in the log."""
    return _write(to_json(event)).encode()


def decode(body: bytes | str) -> Event:
    """Read an event from its bytes; FormatError for anything else."""
    try:
        value = json.loads(body)
    except ValueError:
        raise FormatError("not JSON") from None
    if not isinstance(value, dict):
        raise FormatError("not an object")
    return from_json(value)


def chain(previous: bytes, body: bytes) -> bytes:
    """Link an event's exact bytes to the digest before it: SHA-256(previous ‖ body); the first links to
    b""."""
    return hashlib.sha256(previous + body).digest()


def freeze(value: Any) -> Any:
    """Turn every list inside a JSON value into a tuple, so that a value and its reading are equal."""
    if isinstance(value, list | tuple):
        return tuple([freeze(entry) for entry in value])
    if isinstance(value, Mapping):
        return {key: freeze(entry) for key, entry in value.items()}
    return value
