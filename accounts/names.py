"""What a name may be.

A name is shown to other players, so two names that read alike must be one name: names are compared by
`name_key` (compatibility-normalised, without case), and nothing invisible may stand in one.
"""

import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

MIN_LENGTH = 2
MAX_LENGTH = 24
# Case folding makes at most three characters of one ("ΐ").
KEY_LENGTH = 3 * MAX_LENGTH

_INNER = " ._-·'"
_KINDS = ("L", "Mn", "Mc", "Nd")
_MOST_MARKS_IN_A_ROW = 2
# Letters and marks by category, blank on the screen: fillers, joiners, variation selectors.
_BLANK = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Alphabets whose letters look alike; a name keeps to one of them.
_LOOK_ALIKE = frozenset({"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU"})


def normalise(name: str) -> str:
    """Return the form a name is stored and shown in: NFKC, no spaces at its ends, single spaces inside."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def name_key(name: str) -> str:
    """Return what two names are compared by; equal keys are one name."""
    folded = unicodedata.normalize("NFKC", normalise(name).casefold())
    return unicodedata.normalize("NFKC", folded.casefold())


def validate_name(name: str) -> None:
    """Raise ValidationError unless `name` may be one (name_length, name_characters, name_alphabets)."""
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        raise ValidationError(
            _("A name has %(min)d to %(max)d characters."),
            code="name_length",
            params={"min": MIN_LENGTH, "max": MAX_LENGTH},
        )
    if name != normalise(name) or not _reads_well(name):
        raise ValidationError(
            _("A name is made of letters and digits; single spaces and . _ - · ' may stand between them."),
            code="name_characters",
        )
    if len(_alphabets(name)) > 1:
        raise ValidationError(_("A name keeps to one alphabet."), code="name_alphabets")


def _reads_well(name: str) -> bool:
    marks = 0
    for place, character in enumerate(name):
        if character in _INNER:
            if place in (0, len(name) - 1) or name[place - 1] in _INNER:
                return False
            marks = 0
            continue
        category = unicodedata.category(character)
        if not category.startswith(_KINDS) or _is_blank(character):
            return False
        marks = marks + 1 if category.startswith("M") else 0
        if marks > _MOST_MARKS_IN_A_ROW or (marks and place == 0):
            return False
    return True


def _is_blank(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _BLANK)


def _alphabets(name: str) -> set[str]:
    """Return the look-alike alphabets whose letters stand in `name`."""
    firsts = (unicodedata.name(character, "").split(" ")[0] for character in name if character.isalpha())
    return {first for first in firsts if first in _LOOK_ALIKE}
