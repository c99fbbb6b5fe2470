"""The wallet's jobs by the clock; each looks at what is there and may run twice or never."""

from datetime import timedelta
from typing import Final

import structlog
from celery import shared_task
from django.utils import timezone

from wallet import audit, splits
from wallet.models import AuditRun, Transaction

logger = structlog.get_logger(__name__)

A_DAY: Final = timedelta(hours=23, minutes=30)
"""Jobs are looked at every hour: what is done once a day is done when the last time is nearly a day ago."""


@shared_task(name="wallet.tasks.split_daily")  # type: ignore[untyped-decorator]
def split_daily() -> dict[str, int]:
    """Pass on what the house took, once a day; return what was moved."""
    if Transaction.objects.filter(code="split", created__gt=timezone.now() - A_DAY).exists():
        return {}
    moved = splits.split_all()
    logger.info("house_split", **{code.replace(":", "_"): coins for code, coins in moved.items()})
    return moved


@shared_task(name="wallet.tasks.audit_nightly")  # type: ignore[untyped-decorator]
def audit_nightly() -> int | None:
    """Audit the books once a day and write down what was found; return how many breaches, None when it was not due."""
    if AuditRun.objects.filter(ended__gt=timezone.now() - A_DAY).exists():
        return None
    return len(run_audit().breaches)


def run_audit() -> AuditRun:
    """Audit the books now and write down what was found."""
    began = timezone.now()
    report = audit.verify_books()
    run = AuditRun.objects.create(
        began=began,
        checks=report.checks,
        counts=report.counts,
        breaches=[list(breach) for breach in report.breaches],
    )
    if report.breaches:
        logger.error("books_are_wrong", breaches=len(report.breaches), first=report.breaches[0].detail)
    return run
