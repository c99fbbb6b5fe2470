"""App configuration of wallet."""

from django.apps import AppConfig
from django.apps import apps as current_apps
from django.apps.registry import Apps
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _


class WalletConfig(AppConfig):
    """Coins, kept like money. Knows users by id and no game."""

    name = "wallet"
    verbose_name = _("Books")

    def ready(self) -> None:
        """Declare the ledger's guards; keep them and the house's wallets over migrations and flushes."""
        from wallet import sealing, triggers

        triggers.declare("wallet:seal", sealing.seal_triggers)
        triggers.guard_append_only("wallet.Transaction")
        triggers.guard_append_only("wallet.Entry")
        triggers.guard_append_only("wallet.AuditRun")
        connection_created.connect(triggers.on_connection, dispatch_uid="wallet:guards")
        pre_migrate.connect(triggers.before_migrations, sender=self, dispatch_uid="wallet:guards")
        post_migrate.connect(triggers.after_migrations, sender=self, dispatch_uid="wallet:guards")
        post_migrate.connect(open_system_wallets, sender=self, dispatch_uid="wallet:house")


def open_system_wallets(*, using: str, apps: Apps = current_apps, **_: object) -> None:
    """Open the wallets of the house that are not there yet, with the models as migrated so far."""
    from wallet.models import SYSTEM_WALLETS

    try:
        wallets = apps.get_model("wallet", "Wallet")._default_manager.using(using)
    except LookupError:  # migrated back to nothing
        return
    there = set(wallets.filter(pk__lt=0).values_list("pk", flat=True))
    wallets.bulk_create(
        wallets.model(pk=pk, code=code) for code, pk in SYSTEM_WALLETS.items() if pk not in there
    )
