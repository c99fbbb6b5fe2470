"""The players' pages of complaints: file, withdraw, answer, appeal; and what became of it. No GET changes anything."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import restrictions
from games import naming
from games.complaints import filing, notices, selectors, wording
from games.complaints.errors import Refused
from games.complaints.forms import AnswerForm, AppealForm, ComplaintForm, deal_id
from games.complaints.models import Kind, OpenComplaint
from games.complaints.played import Played
from wallet import services as wallet

GONE = ("no_such_complaint", "no_such_case", "no_such_question", "no_such_deal")
"""What is not there for whoever asks, and what is another's, is not found."""


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """Show one's complaints, what one was told of others, and what stands against oneself."""
    user_id = request.user.pk or 0
    rows = selectors.list_of(user_id)
    standing = restrictions.standing(user_id)
    context = {"rows": rows, "restrictions": standing, "unread_rows": any(row.unread for row in rows)}
    return render(request, "complaints/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Show the form for the deal that is named, and file what comes back."""
    sent = request.method == "POST"
    asked = (request.POST if sent else request.GET).get("deal", "")
    if not asked and not sent:
        return redirect("complaints:list")
    try:
        first, near = filing.choice(request.user, deal_id(asked) or "-")
    except Refused as error:
        if error.code == "no_such_deal":
            raise Http404 from None
        return render(request, "complaints/new.html", {"refused": wording.refusal(error)})
    if sent:
        return _file(request, first, near)
    return _form(request, first, near, ComplaintForm(initial={"deals": [first.id]}))


@require_safe
@never_cache
@login_required
def case(request: HttpRequest, case_id: int) -> HttpResponse:
    """Show a case to those concerned: how it stands, and what it means for whoever looks."""
    return _case(request, case_id)


@require_POST
@login_required
def read(request: HttpRequest, case_id: int) -> HttpResponse:
    """Take note that somebody has read what he was told of a case."""
    notices.read(user_id=request.user.pk or 0, case_id=case_id)
    return HttpResponse(status=204)


@require_POST
@login_required
def read_all(request: HttpRequest) -> HttpResponse:
    """Take note that somebody has read everything he was told."""
    notices.read_all(user_id=request.user.pk or 0)
    return redirect("complaints:list")


@require_POST
@login_required
def withdraw(request: HttpRequest, complaint_id: int) -> HttpResponse:
    """Take one's complaint back, before it is taken up."""
    try:
        found = filing.withdraw(user=request.user, complaint_id=complaint_id)
    except Refused as error:
        _gone(error)
        messages.warning(request, wording.refusal(error))
        return redirect("complaints:list")
    messages.success(request, gettext("Your complaint is withdrawn."))
    return redirect("complaints:case", found.case_id)


@require_POST
@login_required
def appeal(request: HttpRequest, case_id: int) -> HttpResponse:
    """Appeal against the first verdict of a case."""
    form = AppealForm(request.POST)
    if form.is_valid():
        try:
            filing.appeal(user=request.user, case_id=case_id, text=form.cleaned_data["text"])
        except Refused as error:
            _gone(error)
            messages.warning(request, wording.refusal(error))
        else:
            messages.success(request, gettext("Your appeal is filed. Somebody else will look at the case."))
        return redirect("complaints:case", case_id)
    return _case(request, case_id, appeal_form=form)


@require_POST
@login_required
def answer(request: HttpRequest, question_id: int) -> HttpResponse:
    """Answer what the staff asked."""
    asked = selectors.question_to(request.user.pk or 0, question_id)
    if asked is None:
        raise Http404
    form = AnswerForm(request.POST)
    if form.is_valid():
        try:
            filing.answer(user=request.user, question_id=question_id, text=form.cleaned_data["text"])
        except Refused as error:
            _gone(error)
            messages.warning(request, wording.refusal(error))
        else:
            messages.success(request, gettext("Your answer is with the staff."))
        return redirect("complaints:case", asked.case_id)
    return _case(request, asked.case_id, answer_form=form, answered=question_id)


def _gone(error: Refused) -> None:
    if error.code in GONE:
        raise Http404 from None


def _file(request: HttpRequest, first: Played, near: list[Played]) -> HttpResponse:
    form = ComplaintForm(request.POST)
    if form.is_valid():
        try:
            made = filing.file(user=request.user, **form.cleaned_data)
        except Refused as error:
            if error.code == "already_open":
                return _there_already(request, form, error)
            form.refuse(error)
        else:
            messages.success(request, gettext("Your complaint is filed. You will find the answer here."))
            return redirect("complaints:case", made.case_id)
    return _form(request, first, near, form, status=400)


def _there_already(request: HttpRequest, form: ComplaintForm, error: Refused) -> HttpResponse:
    """Lead whoever has complained of this, perhaps by a second click, to what is there."""
    there = OpenComplaint.objects.filter(
        complainant_id=request.user.pk, kind=form.cleaned_data["kind"], deal__in=form.cleaned_data["deals"]
    ).select_related("complaint")
    found = there.first()
    messages.info(request, wording.refusal(error))
    return redirect("complaints:case", found.complaint.case_id) if found else redirect("complaints:list")


def _form(
    request: HttpRequest, first: Played, near: list[Played], form: ComplaintForm, status: int = 200
) -> HttpResponse:
    chosen, accused = set(form.chosen("deals")), set(form.chosen("accused"))
    seats = zip(first.users, first.names, strict=True)
    available = wallet.balance(request.user.pk or 0).available
    fees = {kind: filing.fee_of(kind, first) for kind in Kind}
    context = {
        "form": form,
        "first": first,
        "words": naming.game_words(first.rules.code),
        "tier": naming.tier_name(first.tier),
        "kinds": [
            (kind, wording.KINDS[kind], fees[kind], kind in filing.ONE_DEAL, kind == form.chosen_kind)
            for kind in Kind
        ],
        "deals": [(one, _result(one, request.user.pk), one.id in chosen) for one in near],
        "people": [
            (user, name, str(user) in accused)
            for user, name in seats
            if user is not None and user != request.user.pk
        ],
        "available": available,
        "costs": max(fees.values()),
        "longest": filing.LONGEST,
        "shortest": filing.SHORTEST,
        "most": filing.MOST_DEALS,
        "house_decides": wording.HOUSE_DECIDES,
    }
    return render(request, "complaints/new.html", context, status=status)


def _result(one: Played, user_id: int | None) -> int:
    """Return what a deal brought somebody: coins after the fee, or points."""
    seat = one.users.index(user_id)
    if one.currency == "coins":
        return one.result.gross[seat] - one.result.fees[seat]
    return one.points[seat]


def _case(request: HttpRequest, case_id: int, **forms: Any) -> HttpResponse:
    user_id = request.user.pk or 0
    seen = selectors.case_of(user_id, case_id)
    if seen is None:
        raise Http404
    context = {
        "seen": seen,
        "own": selectors.own(user_id, seen),
        "answer_form": AnswerForm(),
        "appeal_form": AppealForm(),
        "longest": filing.LONGEST,
        "house_decides": wording.HOUSE_DECIDES,
        "withdrawable": seen.state == "open" and seen.part == "complained",
        **forms,
    }
    failed = any(form.errors for form in forms.values() if hasattr(form, "errors"))
    return render(request, "complaints/case.html", context, status=400 if failed else 200)
