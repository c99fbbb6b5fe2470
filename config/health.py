"""/healthz: can this process reach its database, and how old is the last sweep."""

from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils.module_loading import import_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when the database answers, else 503; the sweep's age is told for whoever watches it."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
        age = _sweep_age()
    except DatabaseError:
        return JsonResponse({"database": "unreachable", "sweep_age_s": None}, status=503)
    return JsonResponse({"database": "ok", "sweep_age_s": age})


def _sweep_age() -> float | None:
    if settings.SWEEP_AGE is None:
        return None
    age: Callable[[], float | None] = import_string(settings.SWEEP_AGE)
    return age()
