"""Where every socket hangs, and who may open one: only pages of our own origins."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import re_path

from games import routing

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


# Apps' sockets come first; what no one knows is refused instead of raising.
socket_urlpatterns = [
    *routing.socket_urlpatterns,
    re_path(r"", refuse),  # type: ignore[arg-type]
]
