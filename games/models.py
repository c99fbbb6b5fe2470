"""What the database keeps of tables: the log, and rows read from it.

The log (`TableEvent`) is the only truth about a table. `Table.seq`, `Table.deadline`, `Seat` and `Deal` are written in
the transaction that appends the events they follow from; any of them could be made anew from the log. `TableEvent`
and `SeatResult` are append-only, by triggers. Times named `…_ms` are service time (see `service_time`).
"""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Table(models.Model):
    """One table. `terms` are frozen when it opens; `seq` is the number of its newest event."""

    class Status(models.TextChoices):
        OPEN = "open", _("Open")
        PLAYING = "playing", _("Playing")
        CLOSED = "closed", _("Closed")

    code = models.CharField(max_length=8, unique=True)
    tier = models.CharField(max_length=40)
    ruleset = models.CharField(max_length=40)
    terms = models.JSONField()
    format = models.PositiveSmallIntegerField()
    seq = models.PositiveIntegerField(default=0)
    opening_seq = models.PositiveIntegerField(default=1, help_text=_("Loading starts at this event."))
    deadline = models.BigIntegerField(
        null=True, help_text=_("Service time in ms at which a tick has work here.")
    )
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("table")
        verbose_name_plural = _("tables")
        indexes = [
            models.Index(fields=["deadline"], name="table_due", condition=models.Q(deadline__isnull=False)),
            models.Index(fields=["tier", "status"], name="table_by_tier"),
        ]

    def __str__(self) -> str:
        return self.code


class Seat(models.Model):
    """A person's seat at a table that is not closed. One per user, by constraint."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="seats")
    index = models.PositiveSmallIntegerField()
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="seat")
    taken_ms = models.BigIntegerField()

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        constraints = [models.UniqueConstraint(fields=["table", "index"], name="one_person_a_seat")]

    def __str__(self) -> str:
        return f"{self.table_id}/{self.index}"


class Deal(models.Model):
    """One deal of a table, from its opening event to its closing event."""

    class How(models.TextChoices):
        LIVE = "", _("live")
        OVER = "over", _("played out")
        ESCAPED = "escaped", _("escaped")
        VOID = "void", _("void")
        REDEAL = "redeal", _("dealt again")

    id = models.CharField(primary_key=True, max_length=32)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="deals")
    number = models.PositiveIntegerField()
    ruleset = models.CharField(max_length=40)
    rules_version = models.PositiveSmallIntegerField()
    opened_seq = models.PositiveIntegerField()
    closed_seq = models.PositiveIntegerField(null=True)
    how = models.CharField(max_length=8, choices=How, default=How.LIVE, blank=True)
    opened = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("deal")
        verbose_name_plural = _("deals")
        constraints = [models.UniqueConstraint(fields=["table", "number"], name="one_deal_a_number")]

    def __str__(self) -> str:
        return self.id


class DealSecret(models.Model):
    """The encrypted seed of a deal, made before the deal and opened by `dealing` alone."""

    deal_id = models.CharField(primary_key=True, max_length=32)
    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="+")
    commitment = models.CharField(max_length=64)
    sealed = models.BinaryField()

    def __str__(self) -> str:
        return self.deal_id


class TableEvent(models.Model):
    """One event of a table's log. `body` is the exact JSON that the digest chain covers."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="events")
    seq = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    body = models.TextField()
    digest = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = _("table event")
        verbose_name_plural = _("table events")
        constraints = [models.UniqueConstraint(fields=["table", "seq"], name="one_event_a_number")]

    def __str__(self) -> str:
        return f"{self.table_id}#{self.seq} {self.kind}"


class SeatResult(models.Model):
    """What one seat of one deal won or lost. The append-only ledger of points; `net` is in coins."""

    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="results")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="results"
    )
    points = models.BigIntegerField()
    net = models.BigIntegerField()
    outcome = models.CharField(max_length=8)
    reversal_of = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="reversal")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("seat result")
        verbose_name_plural = _("seat results")
        constraints = [
            models.UniqueConstraint(
                fields=["deal", "seat"],
                condition=models.Q(reversal_of__isnull=True),
                name="one_result_a_seat",
            )
        ]
        indexes = [models.Index(fields=["user", "-id"], name="result_by_user")]

    def __str__(self) -> str:
        return f"{self.deal_id}/{self.seat}"


class PlayerRecord(models.Model):
    """The running sums of a player's `SeatResult` rows in one rule set."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="records")
    ruleset = models.CharField(max_length=40)
    points = models.BigIntegerField(default=0)
    deals = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    escapes = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("player record")
        verbose_name_plural = _("player records")
        constraints = [models.UniqueConstraint(fields=["user", "ruleset"], name="one_record_a_ruleset")]
        indexes = [models.Index(fields=["ruleset", "-points"], name="record_by_points")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.ruleset}"


class ServerProcess(models.Model):
    """A process that holds sockets; it renews `beat_ms` every 10 s, 30 s without and its connections are lost."""

    id = models.UUIDField(primary_key=True)
    beat_ms = models.BigIntegerField()

    def __str__(self) -> str:
        return str(self.id)


class Connection(models.Model):
    """A socket of a user at a table; `closed_ms` is set when it ends."""

    process = models.ForeignKey(ServerProcess, on_delete=models.CASCADE, related_name="connections")
    table = models.ForeignKey(Table, on_delete=models.CASCADE, related_name="connections")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    opened_ms = models.BigIntegerField()
    closed_ms = models.BigIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["table", "user"], name="connection_by_seat")]

    def __str__(self) -> str:
        return f"{self.user_id}@{self.table_id}"


class ServiceClock(models.Model):
    """The single row that turns wall time into service time: wall − offset, standing still while nobody beats it."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    offset_ms = models.BigIntegerField(default=0)
    beat_ms = models.BigIntegerField(default=0, help_text=_("Wall time of the last beat, in ms."))

    def __str__(self) -> str:
        return f"{self.offset_ms}"
