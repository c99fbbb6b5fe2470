"""What a deal of Big Two is worth (RULES §1 Score, Points, Ability to pay, Escape)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.actions import ESCAPE, VOID
from games.engine.big_two_score import card_score, outcome_of_cards
from games.engine.errors import EngineError
from games.engine.terms import Fee, Terms
from tests.engine.dealing import BIG_TWO, CLASSIC, QQ, play, position

N500 = Terms(base_stake=500, fee=Fee("flat", 100))
SOURCE = {"scores": [37, -7, 57, -87], "winner": 2}


def settle(terms, outcome, balances=None, ruleset=QQ):
    return ruleset.settle(terms, balances, ruleset.parse_outcome(outcome))


@pytest.mark.parametrize(
    ("left", "score"),
    [(0, 0), (1, 1), (7, 7), (8, 16), (9, 18), (10, 30), (12, 36), (13, 52)],
)
def test_cards_left_count_once_twice_three_or_four_times(left, score):
    assert card_score(left, False) == score


@pytest.mark.parametrize(("left", "score"), [(1, 1), (7, 7), (8, 32), (9, 36), (10, 60), (13, 104)])
def test_the_two_of_spades_doubles_from_eight_cards(left, score):
    assert card_score(left, True) == score


@pytest.mark.parametrize(
    ("left", "holder", "scores"),
    [
        ((5, 8, 0, 12), None, (37, -7, 57, -87)),
        ((0, 8, 13, 7), 1, (91, -37, -117, 63)),
        ((0, 13, 9, 10), 1, (152, -264, 80, 32)),
        ((0, 7, 2, 3), 1, (12, -16, 4, 0)),
        ((5, 8, 0, 12), 1, (53, -55, 73, -71)),
    ],
)
def test_the_examples_of_the_score(left, holder, scores):
    assert outcome_of_cards(left, holder).scores == scores


def test_a_finished_deal_is_scored_from_the_cards_left():
    deal = play(QQ, position(QQ, "3d", "4d 5d 6d 7d 9d Td Jd 2s", "4c 5c", "6c", first=0), "play 3d")
    outcome = QQ.outcome(deal)
    assert outcome.cards_left == (0, 8, 2, 1)
    assert outcome.two_of_spades == 1
    assert outcome.scores == (35, -93, 27, 31)


def test_who_did_not_go_out_can_win_too():
    assert outcome_of_cards((0, 8, 13, 7), 1).scores[3] == 63


class TestCoins:
    def test_the_examples(self):
        first = settle(N500, {"scores": [30, -18, -4, -8], "winner": 0})
        assert first.gross == (15000, -9000, -2000, -4000)
        assert first.net == (14900, -9100, -2100, -4100)
        assert settle(N500, SOURCE).net == (18400, -3600, 28400, -43600)

    def test_a_poor_loser_pays_what_he_has_and_the_winners_share_it(self):
        poor = settle(N500, SOURCE, [1000000, 3000, 1000000, 43600])
        assert poor.gross == (18303, -3000, 28197, -43500)
        assert poor.fees == (100, 0, 100, 100)

    def test_the_cap_limits_what_one_player_loses(self):
        capped = settle(N500._replace(cap=10000), SOURCE)
        assert capped.gross == (5313, -3500, 8187, -10000)

    def test_odd_coins_go_to_the_seat_that_went_out(self):
        odd = settle(Terms(500), {"scores": [5, 20, -27, 2], "winner": 0}, [1000] * 4)
        assert odd.gross == (186, 740, -1000, 74)
        other = settle(Terms(500), {"scores": [5, 20, -27, 2], "winner": 3}, [1000] * 4)
        assert other.gross == (185, 740, -1000, 75)

    def test_without_a_score_for_the_winner_there_is_no_pot(self):
        assert settle(N500, {"scores": [0, 7, -7, 0], "winner": 0}).gross == (0, 0, 0, 0)

    def test_nobody_pays_a_fee_he_does_not_have(self):
        broke = settle(N500, SOURCE, [0, 0, 0, 0])
        assert broke.net == (0, 0, 0, 0)

    def test_a_percent_fee_is_paid_by_winners_and_rounded_up(self):
        percent = settle(Terms(1, None, Fee("percent", 5)), SOURCE)
        assert percent.fees == (2, 0, 3, 0)

    @given(
        left=st.lists(st.integers(1, 13), min_size=3, max_size=3),
        holder=st.integers(0, 3) | st.none(),
        balances=st.lists(st.integers(0, 10**7), min_size=4, max_size=4),
        stake=st.integers(1, 1000),
        cap=st.integers(0, 10**5) | st.none(),
        fee=st.integers(0, 1000),
    )
    def test_coins_are_neither_made_nor_lost(self, left, holder, balances, stake, cap, fee):
        outcome = outcome_of_cards((0, *left), holder if holder else None)
        terms = Terms(stake, cap, Fee("flat", fee))
        settlement = QQ.settle(terms, balances, outcome)
        assert sum(settlement.points) == 0
        assert sum(settlement.gross) == 0
        assert sum(settlement.net) + settlement.house == 0
        for seat, balance in enumerate(balances):
            assert settlement.net[seat] >= -QQ.exposure(terms, balance) >= -balance
            assert settlement.gross[seat] <= 0 or settlement.points[seat] > 0


class TestPoints:
    def test_in_a_points_room_no_coin_moves(self):
        room = Terms(base_stake=1, currency="points")
        over = settle(room, SOURCE)
        assert over.points == (37, -7, 57, -87)
        assert over.net == (0, 0, 0, 0)
        assert settle(room, {"escaped": 2}).points == (0, 0, -200, 0)
        assert settle(room, {"escaped": 2}).net == (0, 0, 0, 0)


class TestEscape:
    @pytest.mark.parametrize(
        ("balance", "fine"), [(1000000, 100000), (100000, 100000), (99999, 99999), (0, 0)]
    )
    def test_it_costs_200_points_and_200_base_stakes_down_to_nothing(self, balance, fine):
        escaped = settle(N500._replace(cap=100), {"escaped": 1}, [5, balance, 5, 5])
        assert escaped.points == (0, -200, 0, 0)
        assert escaped.penalties == (0, fine, 0, 0)
        assert escaped.gross == escaped.fees == (0, 0, 0, 0)
        assert escaped.house == fine

    def test_the_dialogue_names_what_it_will_cost(self):
        deal = position(QQ, "3d", "4d", "5d", "6d", first=0)
        view = QQ.view(deal, 1)
        for balance in (0, 99999, 100000, 10**6):
            price = QQ.leave_price(view, N500, balance)
            settlement = QQ.settle(N500, [balance] * 4, QQ.outcome(QQ.apply(deal, 1, ESCAPE)))
            assert (-price.points, price.coins) == (settlement.points[1], settlement.penalties[1])
            assert price.at_least is False
        assert QQ.leave_price(view, Terms(currency="points"), 1000).coins == 0


def test_a_void_deal_moves_nothing():
    deal = QQ.apply(position(QQ, "3d", "4d", "5d", "6d", first=0), None, VOID)
    settlement = QQ.settle(N500, [1000] * 4, QQ.outcome(deal))
    assert settlement.as_json() == {
        "points": [0] * 4, "gross": [0] * 4, "fees": [0] * 4, "penalties": [0] * 4, "net": [0] * 4, "house": 0
    }  # fmt: skip


def test_a_running_deal_has_no_outcome():
    assert QQ.outcome(position(QQ, "3d", "4d", "5d", "6d", first=0)) is None


class TestTheReceipt:
    def test_it_names_each_factor_with_its_cause(self):
        rows = {row["row"]: row for row in QQ.settle(N500, None, outcome_of_cards((0, 8, 13, 7), 1)).reasons}
        assert list(rows) == ["cards_left", "card_score", "score", "stake", "pot", "fee", "coins"]
        assert rows["card_score"]["values"] == [0, 32, 52, 7]
        assert rows["card_score"]["factors"] == [
            [],
            [{"cause": "eight_or_nine", "factor": 2}, {"cause": "two_of_spades", "factor": 2}],
            [{"cause": "all_cards", "factor": 4}],
            [],
        ]

    def test_it_says_what_limited_a_loser(self):
        terms = N500._replace(cap=10000)
        rows = {row["row"]: row for row in settle(terms, SOURCE, [0, 3000, 0, 43600]).reasons}
        assert rows["cap"]["values"] == [None, None, None, 10000]
        assert rows["purse"]["values"] == [None, 3000, None, None]
        assert rows["pot"]["total"] == 13000


class TestWhatASeatMayRisk:
    def test_the_cap_with_the_fee_or_the_escape_fine(self):
        assert QQ.exposure(Terms(10, 2000, Fee("flat", 10)), 5000) == 2010
        assert QQ.exposure(Terms(50, 2000, Fee("flat", 10)), 50000) == 10000
        assert QQ.exposure(Terms(10, 2000, Fee("flat", 10)), 500) == 500

    def test_everything_without_a_cap_and_nothing_in_points(self):
        assert CLASSIC.exposure(Terms(1), 700) == 700
        assert CLASSIC.exposure(Terms(1, currency="points"), 700) == 0

    @pytest.mark.parametrize("ruleset", BIG_TWO)
    def test_the_next_deal_needs_the_cap(self, ruleset):
        assert not ruleset.can_play_on(Terms(30, 1200), 1199)
        assert ruleset.can_play_on(Terms(30, 1200), 1200)
        assert not ruleset.can_play_on(Terms(30), 0)
        assert ruleset.can_play_on(Terms(30), 1)
        assert ruleset.can_play_on(Terms(currency="points"), 0)


@pytest.mark.parametrize(
    "outcome",
    [
        5, None, [], {}, {"scores": [1, 2, 3, 4], "winner": 3}, {"scores": [-1, 1, 0, 0], "winner": 0},
        {"scores": [1, -1, 0], "winner": 0}, {"scores": [1, -1, 0, 0], "winner": 4}, {"scores": [1, -1, 0, 0]},
        {"scores": [1.0, -1, 0, 0], "winner": 0}, {"scores": [True, -1, 0, 0], "winner": 0},
        {"cards_left": [1, 2, 3, 4], "two_of_spades": None}, {"cards_left": [0, 0, 3, 4], "two_of_spades": None},
        {"cards_left": [0, 2, 3], "two_of_spades": None}, {"cards_left": [0, 2, 3, 14], "two_of_spades": None},
        {"cards_left": [0, 2, 3, -1], "two_of_spades": None}, {"cards_left": [0, 2, 3, 4], "two_of_spades": 0},
        {"cards_left": [0, 2, 3, 4], "two_of_spades": 4}, {"cards_left": [0, 2, 3, 4]}, {"escaped": 4},
        {"escaped": None}, {"escaped": True}, {"landlord": 0, "landlord_won": True},
        {"scores": [10**30, -(10**30), 0, 0], "winner": 0},
    ],
)  # fmt: skip
def test_an_outcome_that_no_deal_can_have_is_refused(outcome):
    with pytest.raises(EngineError) as caught:
        QQ.parse_outcome(outcome)
    assert caught.value.code == "bad_request"
