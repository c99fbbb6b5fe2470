"""What we are compared with: Channels as its tutorial has it, and a row by the ORM for each move. Not our product.

One process, the in-memory layer, one group a table, SQLite as durable as ours (WAL, synchronous FULL). A move is
inserted, acknowledged, and sent to the table's four sockets with a view as long as ours.
"""

import os

from django.conf import settings

settings.configure(
    SECRET_KEY="only-for-benchmarks",
    ALLOWED_HOSTS=["*"],
    INSTALLED_APPS=["channels"],
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    CHANNEL_LAYERS={"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}},
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.environ["PAISHE_DATABASE_URL"].removeprefix("sqlite:///"),
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            },
        }
    },
)

import django  # noqa: E402

django.setup()

from channels.db import database_sync_to_async  # noqa: E402
from channels.generic.websocket import AsyncJsonWebsocketConsumer  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import re_path  # noqa: E402


class Move(models.Model):
    """One move of one table."""

    table = models.PositiveIntegerField(db_index=True)
    turn = models.PositiveIntegerField()
    action = models.TextField()
    made = models.DateTimeField(auto_now_add=True)

    objects = models.Manager["Move"]()

    class Meta:
        app_label = "stock"

    def __str__(self) -> str:
        return f"{self.table}#{self.turn}"


def prepare() -> None:
    """Make the table of moves."""
    with connection.schema_editor() as editor:
        editor.create_model(Move)


VIEW = {"seats": [{"name": f"player {n}", "count": 13} for n in range(4)], "rest": "x" * 1800}


class TableConsumer(AsyncJsonWebsocketConsumer):
    """One socket at one table."""

    async def connect(self) -> None:
        self.table = int(self.scope["url_route"]["kwargs"]["table"])
        self.group = f"table-{self.table}"
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive_json(self, content: dict, **_: object) -> None:
        await database_sync_to_async(Move.objects.create)(
            table=self.table, turn=content["turn"], action=content["action"]
        )
        await self.send_json({"type": "ack", "id": content["id"]})
        await self.channel_layer.group_send(self.group, {"type": "moved", "turn": content["turn"]})

    async def moved(self, event: dict) -> None:
        await self.send_json({"type": "view", "turn": event["turn"] + 1, "view": VIEW})


application = ProtocolTypeRouter(
    {"websocket": URLRouter([re_path(r"^ws/table/(?P<table>\d+)/$", TableConsumer.as_asgi())])}
)
