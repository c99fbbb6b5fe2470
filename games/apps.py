"""App configuration of games."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GamesConfig(AppConfig):
    """Tables, their log and what is read from it."""

    name = "games"
    verbose_name = _("Play")

    def ready(self) -> None:
        """Declare what the database keeps append-only, what the nightly audit looks at, and who hears of commits."""
        from wallet import triggers

        triggers.guard_append_only("games.TableEvent")
        triggers.guard_append_only("games.SeatResult")
        from games import audit as books
        from wallet import audit

        for name, check in books.CHECKS.items():
            audit.register(name, check)
        from games import computers, hub, metrics, tables, tasks, watch

        tables.open_deals_if(hub.opens_deals)
        tables.listen(metrics.heard)
        tables.listen(hub.wake)
        tables.listen(computers.heard)
        watch.also(tasks.stand_in)
