"""The gate in front of the desk: no page of it answers staff whose session has not passed the second factor."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from accounts import second_factor

OPEN = ("admin:login", "admin:logout", "admin:jsi18n")


class SecondFactorMiddleware(MiddlewareMixin):
    """Sends staff to set up or to pass the second factor; everybody else is left to the desk's own door.

    Stands behind AuthenticationMiddleware, allauth's AccountMiddleware, and whatever sets the language.
    """

    def process_request(self, request: HttpRequest) -> HttpResponseBase | None:
        desk = reverse("admin:index")
        if not settings.STAFF_SECOND_FACTOR or not request.path_info.startswith(desk):
            return None
        user: Any = request.user
        if not (user.is_authenticated and user.is_active and (user.is_staff or user.is_superuser)):
            return None
        if request.path_info in {reverse(name) for name in OPEN} or second_factor.has_passed(request):
            return None
        page = "accounts:second_factor" if second_factor.is_set_up(user) else "accounts:set_up_second_factor"
        back = request.get_full_path() if request.method in ("GET", "HEAD") else desk
        return HttpResponseRedirect(f"{reverse(page)}?{urlencode({REDIRECT_FIELD_NAME: back})}")
