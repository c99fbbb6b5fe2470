"""Migrations run over a filled ledger and leave it guarded."""

from importlib import import_module

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection

from wallet import audit, triggers
from wallet.models import Entry
from wallet.services import Leg, balance, hold, post

LATER = "tests.wallet.later_migrations"
LATEST = import_module(f"{LATER}.9999_rebuild").LATEST


def migrate(*arguments):
    call_command("migrate", *arguments, verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_a_rebuild_of_the_tables_loses_no_trigger_and_no_coin(player, settings):
    first, second = player(1000), player(1000)
    post(code="gift", reference="g", legs=[Leg(first, -60), Leg(second, 60)])
    hold(user_id=first, reference="h", amount=500)
    settings.MIGRATION_MODULES = {"wallet": LATER}
    try:
        migrate("wallet")
        assert triggers.differences(connection) == []
        assert audit.verify_books().breaches == []
        with pytest.raises(IntegrityError):
            Entry.objects.update(amount=1)
    finally:
        migrate("wallet", LATEST)
    assert audit.verify_books().breaches == []
    post(code="gift", reference="g2", legs=[Leg(first, -440), Leg(second, 440)])
    assert balance(first) == (500, 500)


@pytest.mark.django_db
def test_the_models_need_no_migration():
    call_command("makemigrations", "wallet", check=True, dry_run=True, verbosity=0)
