"""A Celery task to be run by a real worker: `celery -A tests.config.chores worker`."""

from pathlib import Path

from config.celery import app

__all__ = ["app", "note"]


@app.task(name="chores.note")
def note(path: str, text: str) -> None:
    """Append a line to a file."""
    with Path(path).open("a") as file:
        file.write(f"{text}\n")
