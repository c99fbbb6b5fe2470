"""Declaring a live deal void, for a reason that the staff log keeps: nobody pays, nobody scores."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext

from games import tables
from games.admin.tables import add_panels
from games.complaints import staff_log
from games.complaints.admin.cases import BESIDE
from games.errors import TableError
from games.selectors import live_deal, live_seats
from games.table import commands as cmd
from wallet.desk import register_reference

LONGEST = 200


class Void(NamedTuple):
    """The panel of a table where a deal runs."""

    table: Any
    deal: Any
    template: str = "admin/complaints/void.html"


def panels(request: HttpRequest, table: Any) -> list[Void]:
    """Return the panel from which a running deal is declared void, for those who may."""
    deal = live_deal(table.pk) if _may(request) else None
    return [] if deal is None else [Void(table, deal)]


add_panels(panels)
register_reference(
    "table", lambda rest: reverse("admin:games_table_change", args=[rest]) if rest.isdigit() else None
)


def void(request: HttpRequest, key: int) -> HttpResponseBase:
    """End the running deal of a table as one that all agreed to end."""
    staff: Any = request.user
    if request.method != "POST" or not _may(request):
        raise PermissionDenied
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:LONGEST]
    back = HttpResponseRedirect(reverse("admin:games_table_change", args=[key]))
    deal = live_deal(key)
    if not reason:
        messages.error(request, gettext("Write down the reason; it stands in the staff log."))
        return back
    if deal is None or deal.pk != request.POST.get("deal"):
        messages.error(request, gettext("This deal is over: there is nothing to declare void."))
        return back
    if staff.pk in {user for _table, _seat, user, _since in live_seats([key])}:
        raise PermissionDenied
    try:
        answer = tables.perform(key, cmd.Void(reason, staff.username, deal.pk))
    except TableError as error:
        messages.error(request, gettext("The table did not do it: %(code)s") % {"code": error.code})
        return back
    if answer.refusal is not None:
        messages.error(request, gettext("The table did not do it: %(code)s") % {"code": answer.refusal.code})
        return back
    staff_log.note(by=staff, act="voided", subject=f"table:{key}", data={"deal": deal.pk, "reason": reason})
    messages.success(request, gettext("The deal is void: nobody pays or scores anything."))
    return back


def _may(request: HttpRequest) -> bool:
    user: Any = request.user
    return bool(user.has_perm("games.change_table"))


BESIDE.update(void=void)
