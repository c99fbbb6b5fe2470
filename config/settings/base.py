"""Settings shared by every way of running the product.

Nothing here is secret and nothing here depends on the machine: dev, test and prod add keys, database and hosts.
"""

import os
from pathlib import Path
from typing import Any

import dj_database_url
from django.utils.translation import gettext_lazy as _

from config import desk, logs

BASE_DIR = Path(__file__).resolve().parent.parent.parent
# What a running product writes: database, keys of development, collected files. Nothing of it is in git.
VAR_DIR = Path(os.environ.get("PAISHE_VAR_DIR") or BASE_DIR / "var").resolve()

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django_htmx",
    "csp",
    "django_structlog",
    "accounts",
    "wallet",
    "games",
    "games.complaints",
    "lobby",
    "rulebook",
]

MIDDLEWARE = [
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.desk.DeskPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.AccountLanguageMiddleware",
    "accounts.middleware.DeviceMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.gate.SecondFactorMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "lobby.context.mine",
            ],
        },
    },
]

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["accounts.backends.NameBackend"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "lobby:resume"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_SESSION_REMEMBER = True
# A mail address is asked for by nobody and good for one thing: the way back for who forgot his password. It counts
# once it is confirmed; to change it one says one's password again, and both addresses are told.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password"]
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGIN_ON_PASSWORD_RESET = True
ACCOUNT_FORMS = {
    "signup": "accounts.forms.SignupForm",
    "login": "accounts.forms.LoginForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "reset_password": "accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.forms.ResetPasswordKeyForm",
    "add_email": "accounts.forms.AddEmailForm",
}
DEFAULT_FROM_EMAIL = "Paishe <paishe@localhost>"
EMAIL_TIMEOUT = 5
# Failed log-ins count by network address, and by address with name ("key", see the adapter): never by name alone,
# or anybody could lock the owner out. An address may be a whole house.
ACCOUNT_RATE_LIMITS = {
    "login": "300/m/ip",
    "login_failed": "60/m/ip,8/5m/key",
    "signup": "120/m/ip",
    "change_password": "10/m/user",
    "reset_password": "20/m/ip,5/h/key",
}
# The desk opens to staff who have passed a second factor in their session (see accounts.second_factor).
STAFF_SECOND_FACTOR = True
MFA_ADAPTER = "accounts.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_TOLERANCE = 1
MFA_ALLOW_UNVERIFIED_EMAIL = True
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("zh-hans", _("Simplified Chinese")),
    ("zh-hant", _("Traditional Chinese")),
]
LOCALE_PATHS = [BASE_DIR / "config" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SESSION_ENGINE = "django.contrib.sessions.backends.db"


def database(url: str) -> dict[str, Any]:
    """Return the DATABASES entry for a URL: SQLite by our own fair-lock backend, or PostgreSQL."""
    settings: dict[str, Any] = dict(dj_database_url.parse(url))
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        settings["ENGINE"] = "config.sqlite"
        settings["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=20000;",
        }
    return settings


# Content security policy: our own files only; card faces are data: images; sockets to ourselves.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "style-src": ["'self'"],
        "script-src": ["'self'"],
        "connect-src": ["'self'"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
    }
}

# The staff's desk; its pages have a policy of their own.
UNFOLD = desk.UNFOLD

CHANNEL_LAYERS: dict[str, Any] = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}


def channel_layers(valkey_url: str) -> dict[str, Any]:
    """Return CHANNEL_LAYERS that carry hints between processes.

    The blocking pop of the layer waits longer than redis-py's own socket time-out, so that must be off.
    """
    host = {"address": valkey_url, "socket_timeout": None, "max_connections": 2000}
    return {"default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [host]}}}


# Tasks. Whoever sends one waits a second at most for the broker and then goes on: the sweep finds what was not sent.
CELERY_TIMEZONE = "UTC"
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 1,
    "socket_connect_timeout": 1,
    "max_retries": 1,
    "interval_start": 0,
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")

# The log of requests names no network address.
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False

# What the single process does at its start, and then over and over: (dotted path, seconds between two runs).
START_COMMANDS = ["seed_tiers", "fund_relief", "make_groups", "make_staff"]
HOUR_S = 3600.0
TICKER_JOBS: list[tuple[str, float]] = [
    ("games.tasks.sweep", 1.0),
    ("lobby.tasks.match", 1.0),
    ("games.complaints.tasks.carry_out", 1.0),
    ("accounts.tasks.forget_devices", HOUR_S),
    ("wallet.tasks.split_daily", HOUR_S),
    ("wallet.tasks.audit_nightly", HOUR_S),
]
# The same for Celery's beat; a run that waited longer than it is worth is dropped, the next one sees the same rows.
CELERY_BEAT_SCHEDULE = {
    path: {"task": path, "schedule": period, "options": {"expires": max(5.0, period)}}
    for path, period in TICKER_JOBS
}
# A callable without arguments that tells the age of the last sweep in seconds, or None before the first.
SWEEP_AGE: str | None = "games.service_time.sweep_age"

# A process that is told to stop sends its sockets away over so many seconds, lest all come back at the same moment.
DRAIN_S = float(os.environ.get("PAISHE_DRAIN_S", "0"))

# Who may read /metrics: whoever has the token (none: nobody has), or comes from these networks and by no proxy.
METRICS_TOKEN = ""
METRICS_NETWORKS = ["127.0.0.0/8", "::1/128"]

logs.configure()

# Where people come from is kept as marks keyed by these secrets, which must be in no database; empty: the secret key.
# The first is the present one. One that was retired stays behind it for DEVICE_DAYS, the time marks are of use.
DEVICE_SECRETS: list[str] = []
DEVICE_DAYS = 30
# How many proxies of ours stand in front and write X-Forwarded-For: by it we (and allauth) know whom we speak to.
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("PAISHE_PROXIES", "0"))
# How many sockets one person, and one network (it may be a whole house), may open in a minute in each process.
SOCKETS_PER_MINUTE = (
    int(os.environ.get("PAISHE_SOCKETS_PER_PERSON", "60")),
    int(os.environ.get("PAISHE_SOCKETS_PER_NETWORK", "600")),
)

# What the house gives and takes.
SIGNUP_GRANT = 10_000
# Relief, for those who have too few coins for the cheapest table: how many, how often a day, what part of the house's
# takings goes into its purse, and what is in it at first.
RELIEF_COINS, RELIEF_TIMES, RELIEF_PERCENT, RELIEF_FUND = 1_000, 3, 50, 1_000_000
# Verdicts whose fines are above this many coins in all need a second person.
VERDICT_SECOND_ABOVE = 50_000
# Corrections by hand of more coins than this for one player within a day need one too.
ADJUSTMENT_SECOND_ABOVE = 5_000

# How long computer players think at new practice tables, (from, to) in milliseconds; None: as the table machine says.
COMPUTER_THINKS_MS: tuple[int, int] | None = None
