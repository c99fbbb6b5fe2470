"""Who played with whom, for those who judge a complaint: newest deals of a rule set, deals that two people shared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, QuerySet

from games.models import Deal, SeatResult


class Shared(NamedTuple):
    """A deal in which two people sat: when it ended, and what each person of it won, by user id."""

    deal: str
    table: str
    closed: datetime
    nets: Mapping[int, int]


def newest_deals(ruleset: str, *, limit: int, user_id: int | None = None) -> list[Deal]:
    """Return the newest played deals of a rule set (of one player), newest first; none that is live or dealt again."""
    found = Deal.objects.filter(ruleset=ruleset, closed_seq__isnull=False).exclude(how=Deal.How.REDEAL)
    if user_id is not None:
        theirs = _first().filter(user_id=user_id, deal__ruleset=ruleset).order_by("-pk")[:limit]
        found = found.filter(pk__in=list(theirs.values_list("deal_id", flat=True)))
    return list(found.select_related("table").order_by("-closed", "-number")[:limit])


def shared(first: int, second: int, *, ruleset: str, limit: int) -> list[Shared]:
    """Return the newest deals of a rule set in which two people sat, oldest first."""
    both = _first().filter(user_id=first, deal__ruleset=ruleset, deal__results__user_id=second)
    ids = list(both.order_by("-pk").values_list("deal_id", flat=True).distinct()[:limit])
    rows = _first().filter(deal_id__in=ids).select_related("deal", "deal__table").order_by("pk")
    found: dict[str, tuple[Deal, dict[int, int]]] = {}
    for row in rows:
        _deal, nets = found.setdefault(row.deal_id, (row.deal, {}))
        if row.user_id is not None:
            nets[row.user_id] = row.net
    return [
        Shared(deal.pk, deal.table.code, deal.closed or deal.opened, nets)
        for deal, nets in sorted(
            found.values(), key=lambda one: (one[0].closed or one[0].opened, one[0].number)
        )
    ]


def apart(user: int, other: int, *, ruleset: str, limit: int) -> list[int]:
    """Return what somebody won in each of his newest deals in which the other did not sit, newest first."""
    with_other = _first().filter(user_id=other).values("deal")
    found = _first().filter(user_id=user, deal__ruleset=ruleset).exclude(deal__in=with_other)
    return list(found.order_by("-pk").values_list("net", flat=True)[:limit])


def deals_played(
    users: Collection[int], *, ruleset: str, tier: str, since: datetime
) -> tuple[dict[int, int], int]:
    """Return how many deals each of these people played in a tier since then, and how many all people did together."""
    found = _first().filter(
        deal__ruleset=ruleset, deal__table__tier=tier, created__gte=since, user__isnull=False
    )
    counts = dict(found.filter(user_id__in=users).values_list("user_id").annotate(n=Count("pk")))
    return {user: counts.get(user, 0) for user in users}, found.count()


def deals_together(first: int, second: int, *, ruleset: str, tier: str, since: datetime) -> int:
    """Return how many deals of a tier two people played together since then."""
    found = _first().filter(user_id=first, deal__ruleset=ruleset, deal__table__tier=tier, created__gte=since)
    return found.filter(deal__results__user_id=second, deal__results__reversal_of__isnull=True).count()


def _first() -> QuerySet[SeatResult]:
    """Return what deals came to when they ended, whatever was taken back later."""
    return SeatResult.objects.filter(reversal_of__isnull=True)
