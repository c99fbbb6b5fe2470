"""The sign-up grant: every new account has a wallet, with the house's welcome in it."""

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models.signals import post_save
from django.dispatch import receiver

from wallet import services as wallet


@receiver(post_save, sender=get_user_model(), dispatch_uid="lobby.sign_up_grant")
def welcome(sender: object, instance: Any, created: bool, raw: bool = False, **_: Any) -> None:
    """Open the wallet of a new account and grant the welcome, in the transaction that creates the account."""
    if not created or raw:
        return
    wallet.open_wallet(user_id=instance.pk)
    if settings.SIGNUP_GRANT:
        wallet.grant(
            user_id=instance.pk,
            amount=settings.SIGNUP_GRANT,
            reference=f"signup:{instance.pk}",
            code="signup_grant",
        )
