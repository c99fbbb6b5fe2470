"""What the pages of the desk are built of, in every app: sheets that nobody writes on, figures, marks, references.

The desk reads. Whatever the house keeps as evidence or as money has a `ReadOnlyAdmin`: no permission to add, change
or delete exists for anybody, no form is ever made, and a POST is refused before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django.contrib.admin import AdminSite, ShowFacets
from django.contrib.admin.utils import display_for_field, unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Field, ForeignKey, Model
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

Words = str | Promise
EMPTY = "–"


class Facts(NamedTuple):
    """A panel of a desk page: names and what they are, in order."""

    title: Words
    rows: Sequence[tuple[Words, object]]
    note: object = ""
    template: str = "admin/desk/_facts.html"


class Sheet(NamedTuple):
    """A panel with a table. `figures` are the columns set to the right; `foot` is a last row with sums."""

    title: Words
    head: Sequence[object]
    rows: Sequence[Sequence[object]]
    figures: Sequence[int] = ()
    empty: Words = ""
    more: object = ""
    foot: Sequence[object] = ()
    note: object = ""
    template: str = "admin/desk/_sheet.html"


Panel = Facts | Sheet


def figure(value: int | None) -> str:
    """Print a whole number: 12480 → "12,480", -90 → "−90", None → "–"."""
    return EMPTY if value is None else f"{value:,}".replace("-", "−")


def change(value: int | None) -> SafeString | str:
    """Print what came or went, with its sign and its colour."""
    if value is None:
        return EMPTY
    text = f"+{figure(value)}" if value > 0 else figure(value)
    tone = "up" if value > 0 else "down" if value < 0 else ""
    return format_html('<span class="desk-{}">{}</span>', tone, text) if tone else text


def mark(text: object, tone: str = "") -> SafeString:
    """Print a word as a mark: `tone` is good, bad, warn, live or nothing."""
    return format_html('<span class="desk-mark {}">{}</span>', tone, text)


def code(text: object) -> SafeString:
    """Print something to be read letter by letter."""
    return format_html('<code class="desk-code">{}</code>', text)


def link(url: str | None, text: object) -> SafeString | str:
    """Print a link; the bare text where there is nothing to go to."""
    return format_html('<a class="desk-link" href="{}">{}</a>', url, text) if url else str(text)


def page_of(name: str, key: object, text: object) -> SafeString | str:
    """Link to a row's page by its model ("wallet_wallet"); the bare text for no key."""
    return EMPTY if key is None else link(reverse(f"admin:{name}_change", args=[key]), text)


def moment(at: datetime | None) -> str:
    """Print a moment to the second, in the house's time (UTC)."""
    return EMPTY if at is None else timezone.localtime(at).strftime("%Y-%m-%d %H:%M:%S")


PURSES: dict[str, Words] = {
    "issuance": _("Issuance"),
    "house:fees": _("Table fees"),
    "house:fines": _("Fines"),
    "house:complaints": _("Complaint fees"),
    "house:claims": _("Claims advanced"),
    "house:revenue": _("Revenue"),
    "house:relief": _("Relief purse"),
}


def purse(name: object) -> SafeString:
    """Print a wallet of the house by its name; its code stands in the title."""
    return format_html('<span class="desk-mark" title="{}">{}</span>', name, PURSES.get(str(name), name))


# --- references --------------------------------------------------------------------------------------------

Finder = Callable[[str], str | None]
_finders: dict[str, Finder] = {}


def register_reference(prefix: str, finder: Finder) -> None:
    """Have references "prefix:<rest>" lead to a page: `finder` gets the rest and returns a URL, or None."""
    _finders[prefix] = finder


def reference_link(reference: str) -> SafeString | str:
    """Print a reference as a link to what caused it, if an app above knows."""
    prefix, _, rest = reference.partition(":")
    finder = _finders.get(prefix)
    try:
        return link(finder(rest) if finder else None, code(reference))
    except NoReverseMatch:
        return code(reference)


_line_names: dict[str, Words] = {}


def register_lines(names: Mapping[str, Words]) -> None:
    """Give the codes of transactions names that people read."""
    _line_names.update(names)


def line_name(name: str) -> str:
    """Name what moved coins; a code without a name stands for itself."""
    return str(_line_names.get(name, name))


# --- pages -------------------------------------------------------------------------------------------------


class DeskChangeList(ChangeList):  # type: ignore[misc]
    """A list that counts its rows once, and knows that all of them are shown where nothing narrows it."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.full_result_count: int | None
        if self.full_result_count is None and not (self.query or self.has_active_filters):
            self.full_result_count = self.result_count


class ReadOnlyAdmin(ModelAdmin):  # type: ignore[misc]
    """Lists and pages of rows that the desk may read and nobody may write; `panels` make the page of a row."""

    actions = None
    list_per_page = 50
    list_fullwidth = True
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    hidden_fields: ClassVar[Sequence[str]] = ()
    names: ClassVar[tuple[Words, Words] | None] = None

    def __init__(self, model: type[Model], site: AdminSite) -> None:
        """Give a model that has no name in the reader's language the desk's: `names`, singular and plural."""
        super().__init__(model, site)
        if self.names:
            self.opts.verbose_name, self.opts.verbose_name_plural = self.names

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[DeskChangeList]:
        return DeskChangeList

    def panels(self, request: HttpRequest, row: Any) -> Sequence[Any]:
        """Return what the page of a row shows, objects that name their `template`: by default its fields."""
        return [Facts(capfirst(self.opts.verbose_name), self.fields_of(row))]

    def fields_of(self, row: Model) -> list[tuple[Words, object]]:
        """Return every field of a row with its value, a link where it points at another row."""
        return [
            (capfirst(field.verbose_name), _value(row, field))
            for field in self.opts.concrete_fields
            if field.name not in self.hidden_fields
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        _only_reading(request)
        answer: HttpResponseBase = super().changelist_view(request, extra_context)
        return answer

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        raise PermissionDenied

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        """Show a row. No form is made, so nothing that is sent can find one."""
        _only_reading(request)
        if object_id is None:
            raise PermissionDenied
        row = self.row_to_show(request, object_id)
        if row is None:
            gone: HttpResponseBase = self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
            return gone
        return self.show(request, row, panels=self.panels(request, row), **(extra_context or {}))

    def row_to_show(self, request: HttpRequest, object_id: str) -> Any:
        """Return a row that this member of staff may look at, or None; refuse one who may not."""
        row = self.get_object(request, unquote(object_id))
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        return row

    def show(
        self, request: HttpRequest, row: Model, *, template: str = "admin/desk/page.html", **context: Any
    ) -> TemplateResponse:
        """Answer with a page about a row, in the frame of the desk."""
        request.current_app = self.admin_site.name
        frame = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": row,
            "title": row,
            "subtitle": capfirst(self.opts.verbose_name),
            "model_admin": self,
        }
        return TemplateResponse(request, template, {**frame, **context})


def _only_reading(request: HttpRequest) -> None:
    if request.method not in ("GET", "HEAD"):
        raise PermissionDenied


def _value(row: Model, field: Field[Any, Any]) -> object:
    value = field.value_from_object(row)
    if value is None or value == "":
        return EMPTY
    if isinstance(field, ForeignKey):
        target = field.related_model
        assert isinstance(target, type)
        name = f"{target._meta.app_label}_{target._meta.model_name}"
        try:
            return page_of(name, value, getattr(row, field.name))
        except NoReverseMatch:
            return str(getattr(row, field.name))
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, int) and not isinstance(value, bool) and not field.choices and not field.primary_key:
        return figure(value)
    return display_for_field(value, field, EMPTY)
