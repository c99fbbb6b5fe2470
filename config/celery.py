"""Celery: the same jobs as the single process's ticker, when Paishe runs as many processes.

Deadlines are rows and jobs are sweeps: nothing is ever sent with an ETA, and a job that runs twice or never does no
harm. `celery -A config worker` and `celery -A config beat`.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("paishe")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
