"""Tiers: the seeded ones are those of RULES §5, and a tier that makes no sense says why."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from games.engine import bots, rulesets
from games.table.terms import parse_terms
from lobby import seeds
from lobby.models import RoomTier

pytestmark = pytest.mark.django_db

House = Callable[[str], RoomTier]


def tier(**changes: Any) -> RoomTier:
    """Return a coin tier of qq that is in order, with some fields changed."""
    fields: dict[str, Any] = {
        "code": "qq.test",
        "ruleset": "bigtwo.qq",
        "name": "bamboo",
        "base_stake": 10,
        "cap": 2_000,
        "entry": 3_000,
        "fee_kind": "flat",
        "fee_value": 10,
    }
    return RoomTier(**{**fields, **changes})


def faults(**changes: Any) -> set[str]:
    """Return the fields that are at fault."""
    try:
        tier(**changes).full_clean()
    except ValidationError as error:
        return set(error.message_dict)
    return set()


def test_a_tier_in_order_is_taken() -> None:
    assert faults() == set()
    assert faults(cap=None, fee_kind="percent", fee_value=5) == set()
    assert (
        faults(ruleset="bigtwo.classic", currency="points", cap=None, entry=None, fee_kind="", fee_value=None)
        == set()
    )


@pytest.mark.parametrize(
    ("changes", "at_fault"),
    [
        ({"ruleset": "bigtwo.nowhere"}, "ruleset"),
        ({"code": "QQ Bamboo"}, "code"),
        ({"base_stake": 0}, "base_stake"),
        ({"cap": 9}, "cap"),
        ({"cap": 3_001}, "entry"),
        ({"entry": None, "cap": None}, "entry"),
        ({"fee_value": None}, "fee_value"),
        ({"fee_kind": ""}, "fee_kind"),
        ({"fee_kind": "percent", "fee_value": 101}, "fee_value"),
        ({"fee_kind": "flat", "fee_value": 3_001}, "fee_value"),
        ({"fee_value": -1}, "fee_value"),
        ({"currency": "points", "cap": None, "entry": None, "fee_kind": "", "fee_value": None}, "currency"),
        ({"currency": "points", "ruleset": "bigtwo.classic"}, "entry"),
        ({"currency": "none"}, "currency"),
        ({"practice": True}, "seating"),
        ({"anti_cheat": True}, "seating"),
        ({"anti_cheat": True, "seating": "match"}, "spectators"),
        ({"turn_seconds": 1}, "turn_seconds"),
        ({"initial_multiplier": 0}, "initial_multiplier"),
    ],
)
def test_a_tier_that_makes_no_sense_says_where(changes: dict[str, Any], at_fault: str) -> None:
    assert at_fault in faults(**changes)


def test_the_database_refuses_what_got_past_the_form() -> None:
    from django.db import IntegrityError, transaction

    for changes in (
        {"cap": 3_001},
        {"fee_value": None},
        {"anti_cheat": True},
        {"practice": True},
        {"base_stake": 0},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            tier(**changes).save()


def test_the_seeded_tiers_of_qq_are_those_of_the_rules(house: House) -> None:
    rows = RoomTier.objects.filter(ruleset="bigtwo.qq").values_list(
        "code", "base_stake", "cap", "entry", "fee_kind", "fee_value", "seating", "anti_cheat"
    )
    assert list(rows) == [
        ("qq.practice", 1, None, None, "", None, "match", False),
        ("qq.bamboo", 10, 2_000, 3_000, "flat", 10, "pick", False),
        ("qq.orchid", 50, 10_000, 15_000, "flat", 50, "match", True),
        ("qq.plum", 500, 100_000, 150_000, "flat", 100, "pick", False),
    ]


def test_the_seeded_tiers_of_classic_are_those_of_the_rules(house: House) -> None:
    rows = RoomTier.objects.filter(ruleset="bigtwo.classic").values_list(
        "code", "currency", "base_stake", "cap", "entry", "seating", "anti_cheat"
    )
    assert list(rows) == [
        ("classic.practice", "none", 1, None, None, "match", False),
        ("classic.points", "points", 1, None, None, "pick", False),
        ("classic.points-safe", "points", 1, None, None, "match", True),
        ("classic.coins", "coins", 1, None, 500, "pick", False),
        ("classic.coins-safe", "coins", 1, None, 500, "match", True),
    ]


def test_the_seeded_tiers_of_mala_are_those_of_the_rules(house: House) -> None:
    rows = RoomTier.objects.filter(ruleset="doudizhu.mala", practice=False).values_list(
        "code", "base_stake", "cap", "entry", "fee_kind", "fee_value", "initial_multiplier", "anti_cheat"
    )
    assert list(rows) == [
        ("mala.bamboo", 10, None, 1_000, "flat", 10, 1, False),
        ("mala.orchid", 100, None, 10_000, "flat", 50, 1, False),
        ("mala.plum", 1_000, None, 100_000, "flat", 100, 2, True),
    ]
    assert {tier.seating for tier in RoomTier.objects.filter(ruleset="doudizhu.mala")} == {"match"}


def test_the_seeded_tiers_of_taiwan_are_those_of_the_rules(house: House) -> None:
    rows = RoomTier.objects.filter(ruleset="doudizhu.taiwan", practice=False).values_list(
        "code", "base_stake", "cap", "entry", "fee_kind", "fee_value", "seating", "anti_cheat"
    )
    assert list(rows) == [
        ("taiwan.30", 30, 1_200, 3_000, "percent", 5, "pick", False),
        ("taiwan.50", 50, 2_000, 5_000, "percent", 5, "pick", False),
        ("taiwan.100", 100, 4_000, 10_000, "percent", 5, "match", True),
    ]


def test_practice_is_offered_where_computer_players_know_how_to_play(house: House) -> None:
    practice = RoomTier.objects.filter(practice=True)
    assert {tier.ruleset for tier in practice} == {
        code for code in rulesets.all_codes() if bots.has_brain(code)
    }
    assert all(tier.is_open for tier in RoomTier.objects.all())


def test_practice_comes_with_the_computer_players_and_staff_may_close_it(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "has_brain", lambda code: False)
    seeds.seed_tiers()
    assert not RoomTier.objects.filter(practice=True).exists()
    monkeypatch.undo()
    assert "qq.practice" in seeds.seed_tiers()
    RoomTier.objects.filter(code="qq.practice").update(is_open=False)
    assert seeds.seed_tiers() == []
    assert not RoomTier.objects.get(code="qq.practice").is_open


def test_every_rule_set_has_its_tiers(house: House) -> None:
    assert set(RoomTier.objects.values_list("ruleset", flat=True)) == set(rulesets.all_codes())


def test_seeding_again_never_overwrites_what_staff_changed(house: House) -> None:
    RoomTier.objects.filter(code="qq.bamboo").update(entry=9_999)
    RoomTier.objects.filter(code="qq.plum").delete()
    call_command("seed_tiers", verbosity=0)
    assert house("qq.bamboo").entry == 9_999
    assert house("qq.plum").entry == 150_000


def test_the_table_machine_reads_the_terms_of_every_tier(house: House) -> None:
    for row in RoomTier.objects.all():
        parsed = parse_terms(row.terms())
        assert (parsed.match, parsed.anti_cheat) == (row.seating == "match", row.anti_cheat)
