"""Checks the books and says what is wrong with them; exits 1 on any breach."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from wallet.audit import verify_books


class Command(BaseCommand):
    """Print each breach and a summary."""

    help = "Check the ledger and everything that is recomputed from it; exit 1 on any breach."

    def handle(self, **options: Any) -> None:
        """Run every check."""
        report = verify_books()
        for check, detail in report.breaches:
            self.stdout.write(f"{check}: {detail}")
        looked_at = ", ".join(f"{count} {name}" for name, count in report.counts.items())
        self.stdout.write(f"{report.checks} checks of {looked_at}.")
        if report.breaches:
            raise CommandError(f"{len(report.breaches)} breaches.")
        self.stdout.write(self.style.SUCCESS("The books are right."))
