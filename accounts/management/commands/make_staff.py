"""`manage.py make_staff`: the first member of staff, with a password that is shown once."""

import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from django.db import transaction


class Command(BaseCommand):
    help = "Make the staff account 'admin' if there is none, and print its password this one time."

    def handle(self, *args: Any, **options: Any) -> None:
        users = get_user_model().objects
        if users.filter(username="admin").exists():
            return
        password = secrets.token_urlsafe(12)
        with transaction.atomic():
            users.create_superuser(username="admin", password=password)
        self.stdout.write(f"Staff account made: admin, password {password} (shown only now)")
