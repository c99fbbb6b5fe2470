"""App configuration of lobby."""

from django.apps import AppConfig


class LobbyConfig(AppConfig):
    name = "lobby"

    def ready(self) -> None:
        from lobby import receivers  # noqa: F401
