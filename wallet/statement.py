"""A player's statement: what came and went, newest first, each line with the balance after it; and how the
balance went in the course of time."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum, Window
from django.db.models.functions import Trunc

from wallet.models import Entry, Hold

PLAYERS: Final = "players"
MOST_LINES: Final = 200
# The finest steps of which a span of time has not too many.
STEPS: Final = (
    (timedelta(days=8), "hour", timedelta(hours=1)),
    (timedelta(days=120), "day", timedelta(days=1)),
    (timedelta.max, "week", timedelta(days=7)),
)


class Line(NamedTuple):
    """One line of a statement, in whole coins.

    `entry` is the key to go on from; `counterparties` are the codes of the house's wallets on the other
    side, and "players"; `reference` says what caused it ("deal:<id>"), `reverses` which earlier reference
    it takes back.
    """

    entry: int
    at: datetime
    code: str
    reference: str
    amount: int
    balance: int
    counterparties: tuple[str, ...]
    reverses: str | None


class Only(NamedTuple):
    """Which lines are asked for: those of transactions with one of these codes, what took such back, and, if
    `to_the_house`, those in which coins went to the house and no other player had a part."""

    codes: tuple[str, ...]
    to_the_house: bool = False


class Point(NamedTuple):
    """The balance at one moment."""

    at: datetime
    balance: int


class OpenHold(NamedTuple):
    """Coins set aside now, and for what."""

    reference: str
    amount: int


def statement(
    user_id: int, before: int | None = None, limit: int = 50, only: Only | None = None
) -> list[Line]:
    """Return the newest lines of a player, older than the line of entry `before` if that is given.

    Each line has the balance after it, also where `only` leaves out the lines around it.
    """
    entries = Entry.objects.filter(wallet__user_id=user_id)
    asked = entries if only is None else entries.filter(_condition(only))
    if before is not None:
        asked = asked.filter(pk__lt=before)
    limit = max(1, min(limit, MOST_LINES))
    page = list(asked.select_related("transaction__reversal_of").order_by("-pk")[:limit])
    if not page:
        return []
    balances = _balances(entries, page, only)
    others = _counterparties({entry.transaction_id for entry in page}, page[0].wallet_id)
    return [
        Line(
            entry=entry.pk,
            at=entry.transaction.created,
            code=entry.transaction.code,
            reference=entry.transaction.reference,
            amount=entry.amount,
            balance=balances[entry.pk],
            counterparties=tuple(sorted(others[entry.transaction_id])),
            reverses=reversed_one.reference if (reversed_one := entry.transaction.reversal_of) else None,
        )
        for entry in page
    ]


def series(user_id: int, *, since: datetime | None = None, now: datetime) -> list[Point]:
    """Return how the balance went from `since` (default: the first line) to `now`, oldest first.

    The first point is what there was then, one follows for each hour, day or week in which something moved, by the
    length of the span, and one for now. An empty wallet has no points.
    """
    entries = Entry.objects.filter(wallet__user_id=user_id)
    if since is None:
        first = entries.select_related("transaction").order_by("pk").first()
        if first is None:
            return []
        since, balance = first.transaction.created, first.amount
        entries = entries.exclude(pk=first.pk)
    else:
        earlier = entries.filter(transaction__created__lt=since)
        balance = earlier.aggregate(total=Sum("amount"))["total"] or 0
    unit, step = next((unit, step) for longest, unit, step in STEPS if now - since <= longest)
    moved = entries.filter(transaction__created__gte=since)
    sums = moved.annotate(start=Trunc("transaction__created", unit)).values("start").order_by("start")
    points = [Point(since, balance)]
    for start, amount in sums.annotate(total=Sum("amount")).values_list("start", "total"):
        balance += amount
        points.append(Point(max(since, min(start + step, now)), balance))
    if len(points) == 1 and not balance:
        return []
    return points if points[-1].at == now else [*points, Point(now, balance)]


def open_holds(user_id: int) -> list[OpenHold]:
    """Return what of a player's coins is set aside now, and under which references."""
    found = Hold.objects.filter(wallet__user_id=user_id, closed__isnull=True).order_by("pk")
    return [OpenHold(*row) for row in found.values_list("reference", "amount")]


def _condition(only: Only) -> Q:
    codes = list(only.codes)
    wanted: Q = Q(transaction__code__in=codes) | Q(transaction__reversal_of__code__in=codes)
    if not only.to_the_house:
        return wanted
    other_players = Entry.objects.filter(
        transaction_id=OuterRef("transaction_id"), wallet__user__isnull=False
    ).exclude(wallet_id=OuterRef("wallet_id"))
    return wanted | Q(Q(amount__lt=0), ~Exists(other_players))


def _balances(entries: QuerySet[Entry], page: list[Entry], only: Only | None) -> dict[int, int]:
    """Return the balance after each line of a page; where lines are left out, the database adds them up."""
    newest, oldest = page[0].pk, page[-1].pk
    if only is None:
        balance: int = entries.filter(pk__lte=newest).aggregate(total=Sum("amount"))["total"]
        balances = {}
        for entry in page:
            balances[entry.pk] = balance
            balance -= entry.amount
        return balances
    below: int = entries.filter(pk__lt=oldest).aggregate(total=Sum("amount"))["total"] or 0
    running = entries.filter(pk__gte=oldest, pk__lte=newest).annotate(
        running=Window(Sum("amount"), order_by=F("pk").asc())
    )
    return {pk: below + total for pk, total in running.values_list("pk", "running")}


def _counterparties(transactions: Iterable[UUID], wallet_id: int) -> dict[UUID, set[str]]:
    found: dict[UUID, set[str]] = defaultdict(set)
    entries = Entry.objects.filter(transaction_id__in=transactions).exclude(wallet_id=wallet_id)
    for transaction_id, code in entries.values_list("transaction_id", "wallet__code"):
        found[transaction_id].add(code or PLAYERS)
    return found
