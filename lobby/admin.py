"""The desk's view of the lobby: tiers are opened, closed and changed here, never deleted."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from lobby.models import RoomTier


@admin.register(RoomTier)
class RoomTierAdmin(ModelAdmin):  # type: ignore[misc]
    """Changes are for tables opened later; a tier that is no longer wanted is closed."""

    actions = None
    list_display = (
        "code",
        "ruleset",
        "currency",
        "base_stake",
        "cap",
        "entry",
        "seating",
        "anti_cheat",
        "is_open",
    )
    list_filter = ("ruleset", "currency", "seating", "anti_cheat", "practice", "is_open")
    search_fields = ("code", "name")
    fieldsets = (
        (None, {"fields": ("code", "ruleset", "name", "position", "is_open")}),
        (
            _("Stakes"),
            {
                "fields": (
                    "currency",
                    "base_stake",
                    "cap",
                    "entry",
                    "fee_kind",
                    "fee_value",
                    "initial_multiplier",
                )
            },
        ),
        (_("Clocks"), {"fields": ("turn_seconds", "absence_seconds", "start_seconds")}),
        (_("Manners"), {"fields": ("seating", "anti_cheat", "practice", "spectators")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("code", "ruleset") if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
