"""What must be done before a house can serve: tables up to date, tiers and staff in place, clocks set.

The single process does it at every start, `make stack` by `python -m config.prepare`, so each step is quick when there
is nothing to do.
"""

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def prepare() -> None:
    """Migrate if anything is unapplied, run START_COMMANDS, give back the time in which nobody was served."""
    from games import service_time

    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
    for command in settings.START_COMMANDS:
        call_command(command)
    service_time.resume()
    connection.close()


if __name__ == "__main__":
    import django

    django.setup()
    prepare()
