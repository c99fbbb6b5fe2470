"""Every page of the desk, found by walking what is registered."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.urls import reverse


def registered() -> list[tuple[type[Model], Any]]:
    """Return every model of the desk with its admin."""
    return sorted(admin.site._registry.items(), key=lambda item: item[0]._meta.label)


def url(model: type[Model], page: str, *arguments: object) -> str:
    """Return the address of a page of a model: changelist, add, change, delete, history."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=arguments)


def rows(model: type[Model], most: int = 3) -> list[Model]:
    """Return some rows of a model, the newest and the oldest among them."""
    found = list(model._default_manager.order_by("pk"))
    return [*found[:most], *found[-most:]] if len(found) > 2 * most else found


def every_page() -> Iterator[str]:
    """Yield the address of every page that can be read, with the rows there are."""
    yield reverse("admin:index")
    for label in {model._meta.app_label for model, _ in registered()}:
        yield reverse("admin:app_list", args=[label])
    for model, _ in registered():
        yield url(model, "changelist")
        for row in rows(model):
            yield url(model, "change", row.pk)
            if model._meta.label == "games.Table":
                log = reverse("admin:games_table_log", args=[row.pk])
                yield from (log, f"{log}?page=1", f"{log}?check=all")
