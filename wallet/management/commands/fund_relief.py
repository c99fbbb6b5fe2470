"""Fill the purse of relief, once in the life of a house."""

from typing import Any

from django.core.management.base import BaseCommand

from wallet import relief


class Command(BaseCommand):
    """Put RELIEF_FUND coins into `house:relief`; does nothing when that was done before."""

    help = "Fill the purse of relief, once."

    def handle(self, *args: Any, **options: Any) -> None:
        if relief.fund():
            self.stdout.write("the purse of relief is filled")
