"""Evidence: what the house knew of a deal when it was complained of, as exact text under a SHA-256.

It holds the deal's events with their digests, the talk around it, and what tells people's lines and devices apart
(keyed marks only). It is written once and held against its digest, and against the log, at every look.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from games import log
from games.complaints.models import Case, Evidence
from games.complaints.played import Played
from games.errors import TableError
from games.table.events import DealOpened, Event, Said

AROUND = 200
"""How many events before and after a deal are searched for talk."""

Marks = Callable[[Collection[int]], dict[int, Any]]
_marks: list[Marks] = []


class Exhibit(NamedTuple):
    """Evidence as it is read: `holds` says whether it is what was frozen, and what the log still says."""

    evidence: Evidence
    holds: bool
    body: dict[str, Any]
    events: list[Event]


def marks_from(source: Marks) -> None:
    """Have evidence hold what `source` knows of people's lines and devices, by user id."""
    if source not in _marks:
        _marks.append(source)


def freeze(*, case: Case, deals: Sequence[Played]) -> None:
    """Write down what is known of each deal of a case that has no evidence yet."""
    there = set(case.evidence.values_list("deal_id", flat=True))
    for one in deals:
        if one.id in there:
            continue
        body = json.dumps(_body(one), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(body.encode()).hexdigest()
        Evidence.objects.create(case=case, deal_id=one.id, body=body, digest=digest)


def exhibits(case: Case) -> list[Exhibit]:
    """Read the evidence of a case, deal by deal, each held against its digest and the log."""
    return [exhibit(one) for one in case.evidence.select_related("deal").order_by("deal__number")]


def exhibit(evidence: Evidence) -> Exhibit:
    """Read one piece of evidence."""
    holds = hashlib.sha256(evidence.body.encode()).hexdigest() == evidence.digest
    body = json.loads(evidence.body)
    events = [log.parse(event["body"]) for event in body["events"]]
    return Exhibit(evidence, holds and _stands(evidence, body), body, events)


def read_event(body: str) -> Event:
    """Read one event of the evidence, as it was stored."""
    return log.parse(body)


def holds(case: Case) -> bool:
    """Say whether there is evidence of every deal of a case, and all of it is what was frozen and can be read."""
    kept = list(case.evidence.select_related("deal"))
    try:
        return len(kept) == case.deals.count() and all(exhibit(one).holds for one in kept)
    except (ValueError, KeyError, TypeError, TableError):
        return False


def _stands(evidence: Evidence, body: dict[str, Any]) -> bool:
    """Say whether the log still says what was frozen: the deal, who sat there, the talk around it."""
    deal = evidence.deal
    assert deal.closed_seq is not None
    last = max([deal.closed_seq, *(said["seq"] for said in body["talk"])])
    around = log.links(deal.table_id, max(1, deal.opened_seq - AROUND), last)
    now = [link for link in around if deal.opened_seq <= link.seq <= deal.closed_seq]
    opened = log.parse(now[0].body) if now else None
    return (
        all(link.holds for link in around)
        and body["events"] == [_event(link) for link in now]
        and body["talk"] == _talk(around)
        and isinstance(opened, DealOpened)
        and body["users"] == [seat.get("user") for seat in opened.seats]
        and body["names"] == [seat["name"] for seat in opened.seats]
    )


def _body(one: Played) -> dict[str, Any]:
    links = log.links(one.table_id, one.first_seq, one.last_seq)
    around = log.links(one.table_id, max(1, one.first_seq - AROUND), one.last_seq + AROUND)
    marks: dict[str, Any] = {}
    for source in _marks:
        marks |= {str(user): mark for user, mark in source(one.people).items()}
    return {
        "deal": one.id,
        "table": one.table,
        "users": list(one.users),
        "names": list(one.names),
        "events": [_event(link) for link in links],
        "talk": _talk(around),
        "marks": marks,
    }


def _talk(around: Sequence[log.Link]) -> list[dict[str, Any]]:
    return [_event(link) for link in around if isinstance(log.parse(link.body), Said)]


def _event(link: log.Link) -> dict[str, Any]:
    return {"seq": link.seq, "body": link.body, "digest": link.digest.hex()}
