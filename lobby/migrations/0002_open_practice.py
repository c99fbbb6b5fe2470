"""Open the practice tiers that were seeded closed, before there were computer players."""

from django.db import migrations


def open_practice(apps, schema_editor):
    tiers = apps.get_model("lobby", "RoomTier").objects.using(schema_editor.connection.alias)
    tiers.filter(practice=True, is_open=False, ruleset__startswith="bigtwo.").update(is_open=True)


class Migration(migrations.Migration):
    dependencies = [("lobby", "0001_initial")]

    operations = [migrations.RunPython(open_practice, migrations.RunPython.noop)]
