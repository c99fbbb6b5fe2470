"""The file of a case as the staff read it: who is in it, each deal step by step, and what may bear on the complaint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from accounts import restrictions
from games.admin import wording
from games.admin.moments import span
from games.complaints import bearing, evidence
from games.complaints.admin import words
from games.complaints.bearing import Habit, Pair, Rate, Step
from games.complaints.evidence import Exhibit
from games.complaints.models import Case, Complaint, Evidence, Verdict
from games.complaints.played import Played, played
from games.complaints.reckoning import ids_of
from games.engine.errors import EngineError
from games.errors import TableError
from games.table.errors import FormatError
from games.table.events import Said

QUICK_MS = 1_000
"""A pass sooner than this leaves no time to think."""
CLOSE_MS = 30_000
"""Seats taken within this are worth a line."""
FLOW_HEIGHT, FLOW_WIDTH = 96, 700


class Party(NamedTuple):
    """Somebody who sat there: his part in the case and what is known of him. `filed` and `against`: (all, upheld)."""

    id: int
    name: str
    role: object
    accused: bool
    complains: bool
    joined: Any
    filed: tuple[int, int]
    rejected: int
    against: tuple[int, int]
    standing: Sequence[Any]


class Row(NamedTuple):
    """A step of a deal as the page shows it; `hands` are (name, cards) before the act."""

    time: str
    name: str
    what: SafeString | str
    took: str
    quick: bool
    chance: Any
    could: SafeString | str
    stood: SafeString | str
    on: str
    hands: Sequence[tuple[str, SafeString | str]]
    by_hand: bool


class DealFile(NamedTuple):
    """One deal of a case: what it came to, its steps, its talk, and whether its evidence holds."""

    evidence: Evidence
    holds: bool
    readable: bool
    deal: Played | None
    seats: Sequence[tuple[str, object, int, int]]
    rows: Sequence[Row]
    talk: Sequence[tuple[str, str, str, bool]]
    events: int

    @property
    def passes(self) -> list[Row]:
        """The passes of players themselves with a beating play in hand, partners' plays left out."""
        return [
            row
            for row in self.rows
            if row.by_hand and row.chance and row.chance.passed and not row.chance.partner
        ]


class HabitRow(NamedTuple):
    """How somebody passes: in these deals, elsewhere, and everybody."""

    name: str
    here: Rate
    elsewhere: Rate
    all: Rate
    behind: bool


class PairFile(NamedTuple):
    """Two people as the page shows them; `bars` are drawn: (x, y, height, down, deal, coins)."""

    first: str
    second: str
    pair: Pair
    bars: Sequence[tuple[float, float, float, bool, str, int]]
    middle: float


class Casefile(NamedTuple):
    """All that the page of a case shows."""

    parties: Sequence[Party]
    deals: Sequence[DealFile]
    habits: Sequence[HabitRow]
    targets: Sequence[tuple[str, str, Rate]]
    pairs: Sequence[PairFile]
    joins: Sequence[tuple[str, str, str]]
    marks: Sequence[tuple[str, str, object]]

    @property
    def holds(self) -> bool:
        """Say whether all evidence is what was frozen."""
        return all(deal.holds and deal.readable for deal in self.deals)


def casefile(case: Case) -> Casefile:
    """Read the file of a case: the evidence and what the house knows beside it."""
    found = played(ids_of(case))
    exhibits = [_exhibit(one) for one in case.evidence.select_related("deal").order_by("deal__number")]
    by_deal = {one.id: one for one in found}
    walks = {one.evidence.deal_id: _steps(one) for _kept, one in exhibits if one is not None}
    deals = [
        _deal_file(kept, one, by_deal.get(kept.deal_id), walks.get(kept.deal_id)) for kept, one in exhibits
    ]
    names = {
        user: name
        for one in found
        for user, name in zip(one.users, one.names, strict=True)
        if user is not None
    }
    first = found[0]
    return Casefile(
        parties=_parties(case, first, names),
        deals=deals,
        habits=_habits(found, walks, names),
        targets=_targets(found, walks, names),
        pairs=[_pair_file(pair, names) for pair in _pairs(first, case.table.tier)],
        joins=[
            (names[one.first], names[one.second], span(one.gap))
            for one in bearing.joins(first.table_id, first.first_seq, first.people)
            if one.gap <= CLOSE_MS
        ],
        marks=[
            (names[one.first], names[one.second], words.MARKS.get(one.kind, one.kind))
            for one in dict.fromkeys(
                mark for _kept, one_ in exhibits if one_ for mark in _marks(one_, first.people)
            )
        ],
    )


def _exhibit(kept: Evidence) -> tuple[Evidence, Exhibit | None]:
    try:
        return kept, evidence.exhibit(kept)
    except (ValueError, KeyError, TypeError, TableError):
        return kept, None


def _marks(exhibit: Exhibit, people: Sequence[int]) -> list[bearing.Common]:
    return bearing.marks_in_common(exhibit.body.get("marks", {}), people)


def _steps(exhibit: Exhibit) -> list[Step] | None:
    try:
        return bearing.steps_of(exhibit)
    except (EngineError, FormatError, KeyError, TypeError, StopIteration):
        return None


# ---- people


def _parties(case: Case, deal: Played, names: Mapping[int, str]) -> list[Party]:
    accused = set(case.accused.values_list("pk", flat=True))
    complain = set(
        case.complaints.exclude(status=Complaint.Status.WITHDRAWN).values_list("complainant_id", flat=True)
    )
    people = get_user_model().objects.in_bulk(deal.people)
    return [
        Party(
            id=user,
            name=names[user],
            role=words.ROLES[deal.landlord == seat] if deal.landlord is not None else "",
            accused=user in accused,
            complains=user in complain,
            joined=people[user].date_joined,
            filed=_filed(user, case)[:2],
            rejected=_filed(user, case)[2],
            against=_against(user, case),
            standing=restrictions.standing(user),
        )
        for seat, user in enumerate(deal.users)
        if user is not None
    ]


def _filed(user: int, but: Case) -> tuple[int, int, int]:
    """Return how many other complaints somebody filed, how many were upheld, how many rejected."""
    states = list(
        Complaint.objects.filter(complainant=user)
        .exclude(case=but)
        .exclude(status=Complaint.Status.WITHDRAWN)
        .values_list("status", flat=True)
    )
    return len(states), states.count(Complaint.Status.UPHELD), states.count(Complaint.Status.REJECTED)


def _against(user: int, but: Case) -> tuple[int, int]:
    """Return in how many other cases somebody was accused, and in how many a standing verdict names him."""
    cases = Case.objects.filter(accused=user).exclude(pk=but.pk).exclude(status=Case.Status.WITHDRAWN)
    standing = Verdict.objects.filter(
        case__in=cases, outcome=Verdict.Outcome.UPHELD, final__isnull=False, undone__isnull=True
    )
    guilty = sum(user in offenders for offenders in standing.values_list("offenders", flat=True))
    return cases.count(), guilty


# ---- deals


def _deal_file(kept: Evidence, one: Exhibit | None, deal: Played | None, walk: list[Step] | None) -> DealFile:
    if one is None or walk is None or deal is None:
        return DealFile(kept, one is not None and one.holds, False, deal, (), (), (), 0)
    gross, fees = deal.result
    return DealFile(
        evidence=kept,
        holds=one.holds,
        readable=True,
        deal=deal,
        seats=[
            (
                name,
                words.ROLES[deal.landlord == seat] if deal.landlord is not None else "",
                gross[seat],
                fees[seat],
            )
            for seat, name in enumerate(deal.names)
        ],
        rows=[_row(step, deal.names) for step in walk],
        talk=_talk(one, deal),
        events=len(one.events),
    )


def _row(step: Step, names: Sequence[str]) -> Row:
    told = wording.tell(step.act, dict(enumerate(names)))
    chance = step.chance
    return Row(
        time=clock(step.at),
        name=told.who,
        what=told.what,
        took=span(step.took),
        quick=step.by_hand and step.took < QUICK_MS,
        chance=chance,
        could=wording.cards(chance.could) if chance else "",
        stood=wording.cards(chance.standing) if chance else "",
        on=names[chance.on] if chance else "",
        hands=[(name, wording.cards(hand)) for name, hand in zip(names, step.hands, strict=True)],
        by_hand=step.by_hand,
    )


def _talk(exhibit: Exhibit, deal: Played) -> list[tuple[str, str, str, bool]]:
    """Return what was said around a deal: when (from its opening), who by his seat, what, and whether during it."""
    opened = exhibit.events[0].at
    lines = []
    for line in exhibit.body["talk"]:
        event = evidence.read_event(line["body"])
        if not isinstance(event, Said):
            continue
        said = event.text if event.text is not None else _("(phrase) %(code)s") % {"code": event.phrase}
        during = deal.first_seq <= line["seq"] <= deal.last_seq
        lines.append((clock(event.at - opened), deal.names[event.seat], said, during))
    return lines


def clock(ms: int) -> str:
    """Print a moment of a deal: 83,400 → "1:23.4"; before it opened with a minus."""
    tenths = abs(ms) // 100
    minutes, rest = divmod(tenths, 600)
    return f"{'−' if ms < 0 else ''}{minutes}:{rest // 10:02d}.{rest % 10}"


# ---- what may bear on it


def _habits(
    found: Sequence[Played], walks: Mapping[str, list[Step] | None], names: Mapping[int, str]
) -> list[HabitRow]:
    here = [bearing.tally(walks[one.id] or (), one.users) for one in found if one.id in walks]
    people = found[0].people
    elsewhere = bearing.habits(found[0].rules.code, people, but=[one.id for one in found])
    rows = []
    for user in people:
        own: Habit = bearing.habit(here, user)
        for behind in (False, True):
            rates = [habit[behind] for habit in (own, elsewhere[user], elsewhere[None])]
            if rates[0].chances:
                now, apart, all_ = rates
                rows.append(HabitRow(names[user], now, apart, all_, behind))
    return sorted(rows, key=lambda row: row.behind)


def _targets(
    found: Sequence[Played], walks: Mapping[str, list[Step] | None], names: Mapping[int, str]
) -> list[tuple[str, str, Rate]]:
    """Sum up over the deals whose plays somebody lets stand."""
    sums: dict[tuple[int, int], Rate] = {}
    for one in found:
        for two, rate in bearing.by_target(walks.get(one.id) or (), one.users).items():
            had = sums.get(two, Rate())
            sums[two] = Rate(had.passes + rate.passes, had.chances + rate.chances, had.deals + 1)
    return [(names[user], names[target], rate) for (user, target), rate in sums.items()]


def _pairs(deal: Played, tier: str) -> list[Pair]:
    return bearing.pairs(deal.people, ruleset=deal.rules.code, tier=tier, seats=deal.rules.seats)


def _pair_file(pair: Pair, names: Mapping[int, str]) -> PairFile:
    most = max((abs(coins) for _deal, coins in pair.bars), default=0) or 1
    width = FLOW_WIDTH / max(len(pair.bars), 12)
    up = max([coins for _deal, coins in pair.bars if coins > 0], default=0)
    down = max([-coins for _deal, coins in pair.bars if coins < 0], default=0)
    middle = 4 + (FLOW_HEIGHT * up / (up + down) if up + down else FLOW_HEIGHT / 2)
    scale = FLOW_HEIGHT / (up + down) if up + down else FLOW_HEIGHT / most
    bars = []
    for n, (deal, coins) in enumerate(pair.bars):
        height = max(abs(coins) * scale, 1 if coins else 0)
        bars.append((n * width, middle - height if coins > 0 else middle, height, coins < 0, deal, coins))
    return PairFile(names[pair.first], names[pair.second], pair, bars, middle)
