"""The desk's view of the lobby: tiers are opened, closed and changed here, never deleted; queues are looked at."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminSelectWidget

from games import naming
from games.engine import rulesets
from lobby.models import QueueTicket, RoomTier
from wallet.desk import EMPTY, ReadOnlyAdmin, figure, link, mark, moment, page_of


def ruleset_choices() -> list[tuple[str, Any]]:
    """Return the rule sets of the registry with their names."""
    return [(code, naming.game_words(code).name) for code in rulesets.all_codes()]


class RulesetFilter(admin.SimpleListFilter):
    """By rule set, in the registry's order."""

    title = _("rule set")
    parameter_name = "ruleset"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return ruleset_choices()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(ruleset=self.value()) if self.value() else queryset


class TierForm(forms.ModelForm):  # type: ignore[type-arg]
    """Shows each fault of `tier_rules` at its field; one at a field that cannot be edited, above them all."""

    def add_error(self, field: str | None, error: Any) -> None:
        if isinstance(error, ValidationError) and hasattr(error, "error_dict"):
            for name, faults in error.error_dict.items():
                super().add_error(name if name in self.fields else None, faults)
            return
        super().add_error(field, error)


@admin.register(RoomTier)
class RoomTierAdmin(ModelAdmin):  # type: ignore[misc]
    """Changes are for tables opened later; a tier that is no longer wanted is closed."""

    form = TierForm
    actions = None
    list_per_page = 100
    list_fullwidth = True
    change_form_outer_before_template = "admin/lobby/roomtier/frozen.html"
    list_display = (
        "position",
        "code",
        "game",
        "state",
        "stake",
        "most",
        "limit",
        "table_fee",
        "seats_by",
        "waiting",
    )
    list_display_links = ("code",)
    list_filter = (RulesetFilter, "currency", "seating", "anti_cheat", "practice", "is_open")
    search_fields = ("code", "name")
    search_help_text = _("Part of a code or of the key of a name.")
    ordering = ("position", "code")
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

    def get_queryset(self, request: HttpRequest) -> QuerySet[RoomTier]:
        found: QuerySet[RoomTier] = super().get_queryset(request)
        return found.annotate(queue=Count("tickets", filter=Q(tickets__refusal="")))

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "ruleset":
            return forms.ChoiceField(
                label=db_field.verbose_name, choices=ruleset_choices, widget=UnfoldAdminSelectWidget()
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_("rule set"), ordering="ruleset")
    def game(self, tier: RoomTier) -> str:
        return str(naming.game_words(tier.ruleset).name)

    @admin.display(description=_("state"), ordering="is_open")
    def state(self, tier: RoomTier) -> SafeString:
        return (
            mark(pgettext("tier", "open"), "good")
            if tier.is_open
            else mark(pgettext("tier", "closed"), "off")
        )

    @admin.display(description=_("base stake"), ordering="base_stake")
    def stake(self, tier: RoomTier) -> str:
        return EMPTY if tier.practice else f"{figure(tier.base_stake)} {tier.get_currency_display()}"

    @admin.display(description=_("hand cap"), ordering="cap")
    def most(self, tier: RoomTier) -> str:
        return figure(tier.cap)

    @admin.display(description=_("entry limit"), ordering="entry")
    def limit(self, tier: RoomTier) -> str:
        return EMPTY if tier.entry is None else f"> {figure(tier.entry)}"

    @admin.display(description=_("fee"))
    def table_fee(self, tier: RoomTier) -> str:
        if not tier.fee_kind:
            return EMPTY
        return f"{tier.fee_value} %" if tier.fee_kind == "percent" else figure(tier.fee_value)

    @admin.display(description=_("seating"), ordering="seating")
    def seats_by(self, tier: RoomTier) -> SafeString | str:
        words = tier.get_seating_display()
        return format_html("{} {}", words, mark(_("anti-cheat"), "good")) if tier.anti_cheat else words

    @admin.display(description=_("waiting"), ordering="queue")
    def waiting(self, tier: RoomTier) -> SafeString | str:
        count = getattr(tier, "queue", 0)
        queue = reverse("admin:lobby_queueticket_changelist") + f"?tier__id__exact={tier.pk}"
        return link(queue, figure(count)) if count else figure(0)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("code", "ruleset") if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(QueueTicket)
class QueueTicketAdmin(ReadOnlyAdmin):
    """Who waits for a match, and why somebody was left out of one."""

    hidden_fields = ("nonce",)
    list_display = ("who", "room", "since", "seen", "answer")
    list_display_links = ("since",)
    list_filter = ("tier",)
    list_select_related = ("user", "tier")
    search_fields = ("user__username_key",)
    search_help_text = _("Part of a player's name.")
    ordering = ("tier", "created", "pk")

    @admin.display(description=_("who"))
    def who(self, ticket: QueueTicket) -> SafeString | str:
        return page_of("accounts_user", ticket.user_id, ticket.user)

    @admin.display(description=_("tier"))
    def room(self, ticket: QueueTicket) -> SafeString | str:
        return page_of("lobby_roomtier", ticket.tier_id, ticket.tier)

    @admin.display(description=_("since"), ordering="created")
    def since(self, ticket: QueueTicket) -> str:
        return moment(ticket.created)

    @admin.display(description=_("last sign of life"), ordering="last_seen")
    def seen(self, ticket: QueueTicket) -> str:
        return moment(ticket.last_seen)

    @admin.display(description=_("left out"))
    def answer(self, ticket: QueueTicket) -> SafeString | str:
        return mark(ticket.refusal, "warn") if ticket.refusal else EMPTY


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    """What the staff changed, and when."""

    list_display = ("when", "who", "did", "what", "how")
    list_display_links = ("when",)
    list_filter = ("action_flag",)
    list_select_related = ("user", "content_type")
    search_fields = ("user__username_key", "object_repr")
    ordering = ("-pk",)

    @admin.display(description=_("when"), ordering="action_time")
    def when(self, entry: LogEntry) -> str:
        return moment(entry.action_time)

    @admin.display(description=_("who"))
    def who(self, entry: LogEntry) -> SafeString | str:
        return page_of("accounts_user", entry.user_id, entry.user)

    @admin.display(description=_("did"))
    def did(self, entry: LogEntry) -> str:
        return str(entry.get_action_flag_display())

    @admin.display(description=_("what"))
    def what(self, entry: LogEntry) -> SafeString | str:
        kind = entry.content_type.name if entry.content_type else ""
        return format_html("{} {}", kind, link(entry.get_admin_url(), entry.object_repr))

    @admin.display(description=_("how"))
    def how(self, entry: LogEntry) -> str:
        return entry.get_change_message()
