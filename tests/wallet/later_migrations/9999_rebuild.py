"""Adds a column with a default to every table: SQLite rebuilds them, and loses their triggers."""

from pathlib import Path
from typing import ClassVar

from django.db import migrations, models

from wallet import migrations as real

LATEST = max(path.stem for path in Path(real.__path__[0]).glob("[0-9]*.py"))


class Migration(migrations.Migration):
    dependencies: ClassVar = [("wallet", LATEST)]
    operations: ClassVar = [
        migrations.AddField(name, "extra", models.CharField(max_length=10, default="old"))
        for name in ("transaction", "entry", "wallet", "hold")
    ]
