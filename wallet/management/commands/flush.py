"""Django's flush, which the guards would refuse: they step aside for it and stand again after it."""

from typing import Any

from django.core.management.commands.flush import Command as Flush
from django.db import connections

from wallet import triggers
from wallet.apps import open_system_wallets


class Command(Flush):
    """Empty all tables. Tests that commit are cleaned up by this; nobody else has a reason to run it."""

    def handle(self, **options: Any) -> None:
        """Drop the guards where they refuse it, flush, and put them and the house's wallets back."""
        connection = connections[options["database"]]
        triggers.before_migrations(using=connection.alias)
        try:
            super().handle(**options)
        finally:
            triggers.install(connection)
            open_system_wallets(using=connection.alias)
