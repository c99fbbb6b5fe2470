"""Questions about people, for the apps above."""

from collections.abc import Collection
from typing import NamedTuple

from allauth.account.models import EmailAddress
from django.db.models import QuerySet

from accounts.models import User
from accounts.names import name_key


class Access(NamedTuple):
    """What a socket needs to know of its person: the version it was opened under, and whether he may play."""

    version: int
    may_play: bool


def access(user_ids: Collection[int]) -> dict[int, Access]:
    """Return each person's access in one query; an id that is nobody's is left out."""
    if not user_ids:
        return {}
    rows = User.objects.filter(pk__in=user_ids).values_list("pk", "access_version", "is_active")
    return {user_id: Access(version, may_play) for user_id, version, may_play in rows}


def names(user_ids: Collection[int]) -> dict[int, str]:
    """Return the shown name of each person in one query."""
    return dict(User.objects.filter(pk__in=user_ids).values_list("pk", "username")) if user_ids else {}


def users(user_ids: Collection[int]) -> dict[int, User]:
    """Return those people who may play, by id, in one query."""
    return User.objects.filter(is_active=True).in_bulk(list(user_ids)) if user_ids else {}


def row_of(user_id: int) -> QuerySet[User]:
    """Return the row of a person, for a query that asks more about him at once."""
    return User.objects.filter(pk=user_id)


def by_name(name: str) -> User | None:
    """Return the person of a name, however it was typed; None for nobody, and for who may not play."""
    return User.objects.filter(username_key=name_key(name), is_active=True).first()


def is_name_taken(name: str) -> bool:
    """Return whether somebody bears `name`, or one that reads like it."""
    return User.objects.filter(username_key=name_key(name)).exists()


def has_confirmed(user: User, email: str) -> bool:
    """Return whether somebody has confirmed that this mail address is his."""
    return bool(EmailAddress.objects.filter(user=user, email=email.lower(), verified=True).exists())


def confirmed_email(user: User) -> str | None:
    """Return the mail address somebody has confirmed, or None."""
    found = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary")
    email: str | None = found.values_list("email", flat=True).first()
    return email
