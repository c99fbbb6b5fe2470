"""The ledger's tables: double entry in whole coins.

A transaction's entries sum to 0. They are inserted first and the transaction row last, which seals them
(`wallet.sealing`); after that neither changes. Players' wallets and the relief purse keep a balance,
changed in the same database transaction; the other wallets of the house are the sum of their entries, so
that no settlement waits for a hot row.
"""

import uuid
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

MAX_COINS: Final = 2**53 - 1
"""The most coins an entry moves or a wallet holds: exact in bigint and in JavaScript."""

ISSUANCE: Final = "issuance"
FEES: Final = "house:fees"
FINES: Final = "house:fines"
COMPLAINTS: Final = "house:complaints"
CLAIMS: Final = "house:claims"
REVENUE: Final = "house:revenue"
RELIEF: Final = "house:relief"

SYSTEM_WALLETS: Final = {
    ISSUANCE: -1,
    FEES: -2,
    FINES: -3,
    COMPLAINTS: -4,
    CLAIMS: -5,
    REVENUE: -6,
    RELIEF: -7,
}
"""Primary keys of the house's wallets: known without a query, negative so that no sequence meets them."""


class Wallet(models.Model):
    """The coins of one player, or one purse of the house."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="wallet"
    )
    code = models.CharField(max_length=40, unique=True, null=True, blank=True)
    balance = models.BigIntegerField(default=0)
    held = models.BigIntegerField(default=0)
    owed = models.BigIntegerField(default=0)
    """The sum of the player's open debts, kept here so that nothing that pays him has to look for them."""

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(owed=0) | Q(owed__gt=0, user__isnull=False), name="wallet_owes_as_a_player"
            ),
            models.CheckConstraint(
                condition=Q(balance__gte=F("held"), held__gte=0), name="wallet_covers_its_holds"
            ),
            models.CheckConstraint(condition=Q(balance__lte=MAX_COINS), name="wallet_balance_in_bounds"),
            models.CheckConstraint(
                condition=Q(user__isnull=False, code__isnull=True) | Q(user__isnull=True, code__isnull=False),
                name="wallet_of_a_player_or_the_house",
            ),
            models.CheckConstraint(
                condition=Q(code__isnull=True) | Q(code=RELIEF) | Q(balance=0, held=0),
                name="wallet_of_the_house_keeps_no_balance",
            ),
        )

    def __str__(self) -> str:
        return self.code or f"user {self.user_id}"

    @property
    def keeps_balance(self) -> bool:
        """Say whether this wallet's balance is kept in its row (and checked) rather than summed."""
        return self.code is None or self.code == RELIEF


class Transaction(models.Model):
    """One movement of coins, final once it is written."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    code = models.CharField(max_length=40)
    reference = models.CharField(max_length=120, unique=True)
    reversal_of = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="reversed_by"
    )
    created = models.DateTimeField(default=timezone.now)
    note = models.CharField(max_length=200, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.code} {self.reference}"


class Entry(models.Model):
    """One leg of a transaction: the coins that came into a wallet, negative when they left it."""

    transaction = models.ForeignKey(Transaction, on_delete=models.PROTECT, related_name="entries")
    wallet = models.ForeignKey(Wallet, on_delete=models.PROTECT, related_name="entries", db_index=False)
    amount = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "entries"
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=-MAX_COINS, amount__lte=MAX_COINS) & ~Q(amount=0),
                name="entry_moves_coins",
            ),
        )
        indexes = (models.Index(fields=("wallet", "id", "amount"), name="entry_statement"),)

    def __str__(self) -> str:
        return f"{self.amount:+d}"


class Hold(models.Model):
    """Coins set aside for one purpose: still the player's, but other debits cannot draw on them."""

    wallet = models.ForeignKey(Wallet, on_delete=models.PROTECT, related_name="holds", db_index=False)
    reference = models.CharField(max_length=120, unique=True)
    amount = models.BigIntegerField()
    created = models.DateTimeField(default=timezone.now)
    closed = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        Transaction, null=True, blank=True, on_delete=models.PROTECT, related_name="closed_holds"
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gt=0, amount__lte=MAX_COINS), name="hold_sets_coins_aside"
            ),
            models.CheckConstraint(
                condition=Q(closed_by__isnull=True) | Q(closed__isnull=False),
                name="hold_closed_by_when_closed",
            ),
        )
        indexes = (models.Index(fields=("wallet",), condition=Q(closed__isnull=True), name="hold_open"),)

    def __str__(self) -> str:
        return f"{self.reference}: {self.amount}"


class Debt(models.Model):
    """What one player owes by one verdict, part by part; paid by whatever comes into his wallet, oldest first."""

    class Part(models.TextChoices):
        UNDONE = "undone", "results undone"
        FEE = "fee", "fees"
        FINE = "fine", "fine"

    verdict = models.CharField(max_length=60)
    debtor = models.ForeignKey(Wallet, on_delete=models.PROTECT, related_name="debts")
    part = models.CharField(max_length=6, choices=Part)
    owed = models.BigIntegerField()
    paid = models.BigIntegerField(default=0)
    shares = models.JSONField(default=list)
    """Of a fine: [[user id, coins], …] of those who get a part of it; the rest is the house's."""
    created = models.DateTimeField(default=timezone.now)
    closed = models.DateTimeField(null=True, blank=True)
    cancelled = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("verdict", "debtor", "part"), name="debt_once"),
            models.CheckConstraint(
                condition=Q(owed__gt=0, owed__lte=MAX_COINS, paid__gte=0, paid__lte=F("owed")),
                name="debt_paid_up_to_what_is_owed",
            ),
            models.CheckConstraint(
                condition=Q(closed__isnull=True, cancelled=False, paid__lt=F("owed"))
                | Q(closed__isnull=False, cancelled=True)
                | Q(closed__isnull=False, paid=F("owed")),
                name="debt_closed_when_paid_or_cancelled",
            ),
        )
        indexes = (models.Index(fields=("debtor", "id"), condition=Q(closed__isnull=True), name="debt_open"),)

    def __str__(self) -> str:
        return f"{self.verdict} {self.part}: {self.paid}/{self.owed}"

    @property
    def rest(self) -> int:
        """Return what is still to be paid."""
        return 0 if self.closed else self.owed - self.paid


class Adjustment(models.Model):
    """A correction of a player's coins by the staff, for a reason; above the house's limit a second person posts it."""

    class Status(models.TextChoices):
        ASKED = "asked", _("Waits for a second person")
        POSTED = "posted", _("Posted")
        REFUSED = "refused", _("Refused")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", verbose_name=_("player")
    )
    amount = models.BigIntegerField(_("coins"))
    reason = models.CharField(_("reason"), max_length=500)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", verbose_name=_("asked for by")
    )
    requested = models.DateTimeField(_("asked for"), default=timezone.now)
    needs_second = models.BooleanField(_("needs a second person"), default=False)
    status = models.CharField(_("state"), max_length=7, choices=Status, default=Status.ASKED)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name=_("decided by"),
    )
    decided = models.DateTimeField(_("decided"), null=True, blank=True)

    class Meta:
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=-MAX_COINS, amount__lte=MAX_COINS) & ~Q(amount=0),
                name="adjustment_moves_coins",
            ),
        )
        indexes = (models.Index(fields=("user", "requested"), name="adjustment_of_late"),)

    def __str__(self) -> str:
        return f"#{self.pk}"

    @property
    def reference(self) -> str:
        """How the ledger calls it."""
        return f"adjustment:{self.pk}"


class AuditRun(models.Model):
    """One run of the audit, for those who look after the house; final once it is written."""

    began = models.DateTimeField()
    ended = models.DateTimeField(default=timezone.now)
    checks = models.PositiveIntegerField()
    counts = models.JSONField()
    breaches = models.JSONField()
    """[[check, what is wrong], …]; empty when the books are right."""

    class Meta:
        indexes = (models.Index(fields=("-ended",), name="audit_newest"),)

    def __str__(self) -> str:
        return f"{self.ended:%Y-%m-%d %H:%M}: {len(self.breaches)} breaches"

    @property
    def right(self) -> bool:
        """Say whether the books were right."""
        return not self.breaches
