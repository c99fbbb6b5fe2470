"""Pages of the account beside allauth's: preferences and the language switch."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts import selectors, services
from accounts.forms import PreferencesForm
from accounts.models import User


@login_required
@require_http_methods(["GET", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """Show and keep the preferences."""
    user = _person(request)
    form = PreferencesForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        services.save_preferences(user=user, **form.cleaned_data)
        with translation.override(user.language or translation.get_language()):
            messages.success(request, gettext("Your preferences are saved."))
        return redirect("accounts:preferences")
    context = {"form": form, "email": selectors.confirmed_email(user)}
    return render(request, "accounts/preferences.html", context)


@login_required
@require_POST
def set_preference(request: HttpRequest) -> HttpResponse:
    """Keep the few preferences that a switch on a page sends (`theme=dark`); 204, or 400 for no choice."""
    changes: dict[str, str | bool] = {
        name: request.POST[name]
        for name in ("theme", "deck", "hand_sort", "language")
        if name in request.POST
    }
    if "sounds" in request.POST:
        changes["sounds"] = request.POST["sounds"] in ("1", "true", "on")
    try:
        services.save_preferences(user=_person(request), **changes)  # type: ignore[arg-type]
    except ValidationError as error:
        return HttpResponseBadRequest("; ".join(error.messages), content_type="text/plain")
    return HttpResponse(status=204)


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Speak `language` from now on, in this browser and, when signed in, for this account; back to `next`."""
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        return HttpResponseBadRequest("language: not one of ours", content_type="text/plain")
    if request.user.is_authenticated:
        services.save_preferences(user=_person(request), language=language)
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure()):
        target = "/"
    response = redirect(target)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=365 * 24 * 3600,
        samesite="Lax",
        secure=request.is_secure(),
    )
    return response


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
