"""The desk's view of results: the append-only ledger of points, and the sums that are kept of it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RangeDateFilter

from games import naming
from games.admin import receipt
from games.admin.filters import RulesetFilter
from games.models import PlayerRecord, SeatResult
from wallet.desk import EMPTY, ReadOnlyAdmin, change, figure, moment, page_of


class DealRulesetFilter(RulesetFilter):
    """By the rule set of the deal."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(deal__ruleset=self.value()) if self.value() else queryset


@admin.register(SeatResult)
class SeatResultAdmin(ReadOnlyAdmin):
    """What each seat of each deal won or lost."""

    list_display = ("when", "deal_link", "number", "who", "ending", "score", "coins", "back")
    list_display_links = ("when",)
    list_filter = (DealRulesetFilter, "outcome", ("created", RangeDateFilter))
    list_filter_submit = True
    list_select_related = ("deal", "user")
    search_fields = ("=deal__id", "user__username_key")
    search_help_text = _("The number of a deal, or part of a player's name.")
    ordering = ("-pk",)

    @admin.display(description=_("when"), ordering="created")
    def when(self, result: SeatResult) -> str:
        return moment(result.created)

    @admin.display(description=_("deal"))
    def deal_link(self, result: SeatResult) -> SafeString | str:
        return page_of("games_deal", result.deal_id, result.deal_id)

    @admin.display(description=_("seat"))
    def number(self, result: SeatResult) -> int:
        return result.seat + 1

    @admin.display(description=_("who"), ordering="user__username_key")
    def who(self, result: SeatResult) -> SafeString | str:
        return page_of("accounts_user", result.user_id, result.user)

    @admin.display(description=_("outcome"), ordering="outcome")
    def ending(self, result: SeatResult) -> str:
        return str(receipt.OUTCOMES.get(result.outcome, result.outcome))

    @admin.display(description=_("points"), ordering="points")
    def score(self, result: SeatResult) -> SafeString | str:
        return change(result.points)

    @admin.display(description=_("net coins"), ordering="net")
    def coins(self, result: SeatResult) -> SafeString | str:
        return change(result.net)

    @admin.display(description=_("takes back"))
    def back(self, result: SeatResult) -> SafeString | str:
        return page_of("games_seatresult", result.reversal_of_id, f"#{result.reversal_of_id}")


@admin.register(PlayerRecord)
class PlayerRecordAdmin(ReadOnlyAdmin):
    """The running sums of each player in each rule set."""

    list_display = ("who", "game", "score", "deals_count", "wins", "losses", "escapes")
    list_display_links = ("score",)
    list_filter = (RulesetFilter,)
    list_select_related = ("user",)
    search_fields = ("user__username_key",)
    search_help_text = _("Part of a player's name.")
    ordering = ("-points", "pk")

    @admin.display(description=_("who"), ordering="user__username_key")
    def who(self, record: PlayerRecord) -> SafeString | str:
        return page_of("accounts_user", record.user_id, record.user)

    @admin.display(description=_("rule set"), ordering="ruleset")
    def game(self, record: PlayerRecord) -> str:
        return str(naming.game_words(record.ruleset).name) or EMPTY

    @admin.display(description=_("points"), ordering="points")
    def score(self, record: PlayerRecord) -> SafeString | str:
        return change(record.points)

    @admin.display(description=_("deals"), ordering="deals")
    def deals_count(self, record: PlayerRecord) -> str:
        return figure(record.deals)
