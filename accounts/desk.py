"""The door of the desk; and what the apps above show of a person there: columns of the list, panels of the page.

Accounts know neither wallets nor tables; who does, registers here when his own desk is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from allauth.account.adapter import get_adapter
from django.db.models.expressions import Combinable
from unfold.forms import AuthenticationForm

from accounts.models import Device, User

Shown = Callable[[User], object]
Panels = Callable[[User, User], Sequence[Any]]


class Column(NamedTuple):
    """A column of the list of people: how to show it (a function with `@admin.display`), what the query adds."""

    show: Shown
    annotations: dict[str, Combinable]


_columns: list[Column] = []
_panels: list[Panels] = []


def add_column(show: Shown, **annotations: Combinable) -> None:
    """Add a column to the list of people; `annotations` are what `show` reads from each row."""
    _columns.append(Column(show, annotations))


def add_panels(panels: Panels) -> None:
    """Add panels to the page of a person: objects that name their `template`, for the person and whoever looks."""
    _panels.append(panels)


def columns() -> tuple[Column, ...]:
    """Return the columns in the order in which they were registered."""
    return tuple(_columns)


def panels_of(user: User, viewer: User) -> list[Any]:
    """Return all panels of a person's page, as far as whoever looks may see them."""
    return [panel for make in _panels for panel in make(user, viewer)]


def people_with(mark: str, *, but: int) -> list[int]:
    """Return the ids of others who came with a mark of network or device, at most fifty."""
    found = Device.objects.filter(mark=mark).exclude(user_id=but).order_by("user_id")
    return list(found.values_list("user_id", flat=True).distinct()[:50])


class DeskLoginForm(AuthenticationForm):  # type: ignore[misc]
    """The desk's own door: the same limits on failed log-ins as at the players' door, counted together."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name and password:
            self.user_cache = get_adapter(self.request).authenticate(
                self.request, username=name, password=password
            )
            if self.user_cache is None:
                raise self.get_invalid_login_error()
            self.confirm_login_allowed(self.user_cache)
        cleaned: dict[str, Any] = self.cleaned_data
        return cleaned
