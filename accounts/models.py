"""People: who they are and how they like their table. Knows no wallet and no game."""

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A player or a member of staff.

    `access_version` is raised by whatever must close open sockets (ban, log-out, password change); each server
    process re-reads it for its users every few seconds.
    """

    class Language(models.TextChoices):
        ENGLISH = "en", "English"
        SIMPLIFIED = "zh-hans", "简体中文"
        TRADITIONAL = "zh-hant", "繁體中文"

    access_version = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=8, choices=Language.choices, blank=True, default="")
