"""The desk's view of people: who they are, what they may, and what other apps know of them.

Only a superuser gives and takes rights, and only he changes another member of staff.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts import desk
from accounts.models import User
from accounts.names import name_key

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

admin.site.unregister((Group, EmailAddress, Authenticator))


class StateFilter(admin.SimpleListFilter):
    """Who may sign in, who may not, who is staff."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("active", _("active")), ("banned", _("banned")), ("staff", _("staff"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = {
            "active": {"is_active": True},
            "banned": {"is_active": False},
            "staff": {"is_staff": True},
        }
        return queryset.filter(**chosen.get(self.value() or "", {}))


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]
    """People are banned, never deleted: their deals and ledger lines stay theirs."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    change_form_outer_before_template = "admin/desk/panels.html"
    actions = None
    filter_horizontal = ()  # as with groups
    list_per_page = 50
    list_fullwidth = True
    list_filter = (StateFilter, "language")
    search_fields = ("username_key", "email")
    search_help_text = _("Part of a name, an e-mail address, or the number of an account.")
    ordering = ("-date_joined", "-pk")
    readonly_fields = ("access_version", "date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("username", "password", "email", "is_active")}),
        (_("Rights"), {"fields": RIGHTS}),
        (_("Preferences"), {"fields": ("language", "theme", "deck", "sounds", "hand_sort")}),
        (_("Account"), {"fields": ("access_version", "last_login", "date_joined")}),
    )

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        known = [column.show for column in desk.columns()]
        return ["username", "state", *known, "access_version", "joined", "seen"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        found: QuerySet[User] = super().get_queryset(request)
        for column in desk.columns():
            found = found.annotate(**column.annotations)
        return found

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[User], term: str
    ) -> tuple[QuerySet[User], bool]:
        """Find names however they are typed, and accounts by their number (#17)."""
        number = term.strip().removeprefix("#")
        if term.strip().startswith("#") and number.isdecimal():
            return queryset.filter(pk=int(number)), False
        found: tuple[QuerySet[User], bool] = super().get_search_results(request, queryset, name_key(term))
        return found

    @admin.display(description=_("state"), ordering="is_active")
    def state(self, user: User) -> SafeString:
        if not user.is_active:
            return _mark(_("banned"), "bad")
        return _mark(_("staff"), "warn") if user.is_staff else _mark(_("active"), "good")

    @admin.display(description=_("joined"), ordering="date_joined")
    def joined(self, user: User) -> str:
        return user.date_joined.strftime("%Y-%m-%d")

    @admin.display(description=_("last log-in"), ordering="last_login")
    def seen(self, user: User) -> str:
        return user.last_login.strftime("%Y-%m-%d %H:%M") if user.last_login else "–"

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        user = self.get_object(request, object_id)
        panels = desk.panels_of(user) if isinstance(user, User) else []
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "panels": panels})

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if _is_superuser(request):
            return self.readonly_fields
        return (*self.readonly_fields, *RIGHTS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and (obj.is_staff or obj.is_superuser) and not _is_superuser(request):
            return False
        return bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]
    """Sets of rights, for superusers to make and give."""

    actions = None
    filter_horizontal = ()  # a plain list can be read by everybody; the pair of lists has signs without names
    list_fullwidth = True

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _is_superuser(request)


def _is_superuser(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def _mark(words: object, tone: str) -> SafeString:
    return format_html('<span class="desk-mark {}">{}</span>', tone, words)
