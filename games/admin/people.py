"""What tables and books know of a person, put on his page and into the list of people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import F, OuterRef, Subquery
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import desk as people
from games import naming, selectors
from games.admin import receipt
from games.models import Connection, PlayerRecord, SeatResult
from wallet import services as wallet
from wallet.desk import (
    EMPTY,
    Facts,
    Panel,
    Sheet,
    change,
    figure,
    line_name,
    link,
    moment,
    page_of,
    reference_link,
)

if TYPE_CHECKING:
    from accounts.models import User

MOST = 15


@admin.display(description=_("table"), ordering="desk_table")
def at_table(user: Any) -> SafeString | str:
    """Show where somebody sits."""
    return page_of("games_table", user.desk_table_id, user.desk_table)


@admin.display(description=_("coins"), ordering="desk_coins")
def coins(user: Any) -> SafeString | str:
    """Show what somebody has, with a link to his wallet."""
    return page_of("wallet_wallet", user.desk_wallet, figure(user.desk_coins))


@admin.display(description=_("last deal"))
def last_deal(user: Any) -> SafeString | str:
    """Show the end of somebody's newest deal, with a link to it."""
    return page_of("games_deal", user.desk_deal, moment(user.desk_played)[:16])


_newest = SeatResult.objects.filter(user=OuterRef("pk"), reversal_of__isnull=True).order_by("-pk")

people.add_column(at_table, desk_table=F("seat__table__code"), desk_table_id=F("seat__table"))
people.add_column(coins, desk_coins=F("wallet__balance"), desk_wallet=F("wallet"))
people.add_column(
    last_deal,
    desk_deal=Subquery(_newest.values("deal")[:1]),
    desk_played=Subquery(_newest.values("created")[:1]),
)


def panels(user: User, viewer: User) -> list[Panel]:
    """Return what the desk is shown of a person: where he is, his coins, his records, his last deals."""
    return [_now(user), _records(user), _deals(user), _ledger(user)]


people.add_panels(panels)


def _now(user: Any) -> Facts:
    seat = selectors.seat_of(user)
    where: object = EMPTY
    if seat is not None:
        number = gettext("seat %(number)s") % {"number": seat.seat + 1}
        where = format_html("{}, {}", page_of("games_table", seat.table_id, seat.table_code), number)
    sockets = Connection.objects.filter(user=user, closed_ms__isnull=True).count()
    have = wallet.balance(user.pk)
    holds = reverse("admin:wallet_hold_changelist") + f"?q={user.username_key}&open=yes"
    return Facts(
        _("Now"),
        [
            (_("Table"), where),
            (_("Open sockets"), figure(sockets)),
            (_("Coins"), page_of("wallet_wallet", user.desk_wallet, figure(have.total))),
            (_("Held"), link(holds, figure(have.held)) if have.held else figure(0)),
            (_("Available"), figure(have.available)),
            (_("Access version"), figure(user.access_version)),
        ],
    )


def _records(user: User) -> Sheet:
    return Sheet(
        _("Records"),
        (_("Rule set"), _("Points"), _("Deals"), _("Won"), _("Lost"), _("Escaped")),
        [
            (
                page_of("games_playerrecord", record.pk, naming.game_words(record.ruleset).name),
                change(record.points),
                figure(record.deals),
                figure(record.wins),
                figure(record.losses),
                figure(record.escapes),
            )
            for record in PlayerRecord.objects.filter(user=user).order_by("ruleset")
        ],
        figures=(1, 2, 3, 4, 5),
        empty=_("No counted deal yet."),
    )


def _deals(user: User) -> Sheet:
    every = reverse("admin:games_deal_changelist") + f"?q={user.username_key}"
    return Sheet(
        _("Last deals"),
        (_("When"), _("Deal"), _("Table"), _("Rule set"), _("Outcome"), _("Points"), _("Net coins")),
        [
            (
                moment(result.created),
                page_of("games_deal", result.deal_id, result.deal_id),
                page_of("games_table", result.deal.table_id, result.deal.table.code),
                naming.game_words(result.deal.ruleset).name,
                receipt.OUTCOMES.get(result.outcome, result.outcome),
                change(result.points),
                change(result.net),
            )
            for result in selectors.results_of(user, limit=MOST)
        ],
        figures=(5, 6),
        empty=_("No deal yet."),
        more=link(every, gettext("All deals")),
    )


def _ledger(user: Any) -> Sheet:
    every = reverse("admin:wallet_transaction_changelist") + f"?wallet={user.desk_wallet}"
    return Sheet(
        _("Last lines of the ledger"),
        (_("When"), _("What"), _("Reference"), _("Amount"), _("Balance after")),
        [
            (
                moment(line.at),
                line_name(line.code),
                reference_link(line.reference),
                change(line.amount),
                figure(line.balance),
            )
            for line in wallet.statement(user.pk, limit=MOST)
        ],
        figures=(3, 4),
        empty=_("Nothing has moved."),
        more=link(every, gettext("All transactions")) if user.desk_wallet else "",
    )
