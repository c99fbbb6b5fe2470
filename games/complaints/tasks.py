"""The complaints' jobs by the clock; each looks at rows and may run twice or never."""

from celery import shared_task

from accounts import restrictions
from games.complaints import banned, carrying


@shared_task(name="games.complaints.tasks.carry_out", ignore_result=True)  # type: ignore[untyped-decorator]
def carry_out() -> None:
    """Carry out verdicts, end bans that have ended, and have those who are banned leave their tables."""
    carrying.carry_out_all()
    restrictions.end_bans()
    banned.leave_tables()
