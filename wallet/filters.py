"""Choices by which the desk narrows lists of the books, and whose a wallet is."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from wallet.desk import PURSES, line_name
from wallet.models import Entry, Transaction, Wallet


def name_of(wallet: Wallet) -> str:
    """Name the owner of a wallet in plain text."""
    return str(wallet.user) if wallet.user_id else str(PURSES.get(str(wallet.code), wallet.code))


class OwnerFilter(admin.SimpleListFilter):
    """Players' wallets, or the house's."""

    title = _("owner")
    parameter_name = "owner"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("players", _("players")), ("house", _("the house"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("players", "house"):
            return queryset
        return queryset.filter(user__isnull=self.value() == "house")


class OpenFilter(admin.SimpleListFilter):
    """Holds that stand, or those that are closed."""

    title = _("state")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", pgettext_lazy("hold", "open")), ("no", pgettext_lazy("hold", "closed"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(closed__isnull=self.value() == "yes")


class WalletFilter(admin.SimpleListFilter):
    """The transactions of one wallet; set by links, shown as a choice only then."""

    title = _("wallet")
    parameter_name = "wallet"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        chosen = self.used_parameters.get(self.parameter_name)
        key = chosen[0] if isinstance(chosen, list) and chosen else chosen
        if not key or not str(key).lstrip("-").isdigit():
            return []
        found = Wallet.objects.select_related("user").filter(pk=int(str(key)))
        return [(str(wallet.pk), name_of(wallet)) for wallet in found]

    def has_output(self) -> bool:
        return bool(self.lookup_choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value() or not self.lookup_choices:
            return queryset
        return queryset.filter(
            pk__in=Entry.objects.filter(wallet=int(str(self.value()))).values("transaction")
        )


class CodeFilter(admin.SimpleListFilter):
    """What moved the coins."""

    title = _("what")
    parameter_name = "code"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        codes = Transaction.objects.order_by("code").values_list("code", flat=True).distinct()
        return [(name, line_name(name)) for name in codes]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(code=self.value()) if self.value() else queryset
