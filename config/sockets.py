"""Where every socket hangs, and who may open one: pages of our own origins; and whose it is, by his session."""

from typing import Any
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.sessions.backends.db import SessionStore
from django.http.cookie import parse_cookie
from django.urls import re_path
from django.utils.crypto import constant_time_compare

from games import routing as games
from games.database import in_database
from games.protocol import Close
from lobby import routing as lobby

logger = structlog.get_logger(__name__)

_PORTS = {"http": 80, "https": 443}


async def refuse(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Close a socket before it is open: the browser sees a 403."""
    await receive()
    await send({"type": "websocket.close", "code": 4403})


class OnlyFromOurPages:
    """Let through sockets whose Origin is one of SOCKET_ORIGINS: scheme, host and port."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._origins = {_origin(text) for text in settings.SOCKET_ORIGINS}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        told = [value for name, value in scope["headers"] if name == b"origin"]
        if len(told) == 1 and _origin(told[0].decode("latin-1")) in self._origins:
            await self._application(scope, receive, send)
        else:
            await refuse(scope, receive, send)


def _origin(text: str) -> tuple[str, str, int] | None:
    """Return scheme, host and port of an origin, or None for anything else."""
    try:
        parts = urlsplit(text)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    if not parts.hostname or parts.path or parts.query or parts.fragment or parts.username is not None:
        return None
    return parts.scheme, parts.hostname, port


class SignedIn:
    """Put `session` and `user` (None: nobody) into the scope, once.

    Channels' own stack does it too, but then looks at the session again with every message that is sent.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        cookies = parse_cookie(
            b"; ".join(v for name, v in scope["headers"] if name == b"cookie").decode("latin-1")
        )
        session = SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
        try:
            user = await in_database(_person, session)
        except Exception as error:
            logger.warning("session_not_read", error=type(error).__name__)
            await _come_back(receive, send)
        else:
            await self._application({**scope, "session": session, "user": user}, receive, send)


def _person(session: SessionStore) -> Any:
    """Return whose session it is, None when nobody's; it must carry the mark of his present password."""
    try:
        user = load_backend(_backend(session)).get_user(session[SESSION_KEY])
    except (KeyError, ValueError):
        return None
    if user is None:
        return None
    mark = session.get(HASH_SESSION_KEY, "")
    marks = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return user if any(constant_time_compare(mark, good) for good in marks) else None


def _backend(session: SessionStore) -> str:
    path: str = session[BACKEND_SESSION_KEY]
    if path not in settings.AUTHENTICATION_BACKENDS:
        raise KeyError(path)
    return path


async def _come_back(receive: Any, send: Any) -> None:
    """Open a socket only to send its browser away for a while."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": int(Close.GOING_AWAY)})


# Apps' sockets come first; what no one knows is refused instead of raising.
socket_urlpatterns = [
    *games.socket_urlpatterns,
    *lobby.socket_urlpatterns,
    re_path(r"", refuse),  # type: ignore[arg-type]
]
