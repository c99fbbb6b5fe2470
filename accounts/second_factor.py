"""The staff's second factor: a code of an authenticator application, or one of ten recovery codes.

Whoever is staff, superusers too, passes it once in a session before any page of the desk answers; who has none sets it
up first. Its secrets are sealed with the keys of the deals, which are in no database.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

METHOD = "mfa"
_Type = Authenticator.Type


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Our words, the name at the table in the application, and secrets sealed."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": _("That code is not right, or was used before. Wait for the next one."),
    }

    def get_totp_label(self, user: Any) -> str:
        return str(user.username)

    def get_totp_issuer(self) -> str:
        return "Paishe"

    def encrypt(self, text: str) -> str:
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _box().decrypt(encrypted_text.encode()).decode()


def _box() -> MultiFernet:
    """Return what seals: keys of its own, made from those of the deals, the newest first."""
    keys = [hashlib.sha256(f"second factor {key}".encode()).digest() for key in settings.DEAL_SECRET_KEYS]
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])


def is_set_up(user: Any) -> bool:
    """Say whether somebody has an authenticator."""
    return bool(Authenticator.objects.filter(user=user, type=_Type.TOTP).exists())


def has_passed(request: HttpRequest) -> bool:
    """Say whether this session has passed the second factor, by the authenticator that stands now."""
    user: Any = request.user
    passed = {
        record.get("id")
        for record in get_authentication_records(request, user)
        if record.get("method") == METHOD
    }
    return bool(passed and Authenticator.objects.filter(user=user, pk__in=passed).exists())


def drawing(user: Any, secret: str) -> str:
    """Return the QR code of a secret as an SVG."""
    adapter = get_mfa_adapter()
    svg: str = adapter.build_totp_svg(adapter.build_totp_url(user, secret))
    return svg


@transaction.atomic
def set_up(request: HttpRequest, secret: str) -> None:
    """Give whoever is signed in an authenticator and recovery codes; this session has passed."""
    user: Any = request.user
    get_user_model().objects.select_for_update().get(pk=user.pk)
    Authenticator.objects.filter(user=user).delete()
    made = TOTP.activate(user, secret).instance
    RecoveryCodes.activate(user)
    record_authentication(request, user, METHOD, id=made.pk, type=made.type)


def recovery_codes(user: Any) -> list[str]:
    """Return the recovery codes that somebody has not used yet."""
    kept = Authenticator.objects.filter(user=user, type=_Type.RECOVERY_CODES).first()
    codes: list[str] = kept.wrap().get_unused_codes() if kept is not None else []
    return codes


@transaction.atomic
def renew_codes(user: Any) -> None:
    """Replace somebody's recovery codes; the old ones are worth nothing from then on."""
    get_user_model().objects.select_for_update().get(pk=user.pk)
    Authenticator.objects.filter(user=user, type=_Type.RECOVERY_CODES).delete()
    RecoveryCodes.activate(user)


def take_away(user: Any) -> int:
    """Take somebody's second factor away, who has lost it; he sets up a new one. Return how many were taken."""
    return int(Authenticator.objects.filter(user=user).delete()[0])
