"""What the lobby says when it does not seat somebody, in the reader's language."""

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from lobby.errors import EntryLimit, LobbyError, Owes, Suspended

_SENTENCES = {
    "not_signed_in": _("Sign in to sit down."),
    "may_not_play": _("This account may not play."),
    "suspended": _("You are suspended: no table is open to you."),
    "owes": _("You owe coins from a verdict: no table for coins is open to you until they are paid."),
    "unknown_tier": _("There is no such room."),
    "tier_closed": _("This room is closed just now."),
    "entry_limit": _("Your balance is too low for this room."),
    "already_seated": _("You have a seat at another table."),
    "bad_nonce": _("The number for the draw is not valid. Reload the page and try again."),
    "seat_taken": _("Somebody was faster: this seat is taken."),
    "table_full": _("Somebody was faster: this table is full."),
    "table_closed": _("This table is closed."),
    "table_gone": _("This table is closed."),
    "wrong_phase": _("A deal is running at this table. Wait for its end, or take another one."),
    "seats_are_drawn": _("Seats in this room are drawn. Use Join."),
    "ticket_gone": _("You are no longer waiting for a match. Join again when you are ready."),
}
_NEEDED = _("This room needs a balance of at least %(needed)s.")
_SUSPENDED = _("You are suspended until %(until)s (UTC): no table is open to you before that.")
_OWES = _("You owe %(owed)s coins from a verdict: no table for coins is open to you until they are paid.")
_OTHER = _("That did not work. Try again.")


def sentence(code: str) -> str:
    """Return one sentence for a code; a general one for a code it does not know."""
    return str(_SENTENCES.get(code, _OTHER))


def sentence_of(error: LobbyError) -> str:
    """Return one sentence for an error, with its figure where it has one."""
    if isinstance(error, EntryLimit):
        return str(_NEEDED) % {"needed": f"{error.needed:,}"}
    if isinstance(error, Owes):
        return str(_OWES) % {"owed": f"{error.owed:,}"}
    if isinstance(error, Suspended) and error.until is not None:
        return str(_SUSPENDED) % {"until": date_format(timezone.localtime(error.until), "Y-m-d H:i")}
    return sentence(error.code)
