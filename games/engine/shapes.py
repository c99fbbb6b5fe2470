"""Strict readers for JSON values: what is not exactly of the expected shape is an error, never a guess.

`true` is no number, `1.0` is no integer, a missing key is not null. Inside a record a wrong shape is
`bad_record`, elsewhere `bad_request` (RULES §7): a `Shapes` carries the code it raises.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, NoReturn

from games.engine.errors import BAD_RECORD, BAD_REQUEST, EngineError

LARGEST = 10**18
"""No amount in a request may be larger, so that every product stays printable."""


class Shapes(NamedTuple):
    """Readers that raise EngineError with one code."""

    code: str

    def refuse(self, detail: str) -> NoReturn:
        """Raise the error."""
        raise EngineError(self.code, detail)

    def mapping(self, value: object, what: str, keys: Collection[str] | None = None) -> Mapping[str, object]:
        """Return an object; with `keys`, one that has no other keys."""
        if not isinstance(value, Mapping):
            self.refuse(f"{what}: an object expected")
        if keys is not None:
            for key in value:
                if key not in keys:
                    self.refuse(f"{what}: unknown key {str(key)[:40]!r}")
        return value

    def field(self, mapping: Mapping[str, object], key: str) -> object:
        """Return a key's value; a missing key is an error."""
        if key not in mapping:
            self.refuse(f"{key} is missing")
        return mapping[key]

    def integer(self, value: object, what: str, low: int = 0, high: int = LARGEST) -> int:
        """Return an integer within the limits."""
        if type(value) is not int or not low <= value <= high:
            self.refuse(f"{what}: an integer from {low} to {high} expected")
        return value

    def boolean(self, value: object, what: str) -> bool:
        """Return true or false."""
        if type(value) is not bool:
            self.refuse(f"{what}: true or false expected")
        return value

    def text(self, value: object, what: str) -> str:
        """Return a text."""
        if not isinstance(value, str):
            self.refuse(f"{what}: a text expected")
        return value

    def seat(self, value: object, what: str, seats: int) -> int:
        """Return a seat number."""
        return self.integer(value, what, 0, seats - 1)

    def array(self, value: object, what: str, length: int | None = None) -> Sequence[object]:
        """Return a list, of exactly `length` entries if given."""
        if not isinstance(value, (list, tuple)):
            self.refuse(f"{what}: a list expected")
        if length is not None and len(value) != length:
            self.refuse(f"{what}: {length} entries expected")
        return value

    def integers(
        self, value: object, what: str, length: int, low: int = 0, high: int = LARGEST
    ) -> tuple[int, ...]:
        """Return a list of that many integers."""
        return tuple(self.integer(entry, what, low, high) for entry in self.array(value, what, length))

    def seat_list(self, value: object, what: str, seats: int) -> tuple[int, ...]:
        """Return a list of different seats, in the order given."""
        chosen = tuple(self.seat(entry, what, seats) for entry in self.array(value, what))
        if len(set(chosen)) != len(chosen):
            self.refuse(f"{what}: a seat twice")
        return chosen

    def balances(self, value: object, seats: int) -> tuple[int, ...] | None:
        """Return the balance of each seat; None is without limit."""
        return None if value is None else self.integers(value, "balances", seats)


REQUEST = Shapes(BAD_REQUEST)
RECORD = Shapes(BAD_RECORD)
