"""Where a ledger line leads: the page of what caused it. A case has one only for those concerned."""

import re
from collections.abc import Callable
from functools import partial

from django.urls import reverse

from games import history
from games.complaints import selectors as complaints

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")


def page_of(reference: str, user_id: int) -> str | None:
    """Return the path of the page behind a ledger reference such as `deal:…`; None when it has none for this reader."""
    kind, _, rest = reference.partition(":")
    subject = rest.split(":", 1)[0]
    page = _PAGES.get(kind)
    return page(subject, user_id) if page is not None and _ID.fullmatch(subject) else None


def has_page(reference: str) -> bool:
    """Return whether a line of this reference is a link; asks no database."""
    return reference.partition(":")[0] in _PAGES


def _deal_page(deal_id: str, _user_id: int) -> str | None:
    place = history.place_of_deal(deal_id)
    if place is None:
        return None
    return (
        reverse("games:deal", args=[deal_id])
        if place.is_over
        else reverse("games:table", args=[place.table_code])
    )


def _wallet_page(_subject: str, _user_id: int) -> str:
    return reverse("lobby:wallet")


def _case_page(kind: str, number: str, user_id: int) -> str | None:
    case_id = complaints.case_behind(user_id, f"{kind}:{number}")
    return reverse("complaints:case", args=[case_id]) if case_id is not None else None


_PAGES: dict[str, Callable[[str, int], str | None]] = {
    "deal": _deal_page,
    "signup": _wallet_page,
    "complaint": partial(_case_page, "complaint"),
    "verdict": partial(_case_page, "verdict"),
}
