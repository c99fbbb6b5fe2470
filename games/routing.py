"""Where the sockets of the games app hang."""

from django.urls import re_path

from games.consumers import TableConsumer

socket_urlpatterns = [
    re_path(r"^ws/table/(?P<code>[0-9A-Za-z]{1,8})/$", TableConsumer.as_asgi()),
]
