"""How somebody comes to a seat. Each step is one transaction, run anew when the database made it a victim."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games import computers, tables
from games import selectors as games
from games.errors import TableError
from lobby import admission, matchmaking
from lobby.errors import AlreadySeated, LobbyError, SeatRefused, TierClosed, UnknownTier
from lobby.models import QueueTicket, RoomTier
from wallet.services import retrying

if TYPE_CHECKING:
    from accounts.models import User
    from games.models import Table

# What a table that was free a moment ago may answer; another one is tried then.
_NEXT_TABLE = frozenset({"table_full", "seat_taken", "table_closed", "table_gone", "wrong_phase"})


class Seated(NamedTuple):
    """A seat was found."""

    table_code: str


class Waiting(NamedTuple):
    """The match is not complete yet."""

    ticket: QueueTicket


def quick_match(
    *, user: Any, tier_code: str, nonce: str = "", now: datetime | None = None
) -> Seated | Waiting:
    """Seat somebody at a table of a tier, or let him wait for a match there.

    Raises NotSignedIn, MayNotPlay, UnknownTier, TierClosed, AlreadySeated, Suspended, Owes, EntryLimit, BadNonce,
    SeatRefused.
    """
    person = admission.check_person(user)
    admission.check_nonce(nonce)
    tier = RoomTier.objects.filter(code=tier_code).first()
    if tier is None:
        raise UnknownTier(tier_code)
    if tier.practice:
        return Seated(_practise(person, tier_code, nonce))
    if tier.seating == RoomTier.Seating.PICK:
        return Seated(_pick(person, tier_code, nonce))
    now = now or timezone.now()
    _join_queue(person, tier_code, nonce, now)
    matchmaking.match_tier(tier_code=tier_code, now=now)
    return _place_of(person)


def sit(*, user: Any, table_code: str, seat: int | None = None, nonce: str = "") -> Seated:
    """Seat somebody at a table he picked, at the seat he picked.

    Raises NotSignedIn, MayNotPlay, TierClosed, AlreadySeated, Suspended, Owes, EntryLimit, BadNonce, SeatRefused.
    """
    person = admission.check_person(user)
    admission.check_nonce(nonce)
    table = games.table_by_code(table_code)
    if table is None or table.terms["seating"] != RoomTier.Seating.PICK:
        raise SeatRefused("table_gone" if table is None else "seats_are_drawn")
    _sit_at(person, table, seat, nonce)
    return Seated(table.code)


def cancel(*, user: Any) -> None:
    """Give up waiting; nothing happens to somebody who does not wait, or who is seated already."""
    QueueTicket.objects.filter(user_id=admission.check_person(user).pk).delete()


def why_refused(ticket: QueueTicket) -> LobbyError | None:
    """Return, with its figures, why the match went on without somebody, as things are now; None: that is over."""
    try:
        admission.check_terms(ticket.user, ticket.tier.terms())
    except LobbyError as error:
        return error
    return None


def show_life(*, user: Any, now: datetime | None = None) -> QueueTicket | None:
    """Note that somebody still waits; return his ticket, None when there is none."""
    tickets = QueueTicket.objects.filter(user_id=admission.check_person(user).pk)
    tickets.update(last_seen=now or timezone.now())
    return tickets.select_related("tier").first()


@transaction.atomic
def keep_waiting(*, user_ids: Collection[int], now: datetime | None = None) -> None:
    """Note that these people still wait, those of them who have a ticket."""
    QueueTicket.objects.filter(user_id__in=list(user_ids)).update(last_seen=now or timezone.now())


@retrying
@transaction.atomic
def _pick(user: User, tier_code: str, nonce: str) -> str:
    """Sit at the fullest, oldest table of a tier, or at a new one; return its code.

    The tier stays locked meanwhile, so that many who come at once fill one table and do not open one each.
    """
    tier = _locked_tier(tier_code)
    terms = tier.terms()
    _prepare(user, terms)
    for found in games.open_tables(tier.code, tier.seats):
        table = games.table_by_code(found.code)
        if table is None or table.terms != terms:
            continue
        try:
            _take(user, table, None, nonce)
        except SeatRefused as refused:
            if refused.code not in _NEXT_TABLE:
                raise
        else:
            return table.code
    table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=terms)
    _take(user, table, None, nonce)
    return table.code


@retrying
@transaction.atomic
def _practise(user: User, tier_code: str, nonce: str) -> str:
    """Sit at a new table among computer players, where the first deal opens at once; return its code."""
    tier = RoomTier.objects.get(code=tier_code)
    if not tier.is_open:
        raise TierClosed(tier_code)
    terms = tier.terms()
    if settings.COMPUTER_THINKS_MS:
        terms["think_ms"] = list(settings.COMPUTER_THINKS_MS)
    _prepare(user, terms)
    table = tables.open_table(tier=tier.code, ruleset=tier.ruleset, terms=terms)
    _take(user, table, None, nonce)
    computers.fill(table.pk)
    return table.code


@retrying
@transaction.atomic
def _sit_at(user: User, table: Table, seat: int | None, nonce: str) -> None:
    if not RoomTier.objects.filter(code=table.tier, is_open=True).exists():
        raise TierClosed(table.tier)
    _prepare(user, table.terms)
    _take(user, table, seat, nonce)


@retrying
@transaction.atomic
def _join_queue(user: User, tier_code: str, nonce: str, now: datetime) -> None:
    """Give somebody a ticket, or move his only one; asked again for the same tier he keeps his place."""
    tier = _locked_tier(tier_code)
    admission.check_free(user)
    admission.check_terms(user, tier.terms())
    life = {"last_seen": now, "nonce": nonce, "refusal": ""}
    place = {**life, "tier": tier, "created": now}
    ticket, is_new = QueueTicket.objects.select_for_update().get_or_create(user=user, defaults=place)
    if not is_new:
        changes = life if ticket.tier_id == tier.pk else place
        for field, value in changes.items():
            setattr(ticket, field, value)
        ticket.save(update_fields=list(changes))


def _place_of(user: User) -> Seated | Waiting:
    """Say where somebody is who was just given a ticket."""
    seat = games.seat_of(user)
    if seat is not None:
        return Seated(seat.table_code)
    ticket = QueueTicket.objects.select_related("tier").filter(user=user).first()
    if ticket is None:
        raise SeatRefused("ticket_gone")
    return Waiting(ticket)


def _locked_tier(code: str) -> RoomTier:
    """Return an open tier, locked against other seatings in it. Raises UnknownTier, TierClosed."""
    tier = RoomTier.objects.select_for_update(no_key=True).filter(code=code).first()
    if tier is None:
        raise UnknownTier(code)
    if not tier.is_open:
        raise TierClosed(code)
    return tier


def _prepare(user: User, terms: dict[str, Any]) -> None:
    """Check somebody and take him out of the queue, before he sits down."""
    admission.check_free(user)
    admission.check_terms(user, terms)
    QueueTicket.objects.filter(user=user).delete()


def _take(user: User, table: Table, seat: int | None, nonce: str) -> None:
    try:
        with transaction.atomic():
            tables.take_seat(user=user, table=table, seat=seat, nonce=nonce)
    except TableError as error:
        if error.code == "already_seated":
            held = games.seat_of(user)
            raise AlreadySeated(held.table_code if held else "") from error
        raise SeatRefused(error.code, error.detail) from error
