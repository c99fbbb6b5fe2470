"""Settings of `make run`: one machine, SQLite, keys made at the first start and kept in var/."""

import json
import os
import secrets

from cryptography.fernet import Fernet

from .base import *  # noqa: F403
from .base import VAR_DIR, database

DEBUG = os.environ.get("PAISHE_DEBUG", "0") == "1"


def _keys() -> dict[str, str]:
    """Return this machine's development keys, made once and readable by their owner only."""
    path = VAR_DIR / "dev-keys.json"
    VAR_DIR.mkdir(exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return json.loads(path.read_text())
    made = {"secret_key": secrets.token_urlsafe(50), "deal_key": Fernet.generate_key().decode()}
    with os.fdopen(descriptor, "w") as file:
        json.dump(made, file)
    return made


_made = _keys()
SECRET_KEY = _made["secret_key"]
DEAL_SECRET_KEYS = [_made["deal_key"]]

HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8000"))
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", HOST]
# Pages that may open our sockets: scheme, host and port, all three.
SOCKET_ORIGINS = [f"http://{host}:{PORT}" for host in ("localhost", "127.0.0.1", HOST)]

DATABASES = {"default": database(os.environ.get("PAISHE_DATABASE_URL", f"sqlite:///{VAR_DIR}/paishe.sqlite3"))}
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
