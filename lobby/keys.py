"""Keys in addresses: where a list goes on, and what it is narrowed to."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404

_LONGEST = 18


def key_of(text: str) -> int | None:
    """Return the key of the line a list goes on from, None for its beginning; what is no key is not found."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST):
        raise Http404
    return int(text)


def query(**values: object) -> str:
    """Return the query of an address, empty values left out: `?show=deals&before=17`."""
    return "?" + urlencode({name: value for name, value in values.items() if value not in ("", None)})
