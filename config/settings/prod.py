"""Settings of a real site: many processes, PostgreSQL, Valkey, HTTPS in front. Refuses to start half configured."""

import os
from ipaddress import ip_network
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from config.logs import logging_settings

from .base import *  # noqa: F403
from .base import METRICS_NETWORKS, VAR_DIR, channel_layers, database

_REQUIRED = (
    "PAISHE_SECRET_KEY",
    "PAISHE_DEAL_SECRET_KEYS",
    "PAISHE_DATABASE_URL",
    "PAISHE_VALKEY_URL",
    "PAISHE_ALLOWED_HOSTS",
    "PAISHE_SOCKET_ORIGINS",
)
_missing = [name for name in _REQUIRED if not os.environ.get(name, "").strip()]
if _missing:
    raise ImproperlyConfigured(f"Set these in the environment: {', '.join(_missing)}")


def _list(name: str) -> list[str]:
    return [part.strip() for part in os.environ[name].split(",") if part.strip()]


def _optional_list(name: str) -> list[str]:
    return _list(name) if os.environ.get(name, "").strip() else []


def _refuse_unless(good: bool, what: str) -> None:
    if not good:
        raise ImproperlyConfigured(what)


DEBUG = False
SECRET_KEY = os.environ["PAISHE_SECRET_KEY"]
_refuse_unless(len(SECRET_KEY) >= 50, "PAISHE_SECRET_KEY must have at least 50 characters")

# The first key seals; all of them open. A new key goes in front, an old one stays until no deal is sealed by it.
DEAL_SECRET_KEYS = _list("PAISHE_DEAL_SECRET_KEYS")
for _key in DEAL_SECRET_KEYS:
    try:
        Fernet(_key)
    except ValueError:
        raise ImproperlyConfigured(
            "PAISHE_DEAL_SECRET_KEYS must be Fernet keys, separated by commas"
        ) from None

DEVICE_SECRETS = _optional_list("PAISHE_DEVICE_SECRETS")
_refuse_unless(
    all(len(secret) >= 32 for secret in DEVICE_SECRETS),
    "PAISHE_DEVICE_SECRETS must have at least 32 characters each",
)

ALLOWED_HOSTS = _list("PAISHE_ALLOWED_HOSTS")
_refuse_unless("*" not in ALLOWED_HOSTS, "PAISHE_ALLOWED_HOSTS must name the hosts, not '*'")
SOCKET_ORIGINS = _list("PAISHE_SOCKET_ORIGINS")
for _origin in SOCKET_ORIGINS:
    _parts = urlsplit(_origin)
    _refuse_unless(
        _parts.scheme == "https" and bool(_parts.hostname) and not _parts.path,
        "PAISHE_SOCKET_ORIGINS must look like https://play.example, separated by commas",
    )
CSRF_TRUSTED_ORIGINS = SOCKET_ORIGINS

DATABASES = {"default": database(os.environ["PAISHE_DATABASE_URL"])}
_refuse_unless(
    DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql",
    "PAISHE_DATABASE_URL must be a PostgreSQL database",
)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["OPTIONS"] = {
    **DATABASES["default"].get("OPTIONS", {}),
    "connect_timeout": 5,
    # Requests run each in a thread of their own: connections are lent, not opened and closed a thousand times.
    "pool": {"min_size": 1, "max_size": int(os.environ.get("PAISHE_DATABASE_POOL", "16")), "timeout": 5},
}

CHANNEL_LAYERS = channel_layers(os.environ["PAISHE_VALKEY_URL"])
CELERY_BROKER_URL = os.environ["PAISHE_VALKEY_URL"]

# Letters: the way back for who forgot his password. Without these they go to a mail server on this machine.
EMAIL_HOST = os.environ.get("PAISHE_MAIL_HOST", "localhost")
EMAIL_PORT = int(os.environ.get("PAISHE_MAIL_PORT", "25"))
EMAIL_HOST_USER = os.environ.get("PAISHE_MAIL_USER", "")
EMAIL_HOST_PASSWORD = os.environ.get("PAISHE_MAIL_PASSWORD", "")
EMAIL_USE_TLS = EMAIL_PORT == 587
DEFAULT_FROM_EMAIL = os.environ.get("PAISHE_MAIL_FROM", f"Paishe <paishe@{ALLOWED_HOSTS[0]}>")

# HTTPS ends in front of us; the balancer must set this header itself and drop what a client sent.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"
# One proxy at least stands in front.
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("PAISHE_PROXIES", "1"))

# Come-backs are spread over this long when a process stops; systemd and the like must wait longer before they kill.
DRAIN_S = float(os.environ.get("PAISHE_DRAIN_S", "5"))

# Prometheus reads /metrics of each web process directly, with the token or from one of these networks.
METRICS_TOKEN = os.environ.get("PAISHE_METRICS_TOKEN", "")
_refuse_unless(
    not METRICS_TOKEN or len(METRICS_TOKEN) >= 32, "PAISHE_METRICS_TOKEN must have 32 characters or more"
)
METRICS_NETWORKS = [*METRICS_NETWORKS, *_optional_list("PAISHE_METRICS_NETWORKS")]
for _network in METRICS_NETWORKS:
    try:
        ip_network(_network)
    except ValueError:
        raise ImproperlyConfigured(
            "PAISHE_METRICS_NETWORKS must be networks like 10.1.0.0/16, separated by commas"
        ) from None

# `manage.py collectstatic` fills it, with names that change with the content.
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
LOGGING = logging_settings(as_json=True)
