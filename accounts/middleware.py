"""What is done with every request: the language of its account, and where it comes from."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin

from accounts import devices
from accounts.devices import Origin

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class AccountLanguageMiddleware(MiddlewareMixin):
    """Speaks the account's language to somebody signed in; others keep that of their cookie or browser.

    Stands behind AuthenticationMiddleware and LocaleMiddleware.
    """

    def process_request(self, request: HttpRequest) -> None:
        language = getattr(request.user, "language", "")
        if language and language in dict(settings.LANGUAGES):
            translation.activate(language)
            request.LANGUAGE_CODE = language


class DeviceMiddleware(MiddlewareMixin):
    """Gives a browser its name for good, in a signed cookie, and writes down where people come from who do something.

    `request.origin` is where a request comes from. Signing in is noted by `accounts.receivers`, sockets by
    `config.sockets`. Stands behind AuthenticationMiddleware.
    """

    def process_request(self, request: HttpRequest) -> None:
        origin = devices.origin_of_request(request)
        if not origin.device:
            origin = Origin(origin.network, devices.new_name())
        request.origin = origin  # type: ignore[attr-defined]
        if request.method not in SAFE and request.user.is_authenticated:
            devices.note(user_id=request.user.pk, origin=origin)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        user = getattr(request, "user", None)
        if user is None or not user.is_authenticated or "public" in response.get("Cache-Control", ""):
            return response
        if not devices.named(request.COOKIES.get(devices.COOKIE, "")):
            response.set_cookie(
                devices.COOKIE,
                devices.signed(request.origin.device),  # type: ignore[attr-defined]
                max_age=devices.COOKIE_S,
                secure=request.is_secure(),
                httponly=True,
                samesite="Lax",
            )
        return response
