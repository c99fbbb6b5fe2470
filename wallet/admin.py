"""The desk's view of the books: wallets, transactions, holds. Nobody adds, changes or deletes here, whoever it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, Sum, When
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import RangeDateFilter

from wallet import figures, keeping_desk
from wallet.adjusting_desk import Asking, may_correct
from wallet.desk import (
    EMPTY,
    PURSES,
    Facts,
    Panel,
    ReadOnlyAdmin,
    Sheet,
    change,
    code,
    figure,
    line_name,
    link,
    mark,
    moment,
    page_of,
    purse,
    reference_link,
)
from wallet.filters import CodeFilter, OpenFilter, OwnerFilter, WalletFilter, name_of
from wallet.models import RELIEF, Entry, Hold, Transaction, Wallet

__all__ = ["HoldAdmin", "TransactionAdmin", "WalletAdmin", "keeping_desk"]

MOST_LINES = 50
_SUMMED = Q(user__isnull=True) & ~Q(code=RELIEF)
_MOST_OWNERS = 200


def owner_of(wallet: Wallet) -> SafeString | str:
    """Name the owner of a wallet: a link to a person, the code of a purse of the house."""
    if wallet.user_id is None:
        return purse(wallet.code)
    return page_of("accounts_user", wallet.user_id, wallet.user)


def wallet_link(wallet: Wallet) -> SafeString | str:
    """Name the owner of a wallet, with a link to the wallet."""
    return page_of("wallet_wallet", wallet.pk, name_of(wallet))


def wallets_of(term: str) -> list[int]:
    """Return the keys of the wallets whose owner's name or code begins with a term."""
    folded = term.casefold()
    found = Wallet.objects.filter(
        Q(user__username_key__startswith=folded) | Q(code__startswith=folded) | Q(code=f"house:{folded}")
    )
    return list(found.values_list("pk", flat=True)[:_MOST_OWNERS])


@admin.register(Wallet)
class WalletAdmin(ReadOnlyAdmin):
    """Who has how much, and why: each balance with the lines that make it."""

    names = _("wallet"), _("wallets")
    list_display = ("owner", "total", "kept_back", "free")
    list_display_links = ("total",)
    list_filter = (OwnerFilter,)
    search_fields = ("user__username_key", "code")
    search_help_text = _("Name of a player, or code of a purse of the house.")
    ordering = ("pk",)
    list_select_related = ("user",)
    list_before_template = "admin/wallet/wallet/sums.html"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        books = figures.books()
        house = [(PURSES[name], coins) for name, coins in books.house.items()]
        return super().changelist_view(request, {**(extra_context or {}), "books": books, "house": house})

    def get_queryset(self, request: HttpRequest) -> QuerySet[Wallet]:
        found: QuerySet[Wallet] = super().get_queryset(request)
        sums = Entry.objects.filter(wallet=OuterRef("pk")).values("wallet").annotate(sum=Sum("amount"))
        return found.annotate(summed=Case(When(_SUMMED, then=Subquery(sums.values("sum")))))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Wallet], term: str
    ) -> tuple[QuerySet[Wallet], bool]:
        found: tuple[QuerySet[Wallet], bool] = super().get_search_results(request, queryset, term.casefold())
        return found

    @admin.display(description=_("owner"), ordering="user__username_key")
    def owner(self, wallet: Wallet) -> SafeString | str:
        return owner_of(wallet)

    @admin.display(description=_("balance"), ordering="balance")
    def total(self, wallet: Wallet) -> str:
        return figure(wallet.balance if wallet.keeps_balance else getattr(wallet, "summed", None) or 0)

    @admin.display(description=_("held"), ordering="held")
    def kept_back(self, wallet: Wallet) -> str:
        return figure(wallet.held) if wallet.keeps_balance else EMPTY

    @admin.display(description=_("available"))
    def free(self, wallet: Wallet) -> str:
        return figure(wallet.balance - wallet.held) if wallet.keeps_balance else EMPTY

    def panels(self, request: HttpRequest, row: Wallet) -> Sequence[Any]:
        entries = Entry.objects.filter(wallet=row)
        sums = entries.aggregate(
            total=Sum("amount", default=0),
            came=Sum("amount", filter=Q(amount__gt=0), default=0),
            went=Sum("amount", filter=Q(amount__lt=0), default=0),
            lines=Count("pk"),
        )
        correct = [Asking(row, settings.ADJUSTMENT_SECOND_ABOVE)] if _correctable(request, row) else []
        return [
            Facts(_("Balance"), _balance_rows(row, sums)),
            *correct,
            _lines(row, entries),
            _holds(row),
        ]


def _correctable(request: HttpRequest, wallet: Wallet) -> bool:
    return wallet.user_id is not None and wallet.user_id != request.user.pk and may_correct(request)


def _balance_rows(wallet: Wallet, sums: dict[str, int]) -> list[tuple[Any, object]]:
    rows: list[tuple[Any, object]] = [(_("Owner"), owner_of(wallet))]
    if wallet.keeps_balance:
        agrees = wallet.balance == sums["total"]
        words = _("the sum of its entries") if agrees else _("NOT the sum of its entries")
        rows += [
            (_("Balance"), figure(wallet.balance)),
            (_("Checked"), mark(words, "good" if agrees else "bad")),
            (_("Held"), figure(wallet.held)),
            (_("Available"), figure(wallet.balance - wallet.held)),
        ]
    else:
        rows.append((_("Balance, the sum of its entries"), figure(sums["total"])))
    return [
        *rows,
        (_("Came in"), change(sums["came"])),
        (_("Went out"), change(sums["went"])),
        (_("Lines"), figure(sums["lines"])),
    ]


def _lines(wallet: Wallet, entries: QuerySet[Entry]) -> Sheet:
    newest = entries.select_related("transaction").order_by("-pk")[:MOST_LINES]
    every = reverse("admin:wallet_transaction_changelist") + f"?wallet={wallet.pk}"
    return Sheet(
        _("Newest lines"),
        (_("When"), _("What"), _("Reference"), _("Amount")),
        [
            (
                page_of("wallet_transaction", entry.transaction_id, moment(entry.transaction.created)),
                line_name(entry.transaction.code),
                reference_link(entry.transaction.reference),
                change(entry.amount),
            )
            for entry in newest
        ],
        figures=(3,),
        empty=_("Nothing has moved."),
        more=link(every, gettext("All transactions of this wallet")),
    )


def _holds(wallet: Wallet) -> Sheet:
    standing = Hold.objects.filter(wallet=wallet, closed__isnull=True).order_by("-pk")[:MOST_LINES]
    return Sheet(
        _("Open holds"),
        (_("Since"), _("Reference"), _("Amount")),
        [
            (
                page_of("wallet_hold", hold.pk, moment(hold.created)),
                reference_link(hold.reference),
                figure(hold.amount),
            )
            for hold in standing
        ],
        figures=(2,),
        empty=_("Nothing is held."),
    )


@admin.register(Transaction)
class TransactionAdmin(ReadOnlyAdmin):
    """Every movement of coins with all its legs, and what caused it."""

    names = _("transaction"), _("transactions")
    list_display = ("when", "what", "cause", "moved", "legs")
    list_display_links = ("when",)
    list_filter = (CodeFilter, ("created", RangeDateFilter), WalletFilter)
    list_filter_submit = True
    search_fields = ("reference",)
    search_help_text = _("A reference (or how it begins), or a player's name.")
    ordering = ("-created", "-pk")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transaction]:
        found: QuerySet[Transaction] = super().get_queryset(request)
        return found.prefetch_related("entries__wallet__user")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Transaction], term: str
    ) -> tuple[QuerySet[Transaction], bool]:
        """Find by the beginning of a reference, or by a player: his wallet first, then its entries."""
        term = term.strip()
        if not term:
            return queryset, False
        theirs = Entry.objects.filter(wallet_id__in=wallets_of(term)).values("transaction")
        return queryset.filter(Q(reference__startswith=term) | Q(pk__in=theirs)), False

    @admin.display(description=_("when"), ordering="created")
    def when(self, made: Transaction) -> str:
        return moment(made.created)

    @admin.display(description=_("what"), ordering="code")
    def what(self, made: Transaction) -> str:
        return line_name(made.code)

    @admin.display(description=_("reference"))
    def cause(self, made: Transaction) -> SafeString | str:
        return reference_link(made.reference)

    @admin.display(description=_("coins moved"))
    def moved(self, made: Transaction) -> str:
        return figure(sum(entry.amount for entry in made.entries.all() if entry.amount > 0))

    @admin.display(description=_("between"))
    def legs(self, made: Transaction) -> str:
        return ", ".join(name_of(entry.wallet) for entry in made.entries.all())

    def panels(self, request: HttpRequest, row: Transaction) -> Sequence[Panel]:
        return [Facts(_("Transaction"), _transaction_rows(row)), _entries(row), _closed_holds(row)]


def _transaction_rows(made: Transaction) -> list[tuple[Any, object]]:
    reversal = Transaction.objects.filter(reversal_of=made).first()
    rows: list[tuple[Any, object]] = [
        (_("When"), moment(made.created)),
        (_("What"), line_name(made.code)),
        (_("Reference"), reference_link(made.reference)),
        (_("Number"), code(made.pk)),
    ]
    if made.note:
        rows.append((_("Note"), made.note))
    if made.reversal_of is not None:
        rows.append(
            (_("Takes back"), page_of("wallet_transaction", made.reversal_of_id, made.reversal_of.reference))
        )
    if reversal is not None:
        rows.append((_("Taken back by"), page_of("wallet_transaction", reversal.pk, reversal.reference)))
    return rows


def _entries(made: Transaction) -> Sheet:
    entries = list(made.entries.select_related("wallet__user").order_by("pk"))
    total = sum(entry.amount for entry in entries)
    seal = mark(_("balanced"), "good") if total == 0 else mark(_("not balanced"), "bad")
    return Sheet(
        _("Entries"),
        (_("Wallet"), _("Amount")),
        [(wallet_link(entry.wallet), change(entry.amount)) for entry in entries],
        figures=(1,),
        foot=(seal, figure(total)),
    )


def _closed_holds(made: Transaction) -> Sheet:
    return Sheet(
        _("Holds closed with it"),
        (_("Wallet"), _("Reference"), _("Amount")),
        [
            (wallet_link(hold.wallet), page_of("wallet_hold", hold.pk, hold.reference), figure(hold.amount))
            for hold in made.closed_holds.select_related("wallet__user").order_by("pk")
        ],
        figures=(2,),
        empty=_("None."),
    )


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    """What is set aside, for which deal, since when."""

    names = _("hold"), pgettext_lazy("coins", "holds")
    list_display = ("since", "owner", "cause", "coins", "state")
    list_display_links = ("since",)
    list_filter = (OpenFilter, ("created", RangeDateFilter))
    list_filter_submit = True
    search_fields = ("reference",)
    search_help_text = _("A reference (or how it begins), or a player's name.")
    ordering = ("-pk",)
    list_select_related = ("wallet__user",)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Hold], term: str
    ) -> tuple[QuerySet[Hold], bool]:
        term = term.strip()
        if not term:
            return queryset, False
        return queryset.filter(Q(reference__startswith=term) | Q(wallet_id__in=wallets_of(term))), False

    @admin.display(description=_("since"), ordering="created")
    def since(self, hold: Hold) -> str:
        return moment(hold.created)

    @admin.display(description=_("owner"))
    def owner(self, hold: Hold) -> SafeString | str:
        return owner_of(hold.wallet)

    @admin.display(description=_("reference"))
    def cause(self, hold: Hold) -> SafeString | str:
        return reference_link(hold.reference)

    @admin.display(description=_("coins"), ordering="amount")
    def coins(self, hold: Hold) -> str:
        return figure(hold.amount)

    @admin.display(description=_("state"))
    def state(self, hold: Hold) -> SafeString:
        return _hold_state(hold)

    def panels(self, request: HttpRequest, row: Hold) -> Sequence[Panel]:
        closer = row.closed_by
        return [
            Facts(
                _("Hold"),
                [
                    (_("Wallet"), wallet_link(row.wallet)),
                    (_("Reference"), reference_link(row.reference)),
                    (_("Amount"), figure(row.amount)),
                    (_("State"), _hold_state(row)),
                    (_("Since"), moment(row.created)),
                    (pgettext_lazy("moment", "Closed"), moment(row.closed)),
                    (
                        _("Closed by"),
                        page_of("wallet_transaction", closer.pk, closer.reference) if closer else EMPTY,
                    ),
                ],
            )
        ]


def _hold_state(hold: Hold) -> SafeString:
    if hold.closed is None:
        return mark(pgettext_lazy("hold", "open"), "live")
    return mark(pgettext_lazy("hold", "closed"))
