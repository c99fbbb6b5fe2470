"""Settings of the tests: fixed keys, a database file (threads must see it), no slow password hashing."""

import os

from config.logs import logging_settings

from .base import *  # noqa: F403
from .base import VAR_DIR, database

SECRET_KEY = "only-for-tests"
DEAL_SECRET_KEYS = ["Zm9yLXRlc3RzLW9ubHktZm9yLXRlc3RzLW9ubHktMzI="]
DEBUG = False
HOST = "127.0.0.1"
PORT = int(os.environ.get("PORT", "8000"))
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
SOCKET_ORIGINS = os.environ.get("PAISHE_SOCKET_ORIGINS", "http://testserver").split(",")

VAR_DIR.mkdir(parents=True, exist_ok=True)
DATABASES = {
    "default": database(os.environ.get("PAISHE_DATABASE_URL", f"sqlite:///{VAR_DIR}/unused.sqlite3"))
}
# Named after the process, so that two runs in one folder do not share a database.
if DATABASES["default"]["ENGINE"] == "config.sqlite":
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{os.getpid()}.sqlite3")}
else:
    DATABASES["default"]["TEST"] = {"NAME": f"test_paishe_{os.getpid()}"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CELERY_TASK_ALWAYS_EAGER = True
# Tests say themselves what their people have; those of the sign-up grant set it.
SIGNUP_GRANT = 0
LOGGING = logging_settings(as_json=False)
