"""People: who they are and how they like their table. Knows no wallet and no game."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.names import KEY_LENGTH, MAX_LENGTH, name_key, normalise, validate_name

if TYPE_CHECKING:
    _CharField = models.CharField[str, str]
else:
    _CharField = models.CharField


class NameKeyField(_CharField):
    """Holds what two names are compared by; always computed from the name, never given."""

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        key = name_key(model_instance.username)  # type: ignore[attr-defined]
        setattr(model_instance, self.attname, key)
        return key


class PlayerManager(UserManager["User"]):
    """Finds people by their name, however it was typed."""

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(username_key=name_key(username or ""))


class User(AbstractUser):
    """A player or a member of staff; `username` is the name shown at the table.

    `access_version` is raised by whatever must close open sockets (ban, log-out, password change); each
    server process re-reads it for its users every few seconds. It only ever goes up, and only in the
    database: saving a user never writes it.
    """

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        SIMPLIFIED = "zh-hans", "简体中文"
        TRADITIONAL = "zh-hant", "繁體中文"

    class Theme(models.TextChoices):
        SYSTEM = "", _("As the system")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    class Deck(models.TextChoices):
        TWO = "2", _("Two colours")
        FOUR = "4", _("Four colours")

    class HandSort(models.TextChoices):
        RANK = "rank", _("By rank")
        SUIT = "suit", _("By suit")

    username = models.CharField(
        _("name"),
        max_length=MAX_LENGTH,
        unique=True,
        validators=[validate_name],
        error_messages={"unique": _("This name is taken.")},
    )
    username_key = NameKeyField(
        max_length=KEY_LENGTH,
        unique=True,
        editable=False,
        error_messages={"unique": _("This name is taken.")},
    )
    access_version = models.PositiveIntegerField(default=0, editable=False)

    language = models.CharField(_("language"), max_length=8, choices=Language.choices, blank=True, default="")
    theme = models.CharField(_("light or dark"), max_length=5, choices=Theme.choices, blank=True, default="")
    deck = models.CharField(_("deck"), max_length=1, choices=Deck.choices, default=Deck.TWO)
    sounds = models.BooleanField(_("sounds"), default=True)
    hand_sort = models.CharField(
        _("order of the hand"), max_length=4, choices=HandSort.choices, default=HandSort.RANK
    )

    objects: ClassVar[PlayerManager] = PlayerManager()

    @classmethod
    def normalize_username(cls, username: str) -> str:
        return normalise(username)

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> "User":
        user = super().from_db(*args, **kwargs)
        user._was_active = user.__dict__.get("is_active", False)
        return user

    _was_active = False

    def clean(self) -> None:
        super().clean()
        self.username_key = name_key(self.username)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, and all that follows, in one transaction; a new password or a ban closes open sockets."""
        creates = self._state.adding
        closes = not creates and (
            getattr(self, "_password", None) is not None or (self._was_active and not self.is_active)
        )
        if not creates:
            kwargs["update_fields"] = self._saved_fields(kwargs.get("update_fields"))
        with transaction.atomic(using=kwargs.get("using")):
            super().save(*args, **kwargs)
            if closes:
                self.raise_access_version()
        self._was_active = self.is_active

    save.alters_data = True  # type: ignore[attr-defined]

    def raise_access_version(self) -> None:
        """Close this person's open sockets within seconds; those that may come back do so by themselves."""
        type(self).objects.filter(pk=self.pk).update(access_version=models.F("access_version") + 1)
        self.refresh_from_db(fields=["access_version"])

    def _saved_fields(self, asked: Iterable[str] | None) -> set[str]:
        if asked is None:
            every = {field.name for field in self._meta.concrete_fields if not field.primary_key}
            asked = every - self.get_deferred_fields()
        fields = set(asked) - {"access_version"}
        return fields | {"username_key"} if "username" in fields else fields


class Restriction(models.Model):
    """What somebody may not do for a while, and why; a warning forbids nothing."""

    class Kind(models.TextChoices):
        WARNING = "warning", _("Warning")
        MUTE = "mute", _("Mute")
        SUSPENSION = "suspension", _("Suspension")
        BAN = "ban", _("Ban")

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="restrictions")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    cause = models.CharField(_("cause"), max_length=20)
    reference = models.CharField(_("reference"), max_length=60)
    begins = models.DateTimeField(_("from"), default=timezone.now)
    ends = models.DateTimeField(_("until"), null=True, blank=True)
    lifted = models.DateTimeField(_("lifted"), null=True, blank=True)

    class Meta:
        verbose_name = _("restriction")
        verbose_name_plural = _("restrictions")
        constraints = (models.UniqueConstraint(fields=("user", "kind", "reference"), name="restricted_once"),)
        indexes = (
            models.Index(fields=("user", "kind"), condition=models.Q(lifted__isnull=True), name="restricted"),
        )

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}"


class Device(models.Model):
    """A keyed mark of a network or device somebody came from (`accounts.devices`), never the address itself."""

    class Kind(models.TextChoices):
        NETWORK = "network", _("Network")
        DEVICE = "device", _("Device")

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="devices")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    mark = models.CharField(_("mark"), max_length=64)
    first_seen = models.DateTimeField(_("first seen"))
    last_seen = models.DateTimeField(_("last seen"))

    class Meta:
        verbose_name = _("device")
        verbose_name_plural = _("devices")
        constraints = (models.UniqueConstraint(fields=("user", "mark"), name="device_once"),)
        indexes = (models.Index(fields=("last_seen",), name="device_by_age"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.kind}"
