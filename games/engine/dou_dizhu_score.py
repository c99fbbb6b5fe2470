"""What both Dou Dizhu rule sets count in a deal: bombs, the rocket, spring and anti-spring, each with its
cause (RULES §2, §7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from games.engine.actions import Action
from games.engine.cards import format_cards, mask_of, parse_cards
from games.engine.deal import Deal
from games.engine.dou_dizhu import SEATS, Auction
from games.engine.dou_dizhu_combos import BLACK, CARDS, ROCKET, holds_bomb
from games.engine.settlement import Row
from games.engine.shapes import Shapes
from games.engine.views import View

MOST_DOUBLINGS = 100
"""More than any deal has; so that every product of a request stays printable."""


class Doubling(NamedTuple):
    """One doubling: its cause ("bomb", "rocket", "spring", "anti_spring"), the seat that caused it and the
    cards."""

    cause: str
    seat: int
    cards: tuple[int, ...] = ()


class Result(NamedTuple):
    """Who was landlord, and who went out."""

    landlord: int
    out: int

    @property
    def landlord_won(self) -> bool:
        """Whether the landlord went out first."""
        return self.out == self.landlord


def played_by(
    opening: Mapping[str, object], history: Iterable[tuple[int | None, Action]]
) -> list[tuple[int, tuple[int, ...]]]:
    """Return every combo that was played, by whom and its cards; a study position's standing combo is one
    play of `standing_by` (RULES §7)."""
    plays: list[tuple[int, tuple[int, ...]]] = []
    standing, by = opening.get("standing"), opening.get("standing_by")
    if isinstance(standing, str) and isinstance(by, int):
        plays.append((by, parse_cards(standing)))
    for seat, (kind, cards, _) in history:
        if kind == "play" and seat is not None:
            plays.append((seat, cards))
    return plays


def bomb_of(cards: Sequence[int]) -> str | None:
    """Return whether cards played together are a bomb or the rocket: four of a rank never are anything
    else."""
    if len(cards) == 4 and cards[0] >> 2 == cards[3] >> 2:
        return "bomb"
    return "rocket" if tuple(cards) == ROCKET else None


def doublings_of(deal: Deal) -> tuple[Doubling, ...]:
    """Return the doublings of a deal that is over, in the order in which they came."""
    auction: Auction = deal.own
    assert deal.winner is not None and auction.landlord is not None
    plays = played_by(deal.setup.opening, deal.history)
    doublings = [
        Doubling(cause, seat, cards) for seat, cards in plays if (cause := bomb_of(cards)) is not None
    ]
    by_landlord = sum(seat == auction.landlord for seat, _ in plays)
    if deal.winner != auction.landlord:
        if by_landlord == 1:
            doublings.append(Doubling("anti_spring", deal.winner))
    elif by_landlord == len(plays):
        doublings.append(Doubling("spring", deal.winner))
    return tuple(doublings)


def doublings_so_far(view: View) -> tuple[tuple[Doubling, ...], tuple[str, ...]]:
    """Return the doublings of a deal that is played, and which of spring and anti-spring may still come."""
    auction: Auction = view.own
    plays = played_by(view.opening, view.history)
    doublings = tuple(
        [Doubling(cause, seat, cards) for seat, cards in plays if (cause := bomb_of(cards)) is not None]
    )
    by_landlord = sum(seat == auction.landlord for seat, _ in plays)
    may_come = (("spring", by_landlord == len(plays)), ("anti_spring", by_landlord <= 1))
    return doublings, tuple([cause for cause, may in may_come if may])


BOMBS = tuple((mask_of(cards), cards) for cards in (*CARDS[:BLACK], ROCKET))
"""Each four of a kind, and both jokers: mask and cards."""


def dealt_bombs(hands: Sequence[int]) -> tuple[Doubling, ...]:
    """Return the fours of a kind in each hand, and both jokers in one hand (RULES §4 Escape)."""
    return tuple(
        Doubling("rocket" if cards == ROCKET else "bomb", seat, cards)
        for seat, hand in enumerate(hands)
        if holds_bomb(hand)
        for mask, cards in BOMBS
        if hand & mask == mask
    )


def at_seat(seat: int, value: int) -> list[int | None]:
    """Return a row's values with one at a seat."""
    return [value if other == seat else None for other in range(SEATS)]


def doubling_rows(doublings: Iterable[Doubling], dealt: bool = False) -> list[Row]:
    """Return a row for each doubling, its factor at the seat that caused it; `dealt` for those that count
    played or not."""
    rows: list[Row] = []
    for cause, seat, cards in doublings:
        row: Row = {"row": "factor", "cause": f"{cause}_dealt" if dealt else cause, "seat": seat}
        if cards:
            row["cards"] = format_cards(cards)
        rows.append(row | {"values": at_seat(seat, 2)})
    return rows


def parse_result(given: Mapping[str, object], shapes: Shapes) -> Result:
    """Read `landlord`, `landlord_won` and `out` of an outcome; they must agree."""
    landlord = shapes.seat(shapes.field(given, "landlord"), "landlord", SEATS)
    won = shapes.boolean(shapes.field(given, "landlord_won"), "landlord_won")
    out = shapes.seat(shapes.field(given, "out"), "out", SEATS)
    if won != (out == landlord):
        shapes.refuse("out: whoever went out has won")
    return Result(landlord, out)
