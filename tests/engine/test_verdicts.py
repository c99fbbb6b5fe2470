"""What an upheld complaint moves (RULES §3 Penalties by verdict, §7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.errors import EngineError
from games.engine.terms import Terms
from games.engine.verdicts import Case, PlayedDeal, complaint_fee, decide, parse_case
from tests.engine.dealing import CLASSIC, QQ

DEAL = PlayedDeal((15000, -9000, -2000, -4000), (100, 100, 100, 100))


def verdict(kind, offenders, deals=(DEAL,), complainant=2, base=500):
    return decide(QQ, Terms(base), Case(kind, offenders, None, deals, complainant))


def test_collusion_is_fined_undone_and_its_fees_borne_by_the_offenders():
    decided = verdict("collusion", (0, 1))
    assert decided.deltas == (-67600, -43600, 32100, 29100)
    assert decided.house == 50000
    assert decided.undone == (-14900, 9100, 2100, 4100)
    assert decided.deal_fees == (200, 200, 0, 0)
    assert decided.fee_returned == (0, 0, 5000, 0)
    assert decided.fee_charged == (2500, 2500, 0, 0)
    assert [(fine.amount, fine.shares, fine.house) for fine in decided.fines] == [
        (50000, (0, 0, 12500, 12500), 25000)
    ] * 2


def test_the_first_named_offender_owes_the_odd_coins():
    decided = verdict("collusion", (3, 0, 1), base=7)
    assert decided.deal_fees == (133, 133, 0, 134)
    assert decided.fee_charged == (23, 23, 0, 24)


def test_of_what_is_paid_out_odd_coins_stay_with_the_house():
    decided = verdict("reveal", (1,), deals=())
    assert decided.deltas == (2666, -10000, 2666, 2666)
    assert decided.house == 2002


def test_coaching_and_reveal_undo_no_deal():
    for kind in ("coaching", "reveal"):
        assert verdict(kind, (1,)).undone == (0, 0, 0, 0)


def test_spoiling_costs_no_fine_and_the_spoiler_bears_the_fees():
    assert verdict("spoiling", (1,)).deltas == (-14900, 8700, 2100, 4100)
    assert verdict("spoiling", (1,)).house == 0


def test_without_an_offender_the_house_bears_the_fees():
    decided = verdict("spoiling", ())
    assert decided.deltas == (-14900, 9100, 2100, 4100)
    assert decided.house == -400


def test_without_a_victim_the_whole_fine_is_the_houses():
    decided = verdict("collusion", (0, 1, 2, 3), deals=(), complainant=None)
    assert decided.deltas == (-50000,) * 4
    assert decided.house == 200000


def test_without_a_complainant_no_complaint_fee_moves():
    decided = verdict("collusion", (0, 1), complainant=None)
    assert decided.fee_returned == decided.fee_charged == (0, 0, 0, 0)


def test_only_collusion_costs_a_fee_to_file():
    assert [complaint_fee(kind, Terms(30)) for kind in ("collusion", "coaching", "reveal", "spoiling", "abuse")] == [
        300, 0, 0, 0, 0
    ]  # fmt: skip
    assert complaint_fee("collusion", Terms(currency="points")) == 0


def test_in_a_points_tier_no_coin_moves():
    decided = decide(CLASSIC, Terms(currency="points"), Case("collusion", (0, 1), None, (DEAL,), 2))
    assert decided.deltas == (0, 0, 0, 0)
    assert decided.house == 0


@given(
    kind=st.sampled_from(["collusion", "coaching", "reveal", "spoiling"]),
    offenders=st.lists(st.integers(0, 3), unique=True, max_size=4).map(tuple),
    complainant=st.integers(0, 3) | st.none(),
    base=st.integers(1, 10**6),
    wins=st.lists(st.tuples(*[st.integers(-10000, 10000)] * 3), max_size=4),
)
def test_every_coin_of_a_verdict_comes_from_somewhere(kind, offenders, complainant, base, wins):
    deals = tuple(PlayedDeal((*three, -sum(three)), (3, 0, 1, 2)) for three in wins)
    decided = decide(QQ, Terms(base), Case(kind, offenders, None, deals, complainant))
    assert sum(decided.deltas) + decided.house == 0
    for fine in decided.fines:
        assert fine.house >= 0
        assert fine.shares[fine.offender] == 0


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "abuse"}, {"kind": None}, {"kind": []}, {"offenders": [4]}, {"offenders": [1, 1]}, {"offenders": 1},
        {"offenders": [True]}, {"landlord": 0}, {"deals": {}}, {"deals": [5]}, {"deals": [{"gross": [1, 2, 3, 4]}]},
        {"deals": [{"gross": [1, 2, 3, 4], "fees": [0, 0, 0, 0]}]}, {"complainant": 4},
        {"deals": [{"gross": [0, 0, 0, 0], "fees": [0, 0, 0, -1]}]},
    ],
)  # fmt: skip
def test_a_malformed_case_is_refused(change):
    case = {"kind": "collusion", "offenders": [0], "landlord": None, "deals": [], "complainant": 2}
    assert parse_case(QQ, case) == Case("collusion", (0,), None, (), 2)
    with pytest.raises(EngineError) as caught:
        parse_case(QQ, case | change)
    assert caught.value.code == "bad_request"
