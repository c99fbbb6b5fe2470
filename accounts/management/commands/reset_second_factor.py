"""`manage.py reset_second_factor NAME`: takes the second factor away from somebody of the staff who has lost it."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts import second_factor
from accounts.names import name_key


class Command(BaseCommand):
    help = "Take somebody's second factor away; he sets up a new one when he next opens the desk."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the account")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user_model().objects.filter(username_key=name_key(options["name"])).first()
        if user is None:
            raise CommandError(f"there is no account called {options['name']}")
        if not second_factor.take_away(user):
            raise CommandError(f"{user} has no second factor")
        self.stdout.write(f"{user} has no second factor any more.")
