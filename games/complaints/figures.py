"""The complaints' desk in a few figures, for those who lead a shift."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Min, Q

from games.complaints.models import Case, Verdict


class Queue(NamedTuple):
    """Cases that wait: nobody's and in hand, since when the oldest; for a second person; appeals; not carried out."""

    open: int
    taken: int
    oldest: datetime | None
    proposed: int
    appealed: int
    due: int


def queue() -> Queue:
    """Count what waits, in two queries."""
    status = Case.Status
    undecided = Q(status__in=(status.OPEN, status.TAKEN, status.PROPOSED, status.APPEALED))
    found = Case.objects.filter(undecided).aggregate(
        open=Count("pk", filter=Q(status=status.OPEN)),
        taken=Count("pk", filter=Q(status=status.TAKEN)),
        oldest=Min("created"),
        proposed=Count("pk", filter=Q(status=status.PROPOSED)),
        appealed=Count("pk", filter=Q(status=status.APPEALED)),
    )
    return Queue(**found, due=Verdict.objects.filter(final__isnull=False, carried_out__isnull=True).count())
