"""Choices by which the queue of cases is narrowed: its state, how long it waits, in whose hand it is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.complaints.admin.page import LATE, VERY_LATE, WAITING
from games.complaints.models import Case


class StateFilter(admin.SimpleListFilter):
    """What waits for the staff, unless asked otherwise."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [*((str(status), status.label) for status in Case.Status), ("all", _("All"))]

    def choices(self, changelist: Any) -> Any:
        waiting = {
            "selected": self.value() is None,
            "query_string": changelist.get_query_string(remove=[self.parameter_name]),
            "display": _("All that waits"),
        }
        yield waiting
        for value, title in self.lookup_choices:
            yield {
                "selected": self.value() == str(value),
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": title,
            }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() in Case.Status.values:
            return queryset.filter(status=self.value())
        return queryset if self.value() == "all" else queryset.filter(status__in=WAITING)


class AgeFilter(admin.SimpleListFilter):
    """How long a case waits."""

    title = _("age")
    parameter_name = "age"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("late", _("over a day")), ("very_late", _("over three days"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        than = {"late": LATE, "very_late": VERY_LATE}.get(self.value() or "")
        return queryset if than is None else queryset.filter(created__lt=timezone.now() - than)


class HandFilter(admin.SimpleListFilter):
    """In whose hand a case is."""

    title = _("in hand")
    parameter_name = "hand"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("mine", _("mine")), ("nobody", _("nobody's"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "mine":
            return queryset.filter(taken_by=request.user)
        return queryset.filter(taken_by=None) if self.value() == "nobody" else queryset
