"""Making tables of those who wait.

A tier's tickets are handled under the tier's lock, in one transaction with the seating: no ticket is used
twice, and whoever cannot be seated any more makes room for the next. Run by everyone who joins and, once a
second, by the sweep. Locks are taken in the order tier, tickets, table, wallets.

In anti-cheat rooms two people who share a network or a device are never put at one table (RULES §5). Whoever has
waited longest is seated as soon as there is any company for him; who waits only for strangers keeps nobody else.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog
from django.db import transaction
from django.utils import timezone

from accounts import devices
from accounts import selectors as accounts
from games import selectors as games
from games import tables
from games.errors import TableError
from lobby import admission
from lobby.companies import first_company
from lobby.models import QueueTicket, RoomTier
from wallet import services as wallet
from wallet.services import retrying

if TYPE_CHECKING:
    from accounts.models import User

logger = structlog.get_logger(__name__)

# A ticket without a sign of life for this long is dropped.
STALE = timedelta(seconds=30)
_MOST_TABLES = 50
_TRIES = 3


def match_all(*, now: datetime | None = None) -> list[str]:
    """Match every tier in which enough people wait, drop stale tickets; return the codes of the new tables.

    May run any number of times at once. A tier that fails does not keep the others from theirs.
    """
    now = now or timezone.now()
    opened: list[str] = []
    for tier_code in (
        QueueTicket.objects.order_by("tier__code").values_list("tier__code", flat=True).distinct()
    ):
        try:
            opened += match_tier(tier_code=tier_code, now=now)
        except Exception:
            logger.exception("match_failed", tier=tier_code)
    return opened


def match_tier(*, tier_code: str, now: datetime | None = None) -> list[str]:
    """Seat complete groups of one tier's queue in the order they came; return the codes of their tables."""
    now = now or timezone.now()
    opened: list[str] = []
    failures = 0
    while len(opened) < _MOST_TABLES:
        try:
            code = _seat_next_group(tier_code, now)
        except TableError as error:
            # Somebody sat down elsewhere meanwhile; the next look knows of it.
            failures += 1
            if failures == _TRIES:
                logger.warning("match_given_up", tier=tier_code, code=error.code)
                return opened
            continue
        if code is None:
            return opened
        opened.append(code)
    return opened


@retrying
@transaction.atomic
def _seat_next_group(tier_code: str, now: datetime) -> str | None:
    """Seat the first complete group of a tier at a new table; return its code, None without a group."""
    tier = RoomTier.objects.select_for_update(no_key=True).filter(code=tier_code).first()
    if tier is None:
        return None
    queue = QueueTicket.objects.filter(tier=tier)
    queue.filter(last_seen__lt=now - STALE).delete()
    if not tier.is_open or tier.seating != RoomTier.Seating.MATCH:
        queue.update(refusal="tier_closed")
        return None
    group = _next_group(tier)
    if len(group) < tier.seats:
        return None
    # The server draws the seats: nobody sits beside whom he chose by coming at the same moment.
    secrets.SystemRandom().shuffle(group)
    table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=tier.terms())
    tables.seat_group(
        users=[user for _, user in group], table=table, nonces=[ticket.nonce for ticket, _ in group]
    )
    queue.filter(pk__in=[ticket.pk for ticket, _ in group]).delete()
    return table.code


def _next_group(tier: RoomTier) -> list[tuple[QueueTicket, User]]:
    """Return the first tickets, locked, whose people may sit down together now; refuse those who may not at all."""
    # Locked in the order of their keys by everybody; sorted by arrival afterwards.
    locked = QueueTicket.objects.select_for_update(of=("self",)).filter(tier=tier, refusal="").order_by("pk")
    tickets = sorted(locked, key=lambda ticket: (ticket.created, ticket.pk))
    people = accounts.users([ticket.user_id for ticket in tickets])
    free = [(ticket, people[ticket.user_id]) for ticket in _free(tier, tickets, people)]
    if not tier.anti_cheat:
        return free[: tier.seats]
    marks = devices.recent_marks(people)
    company = first_company([marks.get(user.pk, frozenset()) for _, user in free], tier.seats)
    return [free[place] for place in company]


def _free(tier: RoomTier, tickets: Sequence[QueueTicket], people: Mapping[int, User]) -> list[QueueTicket]:
    """Return the tickets of those who may sit down now; refuse or drop the others."""
    balances = wallet.balances(people) if tier.entry is not None else {}
    seats, bars = games.seats_of(people), admission.bars(people)
    free = []
    for ticket in tickets:
        user_id = ticket.user_id
        bar = bars.against(user_id, tier.currency)
        if user_id not in people:
            _refuse(ticket, "may_not_play")
        elif bar is not None:
            _refuse(ticket, bar.code)
        elif tier.entry is not None and balances.get(user_id, wallet.Balance(0, 0)).total <= tier.entry:
            _refuse(ticket, "entry_limit")
        elif user_id in seats:
            ticket.delete()
        else:
            free.append(ticket)
    return free


def _refuse(ticket: QueueTicket, code: str) -> None:
    ticket.refusal = code
    ticket.save(update_fields=["refusal"])
