"""What an upheld complaint moves (RULES §3 Penalties by verdict, §7): results undone, fees, fines and their
shares.

The same table serves every rule set with its base stake. Balances play no part here: what a player cannot
pay stands as a debt, and the house advances what undoes a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.engine.rulesets import RuleSet
from games.engine.shapes import LARGEST, REQUEST, Shapes
from games.engine.terms import Terms

COMPLAINT_FEES = {"collusion": 10}
"""The fee for filing, in base stakes; other kinds are free."""
FINES = {"collusion": 100, "coaching": 20, "reveal": 20, "spoiling": 0}
"""The fine of each offender, in base stakes."""
ZEROED = ("collusion", "spoiling")
"""The kinds that set the results of the named deals to zero."""
KEYS = ("kind", "offenders", "landlord", "deals", "complainant")


class PlayedDeal(NamedTuple):
    """A deal named in a verdict: what each seat won or lost, and the fee it paid."""

    gross: tuple[int, ...]
    fees: tuple[int, ...]


class Case(NamedTuple):
    """What is upheld: its kind, the offenders in the order named, the landlord of the deals if there is
    one, the deals, and the seat that complained."""

    kind: str
    offenders: tuple[int, ...]
    landlord: int | None
    deals: tuple[PlayedDeal, ...]
    complainant: int | None


class Fine(NamedTuple):
    """One offender's fine and who gets it: `shares` by seat, the rest to the house."""

    offender: int
    amount: int
    shares: tuple[int, ...]

    @property
    def house(self) -> int:
        """What the house gets of it."""
        return self.amount - sum(self.shares)


class Verdict(NamedTuple):
    """What moves, by seat and by cause.

    `undone` gives each player back what he had before the zeroed deals; `deal_fees` is what each seat owes
    for their fees, which stay with the house; `fee_returned` and `fee_charged` are the complaint fee to the
    complainant and from the offenders.
    """

    undone: tuple[int, ...]
    deal_fees: tuple[int, ...]
    fee_returned: tuple[int, ...]
    fee_charged: tuple[int, ...]
    fines: tuple[Fine, ...]

    @property
    def deltas(self) -> tuple[int, ...]:
        """What each player's coins change by."""
        totals = [
            undone - deal_fee + returned - charged
            for undone, deal_fee, returned, charged in zip(
                self.undone, self.deal_fees, self.fee_returned, self.fee_charged, strict=True
            )
        ]
        for fine in self.fines:
            totals[fine.offender] -= fine.amount
            for seat, share in enumerate(fine.shares):
                totals[seat] += share
        return tuple(totals)

    @property
    def house(self) -> int:
        """What the house gains; it holds the filed complaint fees."""
        return -sum(self.deltas)


def complaint_fee(kind: str, terms: Terms) -> int:
    """Return what filing a complaint of this kind costs."""
    return COMPLAINT_FEES.get(kind, 0) * terms.base_stake if terms.moves_coins else 0


def decide(ruleset: RuleSet, terms: Terms, case: Case) -> Verdict:
    """Return what an upheld case moves. In a points tier no coin moves."""
    seats = ruleset.seats
    zeros = (0,) * seats
    if not terms.moves_coins:
        return Verdict(zeros, zeros, zeros, zeros, ())
    undone, deal_fees = zeros, zeros
    if case.kind in ZEROED:
        undone = tuple(
            sum(deal.fees[seat] - deal.gross[seat] for deal in case.deals) for seat in range(seats)
        )
        deal_fees = _owed_equally(sum(sum(deal.fees) for deal in case.deals), case.offenders, seats)
    fee = complaint_fee(case.kind, terms) if case.complainant is not None else 0
    fine = FINES[case.kind] * terms.base_stake
    return Verdict(
        undone=undone,
        deal_fees=deal_fees,
        fee_returned=tuple(fee if seat == case.complainant else 0 for seat in range(seats)),
        fee_charged=_owed_equally(fee, case.offenders, seats),
        fines=tuple(_fine(case, offender, fine, seats) for offender in case.offenders),
    )


def _fine(case: Case, offender: int, amount: int, seats: int) -> Fine:
    """Return one offender's fine, split on its own; without a victim it all goes to the house (RULES §7)."""
    others = [seat for seat in range(seats) if seat != offender]
    if case.kind == "collusion":
        victims = [seat for seat in others if seat not in case.offenders]
        return Fine(offender, amount, _paid_equally(amount // 2, victims, seats))
    if case.landlord is None or case.landlord == offender:
        return Fine(offender, amount, _paid_equally(amount * 80 // 100, others, seats))
    return Fine(offender, amount, _paid_equally(amount * 80 // 100, [case.landlord], seats))


def _paid_equally(amount: int, receivers: Sequence[int], seats: int) -> tuple[int, ...]:
    """Return what each seat is paid: the floor each, odd coins stay with the house."""
    return tuple(amount // len(receivers) if seat in receivers else 0 for seat in range(seats))


def _owed_equally(amount: int, debtors: Sequence[int], seats: int) -> tuple[int, ...]:
    """Return what each seat owes: the floor each, the first named the odd coins; nobody, when there is no
    debtor."""
    owed = [0] * seats
    for seat in debtors:
        owed[seat] = amount // len(debtors)
    if debtors:
        owed[debtors[0]] += amount % len(debtors)
    return tuple(owed)


def parse_case(ruleset: RuleSet, value: object, shapes: Shapes = REQUEST) -> Case:
    """Read a case (RULES §6 `verdict`). Raises EngineError for another kind than the four, or a wrong
    shape."""
    given = shapes.mapping(value, "verdict")
    kind = shapes.text(shapes.field(given, "kind"), "kind")
    if kind not in FINES:
        shapes.refuse("kind: collusion, coaching, reveal or spoiling expected")
    landlord = given.get("landlord")
    if landlord is not None:
        if not ruleset.has_landlord:
            shapes.refuse("landlord: there is none in this rule set")
        landlord = shapes.seat(landlord, "landlord", ruleset.seats)
    complainant = given.get("complainant")
    return Case(
        kind=kind,
        offenders=shapes.seat_list(shapes.field(given, "offenders"), "offenders", ruleset.seats),
        landlord=landlord,
        deals=tuple(
            _parse_deal(entry, ruleset.seats, shapes)
            for entry in shapes.array(shapes.field(given, "deals"), "deals")
        ),
        complainant=None if complainant is None else shapes.seat(complainant, "complainant", ruleset.seats),
    )


def _parse_deal(value: object, seats: int, shapes: Shapes) -> PlayedDeal:
    given = shapes.mapping(value, "a deal")
    gross = shapes.integers(shapes.field(given, "gross"), "gross", seats, -LARGEST)
    fees = shapes.integers(shapes.field(given, "fees"), "fees", seats)
    if sum(gross) != 0:
        shapes.refuse("gross: does not sum to 0")
    return PlayedDeal(gross, fees)
