"""`manage.py make_groups`: the house's sets of rights for its staff, made or put right."""

from typing import Any

from django.core.management.base import BaseCommand

from games.complaints import groups


class Command(BaseCommand):
    help = "Make the groups support, floor and finance, and give them exactly their rights."

    def handle(self, *args: Any, **options: Any) -> None:
        for name in groups.make():
            self.stdout.write(f"Group {name}: {len(groups.GROUPS[name])} rights")
