"""The desk's view of people."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.models import User


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]
    """People are banned, never deleted: their deals and ledger lines stay theirs."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    actions = None
    list_display = ("username", "is_active", "is_staff", "language", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser", "language")
    search_fields = ("username", "username_key", "email")
    ordering = ("-date_joined",)
    readonly_fields = ("access_version", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("username", "password", "email")}),
        (_("Preferences"), {"fields": ("language", "theme", "deck", "sounds", "hand_sort")}),
        (_("Rights"), {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")}),
        (_("Record"), {"fields": ("access_version", "last_login", "date_joined")}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
