"""The app of the rule pages."""

from django.apps import AppConfig


class RulebookConfig(AppConfig):
    """What each game's rules are, in words, cards and reckoned examples."""

    name = "rulebook"
