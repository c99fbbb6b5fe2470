"""The desk's view of what is owed by verdicts, and of the nightly audit. Nobody adds, changes or deletes here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from wallet.desk import (
    EMPTY,
    Facts,
    Panel,
    ReadOnlyAdmin,
    Sheet,
    figure,
    mark,
    moment,
    page_of,
    reference_link,
)
from wallet.models import AuditRun, Debt

PARTS = {"undone": _("results undone"), "fee": _("fees"), "fine": _("fine")}


class OpenDebtFilter(admin.SimpleListFilter):
    """Debts that are open, or closed."""

    title = _("state")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("open")), ("no", _("closed"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = {"yes": True, "no": False}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(closed__isnull=wanted)


@admin.register(Debt)
class DebtAdmin(ReadOnlyAdmin):
    """What players owe by verdicts, oldest first: that is how it is paid."""

    names = _("debt"), _("debts")
    hidden_fields = ("shares",)
    list_display = ("since", "owner", "cause", "what", "owes", "has_paid", "left", "state")
    list_display_links = ("since",)
    list_filter = (OpenDebtFilter, "part")
    list_select_related = ("debtor__user",)
    search_fields = ("debtor__user__username_key", "verdict")
    search_help_text = _("A player's name, or a verdict (verdict:7).")
    ordering = ("pk",)

    @admin.display(description=_("since"), ordering="created")
    def since(self, debt: Debt) -> str:
        return moment(debt.created)

    @admin.display(description=_("owner"))
    def owner(self, debt: Debt) -> SafeString | str:
        return page_of("accounts_user", debt.debtor.user_id, debt.debtor.user)

    @admin.display(description=_("verdict"))
    def cause(self, debt: Debt) -> SafeString | str:
        return reference_link(debt.verdict)

    @admin.display(description=_("part"))
    def what(self, debt: Debt) -> str:
        return str(PARTS[debt.part])

    @admin.display(description=_("owed"), ordering="owed")
    def owes(self, debt: Debt) -> str:
        return figure(debt.owed)

    @admin.display(description=_("paid"), ordering="paid")
    def has_paid(self, debt: Debt) -> str:
        return figure(debt.paid)

    @admin.display(description=_("left"))
    def left(self, debt: Debt) -> str:
        return figure(debt.rest)

    @admin.display(description=_("state"))
    def state(self, debt: Debt) -> SafeString:
        if debt.cancelled:
            return mark(_("cancelled"), "off")
        return mark(_("open"), "warn") if debt.closed is None else mark(_("paid"), "good")


@admin.register(AuditRun)
class AuditRunAdmin(ReadOnlyAdmin):
    """Each run of the audit, and what it found."""

    names = _("audit"), _("audits")
    list_display = ("when", "result", "checks", "lasted")
    list_display_links = ("when",)
    ordering = ("-ended",)

    @admin.display(description=_("when"), ordering="ended")
    def when(self, run: AuditRun) -> str:
        return moment(run.ended)

    @admin.display(description=_("result"))
    def result(self, run: AuditRun) -> SafeString:
        if run.right:
            return mark(_("the books are right"), "good")
        return mark(_("%(count)s breaches") % {"count": len(run.breaches)}, "bad")

    @admin.display(description=_("lasted"))
    def lasted(self, run: AuditRun) -> str:
        return f"{(run.ended - run.began).total_seconds():.1f} s"

    def panels(self, request: HttpRequest, row: AuditRun) -> Sequence[Panel]:
        counts = row.counts if isinstance(row.counts, dict) else {}
        return [
            Facts(
                _("Audit"),
                [
                    (_("When"), moment(row.ended)),
                    (_("Result"), self.result(row)),
                    (_("Lasted"), self.lasted(row)),
                    *((name, figure(n) if isinstance(n, int) else n) for name, n in counts.items()),
                ],
            ),
            Sheet(
                _("What is wrong"),
                (_("Check"), _("Finding")),
                [tuple(breach) for breach in row.breaches],
                empty=_("Nothing.") if row.right else EMPTY,
            ),
        ]
