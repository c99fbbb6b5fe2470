"""Signing in by name, however the name was typed."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest

from accounts.models import User
from accounts.names import name_key


class NameBackend(AuthenticationBackend):  # type: ignore[misc]
    """Looks the name up by its key, which knows case and width of every script; the databases do not."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> AbstractBaseUser | None:
        typed = credentials.get("username")
        if typed:
            borne = (
                User.objects.filter(username_key=name_key(typed)).values_list("username", flat=True).first()
            )
            credentials["username"] = borne or typed
        user: AbstractBaseUser | None = super().authenticate(request, **credentials)
        return user
