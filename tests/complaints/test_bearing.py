"""What may bear on a complaint: reckoned from deals that are known, and beside it how often it happens elsewhere."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from games import together
from games.complaints import bearing, evidence
from games.complaints.bearing import Common, Habit, Joined, Rate
from games.complaints.models import Case
from games.engine import record as engine_record
from games.engine import rulesets
from games.engine.actions import parse_action
from games.engine.cards import parse_cards
from games.engine.rulesets import RuleSet
from games.table.events import Acted, Sat
from games.table.records import record_of
from tests.complaints.conftest import Room

Make = Callable[..., Room]


@pytest.fixture(autouse=True)
def nothing_is_known_yet() -> None:
    cache.clear()


@pytest.fixture
def room_filed(room: Make) -> Room:
    at = room(deals=2)
    at.file(2, [0, 1], deals=2)
    return at


def exhibits() -> list[evidence.Exhibit]:
    return evidence.exhibits(Case.objects.get())


# ---- step by step


def test_each_act_stands_with_the_hands_before_it(room_filed: Room) -> None:
    one = exhibits()[0]
    found = bearing.steps_of(one)
    acts = [event for event in one.events if isinstance(event, Acted)]
    assert [step.act for step in found] == acts
    assert [step.seq for step in found] == [
        event["seq"]
        for event, read in zip(one.body["events"], one.events, strict=True)
        if isinstance(read, Acted)
    ]
    for step in found:
        if step.act.action.startswith("play "):
            assert step.act.seat is not None
            assert set(step.act.action.split()[1:]) <= set(step.hands[step.act.seat].split())
    assert sum(len(hand.split()) for hand in found[0].hands) == 51


def test_a_chance_is_a_turn_at_which_the_engine_knows_a_beating_play(room_filed: Room) -> None:
    """Held against the engine: what it lists as legal, position by position."""
    for one in exhibits():
        record = engine_record.parse(record_of(one.events))
        rules: RuleSet = record.ruleset
        deal = engine_record.begin(record)
        for step, (seat, action) in zip(bearing.steps_of(one), record.actions, strict=True):
            plays = [str(legal) for legal in rules.legal(deal) if legal.kind == "play"]
            follows = deal.phase == "play" and deal.standing is not None and deal.standing_by != seat
            assert (step.chance is not None) == bool(follows and plays)
            if step.chance is not None:
                assert f"play {step.chance.could}" in plays and step.chance.on == deal.standing_by
                assert step.chance.passed == (action.kind == "pass")
                landlord = rules.view(deal, None).landlord
                assert step.chance.partner == (landlord not in (seat, deal.standing_by))
            deal = rules.apply(deal, seat, action)


def test_what_could_be_played_is_the_lowest_of_its_size_and_no_bomb() -> None:
    rules = rulesets.get("doudizhu.taiwan", None)
    (standing,) = rules.readings(parse_cards("4d 4c", 54))
    plays = [parse_action(text) for text in ("play 3d 3c 3h 3s", "play Kd Kc", "play 9d 9c")]
    assert str(bearing._lowest(plays, standing)) == "play 9d 9c"
    assert str(bearing._lowest(plays[:1], standing)) == "play 3d 3c 3h 3s"


def test_an_act_of_the_clock_is_not_the_players(room_filed: Room) -> None:
    step = next(step for step in bearing.steps_of(exhibits()[0]) if step.chance)
    assert step.by_hand
    for auto in ("time_out", "trustee", "computer", "away"):
        assert not step._replace(act=step.act._replace(auto=auto)).by_hand
        assert bearing.tally([step._replace(act=step.act._replace(auto=auto))], [7, 8, 9]) == []


# ---- habits


def test_passes_behind_a_partner_are_counted_apart() -> None:
    tallies: list[bearing.Tally] = [
        [(7, False, True), (7, False, False), (7, True, True), (8, False, False)],
        [],
    ]
    assert bearing.habit(tallies, 7) == Habit(Rate(1, 2, 2), Rate(1, 1, 2))
    assert bearing.habit(tallies).against == Rate(1, 3, 2)
    assert bearing.habit(tallies, 9) == Habit(Rate(0, 0, 2), Rate(0, 0, 2))


@pytest.mark.parametrize(
    ("rate", "percent"), [(Rate(), None), (Rate(1, 3), 33), (Rate(2, 3), 67), (Rate(3, 3), 100)]
)
def test_a_rate_in_percent(rate: Rate, percent: int | None) -> None:
    assert rate.percent == percent


def test_elsewhere_is_without_the_deals_in_question(room: Make) -> None:
    at = room(deals=3)
    user = at.people[0].pk
    all_ids = [deal.pk for deal in at.deals]
    whole = bearing.habits("doudizhu.taiwan", [user])
    parts = [
        bearing.habits("doudizhu.taiwan", [user], but=[d for d in all_ids if d != one]) for one in all_ids
    ]
    for who in (user, None):
        assert whole[who].against.deals == 3 and all(part[who].against.deals == 1 for part in parts)
        assert whole[who].against.chances == sum(part[who].against.chances for part in parts)
        assert whole[who].against.passes == sum(part[who].against.passes for part in parts)


def test_a_deal_is_read_once(room: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    room(deals=2)
    bearing.habits("doudizhu.taiwan", [])

    def read_again(row: Any) -> bearing.Tally:
        raise AssertionError(f"{row} was read again")

    monkeypatch.setattr(bearing, "_tally_of", read_again)
    bearing.habits("doudizhu.taiwan", [])


def test_how_far_back_is_bounded(room: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    at = room(deals=3)
    monkeypatch.setattr(bearing, "OWN_DEALS", 2)
    monkeypatch.setattr(bearing, "ALL_DEALS", 1)
    found = bearing.habits("doudizhu.taiwan", [at.people[0].pk])
    assert (found[at.people[0].pk].against.deals, found[None].against.deals) == (2, 1)


def test_whose_plays_somebody_lets_stand(room_filed: Room) -> None:
    one = exhibits()[0]
    found = bearing.steps_of(one)
    users = one.body["users"]
    rates = bearing.by_target(found, users)
    tallied = bearing.habit([bearing.tally(found, users)])
    assert sum(rate.chances for rate in rates.values()) == tallied.against.chances
    assert sum(rate.passes for rate in rates.values()) == tallied.against.passes
    assert all(user != target for user, target in rates)


# ---- two people


@pytest.mark.parametrize(
    ("nets", "coins"),
    [
        ({1: 60, 2: -30, 3: -30}, 30),  # one winner takes what each loses
        ({1: 30, 2: -60, 3: 30}, 30),  # two winners share a loser
        ({1: -60, 2: 30, 3: 30}, -30),
        ({1: -30, 2: -30, 3: 60}, 0),  # both lost, to somebody else
        ({1: 0, 2: -30, 3: 30}, 0),
        ({}, 0),
    ],
)
def test_what_went_from_the_second_to_the_first(nets: dict[int, int], coins: int) -> None:
    assert bearing.flow(nets, 1, 2) == coins
    assert bearing.flow(nets, 2, 1) == -coins


def test_how_often_chance_would_have_two_people_meet() -> None:
    # Of 300 other seats taken by all, the second took 30; the first played 20 deals with two others each.
    assert bearing.expected_meetings(20, 30, 320, 3) == pytest.approx(4.0)
    assert bearing.expected_meetings(20, 300, 320, 3) == 20.0  # there is nobody else
    assert bearing.expected_meetings(0, 30, 320, 3) == 0.0
    assert bearing.expected_meetings(20, 0, 20, 3) == 0.0


def test_two_people_in_numbers(room: Make) -> None:
    at = room(deals=3)
    first, second, third = (user.pk for user in at.people)
    tier = at.at.table.tier
    (pair,) = bearing.pairs([first, second], ruleset="doudizhu.taiwan", tier=tier, seats=3)
    assert (pair.met, len(pair.bars)) == (3, 3)
    assert pair.expected == pytest.approx(3.0)  # three people, always the same
    deals = together.shared(first, second, ruleset="doudizhu.taiwan", limit=10)
    assert pair.to_first - pair.to_second == sum(bearing.flow(deal.nets, first, second) for deal in deals)
    assert pair.along[0] == pytest.approx(sum(deal.nets[first] for deal in deals) / 3)
    assert pair.alone == (None, None)
    assert set(deals[0].nets) == {first, second, third}
    assert [deal.deal for deal in deals] == [deal.pk for deal in at.deals]


# ---- who came when, and from where


def sat(seat: int, user: int | None, at: int) -> Sat:
    return Sat(at=at, seat=seat, name=f"n{user}", nonce="", computer=user is None, ready=False, user=user)


def test_who_sat_down_close_to_whom() -> None:
    events = [sat(0, 7, 0), sat(1, 8, 90_000), sat(2, None, 1), sat(2, 9, 91_000), sat(0, 7, 100_000)]
    assert bearing.close_joins(events, [7, 8, 9]) == [
        Joined(8, 9, 1_000),
        Joined(7, 9, 9_000),
        Joined(7, 8, 10_000),
    ]
    assert bearing.close_joins(events, [7, 10]) == []


def test_marks_in_common() -> None:
    def marks(*pairs: tuple[str, str]) -> list[dict[str, str]]:
        return [{"kind": kind, "mark": mark} for kind, mark in pairs]

    known = {"7": marks(("network", "a"), ("device", "x")), "8": marks(("network", "a"), ("device", "y"))}
    assert bearing.marks_in_common(known, [7, 8, 9]) == [Common(7, 8, "network")]
    assert bearing.marks_in_common({**known, "9": marks(("network", "x"))}, [7, 9]) == []  # of another kind


@pytest.mark.parametrize(
    "strange", [None, "text", 7, {"network": ["a"]}, [None, {}, {"kind": "network", "mark": ""}]]
)
def test_marks_that_are_none_are_left_out(strange: Any) -> None:
    assert bearing.marks_in_common({"7": strange, "8": strange}, [7, 8]) == []
