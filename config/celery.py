"""Celery: the same jobs as the single process's ticker, when Paishe runs as many processes.

Deadlines are rows and jobs are sweeps: nothing is ever sent with an ETA, and a job that runs twice or never does no
harm. `celery -A config worker` and `celery -A config beat`.
"""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("paishe")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# A run that waited longer than it is worth is dropped: the next one sees the same rows.
app.conf.beat_schedule = {
    path: {"task": path, "schedule": period, "options": {"expires": max(5.0, period)}}
    for path, period in settings.TICKER_JOBS
}
