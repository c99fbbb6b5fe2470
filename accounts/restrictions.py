"""Warnings, mutes, suspensions and bans: laid on by a reference, once, and lifted by it.

A mute forbids talk, a suspension a seat at any table, a ban everything; each until it ends, or for ever. An account
that is closed by hand is banned by a row of its own, so that no other ban's end opens it.
"""

from collections.abc import Collection
from datetime import datetime
from uuid import uuid4

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.models import Restriction, User
from accounts.services import ban, lift_ban

KINDS = tuple(Restriction.Kind)
BY_HAND = "staff"
"""The cause of what is laid on without a verdict."""


@transaction.atomic
def restrict(*, user_id: int, kind: str, ends: datetime | None, cause: str, reference: str) -> Restriction:
    """Restrict somebody, once for a reference; a ban closes his open sockets within seconds."""
    made, is_new = Restriction.objects.get_or_create(
        user_id=user_id, kind=kind, reference=reference, defaults={"ends": ends, "cause": cause}
    )
    if is_new and kind == Restriction.Kind.BAN:
        ban(user=User.objects.get(pk=user_id))
    return made


@transaction.atomic
def lift(*, reference: str) -> int:
    """Lift what was laid on by a reference; whoever is banned by nothing else may play again. Return how many."""
    found = list(Restriction.objects.filter(reference=reference, lifted__isnull=True))
    Restriction.objects.filter(pk__in=[one.pk for one in found]).update(lifted=timezone.now())
    for one in found:
        if one.kind == Restriction.Kind.BAN and not _standing(one.kind).filter(user=one.user_id).exists():
            lift_ban(user=User.objects.get(pk=one.user_id))
    return len(found)


def end_bans() -> int:
    """Let those in again whose ban has ended, once for each ban; return how many. Runs by the clock."""
    over = Restriction.objects.filter(
        kind=Restriction.Kind.BAN, lifted__isnull=True, ends__lte=timezone.now(), user__is_active=False
    )
    ended = dict(over.values_list("pk", "user_id"))
    if not ended:
        return 0
    with transaction.atomic():
        free = set(ended.values()) - set(_standing(Restriction.Kind.BAN).values_list("user_id", flat=True))
        for user in User.objects.filter(pk__in=free):
            lift_ban(user=user)
        Restriction.objects.filter(pk__in=ended).update(lifted=F("ends"))
    return len(free)


@transaction.atomic
def note_by_hand(*, user: User) -> None:
    """Write down that an account was closed or opened by hand: closed until it is opened so, whatever ends."""
    if user.is_active:
        _standing(Restriction.Kind.BAN).filter(user=user).update(lifted=timezone.now())
    else:
        reference = f"account:{uuid4().hex[:16]}"
        Restriction.objects.create(user=user, kind=Restriction.Kind.BAN, cause=BY_HAND, reference=reference)


def standing(user_id: int) -> list[Restriction]:
    """Return what stands against somebody now, the newest first, warnings included."""
    return list(_standing().filter(user_id=user_id).order_by("-pk"))


def under(kind: str, user_ids: Collection[int]) -> dict[int, datetime | None]:
    """Return who of these people is under a kind of restriction now, and until when (None: for ever)."""
    until: dict[int, datetime | None] = {}
    if not user_ids:
        return until
    for user_id, ends in _standing(kind).filter(user_id__in=user_ids).values_list("user_id", "ends"):
        longest = until.get(user_id, ends)
        until[user_id] = None if ends is None or longest is None else max(ends, longest)
    return until


def _standing(kind: str | None = None) -> QuerySet[Restriction]:
    found = Restriction.objects.filter(Q(ends__isnull=True) | Q(ends__gt=timezone.now()), lifted__isnull=True)
    return found if kind is None else found.filter(kind=kind)
