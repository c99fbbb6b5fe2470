"""Where the socket of the lobby hangs."""

from django.urls import re_path

from lobby.consumers import LobbyConsumer

socket_urlpatterns = [re_path(r"^ws/lobby/$", LobbyConsumer.as_asgi())]
