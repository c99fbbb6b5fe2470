"""The words of complaints: every code that a player may meet, in his language."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games.complaints.errors import ComplaintError, Refused
from games.complaints.filing import ONE_DEAL
from games.complaints.models import Kind
from games.templatetags.house import figure

HOUSE_DECIDES = _("The house has the final decision.")

KINDS = {
    Kind.COLLUSION: _("They play together against somebody else. Name everybody who took part."),
    Kind.COACHING: _("Somebody prompts a partner, or asks him, to play certain cards. One person, one deal."),
    Kind.REVEAL: _("Somebody tells or announces cards that nobody should know. One person, one deal."),
    Kind.SPOILING: _("Play against the fairness of the deal that cost somebody something."),
    Kind.ABUSE: _("Bad language at the table. No coins move; it can cost the right to talk or to play."),
}
"""What each kind means, in a line."""

_REFUSALS = {
    "unknown_kind": _("Say what happened: choose one of the kinds."),
    "bad_text": _("Tell what happened in %(detail)s characters."),
    "no_such_deal": _("Choose at least one of the deals that you played here; no other can be named."),
    "too_many_deals": _("Choose at least one deal and at most %(detail)s."),
    "one_deal_only": _("This kind of complaint names one deal. Choose the one where it happened."),
    "other_people": _("One complaint names deals of one table, with the same people at it."),
    "too_old": _("A deal can be complained of for seven days. This one is older."),
    "practice": _("Nothing is at stake in practice, so nothing there can be complained of."),
    "not_there": _("Only those who sat at the table with you can be named."),
    "how_many_accused": _("Name at least %(detail)s of them: one alone cannot do this."),
    "nobody_accused": _("Say who did it: name at least one of them."),
    "one_accused_only": _("This kind of complaint names one person."),
    "already_open": _("You have already complained of this; it is not decided yet."),
    "fee_too_high": _("You have too few free coins: this complaint costs %(detail)s."),
    "no_such_complaint": _("There is no such complaint of yours."),
    "taken_up": _("The staff have taken it up: it cannot be withdrawn any more."),
    "no_such_case": _("There is no such case of yours."),
    "not_decided": _("There is no verdict yet that could be appealed."),
    "already_appealed": _("There was an appeal already. There is only one."),
    "too_late": _("A verdict can be appealed for seven days. They are over."),
    "no_such_question": _("There is no such question to you."),
    "answered": _("You have answered this already."),
}
_OTHER = _("That did not work. Try again.")

FIELDS = {
    "unknown_kind": "kind",
    "bad_text": "text",
    "no_such_deal": "deals",
    "too_many_deals": "deals",
    "one_deal_only": "deals",
    "other_people": "deals",
    "too_old": "deals",
    "practice": "deals",
    "not_there": "accused",
    "how_many_accused": "accused",
}
"""Which field of the form a refusal belongs to; the others belong to none."""

NOTICES = {
    "filed": _("Your complaint was filed."),
    "taken_up": _("The staff have taken your complaint up."),
    "asked": _("The staff ask you something."),
    "verdict_1": _("The case is decided."),
    "verdict_2": _("The appeal is decided. This verdict is final."),
    "appealed": _("The verdict was appealed. Somebody else will look at the case again."),
}
_NOTICE = _("There is news of a case.")

TEXTS = {
    "upheld": _("The deals were gone through card by card. They bear out what was complained of."),
    "upheld_first": _(
        "The deals bear out what was complained of. As it is the first time, the mildest measure is enough."
    ),
    "upheld_other": _("The deals show a breach of the rules, though another one than was complained of."),
    "no_proof": _("The deals were gone through card by card. They do not prove what was complained of."),
    "within_rules": _("What happened is within the rules of the game."),
    "skill_or_luck": _("Skill or luck explain what happened; nothing points to unfair play."),
}
"""The prepared answers, by the codes of `reckoning.TEXTS`."""


class RestrictionWords(NamedTuple):
    """A restriction: what it forbids, and its icon."""

    line: object
    icon: str


RESTRICTIONS = {
    "warning": RestrictionWords(_("It forbids nothing. The next time counts more."), "warn"),
    "mute": RestrictionWords(_("You may play, but not talk at any table."), "chat"),
    "suspension": RestrictionWords(_("You may not sit down at any table."), "pause"),
    "ban": RestrictionWords(_("You may neither play nor log in."), "lock"),
}

STATES = {
    "open": (_("Waiting"), ""),
    "taken": (_("In hand"), "info"),
    "appealed": (_("Appealed"), "warn"),
    "withdrawn": (_("Withdrawn"), ""),
    "upheld": (_("Upheld"), "jade"),
    "rejected": (_("Rejected"), ""),
}
"""How a case stands, as those concerned read it: words, and the colour of the chip."""

PARTS = {
    "undone": pgettext_lazy("what a verdict moves", "Results taken back"),
    "fee": pgettext_lazy("what a verdict moves", "Fees borne"),
    "fine": pgettext_lazy("what a verdict moves", "Fine"),
    "returned": pgettext_lazy("what a verdict moves", "Your complaint fee, returned"),
    "share": pgettext_lazy("what a verdict moves", "Your share of the fines, as they are paid"),
}
"""What a verdict moves for one person, and what a debt is for."""


def refusal(error: ComplaintError, kind: str = "") -> str:
    """Return one sentence for a refusal of a complaint of a kind; a general one for a code it does not know."""
    code, detail = error.code, error.detail
    if code == "how_many_accused" and detail == 1:
        code = "one_accused_only" if kind in ONE_DEAL else "nobody_accused"
    shown = figure(detail) if isinstance(detail, int) else detail
    return str(_REFUSALS.get(code, _OTHER)) % {"detail": shown}


def refusal_of(code: str, detail: object = "") -> str:
    """Return the sentence of a code, said in the language of whoever reads it."""
    said: str = lazy(lambda: refusal(Refused(code, detail)), str)()
    return said


def field_of(error: ComplaintError) -> str | None:
    """Return the name of the form's field that a refusal belongs to, or None."""
    return FIELDS.get(error.code)


def notice(kind: str) -> str:
    """Return what a notice says ("asked_7" is one of the "asked")."""
    return str(NOTICES.get(kind) or NOTICES.get(kind.partition("_")[0]) or _NOTICE)


def kind(code: str) -> object:
    """Return the name of a kind of complaint, "" for what is none."""
    return Kind(code).label if code in Kind.values else ""
