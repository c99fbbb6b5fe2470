"""A sweeper in a process of its own, in place of Celery's worker and beat: `python -m tests.faults.sweeper`."""

import time

import django


def main() -> None:
    """Sweep each second until killed."""
    django.setup()
    from django.db import close_old_connections

    from games import tasks

    while True:
        close_old_connections()
        tasks.sweep_once()
        time.sleep(1)


if __name__ == "__main__":
    main()
