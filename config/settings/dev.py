"""Settings of `make run`: one machine, SQLite, keys made at the first start and kept in var/.

The environment may say otherwise: HOST, PORT, PAISHE_HOSTS (more names this machine answers to), PAISHE_DEBUG=1,
PAISHE_SECOND_FACTOR=0 (the desk asks for a password alone), PAISHE_VAR_DIR, PAISHE_DATABASE_URL, PAISHE_VALKEY_URL
(then hints and tasks go through it).
"""

import json
import os
import secrets

from cryptography.fernet import Fernet

from config.logs import logging_settings

from .base import *  # noqa: F403
from .base import VAR_DIR, channel_layers, database

DEBUG = os.environ.get("PAISHE_DEBUG", "0") == "1"


def _keys() -> dict[str, str]:
    """Return this machine's development keys, made once and readable by their owner only."""
    path = VAR_DIR / "dev-keys.json"
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        made = {"secret_key": secrets.token_urlsafe(50), "deal_key": Fernet.generate_key().decode()}
        draft = VAR_DIR / f"dev-keys.{os.getpid()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(made, file)
        try:
            # A link, unlike a rename, never replaces the keys another process has just made.
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    keys: dict[str, str] = json.loads(path.read_text())
    return keys


_made = _keys()
SECRET_KEY = _made["secret_key"]
DEAL_SECRET_KEYS = [_made["deal_key"]]

HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8000"))
_names = [name for name in os.environ.get("PAISHE_HOSTS", "").split(",") if name]
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", HOST, *_names]
# Pages that may open our sockets: scheme, host and port, all three.
SOCKET_ORIGINS = [f"http://{name}:{PORT}" for name in ALLOWED_HOSTS]

DATABASES = {
    "default": database(os.environ.get("PAISHE_DATABASE_URL", f"sqlite:///{VAR_DIR}/paishe.sqlite3"))
}
# For a machine on which only its owner plays: the desk without a second factor. Nowhere else can it be switched off.
STAFF_SECOND_FACTOR = os.environ.get("PAISHE_SECOND_FACTOR", "1") != "0"
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
LOGGING = logging_settings(as_json=False, requests="WARNING")

# Files are served from where they are written, and asked for anew each time, so that an edit shows on reload.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
WHITENOISE_MAX_AGE = 0

# PAISHE_COMPUTER_THINKS_MS="100-200" makes the computer players of practice tables quick.
if _thinks := os.environ.get("PAISHE_COMPUTER_THINKS_MS", ""):
    _shortest, _, _longest = _thinks.partition("-")
    COMPUTER_THINKS_MS = (int(_shortest), int(_longest or _shortest))

_valkey = os.environ.get("PAISHE_VALKEY_URL", "")
if _valkey:
    CHANNEL_LAYERS = channel_layers(_valkey)
    CELERY_BROKER_URL = _valkey
else:
    # No broker, no worker: a task that is sent runs at once, in place.
    CELERY_TASK_ALWAYS_EAGER = True
