"""The words of complaints, in templates."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games import naming
from games.complaints import wording
from wallet.lookup import Moved

register = template.Library()

_STEPS = {
    "filed": pgettext_lazy("a step of a case", "Filed"),
    "taken_up": _("Taken up by the staff"),
    "asked": _("The staff asked you"),
    "answered": _("You answered"),
    "upheld": _("Decided: upheld"),
    "rejected": _("Decided: rejected"),
    "carried_out": _("Carried out"),
    "set_aside": _("Set aside on appeal"),
    "appealed": _("Appealed"),
}


@register.filter
def notice_words(kind: str) -> str:
    """Return what a notice says."""
    return wording.notice(kind)


@register.filter
def state_words(state: str) -> tuple[object, str]:
    """Return how a case stands, and the colour of its chip."""
    return wording.STATES.get(state, (state, ""))


@register.filter
def step_words(code: str) -> object:
    """Return what happened in a case."""
    return _STEPS.get(code, code)


@register.filter
def kind_words(code: str) -> object:
    """Return the name of a kind of complaint, "" for what is none."""
    return wording.kind(code)


@register.filter
def restriction_words(kind: str) -> wording.RestrictionWords:
    """Return what a restriction forbids."""
    return wording.RESTRICTIONS.get(kind, wording.RestrictionWords("", "warn"))


@register.filter
def text_words(code: str) -> object:
    """Return a prepared answer."""
    return wording.TEXTS.get(code, "")


@register.filter
def part_words(code: str) -> object:
    """Return what a part of a verdict, or of a debt, is."""
    return wording.PARTS.get(code, code)


@register.filter
def moved_name(line: Moved) -> object:
    """Return what a line of the ledger is called."""
    return naming.line_words(line.code, line.amount)[0]
