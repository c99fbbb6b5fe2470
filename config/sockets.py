"""Where every socket hangs, and who may open one: pages of our own origins, not too often; and whose it is, by his
session.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, load_backend
from django.contrib.sessions.backends.db import SessionStore
from django.http.cookie import parse_cookie
from django.urls import re_path
from django.utils.crypto import constant_time_compare

from accounts import devices
from accounts.devices import Origin
from games import routing as games
from games.database import in_database
from games.incoming import Limits
from games.protocol import Close
from lobby import routing as lobby

logger = structlog.get_logger(__name__)

MINUTE_S = 60.0
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
    """Put `session` and `user` (None: nobody) into the scope, once, and note where he comes from.

    Channels' own stack does it too, but then looks at the session again with every message that is sent.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        cookies = parse_cookie(
            b"; ".join(v for name, v in scope["headers"] if name == b"cookie").decode("latin-1")
        )
        session = SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
        origin = devices.origin_of_scope(scope, cookies)
        try:
            user = await in_database(_person_from, session, origin)
        except Exception as error:
            logger.warning("session_not_read", error=type(error).__name__)
            await _turn_away(receive, send, Close.GOING_AWAY)
        else:
            told = {**scope, "session": session, "user": user, "network": origin.network}
            await self._application(told, receive, send)


class NotTooOften:
    """Turn away (4429) who opens socket after socket: one person, or one network, in a minute of this process.

    Stands behind SignedIn. Addresses are counted by their marks, so that a copy of memory tells none either.
    """

    def __init__(self, application: Any, clock: Callable[[], float] = monotonic) -> None:
        self._application = application
        self._clock = clock
        a_person, a_network = settings.SOCKETS_PER_MINUTE
        self._people: Limits[int] = Limits(a_person, MINUTE_S)
        self._networks: Limits[str] = Limits(a_network, MINUTE_S)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        now, user, network = self._clock(), scope["user"], scope["network"]
        too_often = bool(network) and self._networks.exceeded(devices.network_mark(network), now)
        if user is not None and self._people.exceeded(user.pk, now):
            too_often = True
        if too_often:
            await _turn_away(receive, send, Close.TOO_OFTEN)
        else:
            await self._application(scope, receive, send)


def _person_from(session: SessionStore, origin: Origin) -> Any:
    """Return whose session it is, None when nobody's; where he comes from is written down."""
    user = _person(session)
    if user is not None:
        devices.note(user_id=user.pk, origin=origin)
    return user


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


async def _turn_away(receive: Any, send: Any, code: Close) -> None:
    """Open a socket only to send its browser away for a while: a handshake that fails could not say why."""
    await receive()
    await send({"type": "websocket.accept"})
    await send({"type": "websocket.close", "code": int(code)})


# Apps' sockets come first; what no one knows is refused instead of raising.
socket_urlpatterns = [
    *games.socket_urlpatterns,
    *lobby.socket_urlpatterns,
    re_path(r"", refuse),  # type: ignore[arg-type]
]
