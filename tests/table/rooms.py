"""Tables of all four rule sets, as the house seeds them, and how to bring them where a test wants them."""

from __future__ import annotations

from typing import Any

from games.table import commands as c
from games.table import events as e
from tests.table.tabletop import S, Tabletop

ROOMS: dict[str, dict[str, Any]] = {
    "bigtwo.classic": {"tier": "classic.coins", "base_stake": 1, "cap": None, "fee": None},
    "bigtwo.qq": {"tier": "qq.bamboo", "base_stake": 10, "cap": 2_000, "fee": {"kind": "flat", "value": 10}},
    "doudizhu.mala": {
        "tier": "mala.bamboo", "base_stake": 10, "cap": None, "fee": {"kind": "flat", "value": 10},
    },
    "doudizhu.taiwan": {
        "tier": "taiwan.30", "base_stake": 30, "cap": 1_200, "fee": {"kind": "percent", "value": 5},
    },
}  # fmt: skip
ALL = tuple(ROOMS)
WAITING = ("bigtwo.classic", "bigtwo.qq", "doudizhu.mala")
"""Where the table waits for a lost line and leaving is an escape."""
TAIWAN = "doudizhu.taiwan"
AUCTIONS = ("doudizhu.mala", TAIWAN)
RICH = 1_000_000
ESCAPE = {
    "bigtwo.classic": {"points": 200, "coins": 200, "at_least": False},
    "bigtwo.qq": {"points": 200, "coins": 2_000, "at_least": False},
    "doudizhu.mala": {"points": 10, "coins": 100, "at_least": False},
    TAIWAN: {"points": 0, "coins": 60, "at_least": False},
}
"""What leaving costs before the cards (mala: by no bomb)."""


def room(code: str, **terms: Any) -> Tabletop:
    """A table of a rule set, with everybody seated."""
    deck = terms.pop("deck", None)
    return Tabletop(code, deck=deck, **{**ROOMS[code], **terms}).fill()


def deal(table: Tabletop, balances: tuple[int, ...] | None = None) -> Tabletop:
    """Have everybody press start, and open the deal."""
    table.all_ready()
    table.must(table.opening_command(balances=balances or (RICH,) * table.rules.seats))
    return table


def dealt(code: str, **terms: Any) -> Tabletop:
    """A table whose first deal has just been opened."""
    return deal(room(code, **terms))


def agreed(table: Tabletop) -> Tabletop:
    """Take the auction to its end, the first to act as landlord without a step of the ladder."""
    for action in {"doudizhu.mala": ("look", "call"), TAIWAN: ("bid 3",)}.get(table.rules.code, ()):
        table.act(action)
    while phase(table) == "ladder":
        table.act(next(offer for offer in table.offers() if offer.startswith("stay")))
    return table


def in_play(code: str, **terms: Any) -> Tabletop:
    """A table at which the first card may be led."""
    return agreed(dealt(code, **terms))


def phase(table: Tabletop) -> str:
    """The phase of the running deal, "" when there is none."""
    return "" if table.state.deal is None else table.state.deal.deal.phase


def seat_of(table: Tabletop, seat: int) -> dict[str, Any]:
    """What everybody sees of a seat."""
    seen: dict[str, Any] = table.view(None)["seats"][seat]
    return seen


def result_of(table: Tabletop) -> dict[str, Any]:
    """The receipt of the deal that has just ended."""
    result = table.state.result
    assert result is not None
    return dict(result)


def last_act(table: Tabletop) -> e.Acted:
    """The latest act at the table, whoever it was of."""
    return next(event for event in reversed(table.log) if isinstance(event, e.Acted))


def run_out(table: Tabletop) -> tuple[e.Event, ...]:
    """Let the clock of the seat to act run out, the grace included."""
    return table.after(21 * S).tick()


def pass_or_play(table: Tabletop) -> None:
    """Let the seat to act do the least: pass, or what the autoplay would."""
    rules = table.rules
    assert table.state.deal is not None
    table.act(str(rules.autoplay(rules.view(table.state.deal.deal, table.turn))))


def until_turn(table: Tabletop, seat: int) -> Tabletop:
    """Let the others do the least until it is a seat's turn."""
    while table.turn != seat:
        pass_or_play(table)
    return table


def by_itself(table: Tabletop, *present: int) -> dict[str, Any]:
    """Play to the receipt: the seats `present` the longest play they are offered, all others what acts for them."""
    while table.state.deal is not None:
        if table.turn in present:
            table.act(max(table.offers(), key=lambda offer: (len(offer), offer)))
        else:
            table.after(S).tick()
    return result_of(table)


def trust(table: Tabletop, seat: int) -> None:
    """Hand a seat to the autoplay."""
    table.must(c.Trustee(seat, table.new_id(), True))
