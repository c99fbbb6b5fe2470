"""Members of staff at the desk: signed in, with a second factor that this session has passed."""

import time
from typing import Any

from allauth.account.internal.userkit import user_id_to_str
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.test import Client

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
"""Of every authenticator of the tests."""


def give_authenticator(user: Any) -> Authenticator:
    """Give somebody an authenticator that has the tests' secret; the one he has, if he has one."""
    kept = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first()
    return kept or TOTP.activate(user, SECRET).instance


def code_now(later: int = 0) -> str:
    """Return the code that the authenticator shows now, or some half minutes later."""
    return format_hotp_value(hotp_value(SECRET, int(time.time()) // 30 + later))


def pass_gate(session: Any, user: Any) -> None:
    """Write into a session that its user has passed the second factor."""
    made = give_authenticator(user)
    session["account_authentication_methods"] = [
        {"method": "password", "at": time.time(), "username": user.username},
        {"method": "mfa", "at": time.time(), "id": made.pk, "type": made.type},
    ]
    session["account_authentication_methods_user"] = user_id_to_str(user)


def sign_in(user: Any, browser: Client | None = None) -> Client:
    """Return a browser in which somebody of the staff is at the desk."""
    browser = browser or Client()
    browser.force_login(user)
    session = browser.session
    pass_gate(session, user)
    session.save()
    return browser
