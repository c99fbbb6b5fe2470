"""The log of what the staff did; nobody can change it."""

from __future__ import annotations

from typing import Any

from games.complaints.models import StaffAct


def note(*, by: Any, act: str, subject: str, data: dict[str, Any] | None = None) -> None:
    """Write down what somebody of the staff (None: the house itself) did to a subject ("case:7", "table:4F2K")."""
    StaffAct.objects.create(by=by, act=act, subject=subject, data=data or {})


def note_step(by: Any, act: str, subject: str, data: dict[str, Any]) -> None:
    """Write down a step of something that an app below does, which knows no more of this log than this function."""
    note(by=by, act=act, subject=subject, data=data)


def of(subject: str) -> list[StaffAct]:
    """Return what was done to a subject, oldest first."""
    return list(StaffAct.objects.filter(subject=subject).select_related("by").order_by("pk"))
