"""What follows from signing in, where somebody came from is noted, and out, his sockets close."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver

from accounts import devices, services
from accounts.models import User


@receiver(user_logged_out, dispatch_uid="accounts.close_access")
def close_sockets_on_log_out(sender: object, user: User | None, **_: Any) -> None:
    """Close all sockets: nobody can tell which belonged to the session that ended; the others come back."""
    if user is not None:
        services.close_access(user_id=user.pk)


@receiver(user_logged_in, dispatch_uid="accounts.note_origin")
def note_origin(sender: object, request: Any, user: User, **_: Any) -> None:
    """Write down where somebody signed in, or up, from."""
    origin = getattr(request, "origin", None)
    if origin is not None:
        devices.note(user_id=user.pk, origin=origin)
