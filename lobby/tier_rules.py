"""What must hold among the fields of a tier, with a sentence for whoever edits it (RULES §3 Entry, §5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.utils.translation import gettext_lazy as _

from games.engine import rulesets
from games.engine.errors import EngineError

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from lobby.models import RoomTier

    Sentence = str | _StrPromise
    Fault = tuple[str, Sentence]


def check(tier: RoomTier) -> None:
    """Raise ValidationError with one sentence per field that does not fit the others."""
    faults: dict[str, list[Sentence]] = {}
    for field, sentence in _faults(tier):
        faults.setdefault(field, []).append(sentence)
    if faults:
        raise ValidationError(faults)


def _faults(tier: RoomTier) -> Iterator[Fault]:
    yield from _ruleset(tier)
    yield from _stakes(tier)
    yield from _fee(tier)
    yield from _manners(tier)


def _ruleset(tier: RoomTier) -> Iterator[Fault]:
    try:
        ruleset = rulesets.get(tier.ruleset)
    except EngineError:
        known = ", ".join(sorted(rulesets.all_codes()))
        yield "ruleset", _("No such rule set; there are: %(codes)s.") % {"codes": known}
        return
    if tier.currency not in (*ruleset.currencies, "none"):
        yield "currency", _("This rule set is not played for that.")


def _stakes(tier: RoomTier) -> Iterator[Fault]:
    if tier.currency != "coins":
        for field in ("cap", "entry"):
            if getattr(tier, field) is not None:
                yield field, _("Only a coin tier has one: nothing can be lost here.")
        return
    if tier.entry is None:
        yield "entry", _("A coin tier needs an entry limit, if only 0: joining needs a balance above it.")
    if tier.cap is None or tier.base_stake is None:
        return
    if tier.cap < tier.base_stake:
        yield "cap", _("The cap is below the base stake: not even the smallest loss could be paid.")
    if tier.entry is not None and tier.entry < tier.cap:
        yield (
            "entry",
            _("The entry limit is below the cap: somebody could join who may not play the next deal."),
        )


def _fee(tier: RoomTier) -> Iterator[Fault]:
    if not tier.fee_kind:
        if tier.fee_value is not None:
            yield "fee_kind", _("A value without a kind: flat, or per cent?")
        return
    if tier.currency != "coins":
        yield "fee_kind", _("Only a coin tier takes a fee.")
    if tier.fee_value is None:
        yield "fee_value", _("A fee needs a value.")
    elif tier.fee_kind == "percent" and tier.fee_value > 100:
        yield "fee_value", _("More than the whole win.")
    elif tier.fee_kind == "flat" and tier.entry is not None and tier.fee_value > tier.entry:
        yield "fee_value", _("The fee is above the entry limit: one could not pay it for a single deal.")


def _manners(tier: RoomTier) -> Iterator[Fault]:
    if tier.practice != (tier.currency == "none"):
        yield "currency", _("Practice plays for nothing, and nothing else does.")
    if tier.practice and tier.anti_cheat:
        yield NON_FIELD_ERRORS, _("Practice has nobody to cheat.")
    if tier.practice and tier.seating != "match":
        yield "seating", _("Practice is a match with computer players.")
    if tier.anti_cheat and tier.seating != "match":
        yield "seating", _("In an anti-cheat tier the server draws the seats: seating is by match.")
    if tier.anti_cheat and tier.spectators:
        yield "spectators", _("An anti-cheat tier has no spectators.")
