"""What in a deal may bear on a complaint: passes with a beating play in hand, coins and deals between two people, seats
taken close in time, marks in common.

All of it is reckoned from what happened and stands beside how often the same happens elsewhere. None of it decides
anything: partners let each other's plays stand in every honest deal, and friends like to sit together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import combinations
from typing import Any, NamedTuple

from django.core.cache import cache
from django.utils import timezone

from games import finished, log, together
from games.complaints.evidence import Exhibit
from games.engine import record as engine_record
from games.engine.actions import Action
from games.engine.cards import format_cards, format_mask
from games.engine.combos import Combo
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.rulesets import RuleSet
from games.errors import TableError
from games.table.errors import FormatError
from games.table.events import Acted, DealOpened, Event, Sat
from games.table.records import record_of

OWN_DEALS, ALL_DEALS = 30, 60
"""How many newest deals of a rule set a habit is counted over: a player's own, and everybody's."""
SHARED_DEALS = 60
"""How many newest deals of two people are looked at."""
PERIOD = timedelta(days=30)
"""Over which it is counted how often two people met."""
BEFORE = 1_000
"""How many events before a deal are searched for who sat down when."""
A_DAY = 86_400


# ---- step by step


class Chance(NamedTuple):
    """A turn at which a seat could have beaten what stood: `could` is its lowest such play, as text.

    `partner`: what stood was played by the seat's own side.
    """

    on: int
    standing: str
    could: str
    passed: bool
    partner: bool


class Step(NamedTuple):
    """One act: `at` ms since the deal opened, `took` ms since the act before; `hands` as they were then, as text."""

    seq: int
    at: int
    took: int
    act: Acted
    hands: tuple[str, ...]
    landlord: int | None
    chance: Chance | None

    @property
    def by_hand(self) -> bool:
        """Say whether the player did it himself, and not the clock or a computer for him."""
        return self.act.auto is None and self.act.seat is not None


def steps_of(exhibit: Exhibit) -> list[Step]:
    """Lay a deal out step by step, from its evidence alone. Raises FormatError, EngineError where it cannot be read."""
    return steps([event["seq"] for event in exhibit.body["events"]], exhibit.events)


def steps(seqs: Sequence[int], events: Sequence[Event]) -> list[Step]:
    """Lay a deal out step by step, with all hands open; `seqs` are the numbers of its events."""
    record = engine_record.parse(record_of(events))
    rules, deal = record.ruleset, engine_record.begin(record)
    opened = next(event for event in events if isinstance(event, DealOpened))
    acts = [(seq, event) for seq, event in zip(seqs, events, strict=True) if isinstance(event, Acted)]
    before, found = opened.at, []
    for (seq, act), (seat, action) in zip(acts, record.actions, strict=True):
        landlord = rules.view(deal, None).landlord if rules.has_landlord else None
        found.append(
            Step(
                seq=seq,
                at=act.at - opened.at,
                took=act.at - before,
                act=act,
                hands=tuple(format_mask(hand) for hand in deal.hands),
                landlord=landlord,
                chance=_chance(rules, deal, seat, action, landlord),
            )
        )
        deal, before = rules.apply(deal, seat, action), act.at
    return found


def _chance(
    rules: RuleSet, deal: Deal, seat: int | None, action: Action, landlord: int | None
) -> Chance | None:
    """Return what a seat could have beaten, before its act; None where it led, or had nothing that beats."""
    if seat is None or seat != deal.turn or deal.standing is None or deal.standing_by in (None, seat):
        return None
    if action.kind not in ("play", "pass"):
        return None
    plays = [legal for legal in rules.legal(deal) if legal.kind == "play"]
    if not plays:
        return None
    assert deal.standing_by is not None
    return Chance(
        on=deal.standing_by,
        standing=deal.standing.text,
        could=format_cards(_lowest(plays, deal.standing).cards),
        passed=action.kind == "pass",
        partner=landlord is not None and landlord not in (seat, deal.standing_by),
    )


def _lowest(plays: Sequence[Action], standing: Combo) -> Action:
    """Return the cheapest play: one of the same size rather than a bomb, then the lowest cards."""
    return min(
        plays, key=lambda play: (len(play.cards) != len(standing.cards), sorted(play.cards, reverse=True))
    )


# ---- how often somebody passes so


class Rate(NamedTuple):
    """How often somebody passed with a beating play in hand, and how often he had one, in how many deals."""

    passes: int = 0
    chances: int = 0
    deals: int = 0

    @property
    def percent(self) -> int | None:
        """Return the share in whole percent; None where there was no chance."""
        return None if not self.chances else (200 * self.passes + self.chances) // (2 * self.chances)


class Habit(NamedTuple):
    """Passes with a beating play: against opponents, where it costs, and behind partners, where it is usual."""

    against: Rate
    behind: Rate


Tally = list[tuple[int | None, bool, bool]]
"""Of one deal: (user, the play was a partner's, he passed) for each chance that a player had himself."""


def tally(found: Iterable[Step], users: Sequence[int | None]) -> Tally:
    """Count the chances of a deal that its players had themselves; nobody's act for them counts."""
    return [
        (users[step.act.seat], step.chance.partner, step.chance.passed)
        for step in found
        if step.by_hand and step.chance is not None and step.act.seat is not None
    ]


def by_target(found: Iterable[Step], users: Sequence[int | None]) -> dict[tuple[int, int], Rate]:
    """Count, for each (user, whose play stood), the chances that the player had himself; partners' plays apart."""
    counts: Counter[tuple[int, int, bool]] = Counter()
    for step in found:
        if step.by_hand and step.chance is not None and step.act.seat is not None and not step.chance.partner:
            user, target = users[step.act.seat], users[step.chance.on]
            if user is not None and target is not None:
                counts[user, target, step.chance.passed] += 1
    two = {(user, target) for user, target, _passed in counts}
    return {
        (user, target): Rate(counts[user, target, True], sum(counts[user, target, p] for p in (True, False)))
        for user, target in sorted(two)
    }


def habit(tallies: Iterable[Tally], user: int | None = None) -> Habit:
    """Sum tallies up, of one player or of everybody (None)."""
    counts: Counter[tuple[bool, bool]] = Counter()
    deals = 0
    for one in tallies:
        theirs = [row for row in one if user is None or row[0] == user]
        deals += 1
        counts.update((partner, passed) for _user, partner, passed in theirs)
    against, behind = (
        Rate(counts[partner, True], counts[partner, True] + counts[partner, False], deals)
        for partner in (False, True)
    )
    return Habit(against, behind)


def habits(ruleset: str, users: Collection[int], *, but: Collection[str] = ()) -> dict[int | None, Habit]:
    """Return the habit of each of these people elsewhere in a rule set, and under None everybody's.

    Over the newest OWN_DEALS and ALL_DEALS deals, without those named in `but`. A deal that was looked at is kept in
    the cache: it never changes.
    """
    found: dict[int | None, Habit] = {
        None: habit(_tallies(together.newest_deals(ruleset, limit=ALL_DEALS), but))
    }
    for user in users:
        own = together.newest_deals(ruleset, limit=OWN_DEALS, user_id=user)
        found[user] = habit(_tallies(own, but), user)
    return found


def _tallies(rows: Sequence[Any], but: Collection[str]) -> list[Tally]:
    rows = [row for row in rows if row.pk not in but]
    keys = {row.pk: f"bearing:1:{row.table_id}:{row.pk}:{row.closed_seq}" for row in rows}
    kept = cache.get_many(keys.values())
    found = []
    for row in rows:
        one = kept.get(keys[row.pk])
        if one is None:
            one = _tally_of(row)
            cache.set(keys[row.pk], one, A_DAY)
        found.append(one)
    return found


def _tally_of(row: Any) -> Tally:
    """Count the chances of a deal from its log; a deal that this release cannot read counts for nothing."""
    try:
        read = finished.read(row)
        users = [seat.get("user") for seat in read.opened.seats]
        return tally(steps(range(len(read.events)), read.events), users)
    except (EngineError, FormatError, TableError, AssertionError):
        return []


# ---- two people


class Pair(NamedTuple):
    """Two people: how often they met and how often chance would have it, and what went from one to the other.

    `bars`: (deal, coins that went from `second` to `first`), oldest first. `alone` and `along`: what `first` and
    `second` won a deal, on average, without and with each other.
    """

    first: int
    second: int
    met: int
    expected: float
    bars: tuple[tuple[str, int], ...]
    along: tuple[float, float]
    alone: tuple[float | None, float | None]

    @property
    def to_first(self) -> int:
        """Return the coins that went to the first of the two."""
        return sum(coins for _deal, coins in self.bars if coins > 0)

    @property
    def to_second(self) -> int:
        """Return the coins that went to the second."""
        return -sum(coins for _deal, coins in self.bars if coins < 0)


def flow(nets: Mapping[int, int], first: int, second: int) -> int:
    """Return how many coins of a deal went from `second` to `first` (negative: the other way).

    What a loser loses goes to the winners in proportion to what they won.
    """
    won = sum(net for net in nets.values() if net > 0)
    mine, yours = nets.get(first, 0), nets.get(second, 0)
    if won == 0 or mine * yours >= 0:
        return 0
    return -yours * mine // won if mine > 0 else -(-mine * yours // won)


def expected_meetings(deals: int, others_deals: int, all_deals: int, seats: int) -> float:
    """Return how often two people would meet if each seat beside the first were filled by chance.

    `deals` of the first, `others_deals` of the second, `all_deals` of all people together, in the same tier and time.
    """
    rest = all_deals - deals
    return 0.0 if rest <= 0 else min(float(deals), deals * (seats - 1) * others_deals / rest)


def pairs(users: Sequence[int], *, ruleset: str, tier: str, seats: int) -> list[Pair]:
    """Look at each two of these people, in the newest deals of a rule set and in a tier's last 30 days."""
    since = timezone.now() - PERIOD
    counts, total = together.deals_played(users, ruleset=ruleset, tier=tier, since=since)
    return [
        _pair(first, second, ruleset, tier, (counts[first], counts[second], total, seats))
        for first, second in combinations(users, 2)
    ]


def _pair(first: int, second: int, ruleset: str, tier: str, counts: tuple[int, int, int, int]) -> Pair:
    deals = together.shared(first, second, ruleset=ruleset, limit=SHARED_DEALS)
    since = timezone.now() - PERIOD
    along = (_mean([d.nets[first] for d in deals]), _mean([d.nets[second] for d in deals]))
    alone = [
        _mean(together.apart(one, other, ruleset=ruleset, limit=SHARED_DEALS))
        for one, other in ((first, second), (second, first))
    ]
    return Pair(
        first=first,
        second=second,
        met=together.deals_together(first, second, ruleset=ruleset, tier=tier, since=since),
        expected=expected_meetings(*counts),
        bars=tuple((deal.deal, flow(deal.nets, first, second)) for deal in deals),
        along=(along[0] or 0.0, along[1] or 0.0),
        alone=(alone[0], alone[1]),
    )


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


# ---- who came when, and from where


class Joined(NamedTuple):
    """Two people, and how many milliseconds lay between their sitting down."""

    first: int
    second: int
    gap: int


def joins(table_id: int, first_seq: int, users: Sequence[int]) -> list[Joined]:
    """Return how close in time each two of these people sat down before a deal, closest first, as far as the log is
    searched."""
    bodies = log.bodies(table_id, max(1, first_seq - BEFORE), first_seq - 1)
    return close_joins([log.parse(body) for _seq, body in bodies], users)


def close_joins(events: Iterable[Event], users: Sequence[int]) -> list[Joined]:
    """Return how close in time each two of these people last sat down, closest first."""
    sat = {event.user: event.at for event in events if isinstance(event, Sat) and event.user in users}
    there = [user for user in users if user in sat]
    found = [Joined(a, b, abs(sat[a] - sat[b])) for a, b in combinations(there, 2)]
    return sorted(found, key=lambda one: one.gap)


class Common(NamedTuple):
    """Two people with a mark of one kind (network, device) in common."""

    first: int
    second: int
    kind: str


def marks_in_common(marks: Mapping[str, Any], users: Sequence[int]) -> list[Common]:
    """Compare the marks of each two people, as the evidence holds them: user id as text → [{kind, mark, …}, …]."""
    found = []
    for first, second in combinations(users, 2):
        mine, yours = _marks(marks.get(str(first))), _marks(marks.get(str(second)))
        found += [Common(first, second, kind) for kind in sorted(mine) if mine[kind] & yours.get(kind, set())]
    return found


def _marks(value: Any) -> dict[str, set[str]]:
    """Read somebody's marks by kind; a sighting that names no mark is left out."""
    found: dict[str, set[str]] = {}
    for one in value if isinstance(value, list | tuple) else ():
        if isinstance(one, Mapping) and one.get("mark"):
            found.setdefault(str(one.get("kind", "")), set()).add(str(one["mark"]))
    return found
