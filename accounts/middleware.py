"""The language of the page is the language of the account."""

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.deprecation import MiddlewareMixin


class AccountLanguageMiddleware(MiddlewareMixin):
    """Speaks the account's language to somebody signed in; others keep that of their cookie or browser.

    Stands behind AuthenticationMiddleware and LocaleMiddleware.
    """

    def process_request(self, request: HttpRequest) -> None:
        language = getattr(request.user, "language", "")
        if language and language in dict(settings.LANGUAGES):
            translation.activate(language)
            request.LANGUAGE_CODE = language
