"""Registers the fifth game in whatever process has this app installed."""

from django.apps import AppConfig


class FifthConfig(AppConfig):
    """The one line a new rule set takes."""

    name = "tests.fifth"

    def ready(self) -> None:
        """Have the engine know it."""
        from games.engine import rulesets
        from tests.fifth.game import FIFTH

        rulesets.register(FIFTH)
