"""Which lines and devices people come from, told apart by keyed marks alone.

A mark is HMAC-SHA256 of a network (an IPv4 address, the /64 of an IPv6 address) or of the random name in a browser's
signed cookie. The keys come from DEVICE_SECRETS, which is in no database: whoever has a copy of the rows can neither
read an address from them nor try addresses against them. Each sighting is marked under every secret, the new and the
old one; after DEVICE_DAYS an old secret can go. No address is stored or logged.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, NamedTuple

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.utils import timezone

from accounts.models import Device

COOKIE = "paishe_device"
COOKIE_S = 400 * 24 * 3600  # browsers keep none longer
AGAIN = timedelta(hours=1)
"""A person on a line, or with a device, is written down at most this often."""

_signer = Signer(salt="accounts.devices")
_Kind = Device.Kind


class Origin(NamedTuple):
    """Where a request comes from: its network ("" for none that is known) and its device's name ("" without one)."""

    network: str = ""
    device: str = ""


# ---- where something comes from


def origin_of_request(request: Any) -> Origin:
    """Return where a request comes from, behind as many proxies as the settings say."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    network = network_of(client_address(request.META.get("REMOTE_ADDR", ""), forwarded))
    return Origin(network, named(request.COOKIES.get(COOKIE, "")))


def origin_of_scope(scope: Mapping[str, Any], cookies: Mapping[str, str]) -> Origin:
    """Return where a socket comes from."""
    told = [value for name, value in scope.get("headers", ()) if name == b"x-forwarded-for"]
    peer = (scope.get("client") or ("",))[0] or ""
    network = network_of(client_address(peer, b",".join(told).decode("latin-1")))
    return Origin(network, named(cookies.get(COOKIE, "")))


def client_address(peer: str, forwarded: str) -> str:
    """Return the address the outermost of our own proxies was asked from; without proxies, the peer's.

    What stands further to the left in X-Forwarded-For was said by the client himself.
    """
    proxies = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    return hops[-proxies] if 0 < proxies <= len(hops) else peer


def network_of(address: str) -> str:
    """Return the network an address stands for: itself in IPv4, its /64 in IPv6, "" when it is none."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return str(ip_network((found, 64), strict=False))
        found = found.ipv4_mapped
    return str(found)


def new_name() -> str:
    """Make a name for a device that has none."""
    return secrets.token_urlsafe(16)


def signed(name: str) -> str:
    """Return what a device's cookie holds."""
    return _signer.sign(name)


def named(cookie: str) -> str:
    """Return the name in a device's cookie, "" when there is none of ours."""
    try:
        return _signer.unsign(cookie)
    except BadSignature:
        return ""


# ---- marks


def marks(origin: Origin) -> Iterator[tuple[str, str]]:
    """Return (kind, mark) of an origin under each secret, the newest first."""
    for secret in _secrets():
        for kind, value in ((_Kind.NETWORK, origin.network), (_Kind.DEVICE, origin.device)):
            if value:
                yield kind, _mark(secret, kind, value)


def network_mark(network: str) -> str:
    """Return the mark of a network under the newest secret."""
    return _mark(_secrets()[0], _Kind.NETWORK, network)


def _mark(secret: str, kind: str, value: str) -> str:
    key = hmac.digest(secret.encode(), f"paishe.mark.{kind}".encode(), "sha256")
    return hmac.new(key, value.encode(), hashlib.sha256).hexdigest()


def _secrets() -> Sequence[str]:
    return settings.DEVICE_SECRETS or [
        str(key) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]


# ---- writing down


def note(*, user_id: int, origin: Origin, now: datetime | None = None) -> None:
    """Write down that somebody came from there; what was written within the hour stays as it is."""
    now = now or timezone.now()
    seen = list(marks(origin))
    of_mine = Device.objects.filter(user_id=user_id, mark__in=[mark for _, mark in seen])
    fresh = set(of_mine.filter(last_seen__gt=now - AGAIN).values_list("mark", flat=True))
    rows = [
        Device(user_id=user_id, kind=kind, mark=mark, first_seen=now, last_seen=now)
        for kind, mark in seen
        if mark not in fresh
    ]
    if rows:
        with transaction.atomic():
            Device.objects.bulk_create(
                rows, update_conflicts=True, unique_fields=["user", "mark"], update_fields=["last_seen"]
            )


def forget_old(*, now: datetime | None = None) -> int:
    """Delete what is too old to tell anything; return how many rows. Runs by the clock."""
    with transaction.atomic():
        gone, _ = Device.objects.filter(last_seen__lt=_since(now)).delete()
    return gone


# ---- asking


def recent_marks(user_ids: Collection[int], now: datetime | None = None) -> dict[int, frozenset[str]]:
    """Return the marks of each of these people in the last DEVICE_DAYS, in one query; who has none is left out."""
    found: dict[int, set[str]] = {}
    rows = Device.objects.filter(user_id__in=list(user_ids), last_seen__gt=_since(now))
    for user_id, mark in rows.values_list("user_id", "mark"):
        found.setdefault(user_id, set()).add(mark)
    return {user_id: frozenset(some) for user_id, some in found.items()}


def sharing(user_id: int, others: Collection[int]) -> set[int]:
    """Return who of the others had a network or a device in common with somebody in the last DEVICE_DAYS."""
    found = recent_marks({user_id, *others})
    mine = found.pop(user_id, frozenset())
    return {other for other, theirs in found.items() if mine & theirs}


def marks_of(user_ids: Collection[int]) -> dict[int, list[dict[str, str]]]:
    """Return what is known of people's networks and devices, as evidence: kind, mark, first and last sight."""
    found: dict[int, list[dict[str, str]]] = {user_id: [] for user_id in user_ids}
    rows = Device.objects.filter(user_id__in=list(user_ids), last_seen__gt=_since(None)).order_by("pk")
    for row in rows:
        found[row.user_id].append(
            {
                "kind": row.kind,
                "mark": row.mark,
                "first_seen": row.first_seen.isoformat(),
                "last_seen": row.last_seen.isoformat(),
            }
        )
    return found


def _since(now: datetime | None) -> datetime:
    return (now or timezone.now()) - timedelta(days=settings.DEVICE_DAYS)
