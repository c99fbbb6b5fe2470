"""What the lobby does by the clock."""

from celery import shared_task

from lobby import matchmaking


@shared_task(name="lobby.tasks.match", ignore_result=True)  # type: ignore[untyped-decorator]
def match() -> None:
    """Match those who wait: the safety net behind everybody who joins; once a second, any number at once."""
    matchmaking.match_all()
