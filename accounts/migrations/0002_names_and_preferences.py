"""Names that are one name for everybody, and preferences."""

from typing import Any

from django.db import migrations, models

import accounts.models
import accounts.names

TAKEN = {"unique": "This name is taken."}


def fill_keys(apps: Any, schema_editor: Any) -> None:
    """Give every account the key of its name."""
    people = apps.get_model("accounts", "User").objects
    for pk, username in people.values_list("pk", "username"):
        people.filter(pk=pk).update(username_key=accounts.names.name_key(username))


class Migration(migrations.Migration):

    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AlterModelManagers(name="user", managers=[("objects", accounts.models.PlayerManager())]),
        migrations.AddField(
            model_name="user",
            name="deck",
            field=models.CharField(
                choices=[("2", "Two colours"), ("4", "Four colours")], default="2", max_length=1, verbose_name="deck"
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="hand_sort",
            field=models.CharField(
                choices=[("rank", "By rank"), ("suit", "By suit")],
                default="rank",
                max_length=4,
                verbose_name="order of the hand",
            ),
        ),
        migrations.AddField(
            model_name="user", name="sounds", field=models.BooleanField(default=True, verbose_name="sounds")
        ),
        migrations.AddField(
            model_name="user",
            name="theme",
            field=models.CharField(
                blank=True,
                choices=[("", "As the system"), ("light", "Light"), ("dark", "Dark")],
                default="",
                max_length=5,
                verbose_name="light or dark",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="access_version",
            field=models.PositiveIntegerField(default=0, editable=False),
        ),
        migrations.AlterField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                choices=[("en", "English"), ("zh-hans", "简体中文"), ("zh-hant", "繁體中文")],
                default="",
                max_length=8,
                verbose_name="language",
            ),
        ),
        migrations.AlterField(
            model_name="user",
            name="username",
            field=models.CharField(
                error_messages=TAKEN,
                max_length=24,
                unique=True,
                validators=[accounts.names.validate_name],
                verbose_name="name",
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="username_key",
            field=accounts.models.NameKeyField(null=True, editable=False, error_messages=TAKEN, max_length=72),
        ),
        migrations.RunPython(fill_keys, migrations.RunPython.noop, elidable=True),
        migrations.AlterField(
            model_name="user",
            name="username_key",
            field=accounts.models.NameKeyField(editable=False, error_messages=TAKEN, max_length=72, unique=True),
        ),
    ]
