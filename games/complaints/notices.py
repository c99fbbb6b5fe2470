"""What those concerned are told of a case, and what they have not read yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from games.complaints.models import Case, Notice


def tell(*, case: Case, users: Iterable[int], kind: str, data: dict[str, Any] | None = None) -> None:
    """Tell people something of a case, each kind once."""
    Notice.objects.bulk_create(
        [Notice(user_id=user, case=case, kind=kind, data=data or {}) for user in dict.fromkeys(users)],
        ignore_conflicts=True,
    )


def unread(user_id: int) -> int:
    """Return how many notices somebody has not read."""
    return Notice.objects.filter(user_id=user_id, read__isnull=True).count()


def read(*, user_id: int, case_id: int) -> None:
    """Take note that somebody has read what he was told of a case."""
    Notice.objects.filter(user_id=user_id, case_id=case_id, read__isnull=True).update(read=timezone.now())


def read_all(*, user_id: int) -> None:
    """Take note that somebody has read everything he was told."""
    Notice.objects.filter(user_id=user_id, read__isnull=True).update(read=timezone.now())


def of(user_id: int, limit: int = 50) -> list[Notice]:
    """Return somebody's notices, newest first."""
    return list(Notice.objects.filter(user_id=user_id).select_related("case").order_by("-pk")[:limit])
