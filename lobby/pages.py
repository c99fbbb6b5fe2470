"""Where a ledger line leads: the page of what caused it."""

import re
from collections.abc import Callable

from django.urls import reverse

from games import history

_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")


def page_of(reference: str) -> str | None:
    """Return the path of the page behind a ledger reference such as `deal:…`; None when it has none."""
    kind, _, rest = reference.partition(":")
    subject = rest.split(":", 1)[0]
    page = _PAGES.get(kind)
    return page(subject) if page is not None and _ID.fullmatch(subject) else None


def has_page(reference: str) -> bool:
    """Return whether a line of this reference is a link; asks no database."""
    return reference.partition(":")[0] in _PAGES


def _deal_page(deal_id: str) -> str | None:
    place = history.place_of_deal(deal_id)
    if place is None:
        return None
    return (
        reverse("games:deal", args=[deal_id])
        if place.is_over
        else reverse("games:table", args=[place.table_code])
    )


def _wallet_page(subject: str) -> str:
    return reverse("lobby:wallet")


_PAGES: dict[str, Callable[[str], str | None]] = {"deal": _deal_page, "signup": _wallet_page}
