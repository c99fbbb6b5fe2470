"""Relief as players ask for it: when they have too few coins for the cheapest table of the house.

The fees of complaints that are not answered yet count with what somebody has: they may come back to him.
"""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db.models import Min
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.complaints import selectors as complaints
from games.engine import rulesets
from lobby.models import RoomTier
from wallet import relief
from wallet.relief import NotPoor, ReliefRefused

__all__ = ["Offer", "ReliefRefused", "give", "offer_to", "sentence_of"]

_SENTENCES = {
    "relief_not_poor": _("You have coins enough for a table: relief is for those who have not."),
    "relief_used_up": _("That was all the relief there is for one day. Come back tomorrow."),
    "relief_empty": _("The house's purse for relief is empty just now. Try again later."),
}
_OTHER = _("That did not work. Try again.")


class Offer(NamedTuple):
    """So many coins, and how often somebody may still have them today."""

    amount: int
    left: int


def limit() -> int | None:
    """Return the entry limit of the cheapest open coin table, None where there is none."""
    found = RoomTier.objects.filter(
        is_open=True, entry__isnull=False, ruleset__in=list(rulesets.all_codes())
    ).aggregate(lowest=Min("entry"))
    lowest: int | None = found["lowest"]
    return lowest


def offer_to(user_id: int, balance: int) -> Offer | None:
    """Return what relief there is today for somebody who has `balance`, None for who has too many coins for it."""
    lowest = limit()
    if lowest is None or balance > lowest or balance + complaints.fees_waiting(user_id) > lowest:
        return None
    given = relief.given_on(user_id=user_id, day=timezone.localdate())
    return Offer(settings.RELIEF_COINS, max(0, settings.RELIEF_TIMES - given))


def give(user_id: int) -> int:
    """Give somebody relief; return how many coins. Raises ReliefRefused."""
    lowest = limit()
    if lowest is None:
        raise NotPoor("there is no coin table")
    return relief.give(
        user_id=user_id, not_above=lowest, day=timezone.localdate(), also=complaints.fees_waiting
    )


def sentence_of(error: ReliefRefused) -> str:
    """Return one sentence for a refusal."""
    return str(_SENTENCES.get(error.code, _OTHER))
