"""App configuration of lobby."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LobbyConfig(AppConfig):
    name = "lobby"
    verbose_name = _("Rooms")

    def ready(self) -> None:
        """Keep the staff's log append-only; give every new account its wallet."""
        from wallet import triggers

        triggers.guard_append_only("admin.LogEntry")
        from lobby import receivers  # noqa: F401
