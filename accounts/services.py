"""What can be done with an account."""

from typing import TypedDict, Unpack

from django.db import transaction

from accounts.models import User


class Preferences(TypedDict, total=False):
    """How somebody likes his table; only what is given changes."""

    language: str
    theme: str
    deck: str
    sounds: bool
    hand_sort: str


def close_access(*, user_id: int) -> None:
    """Close the open sockets of one person within seconds, on every device; signed-in devices come back."""
    user = User.objects.only("pk").filter(pk=user_id).first()
    if user is not None:
        user.raise_access_version()


@transaction.atomic
def ban(*, user: User) -> None:
    """Take away the right to sign in and to play; open sockets close."""
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.is_active = False
    user.raise_access_version()


def lift_ban(*, user: User) -> None:
    """Give the right to sign in and to play back."""
    User.objects.filter(pk=user.pk).update(is_active=True)
    user.is_active = True


def save_preferences(*, user: User, **changes: Unpack[Preferences]) -> None:
    """Keep what is given of the preferences. Raises ValidationError for a value that is no choice."""
    unknown = set(changes) - set(Preferences.__annotations__)
    if unknown:
        raise TypeError(f"not a preference: {', '.join(sorted(unknown))}")
    if not changes:
        return
    for name, value in changes.items():
        setattr(user, name, value)
    user.clean_fields(exclude={field.name for field in user._meta.fields} - set(changes))
    user.save(update_fields=list(changes))
