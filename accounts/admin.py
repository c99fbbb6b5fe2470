"""The desk's view of people: who they are, what they may, and what other apps know of them.

Only a superuser gives and takes rights, and only he changes another member of staff.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts import desk, restrictions, second_factor
from accounts.models import User
from accounts.names import name_key

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

admin.site.unregister((Group, EmailAddress, Authenticator))


class SecondFactor(NamedTuple):
    """The panel from which a superuser takes somebody's second factor away."""

    user: User
    template: str = "admin/accounts/user/second_factor.html"


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
        viewer: Any = request.user
        panels = desk.panels_of(user, viewer) if isinstance(user, User) else []
        if isinstance(user, User) and _is_superuser(request) and second_factor.is_set_up(user):
            panels.append(SecondFactor(user))
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "panels": panels})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.take_second_factor)
        name = "accounts_user_take_second_factor"
        return [path("<int:key>/take-second-factor/", view, name=name), *super().get_urls()]

    def take_second_factor(self, request: HttpRequest, key: int) -> HttpResponse:
        """Take the second factor away from somebody who has lost it; he sets up a new one at the desk's door."""
        user = User.objects.filter(pk=key).first()
        if request.method != "POST" or not _is_superuser(request) or user is None:
            raise PermissionDenied
        if second_factor.take_away(user):
            self.log_change(request, user, "second factor taken away")
            messages.success(request, _("The second factor is taken away."))
        return HttpResponseRedirect(reverse("admin:accounts_user_change", args=[key]))

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm[User], change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data:
            restrictions.note_by_hand(user=obj)

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
