"""Pages of the second factor: setting it up, passing it, its recovery codes. For staff alone."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal.auth import clear_totp_secret
from django import forms
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import second_factor

View = Callable[[HttpRequest], HttpResponseBase]


def for_staff(view: View) -> View:
    """Show a page to staff that is signed in; for others there is none."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponseBase:
        user: Any = request.user
        if not (user.is_staff or user.is_superuser):
            raise Http404
        return view(request)

    return never_cache(login_required(guarded))


def _code_field(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}
        ),
    )


class SetUpForm(ActivateTOTPForm):  # type: ignore[misc]
    """The first code of a new authenticator; the secret waits in the session."""

    code = _code_field(_("The six digits it shows"))


class PassForm(AuthenticateForm):  # type: ignore[misc]
    """A code of the authenticator, or a recovery code."""

    code = _code_field(_("Code of your authenticator, or a recovery code"))


@for_staff
@require_http_methods(["GET", "POST"])
def set_up(request: HttpRequest) -> HttpResponseBase:
    """Show a secret as a QR code and keep it once its first code was typed in. Who has one passes it first."""
    if second_factor.is_set_up(request.user) and not second_factor.has_passed(request):
        return redirect(
            f"{reverse('accounts:second_factor')}?next={reverse('accounts:set_up_second_factor')}"
        )
    form = SetUpForm(request.POST if request.method == "POST" else None, user=request.user)
    if request.method == "POST" and form.is_valid():
        second_factor.set_up(request, form.secret)
        clear_totp_secret(request)
        return redirect(_with_next("accounts:recovery_codes", request))
    svg = second_factor.drawing(request.user, form.secret)
    context = {
        "form": form,
        "secret": " ".join(form.secret[n : n + 4] for n in range(0, len(form.secret), 4)),
        "drawing": "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode(),
        "next": _next(request),
    }
    return render(request, "accounts/second_factor_set_up.html", context)


@for_staff
@require_http_methods(["GET", "POST"])
def prove(request: HttpRequest) -> HttpResponseBase:
    """Ask for a code, once a session; failures are counted."""
    if not second_factor.is_set_up(request.user):
        return redirect(_with_next("accounts:set_up_second_factor", request))
    form = PassForm(request.POST if request.method == "POST" else None, user=request.user)
    if request.method == "POST" and form.is_valid():
        form.save()
        return redirect(_next(request))
    return render(request, "accounts/second_factor.html", {"form": form, "next": _next(request)})


@for_staff
@require_http_methods(["GET", "POST"])
def codes(request: HttpRequest) -> HttpResponseBase:
    """Show the recovery codes that are left; a POST makes new ones."""
    if not second_factor.has_passed(request):
        return redirect(f"{reverse('accounts:second_factor')}?next={reverse('accounts:recovery_codes')}")
    if request.method == "POST":
        second_factor.renew_codes(request.user)
        return redirect(_with_next("accounts:recovery_codes", request))
    context = {"codes": second_factor.recovery_codes(request.user), "next": _next(request)}
    answer: HttpResponse = render(request, "accounts/recovery_codes.html", context)
    return answer


def _next(request: HttpRequest) -> str:
    """Return where somebody wanted to go: a page of ours, or the desk."""
    asked = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME, "")
    ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return asked if asked and ours else reverse("admin:index")


def _with_next(name: str, request: HttpRequest) -> str:
    return f"{reverse(name)}?{urlencode({REDIRECT_FIELD_NAME: _next(request)})}"
