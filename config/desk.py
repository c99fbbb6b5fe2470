"""The desk (django-unfold): its name, its colours, its sidebar; and the policy its pages need.

Imported by the settings: nothing here may need the apps to be loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.templatetags.static import static
from django.urls import reverse, reverse_lazy
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext_lazy as _

Item = dict[str, Any]

# Unfold's pages are drawn by Alpine, which evaluates expressions, and carry their theme in a <style>.
POLICY = {
    "script-src": ["'self'", "'unsafe-inline'", "'unsafe-eval'"],
    "style-src": ["'self'", "'unsafe-inline'"],
}


class DeskPolicyMiddleware(MiddlewareMixin):
    """Relaxes the content security policy for the pages of the desk, and for no other.

    Stands behind CSPMiddleware.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path.startswith(reverse("admin:index")):
            response._csp_replace = POLICY  # type: ignore[attr-defined]
        return response


def _may(*permissions: str) -> Callable[[HttpRequest], bool]:
    def allowed(request: HttpRequest) -> bool:
        user: Any = request.user
        return any(user.has_perm(permission) for permission in permissions)

    return allowed


def _is_superuser(request: HttpRequest) -> bool:
    user: Any = request.user
    return bool(user.is_superuser)


def _page(title: Any, icon: str, model: str, permission: Callable[[HttpRequest], bool] | None = None) -> Item:
    """Return an entry of the sidebar: the list of a model ("games_table"), for those who may see it."""
    app, name = model.split("_")
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{model}_changelist"),
        "permission": permission or _may(f"{app}.view_{name}", f"{app}.change_{name}"),
    }


SIDEBAR = [
    {"items": [{"title": _("Overview"), "icon": "monitoring", "link": reverse_lazy("admin:index")}]},
    {
        "title": _("Complaints"),
        "items": [
            _page(_("Cases"), "gavel", "complaints_case"),
            _page(_("What the staff did"), "history_edu", "complaints_staffact"),
        ],
    },
    {
        "title": _("Play"),
        "items": [
            _page(_("Tables"), "table_restaurant", "games_table"),
            _page(_("Deals"), "playing_cards", "games_deal"),
            _page(_("Tiers"), "stairs", "lobby_roomtier"),
            _page(_("Queues"), "hourglass_top", "lobby_queueticket"),
        ],
    },
    {
        "title": _("People"),
        "items": [
            _page(_("People"), "group", "accounts_user"),
            _page(_("Records"), "leaderboard", "games_playerrecord"),
            _page(_("Seat results"), "scoreboard", "games_seatresult"),
        ],
    },
    {
        "title": _("Books"),
        "items": [
            _page(_("Transactions"), "receipt_long", "wallet_transaction"),
            _page(_("Wallets"), "account_balance_wallet", "wallet_wallet"),
            _page(_("Holds"), "lock", "wallet_hold"),
            _page(_("Debts"), "credit_card_off", "wallet_debt"),
            _page(_("Corrections"), "edit_note", "wallet_adjustment"),
            _page(_("Audits"), "fact_check", "wallet_auditrun"),
        ],
    },
    {
        "title": _("House"),
        "items": [
            _page(_("Server processes"), "dns", "games_serverprocess"),
            _page(_("Sockets"), "cable", "games_connection"),
            _page(_("Service clock"), "schedule", "games_serviceclock"),
            _page(_("Changes to rows"), "history", "admin_logentry"),
            _page(_("Sets of rights"), "key", "auth_group", _is_superuser),
        ],
    },
]

# The tokens of the house (static/css/tokens.css) on unfold's scales: paper and ink, cinnabar, jade, brass.
COLORS = {
    "base": {
        "50": "#faf6ee",
        "100": "#f3ede1",
        "200": "#dfd4c0",
        "300": "#c9bca4",
        "400": "#a99c8a",
        "500": "#766955",
        "600": "#5c5244",
        "700": "#463d31",
        "800": "#383029",
        "900": "#1e1a17",
        "950": "#151210",
    },
    "primary": {
        "50": "#fbf1ed",
        "100": "#f8e6df",
        "200": "#f0ccc0",
        "300": "#e7a594",
        "400": "#f3937d",
        "500": "#e8745c",
        "600": "#a92d1c",
        "700": "#8f2416",
        "800": "#741d12",
        "900": "#4d1a12",
        "950": "#3a1f19",
    },
    "green": {"100": "#dfece4", "400": "#7cc4a8", "500": "#2f8a6f", "600": "#1f6a55", "700": "#1f6a55"},
    "jade": {"wash": "#dfece4", "ink": "#1f6a55", "dark-wash": "#1b302a", "dark-ink": "#7cc4a8"},
    "brass": {"wash": "#f5e9c9", "ink": "#7d5a0c", "dark-wash": "#33290f", "dark-ink": "#e3bc63"},
    "alarm": {"wash": "#f9e3dc", "ink": "#a92d1c", "dark-wash": "#3a1d17", "dark-ink": "#f3937d"},
    "sky": {"wash": "#e1ebf3", "ink": "#2a5b86", "dark-wash": "#1a2a39", "dark-ink": "#94bfe6"},
}

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": _("Paishe desk"),
    "SITE_HEADER": _("Paishe 牌舍"),
    "SITE_SUBHEADER": _("The desk of the house"),
    "SITE_SYMBOL": "playing_cards",
    "SITE_URL": "/",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/seal.svg")}
    ],
    "SHOW_LANGUAGES": True,
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": [lambda request: static("css/desk.css")],
    "LOGIN": {"form": "accounts.desk.DeskLoginForm"},
    "DASHBOARD_CALLBACK": "lobby.desk.index",
    "COLORS": COLORS,
    "BORDER_RADIUS": "8px",
    "SIDEBAR": {"show_search": False, "show_all_applications": False, "navigation": SIDEBAR},
}
