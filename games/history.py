"""What players have done and come to: their results, their standings and titles, the boards; nothing here writes."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from games.engine.titles import Title, title_of
from games.models import Deal, PlayerRecord, SeatResult


class DealPlace(NamedTuple):
    """The table of a deal, and whether the deal is over: then it has a page."""

    table_code: str
    is_over: bool


class Standing(NamedTuple):
    """What a player has come to in one rule set; `place` is his on the board, None where it was not asked for."""

    user_id: int
    name: str
    ruleset: str
    points: int = 0
    deals: int = 0
    wins: int = 0
    losses: int = 0
    escapes: int = 0
    place: int | None = None

    @property
    def title(self) -> Title:
        """The rank title that goes with the points."""
        return title_of(self.ruleset, self.points)

    @property
    def climbed(self) -> int:
        """The points gained since the title was reached, of the `title.step` to the next."""
        return max(0, self.title.step - self.title.to_go)


def place_of_deal(deal_id: str) -> DealPlace | None:
    """Return where a deal was dealt and whether it is over, or None."""
    found = Deal.objects.filter(pk=deal_id).values_list("table__code", "closed_seq").first()
    return DealPlace(found[0], found[1] is not None) if found else None


def deals_of(
    user_id: int,
    *,
    ruleset: str | None = None,
    tier: str | None = None,
    practice: bool = True,
    before: int | None = None,
    limit: int = 30,
) -> list[SeatResult]:
    """Return a player's results with deal and table, newest first, older than `before`.

    `turns` of each: how often it was taken back and given again; odd where it does not count now.
    """
    found = SeatResult.objects.filter(user_id=user_id, reversal_of__isnull=True)
    if not practice:
        found = found.exclude(outcome="practice")
    if ruleset is not None:
        found = found.filter(deal__ruleset=ruleset)
    if tier is not None:
        found = found.filter(deal__table__tier=tier)
    if before is not None:
        found = found.filter(pk__lt=before)
    turned = SeatResult.objects.filter(
        deal=OuterRef("deal"), seat=OuterRef("seat"), reversal_of__isnull=False
    )
    counted = turned.order_by().values("seat").annotate(rows=Count("pk")).values("rows")
    found = found.annotate(turns=Coalesce(Subquery(counted), 0))
    return list(found.select_related("deal__table").order_by("-pk")[:limit])


def results_in(user_id: int, deal_ids: Collection[str]) -> dict[str, SeatResult]:
    """Return a player's own result in each of these deals, with deal and table, in one query."""
    found = SeatResult.objects.filter(user_id=user_id, deal_id__in=list(deal_ids), reversal_of__isnull=True)
    return {result.deal_id: result for result in found.select_related("deal__table")} if deal_ids else {}


def standings_of(user_id: int) -> dict[str, Standing]:
    """Return what a player has come to in each rule set he has a record of, in one query."""
    found = PlayerRecord.objects.filter(user_id=user_id)
    return {row.ruleset: row for row in _standings(found)}


def points_of(user_ids: Collection[int], ruleset: str) -> dict[int, int]:
    """Return the points of these people in a rule set, in one query; who has no record is left out."""
    found = PlayerRecord.objects.filter(user_id__in=list(user_ids), ruleset=ruleset)
    return dict(found.values_list("user_id", "points")) if user_ids else {}


def board(ruleset: str, limit: int = 100) -> list[Standing]:
    """Return the players with the most points; equal points are an equal place."""
    rows = _standings(_on_board(ruleset).order_by("-points", "pk")[:limit])
    placed: list[Standing] = []
    for number, row in enumerate(rows, 1):
        equal = placed and placed[-1].points == row.points
        placed.append(row._replace(place=placed[-1].place if equal else number))
    return placed


def place_of(user_id: int, ruleset: str) -> Standing | None:
    """Return a player's own line of the board, however far down; None for who has not played."""
    rows = _standings(_on_board(ruleset).filter(user_id=user_id))
    if not rows:
        return None
    return rows[0]._replace(place=_on_board(ruleset).filter(points__gt=rows[0].points).count() + 1)


def _on_board(ruleset: str) -> QuerySet[PlayerRecord]:
    return PlayerRecord.objects.filter(ruleset=ruleset, deals__gt=0, user__is_active=True)


def _standings(found: QuerySet[PlayerRecord]) -> list[Standing]:
    fields = ("user_id", "user__username", "ruleset", "points", "deals", "wins", "losses", "escapes")
    return [Standing(*row) for row in found.values_list(*fields)]
