"""Complaints, the cases they are joined in, frozen evidence, verdicts, and the answers to those concerned.

A case is about people at one table: deals that the same people played at the same seats. Evidence and the log of the
staff's acts are append-only, by triggers. A verdict is final once it is confirmed; that it was carried out is noted
on it in the transaction that moves the coins.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """What can be complained of (RULES §3)."""

    COLLUSION = "collusion", _("Collusion")
    COACHING = "coaching", _("Coaching")
    REVEAL = "reveal", _("Revealing cards")
    SPOILING = "spoiling", _("Spoiling the game")
    ABUSE = "abuse", _("Abuse in the talk")


class Case(models.Model):
    """Complaints about the same people and deals: looked at once, decided once, appealed once."""

    class Status(models.TextChoices):
        OPEN = "open", _("Waiting")
        TAKEN = "taken", _("In hand")
        PROPOSED = "proposed", _("Waits for a second person")
        DECIDED = "decided", _("Decided")
        APPEALED = "appealed", _("Appealed")
        CLOSED = "closed", _("Closed")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    table = models.ForeignKey(
        "games.Table", on_delete=models.PROTECT, related_name="+", verbose_name=_("table")
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    deals = models.ManyToManyField("games.Deal", related_name="cases", verbose_name=_("deals"))
    accused = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="accused_in", verbose_name=_("accused")
    )
    key = models.CharField(max_length=64, db_index=True, editable=False)
    """Of table, accused and deals: complaints with the same key join the case while it is undecided."""
    status = models.CharField(_("state"), max_length=9, choices=Status, default=Status.OPEN)
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="cases_taken",
        verbose_name=_("taken by"),
    )
    created = models.DateTimeField(_("filed"), default=timezone.now)

    class Meta:
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        constraints = (
            models.UniqueConstraint(
                fields=("key",),
                condition=Q(status__in=("open", "taken", "proposed")),
                name="one_undecided_case_of_a_key",
            ),
        )
        indexes = (models.Index(fields=("status", "created"), name="case_queue"),)

    def __str__(self) -> str:
        return f"#{self.pk}"

    @property
    def is_undecided(self) -> bool:
        """Say whether complaints may still join it."""
        return self.status in (self.Status.OPEN, self.Status.TAKEN, self.Status.PROPOSED)


class Complaint(models.Model):
    """What one player says of others, with the fee he paid for it."""

    class Status(models.TextChoices):
        OPEN = "open", _("Waiting")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        UPHELD = "upheld", _("Upheld")
        REJECTED = "rejected", _("Rejected")

    case = models.ForeignKey(
        Case, on_delete=models.PROTECT, related_name="complaints", verbose_name=_("case")
    )
    complainant = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="complaints",
        verbose_name=_("complainant"),
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    text = models.TextField(_("what happened"))
    fee = models.BigIntegerField(_("fee"), default=0)
    status = models.CharField(_("state"), max_length=9, choices=Status, default=Status.OPEN)
    created = models.DateTimeField(_("filed"), default=timezone.now)

    class Meta:
        verbose_name = _("complaint")
        verbose_name_plural = _("complaints")
        constraints = (
            models.UniqueConstraint(
                fields=("case", "complainant", "kind"),
                condition=~Q(status="withdrawn"),
                name="one_complaint_a_person_and_kind",
            ),
        )
        indexes = (models.Index(fields=("complainant", "-id"), name="complaint_by_person"),)

    def __str__(self) -> str:
        return f"#{self.pk}"

    @property
    def reference(self) -> str:
        """How the ledger calls it."""
        return f"complaint:{self.pk}"


class OpenComplaint(models.Model):
    """Who complains of what in which deal while it is undecided: once, however often he clicks."""

    complaint = models.ForeignKey(Complaint, on_delete=models.CASCADE, related_name="open")
    complainant = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    deal = models.ForeignKey("games.Deal", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("complainant", "deal", "kind"), name="one_open_complaint"),
        )

    def __str__(self) -> str:
        return f"{self.complaint_id}: {self.deal_id}"


class Evidence(models.Model):
    """What the house knew of one deal when it was complained of: exact text, and its SHA-256."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="evidence")
    deal = models.ForeignKey("games.Deal", on_delete=models.PROTECT, related_name="+")
    body = models.TextField()
    digest = models.CharField(max_length=64)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("evidence")
        verbose_name_plural = _("evidence")
        constraints = (models.UniqueConstraint(fields=("case", "deal"), name="evidence_once"),)

    def __str__(self) -> str:
        return f"{self.case_id}: {self.deal_id}"


class Verdict(models.Model):
    """What was decided of a case: number 1, and after an appeal number 2, which is final."""

    class Outcome(models.TextChoices):
        UPHELD = "upheld", _("Upheld")
        REJECTED = "rejected", _("Rejected")

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="verdicts", verbose_name=_("case"))
    number = models.PositiveSmallIntegerField(default=1)
    outcome = models.CharField(_("outcome"), max_length=8, choices=Outcome)
    kind = models.CharField(_("upheld as"), max_length=10, choices=Kind)
    offenders = models.JSONField(_("offenders"), default=list)
    """User ids, in the order in which they are named: the first owes odd coins."""
    deals = models.JSONField(_("deals"), default=list)
    restrictions = models.JSONField(_("restrictions"), default=list)
    """[{"user": id, "kind": "mute", "days": 3 or null}, …]"""
    text = models.CharField(_("prepared text"), max_length=40)
    reasons = models.TextField(_("reasons"), help_text=_("For the staff; nobody else reads them."))
    moves = models.JSONField(_("what moves"), default=list)
    """What the engine reckoned when it was decided, person by person (`deciding.Move`)."""
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", verbose_name=_("decided by")
    )
    decided = models.DateTimeField(_("decided"), default=timezone.now)
    needs_second = models.BooleanField(_("needs a second person"), default=False)
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        verbose_name=_("confirmed by"),
    )
    final = models.DateTimeField(_("final"), null=True, blank=True)
    """When it was said to those concerned; until then it can be taken back."""
    carried_out = models.DateTimeField(_("carried out"), null=True, blank=True)
    undone = models.DateTimeField(_("reversed"), null=True, blank=True)

    class Meta:
        verbose_name = _("verdict")
        verbose_name_plural = _("verdicts")
        constraints = (models.UniqueConstraint(fields=("case", "number"), name="one_verdict_a_number"),)
        indexes = (
            models.Index(
                fields=("final",),
                condition=Q(carried_out__isnull=True, final__isnull=False),
                name="verdict_to_carry_out",
            ),
        )

    def __str__(self) -> str:
        return f"{self.case} / {self.number}"

    @property
    def reference(self) -> str:
        """How ledger, points and restrictions call it."""
        return f"verdict:{self.pk}"


class Appeal(models.Model):
    """The one appeal against the first verdict of a case."""

    case = models.OneToOneField(Case, on_delete=models.PROTECT, related_name="appeal")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="appeals")
    text = models.TextField(_("why"))
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("appeal")
        verbose_name_plural = _("appeals")

    def __str__(self) -> str:
        return f"{self.case_id}"


class Notice(models.Model):
    """Something a player should know of a case he has a part in; said in his language when he reads it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=30)
    data = models.JSONField(default=dict)
    created = models.DateTimeField(default=timezone.now)
    read = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        constraints = (models.UniqueConstraint(fields=("user", "case", "kind"), name="one_notice_a_kind"),)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind}"


class Question(models.Model):
    """What the staff asked somebody concerned, and what he answered."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="questions")
    to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    answer = models.TextField(blank=True, default="")
    asked = models.DateTimeField(default=timezone.now)
    answered = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.case_id} → {self.to_id}"


class StaffAct(models.Model):
    """What a member of staff did, for ever: cases, tables, tiers, corrections."""

    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    act = models.CharField(_("what"), max_length=40)
    subject = models.CharField(_("of what"), max_length=120)
    data = models.JSONField(default=dict)
    created = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("act of the staff")
        verbose_name_plural = _("staff log")
        indexes = (models.Index(fields=("subject", "-id"), name="staff_act_of"),)

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"
