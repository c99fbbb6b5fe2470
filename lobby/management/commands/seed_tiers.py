"""`manage.py seed_tiers`: open the tiers a new house begins with."""

from typing import Any

from django.core.management.base import BaseCommand

from lobby import seeds


class Command(BaseCommand):
    help = "Create the seeded tiers that are missing; tiers that exist are left as they are."

    def handle(self, *args: Any, **options: Any) -> None:
        made = seeds.seed_tiers()
        self.stdout.write(f"created {', '.join(made)}" if made else "all seeded tiers are there")
