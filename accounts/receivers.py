"""What follows from signing out: the sockets of that person close."""

from typing import Any

from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver

from accounts import services
from accounts.models import User


@receiver(user_logged_out, dispatch_uid="accounts.close_access")
def close_sockets_on_log_out(sender: object, user: User | None, **_: Any) -> None:
    """Close all sockets: nobody can tell which belonged to the session that ended; the others come back."""
    if user is not None:
        services.close_access(user_id=user.pk)
