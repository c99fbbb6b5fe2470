"""What must be done before the single process can serve: tables up to date, tiers and staff in place, clocks set.

Every start does it again, so each step is quick when there is nothing to do.
"""

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from games import service_time


def prepare() -> None:
    """Migrate if anything is unapplied, run START_COMMANDS, give back the time in which nobody was served."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
    for command in settings.START_COMMANDS:
        call_command(command)
    service_time.resume()
    connection.close()
