"""The desk's corrections: asked for with a reason on the page of a wallet, posted or refused from their list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from wallet import adjusting
from wallet.desk import (
    EMPTY,
    Facts,
    ReadOnlyAdmin,
    change,
    mark,
    moment,
    page_of,
    reference_link,
    register_lines,
    register_reference,
)
from wallet.errors import InsufficientFunds, WalletError
from wallet.models import Adjustment, Wallet

TONES = {Adjustment.Status.ASKED: "warn", Adjustment.Status.POSTED: "good", Adjustment.Status.REFUSED: "off"}
REFUSALS = {
    "bad_amount": _("Say how many coins: a whole number, not 0."),
    "no_reason": _("Write down the reason, in at most 500 characters."),
    "no_wallet": _("This player has no wallet yet."),
    "own_wallet": _("Nobody corrects his own wallet."),
    "second_person": _("A second person must post this correction, not the one who asked for it."),
    "not_waiting": _("This correction waits for nobody any more."),
}


class Asking(NamedTuple):
    """The panel from which a correction of a wallet is asked for."""

    wallet: Wallet
    second_above: int
    template: str = "admin/wallet/wallet/correct.html"


class Deciding(NamedTuple):
    """The panel from which a correction that waits is posted or refused."""

    adjustment: Adjustment
    own: bool
    template: str = "admin/wallet/adjustment/decide.html"


def may_correct(request: HttpRequest) -> bool:
    """Say whether somebody may ask for corrections."""
    user: Any = request.user
    return bool(user.has_perm("wallet.add_adjustment"))


@admin.register(Adjustment)
class AdjustmentAdmin(ReadOnlyAdmin):
    """What was corrected by hand, by whom and why; what waits stands out."""

    list_display = ("number", "of_whom", "coins", "state", "why", "asked_by", "asked_at", "posted_by")
    list_display_links = ("number",)
    list_filter = ("status",)
    list_select_related = ("user", "requested_by", "decided_by")
    search_fields = ("user__username_key", "requested_by__username_key", "reason")
    search_help_text = _("The name of a player or of a member of staff, or a word of the reason.")
    ordering = ("-pk",)

    @admin.display(description=_("correction"), ordering="pk")
    def number(self, made: Adjustment) -> str:
        return f"#{made.pk}"

    @admin.display(description=_("player"))
    def of_whom(self, made: Adjustment) -> SafeString | str:
        return page_of("accounts_user", made.user_id, made.user)

    @admin.display(description=_("coins"), ordering="amount")
    def coins(self, made: Adjustment) -> SafeString | str:
        return change(made.amount)

    @admin.display(description=_("state"), ordering="status")
    def state(self, made: Adjustment) -> SafeString:
        return mark(made.get_status_display(), TONES[Adjustment.Status(made.status)])

    @admin.display(description=_("reason"))
    def why(self, made: Adjustment) -> str:
        return made.reason if len(made.reason) <= 60 else f"{made.reason[:59]}…"

    @admin.display(description=_("asked for by"))
    def asked_by(self, made: Adjustment) -> str:
        return str(made.requested_by)

    @admin.display(description=_("asked for"), ordering="requested")
    def asked_at(self, made: Adjustment) -> str:
        return moment(made.requested)

    @admin.display(description=_("decided by"))
    def posted_by(self, made: Adjustment) -> str:
        return str(made.decided_by or EMPTY)

    def panels(self, request: HttpRequest, row: Adjustment) -> Sequence[Any]:
        posted = row.status == Adjustment.Status.POSTED
        facts = Facts(
            _("Correction"),
            [
                (_("Player"), self.of_whom(row)),
                (_("Coins"), change(row.amount)),
                (_("Against"), _("Revenue")),
                (_("Reason"), row.reason),
                (_("State"), self.state(row)),
                (_("Asked for"), f"{row.requested_by}, {moment(row.requested)}"),
                (_("Decided"), f"{row.decided_by}, {moment(row.decided)}" if row.decided_by else EMPTY),
                (_("Transaction"), reference_link(row.reference) if posted else EMPTY),
            ],
        )
        if row.status == Adjustment.Status.ASKED and may_correct(request):
            return [facts, Deciding(row, row.requested_by_id == request.user.pk)]
        return [facts]

    def get_urls(self) -> list[URLPattern]:
        views: dict[str, Callable[..., HttpResponseBase]] = {
            "ask": self.ask,
            "post": self.post,
            "refuse": self.refuse,
        }
        own = [
            path(f"<int:key>/{name}/", self.admin_site.admin_view(view), name=f"wallet_adjustment_{name}")
            for name, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def ask(self, request: HttpRequest, key: int) -> HttpResponseBase:
        """Ask for a correction of the wallet with this key."""
        self._posting(request)
        wallet = Wallet.objects.filter(pk=key, user__isnull=False).first()
        if wallet is None or wallet.user_id is None:
            raise PermissionDenied
        user_id, amount = wallet.user_id, _amount(request.POST.get("amount", ""))
        reason = request.POST.get("reason", "")

        def ask() -> str:
            made = adjusting.ask(staff=request.user, user_id=user_id, amount=amount, reason=reason)
            return gettext("It waits for a second person.") if made.needs_second else gettext("Posted.")

        return self._do(request, ask, reverse("admin:wallet_wallet_change", args=[key]))

    def post(self, request: HttpRequest, key: int) -> HttpResponseBase:
        self._posting(request)

        def confirm() -> str:
            adjusting.confirm(staff=request.user, adjustment_id=key)
            return gettext("Posted.")

        return self._do(request, confirm, reverse("admin:wallet_adjustment_change", args=[key]))

    def refuse(self, request: HttpRequest, key: int) -> HttpResponseBase:
        self._posting(request)

        def refuse() -> str:
            adjusting.refuse(staff=request.user, adjustment_id=key)
            return gettext("Refused: nothing moved.")

        return self._do(request, refuse, reverse("admin:wallet_adjustment_change", args=[key]))

    def _posting(self, request: HttpRequest) -> None:
        if request.method != "POST" or not may_correct(request):
            raise PermissionDenied

    def _do(self, request: HttpRequest, act: Callable[[], str], back: str) -> HttpResponseBase:
        try:
            messages.success(request, act())
        except adjusting.AdjustmentRefused as error:
            messages.error(request, REFUSALS[error.code])
        except InsufficientFunds:
            messages.error(request, gettext("The player has fewer coins at hand than that. Nothing moved."))
        except WalletError:
            messages.error(request, gettext("The books did not take it. Nothing moved."))
        return HttpResponseRedirect(back)


def _amount(text: str) -> int:
    """Read a whole number with or without a sign; 0 for anything else, which is refused."""
    text = text.strip().replace("−", "-").replace(",", "")
    digits = text.removeprefix("-").removeprefix("+")
    return (
        int(text)
        if digits.isascii() and digits.isdigit() and len(digits) < 17 and len(text) - len(digits) < 2
        else 0
    )


register_reference(
    "adjustment",
    lambda rest: reverse("admin:wallet_adjustment_change", args=[rest]) if rest.isdigit() else None,
)
register_lines({"adjustment": _("Correction")})
