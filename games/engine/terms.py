"""The terms a deal is played on: base stake, hand cap, fee, initial multiplier, currency (RULES §6)."""

from __future__ import annotations

from typing import NamedTuple

from games.engine.shapes import REQUEST, Shapes

KEYS = ("base_stake", "cap", "fee", "initial_multiplier", "currency")
COINS = "coins"
POINTS = "points"


class Fee(NamedTuple):
    """`flat`: everyone pays `value` coins; `percent`: each winner pays that share of what he won, rounded
    up."""

    kind: str
    value: int

    def to_json(self) -> dict[str, object]:
        """Return the record's form."""
        return {"kind": self.kind, "value": self.value}


class Terms(NamedTuple):
    """What a deal is worth; the defaults are those of RULES §6."""

    base_stake: int = 1
    cap: int | None = None
    fee: Fee | None = None
    initial_multiplier: int = 1
    currency: str = COINS

    @property
    def moves_coins(self) -> bool:
        """Whether coins move at all; in a points room none do."""
        return self.currency == COINS

    @property
    def flat_fee(self) -> int:
        """The fee everyone pays, 0 if there is none or if it is a share of the winnings."""
        return self.fee.value if self.fee is not None and self.fee.kind == "flat" else 0

    def fee_on(self, won: int) -> int:
        """Return the fee of a seat that won `won` coins (negative: lost), before its ability to pay (RULES
        §6)."""
        if self.fee is None:
            return 0
        if self.fee.kind == "flat":
            return self.fee.value
        return -(-won * self.fee.value // 100) if won > 0 else 0

    def to_json(self) -> dict[str, object]:
        """Return the record's form; the currency is left out when it is coins."""
        answer: dict[str, object] = {
            "base_stake": self.base_stake,
            "cap": self.cap,
            "fee": None if self.fee is None else self.fee.to_json(),
            "initial_multiplier": self.initial_multiplier,
        }
        if self.currency != COINS:
            answer["currency"] = self.currency
        return answer

    @classmethod
    def from_json(cls, value: object, shapes: Shapes = REQUEST) -> Terms:
        """Read the record's form. Raises EngineError with the code of `shapes` for any other shape.

        Every rule set can be reckoned in points; which ones have points rooms is their `currencies`.
        """
        given = shapes.mapping(value, "terms", KEYS)
        currency = given.get("currency", COINS)
        if not isinstance(currency, str) or currency not in (COINS, POINTS):
            shapes.refuse("currency: coins or points expected")
        cap = given.get("cap")
        return cls(
            base_stake=shapes.integer(given.get("base_stake", 1), "base_stake", 1),
            cap=None if cap is None else shapes.integer(cap, "cap"),
            fee=_fee(given.get("fee"), shapes),
            initial_multiplier=shapes.integer(given.get("initial_multiplier", 1), "initial_multiplier", 1),
            currency=currency,
        )


def _fee(value: object, shapes: Shapes) -> Fee | None:
    if value is None:
        return None
    given = shapes.mapping(value, "fee", ("kind", "value"))
    kind = shapes.field(given, "kind")
    if kind == "flat":
        return Fee("flat", shapes.integer(shapes.field(given, "value"), "fee value"))
    if kind != "percent":
        shapes.refuse("fee kind: flat or percent expected")
    return Fee("percent", shapes.integer(shapes.field(given, "value"), "fee value", 0, 100))
