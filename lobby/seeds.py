"""The tiers a new house opens with (RULES §5, "Seeded tiers")."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import transaction

from games.engine import bots
from lobby.models import RoomTier

PICK, MATCH = "pick", "match"


class Seed(NamedTuple):
    """One row of the table: what differs from a plain points tier."""

    ruleset: str
    suffix: str
    name: str
    seating: str
    anti_cheat: bool = False
    base_stake: int = 1
    cap: int | None = None
    entry: int | None = None
    fee: tuple[str, int] | None = None
    initial_multiplier: int = 1
    currency: str = "coins"


CLASSIC, QQ, MALA, TAIWAN = "bigtwo.classic", "bigtwo.qq", "doudizhu.mala", "doudizhu.taiwan"

SEEDS = (
    Seed(CLASSIC, "points", "points", PICK, currency="points"),
    Seed(CLASSIC, "points-safe", "points", MATCH, anti_cheat=True, currency="points"),
    Seed(CLASSIC, "coins", "coins", PICK, entry=500, fee=("flat", 0)),
    Seed(CLASSIC, "coins-safe", "coins", MATCH, anti_cheat=True, entry=500, fee=("flat", 0)),
    Seed(QQ, "bamboo", "bamboo", PICK, False, 10, 2_000, 3_000, ("flat", 10)),
    Seed(QQ, "orchid", "orchid", MATCH, True, 50, 10_000, 15_000, ("flat", 50)),
    Seed(QQ, "plum", "plum", PICK, False, 500, 100_000, 150_000, ("flat", 100)),
    Seed(MALA, "bamboo", "bamboo", MATCH, False, 10, None, 1_000, ("flat", 10)),
    Seed(MALA, "orchid", "orchid", MATCH, False, 100, None, 10_000, ("flat", 50)),
    Seed(MALA, "plum", "plum", MATCH, True, 1_000, None, 100_000, ("flat", 100), 2),
    Seed(TAIWAN, "30", "30", PICK, False, 30, 1_200, 3_000, ("percent", 5)),
    Seed(TAIWAN, "50", "50", PICK, False, 50, 2_000, 5_000, ("percent", 5)),
    Seed(TAIWAN, "100", "100", MATCH, True, 100, 4_000, 10_000, ("percent", 5)),
)


def seeded_tiers() -> Iterator[RoomTier]:
    """Yield the tiers, unsaved, of every rule set, practice first where computer players know how to play.

    Practice comes into a house that stands already with the first start after they have learned it.
    """
    for ruleset in (CLASSIC, QQ, MALA, TAIWAN):
        if bots.has_brain(ruleset):
            yield _practice(ruleset)
        rows = [seed for seed in SEEDS if seed.ruleset == ruleset]
        for position, seed in enumerate(rows, 1):
            yield _tier(seed, position)


@transaction.atomic
def seed_tiers() -> list[str]:
    """Create the seeded tiers whose codes are not there yet, and touch no other; return their codes."""
    there = set(RoomTier.objects.values_list("code", flat=True))
    made = [tier for tier in seeded_tiers() if tier.code not in there]
    for tier in made:
        tier.full_clean()
        tier.save(force_insert=True)
    return [tier.code for tier in made]


def _practice(ruleset: str) -> RoomTier:
    return RoomTier(
        code=_code(ruleset, "practice"),
        ruleset=ruleset,
        name="practice",
        seating=MATCH,
        currency="none",
        practice=True,
        spectators=False,
    )


def _tier(seed: Seed, position: int) -> RoomTier:
    fields: dict[str, Any] = seed._asdict()
    kind, value = fields.pop("fee") or ("", None)
    code = _code(seed.ruleset, fields.pop("suffix"))
    return RoomTier(
        code=code, position=position, fee_kind=kind, fee_value=value, spectators=not seed.anti_cheat, **fields
    )


def _code(ruleset: str, suffix: str) -> str:
    return f"{ruleset.rsplit('.', 1)[-1]}.{suffix}"
