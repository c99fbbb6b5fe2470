"""The log of what the staff did: anybody of them may be asked about it, nobody can change it.

Of a case in which somebody of the staff has a part himself, he does not read what the others did.
"""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RangeDateFilter

from games.complaints import selectors
from games.complaints.admin import words
from games.complaints.models import StaffAct
from wallet.desk import EMPTY, ReadOnlyAdmin, code, moment, page_of, reference_link


class ActFilter(admin.SimpleListFilter):
    """By what was done."""

    title = _("what")
    parameter_name = "act"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(words.ACTS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(act=self.value()) if self.value() else queryset


@admin.register(StaffAct)
class StaffActAdmin(ReadOnlyAdmin):
    """Who of the staff did what to which case, person, table or wallet, and why."""

    list_display = ("when", "who", "what", "of_what", "how")
    list_display_links = ("when",)
    list_filter = (ActFilter, ("created", RangeDateFilter))
    list_filter_submit = True
    list_select_related = ("by",)
    search_fields = ("subject__startswith", "by__username_key")
    search_help_text = _("A subject as it is written here (case:7), or the name of a member of staff.")
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[StaffAct]:
        found: QuerySet[StaffAct] = super().get_queryset(request)
        own = selectors.with_a_part(request.user.pk or 0).values_list("pk", flat=True)
        return found.exclude(subject__in=[f"case:{pk}" for pk in own])

    @admin.display(description=_("when"), ordering="created")
    def when(self, act: StaffAct) -> str:
        return moment(act.created)

    @admin.display(description=_("who"))
    def who(self, act: StaffAct) -> SafeString | str:
        return _("the house") if act.by is None else page_of("accounts_user", act.by_id, act.by)  # type: ignore[return-value]

    @admin.display(description=_("what"))
    def what(self, act: StaffAct) -> str:
        return words.act(act.act)

    @admin.display(description=_("of what"))
    def of_what(self, act: StaffAct) -> SafeString | str:
        return reference_link(act.subject)

    @admin.display(description=_("details"))
    def how(self, act: StaffAct) -> SafeString | str:
        return code(json.dumps(act.data, ensure_ascii=False)) if act.data else EMPTY
