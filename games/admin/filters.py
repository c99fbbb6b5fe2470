"""Choices by which the desk narrows lists of tables and deals."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from games import activity, naming
from games.admin.wording import HOWS
from games.engine import rulesets
from games.models import Table

LIVE = "live"


class RulesetFilter(admin.SimpleListFilter):
    """By rule set, in the registry's order."""

    title = _("rule set")
    parameter_name = "ruleset"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(code, naming.game_words(code).name) for code in rulesets.all_codes()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(ruleset=self.value()) if self.value() else queryset


class TierFilter(admin.SimpleListFilter):
    """By tier, those that ever had a table."""

    title = _("tier")
    parameter_name = "tier"
    field = "tier"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        tiers = Table.objects.order_by("tier").values_list("tier", flat=True).distinct()
        return [(tier, tier) for tier in tiers]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{self.field: self.value()}) if self.value() else queryset


class DealTierFilter(TierFilter):
    """By the tier of a deal's table."""

    field = "table__tier"


class HowFilter(admin.SimpleListFilter):
    """By how a deal ended; those that run are "live"."""

    title = _("ending")
    parameter_name = "how"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(code or LIVE, words) for code, words in HOWS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return queryset.filter(how="" if value == LIVE else value) if value else queryset


class DueFilter(admin.SimpleListFilter):
    """Tables whose deadline has passed: none for long, while the sweep runs."""

    title = _("deadline")
    parameter_name = "due"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("overdue", _("overdue"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != "overdue":
            return queryset
        return queryset.filter(activity.overdue())
