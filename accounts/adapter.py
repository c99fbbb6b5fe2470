"""Our manners at the door, where they differ from allauth's."""

from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from accounts import selectors
from accounts.models import User
from accounts.names import name_key, normalise, validate_name

logger = structlog.get_logger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Names by our rules; failed log-ins that never lock the owner out; mail in the language of the account."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_taken": _("This name is taken."),
        "username_password_mismatch": _("The name or the password is not right."),
        "email_taken": _("This address cannot be used here."),
        "duplicate_email": _("This is your address already."),
        "too_many_login_attempts": _("Too many attempts. Try again in a few minutes."),
    }

    def get_login_stages(self) -> list[str]:
        """Ask nobody for a second factor at the players' door: the desk has a gate of its own (`accounts.gate`)."""
        return [stage for stage in super().get_login_stages() if not stage.startswith("allauth.mfa.")]

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return the name as it will be stored. Raises ValidationError when it may not be one or is taken."""
        name = normalise(username)
        validate_name(name)
        if not shallow and selectors.is_name_taken(name):
            raise self.validation_error("username_taken")
        return name

    def save_user(
        self, request: HttpRequest, user: AbstractBaseUser, form: forms.BaseForm, commit: bool = True
    ) -> AbstractBaseUser:
        """Save a new account with the language and colours chosen before it; of two who ask for one name at the
        same moment, the later is told."""
        _take_over_choices(request, user)
        try:
            with transaction.atomic():
                saved: AbstractBaseUser = super().save_user(request, user, form, commit)
                return saved
        except IntegrityError:
            if not selectors.is_name_taken(form.cleaned_data["username"]):
                raise
            messages.error(request, str(self.error_messages["username_taken"]))
            raise ImmediateHttpResponse(redirect("account_signup")) from None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count failures by network address and name together: a stranger's failures are not the owner's."""
        return f"{self.get_client_ip(request)} {name_key(credentials.get('username') or '')}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail in the reader's language; a mail server that does not answer costs the page nothing."""
        language = getattr(context.get("user"), "language", "") or translation.get_language()
        try:
            with translation.override(language):
                super().send_mail(template_prefix, email, context)
        except OSError:
            logger.exception("mail_not_sent", template=template_prefix)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: AbstractBaseUser,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell somebody by mail what was changed in his account, if he has left an address.

        An address that was removed is told so itself: it may be its owner who did not do it.
        """
        email = email or (context or {}).get("deleted_email")
        super().send_notification_mail(template_prefix, user, {**(context or {}), "user": user}, email)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Lead back to the preferences."""
        return reverse("accounts:preferences")


def _take_over_choices(request: HttpRequest, user: AbstractBaseUser) -> None:
    """Give a new account what somebody has chosen in this browser: the language of the switch, and the colours."""
    assert isinstance(user, User)
    language = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    if language in User.Language.values:
        user.language = language
    theme = request.POST.get("theme", "")
    if theme in User.Theme.values:
        user.theme = theme
