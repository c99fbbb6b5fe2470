"""The ASGI entry: pages by Django, sockets by Channels."""

import os
import sys

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

pages = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from config.sockets import NotTooOften, OnlyFromOurPages, SignedIn, socket_urlpatterns  # noqa: E402

if "daphne.cli" in sys.modules:
    from config import server

    server.install()

application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": OnlyFromOurPages(SignedIn(NotTooOften(URLRouter(socket_urlpatterns)))),
    }
)
