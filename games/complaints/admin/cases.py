"""The complaints' desk: the queue by age and kind, the file of a case, and everything that is done about it.

Looking needs the right to view cases, acting the right to change them. Whoever sat in a deal of a case, or shares a
device with somebody who did, sees that it exists and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.complaints import deciding, evidence, filing, reckoning, selectors, staff_log
from games.complaints.admin import giving, words
from games.complaints.admin.casefile import casefile
from games.complaints.admin.filters import AgeFilter, HandFilter, StateFilter
from games.complaints.admin.page import (
    WAITING,
    age_mark,
    barred,
    beginning,
    decidable,
    fields,
    may_act,
    names_of,
    people_of,
    said,
    typed,
    verdict_lines,
)
from games.complaints.errors import BadVerdict, ComplaintError, NotAllowed
from games.complaints.models import Case, Complaint, Verdict
from games.complaints.reckoning import Form
from wallet.desk import ReadOnlyAdmin, mark, page_of, register_reference

LONGEST_NOTE = 1_000


BESIDE: dict[str, Callable[..., HttpResponseBase]] = {}
"""What the staff do to people and tables, by the name of its address; each module adds its own."""


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    """Cases, oldest first; the page of one is its whole file."""

    list_display = ("number", "age", "what", "state", "where", "against", "complaints_of", "hand")
    list_display_links = ("number",)
    list_filter = (StateFilter, "kind", AgeFilter, HandFilter)
    list_select_related = ("table", "taken_by")
    search_fields = ("accused__username_key", "complaints__complainant__username_key", "=table__code", "=pk")
    search_help_text = _("A player's name, the code of a table, or the number of a case.")
    ordering = ("created", "pk")
    list_filter_sheet = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Case]:
        found: QuerySet[Case] = super().get_queryset(request)
        standing = Count(
            "complaints", filter=~Q(complaints__status=Complaint.Status.WITHDRAWN), distinct=True
        )
        return found.annotate(standing=standing).prefetch_related("accused")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Case], term: str
    ) -> tuple[QuerySet[Case], bool]:
        """Find cases by what is asked for, but none of one's own: names would tell who complained."""
        found, twice = super().get_search_results(request, queryset, term)
        own = selectors.with_a_part(request.user.pk or 0)
        return (found.exclude(pk__in=own) if term.strip() else found), twice

    @admin.display(description=_("case"), ordering="pk")
    def number(self, case: Case) -> str:
        return f"#{case.pk}"

    @admin.display(description=_("waits for"), ordering="created")
    def age(self, case: Case) -> SafeString:
        return age_mark(case)

    @admin.display(description=_("kind"), ordering="kind")
    def what(self, case: Case) -> str:
        return case.get_kind_display()

    @admin.display(description=_("state"), ordering="status")
    def state(self, case: Case) -> SafeString:
        return mark(case.get_status_display(), words.STATE_TONES[Case.Status(case.status)])

    @admin.display(description=_("table"))
    def where(self, case: Case) -> SafeString | str:
        return page_of("games_table", case.table_id, case.table.code)

    @admin.display(description=_("against"))
    def against(self, case: Case) -> str:
        return ", ".join(str(user) for user in case.accused.all())

    @admin.display(description=_("complaints"))
    def complaints_of(self, case: Case) -> str:
        return str(getattr(case, "standing", ""))

    @admin.display(description=_("in hand"), ordering="taken_by")
    def hand(self, case: Case) -> str:
        return str(case.taken_by or "–")

    # ---- pages

    def get_urls(self) -> list[URLPattern]:
        acts: dict[str, Callable[..., HttpResponseBase]] = {
            "take-up": self.take_up,
            "put-back": self.put_back,
            "ask": self.ask,
            "preview": self.preview,
            "give": self.give,
            "confirm": self.confirm,
            "send-back": self.send_back,
        }
        own = [
            path(
                f"<int:case_id>/{name}/",
                self.admin_site.admin_view(view),
                name=f"complaints_case_{name.replace('-', '_')}",
            )
            for name, view in acts.items()
        ]
        beside = [
            path(f"{name}/<int:key>/", self.admin_site.admin_view(view), name=f"complaints_case_{name}")
            for name, view in BESIDE.items()
        ]
        return [*own, *beside, *super().get_urls()]

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or object_id is None:
            raise PermissionDenied
        case = self.row_to_show(request, object_id)
        if case is None:
            gone: HttpResponseBase = self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
            return gone
        return self._file(request, case)

    def _file(self, request: HttpRequest, case: Case, **more: Any) -> HttpResponse:
        """Show the file of a case; to somebody with a part in it, that there is one."""
        context = {"case": case, "age": age_mark(case), "state": self.state(case), "may": may_act(request)}
        why = barred(request.user, case)
        if why is not None:
            return self.show(request, case, template="admin/complaints/barred.html", barred=why, **context)
        mine = case.taken_by_id == request.user.pk
        waits = case.verdicts.filter(final__isnull=True).select_related("decided_by").first()
        decides = decidable(request.user, case)
        found = casefile(case)
        verdicts = list(case.verdicts.select_related("decided_by", "confirmed_by").order_by("number"))
        first = next((one for one in verdicts if one.number == 1), None)
        context |= {
            "file": found,
            "mine": mine,
            "waits": waits,
            "decides": decides and may_act(request),
            "takes": may_act(request) and not mine and waits is None and case.status in WAITING,
            "complaints": case.complaints.select_related("complainant").order_by("pk"),
            "appeal": getattr(case, "appeal", None),
            "questions": case.questions.select_related("to", "by").order_by("pk"),
            "verdicts": [verdict_lines(one, found) for one in verdicts],
            "history": [(act, words.act(act.act)) for act in staff_log.of(f"case:{case.pk}")],
            "concerned": get_user_model().objects.filter(pk__in=filing.concerned(case)),
        }
        if decides or more.get("form"):
            context["fields"] = fields(case, found, more.pop("form", None) or beginning(case, first))
        if waits is not None:
            context["proposed"] = self._proposed(request, case, waits)
        return self.show(request, case, template="admin/complaints/case.html", **{**context, **more})

    def _proposed(self, request: HttpRequest, case: Case, verdict: Verdict) -> dict[str, Any]:
        """Return a proposed verdict as it would be now, with what the second person sends back."""
        try:
            found = reckoning.preview(case, deciding.form_of(verdict))
        except BadVerdict as error:
            return {"verdict": verdict, "fault": words.refusal(error)}
        return {
            "verdict": verdict,
            "sum": giving.lay_out(found, names_of(case), words.PARTS),
            "token": giving.seen_token(staff=request.user, verdict=verdict, preview=found),
            "own": verdict.decided_by_id == request.user.pk,
        }

    # ---- acts

    def take_up(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        return self._do(request, case_id, lambda: deciding.take_up(staff=request.user, case_id=case_id))

    def put_back(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        return self._do(request, case_id, lambda: deciding.put_back(staff=request.user, case_id=case_id))

    def ask(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        to = request.POST.get("to", "")
        number = int(to) if to.isascii() and to.isdigit() and len(to) < 19 else 0
        text = request.POST.get("text", "").replace("\0", "")[:LONGEST_NOTE]
        return self._do(
            request,
            case_id,
            lambda: deciding.ask(staff=request.user, case_id=case_id, user_id=number, text=text),
            gettext("Your question was sent."),
        )

    def preview(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        """Show every coin and point that a verdict would move; nothing moves."""
        case = self._acting_on(request, case_id)
        return self._preview(request, case, request.POST)

    def _preview(
        self, request: HttpRequest, case: Case, data: Any, form: Form | None = None, notice: object = None
    ) -> HttpResponse:
        try:
            if not decidable(request.user, case):
                raise NotAllowed("not_in_hand")
            if not evidence.holds(case):
                raise NotAllowed("evidence_broken")
            form = form or giving.read(data, people_of(case))
            found = reckoning.preview(case, form)
        except ComplaintError as error:
            notice = {"tone": "bad", "text": words.refusal(error)}
            return self._file(request, case, form=form or typed(data, case), notice=notice)
        return self.show(
            request,
            case,
            template="admin/complaints/preview.html",
            case=case,
            form=form,
            said=said(form, names_of(case)),
            sum=giving.lay_out(found, names_of(case), words.PARTS),
            token=giving.token_of(staff=request.user, case=case, form=form, preview=found),
            notice=notice,
        )

    def give(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        """Give the verdict whose preview was confirmed; show it again if its amounts have changed."""
        case = self._acting_on(request, case_id)
        token = request.POST.get("token", "")
        if "change" in request.POST:
            return self._change(request, case, token)
        try:
            verdict = giving.give(staff=request.user, case_id=case.pk, token=token)
        except giving.Changed as error:
            shown = giving.shown_by(staff=request.user, case_id=case.pk, token=token)
            notice = {"tone": "bad", "text": words.refusal(error)}
            case.refresh_from_db()
            return self._preview(request, case, None, shown.form, notice)
        except ComplaintError as error:
            messages.error(request, words.refusal(error))
            return HttpResponseRedirect(case_url(case.pk))
        if verdict.needs_second:
            messages.warning(
                request, gettext("Proposed. A second person must confirm it before anything moves.")
            )
        else:
            messages.success(request, gettext("The verdict is given. It is carried out within seconds."))
        return HttpResponseRedirect(case_url(case.pk))

    def _change(self, request: HttpRequest, case: Case, token: str) -> HttpResponseBase:
        """Go back from the preview to the form as it was filled in."""
        try:
            shown = giving.shown_by(staff=request.user, case_id=case.pk, token=token)
        except BadVerdict as error:
            messages.error(request, words.refusal(error))
            return HttpResponseRedirect(case_url(case.pk))
        return self._file(request, case, form=shown.form)

    def confirm(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        case = self._acting_on(request, case_id)
        waits = case.verdicts.filter(final__isnull=True).first()

        def confirm() -> None:
            if waits is None:
                raise NotAllowed("no_such_verdict")
            giving.confirm(staff=request.user, verdict_id=waits.pk, token=request.POST.get("token", ""))

        return self._do(
            request, case_id, confirm, gettext("The verdict is confirmed. It is carried out within seconds.")
        )

    def send_back(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        case = self._acting_on(request, case_id)
        waits = case.verdicts.filter(final__isnull=True).first()
        why = request.POST.get("why", "").replace("\0", "").strip()[:LONGEST_NOTE]

        def send_back() -> None:
            if waits is None:
                raise NotAllowed("no_such_verdict")
            if not why:
                raise BadVerdict("no_reasons")
            deciding.send_back(staff=request.user, verdict_id=waits.pk, why=why)

        return self._do(request, case_id, send_back, gettext("The verdict went back to whoever proposed it."))

    def _acting_on(self, request: HttpRequest, case_id: int) -> Case:
        """Return the case that somebody acts on; refuse who may not act, and anything but a POST."""
        if request.method != "POST" or not may_act(request):
            raise PermissionDenied
        case: Case | None = self.row_to_show(request, str(case_id))
        if case is None or barred(request.user, case) is not None:
            raise PermissionDenied
        return case

    def _do(
        self, request: HttpRequest, case_id: int, act: Callable[[], object], done: str = ""
    ) -> HttpResponseBase:
        self._acting_on(request, case_id)
        try:
            act()
        except ComplaintError as error:
            messages.error(request, words.refusal(error))
        else:
            if done:
                messages.success(request, done)
        return HttpResponseRedirect(case_url(case_id))


def case_url(case_id: int | str) -> str:
    """Return the page of a case."""
    return reverse("admin:complaints_case_change", args=[case_id])


def verdict_url(rest: str) -> str | None:
    """Return the page of a verdict's case from what stands behind "verdict:" in a reference."""
    return _page_by(Verdict.objects.all(), rest)


def complaint_url(rest: str) -> str | None:
    """Return the page of a complaint's case from what stands behind "complaint:" in a reference."""
    return _page_by(Complaint.objects.all(), rest)


def _page_by(rows: QuerySet[Any], rest: str) -> str | None:
    number = rest.partition(":")[0]
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    case = rows.filter(pk=int(number)).values_list("case_id", flat=True).first()
    return case_url(case) if case else None


register_reference("verdict", verdict_url)
register_reference("complaint", complaint_url)
register_reference("case", lambda rest: case_url(rest) if rest.isdigit() else None)
