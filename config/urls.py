"""Where every page hangs."""

from django.contrib import admin
from django.urls import include, path

from accounts.views import set_language
from config.health import healthz
from config.metrics import metrics

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("language/", set_language, name="set_language"),
    path("", include("rulebook.urls")),
    path("", include("lobby.urls")),
    path("", include("games.urls")),
    path("", include("games.complaints.urls")),
]
