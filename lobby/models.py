"""What the lobby keeps: the tiers one may sit down in, and who waits for a match."""

from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.engine import rulesets
from lobby import tier_rules

MOST_BASE_STAKE = 1_000_000
MOST_COINS = 1_000_000_000_000


class RoomTier(models.Model):
    """What one plays for, and by which rules of the house, at every table of one kind (RULES §5).

    A table freezes its tier's `terms()` when it opens; a change here is for tables opened later.
    """

    class Currency(models.TextChoices):
        COINS = "coins", _("coins")
        POINTS = "points", _("points")
        NONE = "none", _("nothing (practice)")

    class Seating(models.TextChoices):
        PICK = "pick", _("pick a seat")
        MATCH = "match", _("match")

    class FeeKind(models.TextChoices):
        NONE = "", _("no fee")
        FLAT = "flat", _("flat, from everyone")
        PERCENT = "percent", _("per cent of each win, rounded up")

    code = models.CharField(
        _("code"),
        max_length=40,
        unique=True,
        validators=[
            RegexValidator(r"\A[a-z0-9]+(?:[.-][a-z0-9]+)*\Z", _("Small letters, digits, single . and -."))
        ],
    )
    ruleset = models.CharField(_("rule set"), max_length=40)
    name = models.CharField(
        _("name"),
        max_length=24,
        help_text=_("Key of the name that the pages translate: practice, points, bamboo …"),
    )
    position = models.PositiveSmallIntegerField(_("position"), default=0)
    is_open = models.BooleanField(
        _("open"), default=True, help_text=_("A closed tier opens no more deals to newcomers.")
    )

    currency = models.CharField(_("currency"), max_length=6, choices=Currency.choices, default=Currency.COINS)
    base_stake = models.PositiveIntegerField(
        _("base stake"), default=1, validators=[MinValueValidator(1), MaxValueValidator(MOST_BASE_STAKE)]
    )
    cap = models.PositiveBigIntegerField(
        _("hand cap"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST_COINS)],
        help_text=_("The most a player can lose in a deal; empty: what he has."),
    )
    entry = models.PositiveBigIntegerField(
        _("entry limit"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST_COINS)],
        help_text=_("Joining needs a balance strictly above it."),
    )
    fee_kind = models.CharField(
        _("fee"), max_length=7, choices=FeeKind.choices, blank=True, default=FeeKind.NONE
    )
    fee_value = models.PositiveIntegerField(
        _("fee value"), null=True, blank=True, validators=[MaxValueValidator(MOST_BASE_STAKE)]
    )
    initial_multiplier = models.PositiveSmallIntegerField(
        _("initial multiplier"), default=1, validators=[MinValueValidator(1), MaxValueValidator(64)]
    )

    turn_seconds = models.PositiveSmallIntegerField(
        _("turn clock"),
        default=20,
        validators=[MinValueValidator(5), MaxValueValidator(120)],
        help_text=_("Seconds."),
    )
    absence_seconds = models.PositiveSmallIntegerField(
        _("absence"),
        null=True,
        blank=True,
        validators=[MinValueValidator(5), MaxValueValidator(600)],
        help_text=_("Seconds until somebody without a line counts as away; empty: as the rule set says."),
    )
    start_seconds = models.PositiveSmallIntegerField(
        _("start clock"),
        default=30,
        validators=[MinValueValidator(5), MaxValueValidator(300)],
        help_text=_("Seconds."),
    )
    seating = models.CharField(_("seating"), max_length=5, choices=Seating.choices, default=Seating.PICK)
    anti_cheat = models.BooleanField(_("anti-cheat"), default=False)
    practice = models.BooleanField(_("practice"), default=False)
    spectators = models.BooleanField(_("spectators"), default=True)

    class Meta:
        verbose_name = _("tier")
        verbose_name_plural = _("tiers")
        ordering = ("position", "code")
        constraints = (
            models.CheckConstraint(condition=Q(base_stake__gte=1), name="tier_has_a_stake"),
            models.CheckConstraint(
                condition=Q(cap__isnull=True) | Q(entry__gte=models.F("cap")),
                name="tier_entry_covers_its_cap",
            ),
            models.CheckConstraint(
                condition=Q(fee_kind="", fee_value__isnull=True)
                | (~Q(fee_kind="") & Q(fee_value__isnull=False)),
                name="tier_fee_has_kind_and_value",
            ),
            models.CheckConstraint(
                condition=Q(anti_cheat=False) | Q(seating="match", spectators=False),
                name="tier_anti_cheat_is_matched",
            ),
            models.CheckConstraint(
                condition=Q(practice=True, currency="none") | (Q(practice=False) & ~Q(currency="none")),
                name="tier_practice_plays_for_nothing",
            ),
        )

    def __str__(self) -> str:
        return self.code

    def clean(self) -> None:
        tier_rules.check(self)

    @property
    def seats(self) -> int:
        """How many people make a table."""
        return rulesets.get(self.ruleset).seats

    @property
    def fee(self) -> dict[str, Any] | None:
        """The fee as records write it."""
        return {"kind": self.fee_kind, "value": self.fee_value} if self.fee_kind else None

    def terms(self) -> dict[str, Any]:
        """Return what a table opened now is played for and by, to be frozen in it."""
        return {
            "tier": self.code,
            "base_stake": self.base_stake,
            "cap": self.cap,
            "entry": self.entry,
            "fee": self.fee,
            "initial_multiplier": self.initial_multiplier,
            "currency": self.currency,
            "turn_s": self.turn_seconds,
            "absence_s": self.absence_seconds,
            "start_s": self.start_seconds,
            "anti_cheat": self.anti_cheat,
            "practice": self.practice,
            "seating": self.seating,
            "spectators": self.spectators,
        }


class QueueTicket(models.Model):
    """Somebody's place in a tier's queue; one per person. `refusal`: why the match went on without him."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="queue_ticket"
    )
    tier = models.ForeignKey(RoomTier, on_delete=models.PROTECT, related_name="tickets")
    nonce = models.CharField(max_length=64, blank=True, default="")
    created = models.DateTimeField()
    last_seen = models.DateTimeField()
    refusal = models.CharField(max_length=20, blank=True, default="")

    class Meta:
        verbose_name = _("queue ticket")
        verbose_name_plural = _("queue tickets")
        indexes = (models.Index(fields=("tier", "created", "id"), name="ticket_in_order"),)

    def __str__(self) -> str:
        return f"{self.user_id} → {self.tier_id}"
