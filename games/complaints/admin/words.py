"""Words of the complaints' desk: why something is refused, and what the staff log says."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from games.complaints.errors import ComplaintError
from games.complaints.models import Case

REFUSALS = {
    # who may
    "sat_there": _("You sat in a deal of this case, or have a part in it: others decide it."),
    "shares_device": _("You share a network or a device with somebody of this case: others decide it."),
    "decided_before": _("You had a part in the first verdict: somebody else decides the appeal."),
    "second_person": _("A second person must confirm this verdict, not the one who proposed it."),
    # in which order
    "taken": _("Somebody else has this case in hand."),
    "not_open": _("This case waits for nobody: it is decided, or was withdrawn."),
    "not_in_hand": _("Take the case up first."),
    "waits_for_second": _("The verdict on this case waits for a second person."),
    "no_such_case": _("There is no such case."),
    "no_such_verdict": _("This verdict waits for nobody any more."),
    "evidence_broken": _(
        "The evidence is not what was frozen: nothing can be decided on it. Tell those who look after the house."
    ),
    # the form
    "unknown_kind": _("Choose an outcome and what it is upheld as."),
    "no_text": _("Choose a prepared text that fits the outcome, or write what you ask."),
    "no_reasons": _("Write down the reasons; only the staff read them."),
    "long_reasons": _("The reasons are too long."),
    "restriction": _(
        "A restriction needs somebody of these deals, its kind, and for how long (1 to 3,650 days)."
    ),
    "rejected_moves_nothing": _("A rejected case names no offenders and no deals."),
    "offenders": _(
        "The offenders do not fit: not everybody, nobody twice, and as many as this kind asks for."
    ),
    "deals": _("Name at least one deal, and only deals of this case."),
    "one_deal_only": _("This kind names exactly one deal."),
    "zeroed_before": _("Another verdict has already set one of these deals to zero."),
    "not_concerned": _("Only those who complained or are accused can be asked."),
    # the second step
    "token": _("This preview is too old, or not yours. Look at it again before you give the verdict."),
    "changed": _("The amounts have changed since you looked. Nothing has moved: look at them again."),
}
_OTHER = _("That is not possible now (%(code)s).")

ACTS = {
    "took_up": _("took it up"),
    "put_back": _("put it back"),
    "asked": _("asked somebody"),
    "answered": _("an answer came"),
    "decided": _("gave a verdict"),
    "confirmed": _("confirmed the verdict"),
    "sent_back": _("sent the verdict back"),
    "carried_out": _("carried the verdict out"),
    "restricted": _("restricted"),
    "lifted": _("lifted a restriction"),
    "voided": _("declared a deal void"),
    "correction_asked": _("asked for a correction"),
    "correction_posted": _("posted a correction"),
    "correction_refused": _("refused a correction"),
}

STATE_TONES = {
    Case.Status.OPEN: "warn",
    Case.Status.TAKEN: "live",
    Case.Status.PROPOSED: "warn",
    Case.Status.APPEALED: "warn",
    Case.Status.DECIDED: "good",
    Case.Status.CLOSED: "good",
    Case.Status.WITHDRAWN: "off",
}

PARTS = {
    "undone": _("Results undone"),
    "fees": _("Fees borne"),
    "returned": _("Complaint fees returned"),
    "fine": _("Fines"),
    "share": _("Shares of the fines"),
}
"""The rows of a preview."""

ROLES = {True: _("landlord"), False: _("farmer")}
MARKS = {"network": _("network"), "device": _("device")}


def refusal(error: ComplaintError) -> str:
    """Say in a sentence why something is refused."""
    return str(REFUSALS.get(error.code, _OTHER)) % {"code": error.code}


def act(code: str) -> str:
    """Name what somebody of the staff did; an unknown act by its code."""
    return str(ACTS.get(code, code))
