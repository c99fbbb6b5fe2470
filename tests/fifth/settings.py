"""Settings of `make run`, and the fifth game."""

from config.settings.dev import *  # noqa: F403
from config.settings.dev import INSTALLED_APPS as HOUSE

INSTALLED_APPS = [*HOUSE, "tests.fifth.apps.FifthConfig"]
