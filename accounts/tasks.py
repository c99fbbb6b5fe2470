"""What is done with accounts by the clock."""

from celery import shared_task

from accounts import devices


@shared_task(name="accounts.tasks.forget_devices", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_devices() -> None:
    """Delete marks of networks and devices that are too old to tell anything; hourly, any number at once."""
    devices.forget_old()
