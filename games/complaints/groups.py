"""The house's sets of rights for its staff: what *support*, *floor* and *finance* may look at and do, and nothing else.

A right to view opens pages; `complaints.change_case` decides cases, `accounts.add_restriction` restricts people,
`games.change_table` declares a deal void, `lobby.change_roomtier` opens and changes tiers, `wallet.add_adjustment` asks
for corrections and posts those of others.
"""

from __future__ import annotations

from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q

_PLAY = (
    "games.view_table",
    "games.view_deal",
    "games.view_seatresult",
    "games.view_playerrecord",
    "lobby.view_roomtier",
    "lobby.view_queueticket",
    "accounts.view_user",
)
GROUPS = {
    "support": (
        *_PLAY,
        "complaints.view_case",
        "complaints.change_case",
        "complaints.view_staffact",
        "accounts.add_restriction",
        "wallet.view_transaction",
        "wallet.view_wallet",
        "wallet.view_debt",
    ),
    "floor": (
        *_PLAY,
        "games.change_table",
        "games.view_serverprocess",
        "games.view_connection",
        "games.view_serviceclock",
        "lobby.change_roomtier",
        "accounts.add_restriction",
    ),
    "finance": (
        "games.view_table",
        "games.view_deal",
        "accounts.view_user",
        "complaints.view_staffact",
        "wallet.view_wallet",
        "wallet.view_transaction",
        "wallet.view_hold",
        "wallet.view_debt",
        "wallet.view_auditrun",
        "wallet.view_adjustment",
        "wallet.add_adjustment",
    ),
}


@transaction.atomic
def make() -> list[str]:
    """Make the house's groups and give them exactly their rights; return the names of those that are new or changed.

    Groups of other names are the superusers' own.
    """
    changed = []
    for name, rights in GROUPS.items():
        group, is_new = Group.objects.get_or_create(name=name)
        wanted = {permission.pk for permission in permissions(rights)}
        if is_new or set(group.permissions.values_list("pk", flat=True)) != wanted:
            group.permissions.set(wanted)
            changed.append(name)
    return changed


def permissions(rights: tuple[str, ...]) -> list[Permission]:
    """Return the permissions of these names. Raises LookupError for one that does not exist."""
    wanted = Q()
    for right in rights:
        app, _, codename = right.partition(".")
        wanted |= Q(content_type__app_label=app, codename=codename)
    found = list(Permission.objects.filter(wanted).select_related("content_type"))
    if len(found) != len(set(rights)):
        there = {f"{one.content_type.app_label}.{one.codename}" for one in found}
        raise LookupError(f"no such rights: {sorted(set(rights) - there)}")
    return found
