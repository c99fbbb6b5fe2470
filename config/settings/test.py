"""Settings of the tests: fixed keys, a database file (threads must see it), no slow password hashing."""

import os

from .base import *  # noqa: F403
from .base import VAR_DIR, database

SECRET_KEY = "only-for-tests"
DEAL_SECRET_KEYS = ["Zm9yLXRlc3RzLW9ubHktZm9yLXRlc3RzLW9ubHktMzI="]
DEBUG = False
HOST = "127.0.0.1"
PORT = int(os.environ.get("PORT", "8000"))
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
SOCKET_ORIGINS = os.environ.get("PAISHE_SOCKET_ORIGINS", "http://testserver").split(",")

_worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
VAR_DIR.mkdir(exist_ok=True)
DATABASES = {"default": database(os.environ.get("PAISHE_DATABASE_URL", f"sqlite:///{VAR_DIR}/unused.sqlite3"))}
if DATABASES["default"]["ENGINE"] == "config.sqlite":
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / f"test-{_worker}.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
