"""The computer player of Dou Dizhu: it knows one seat's view, goes out when it can, and plays with its partner."""

from __future__ import annotations

import random

import pytest

from games.engine import bots
from games.engine.actions import PASS
from games.engine.cards import cards_of, format_cards, mask_of
from games.engine.dou_dizhu_bot import OUT, SURE_TO_GO_OUT, Judge
from games.engine.dou_dizhu_bot_odds import Odds, shape_of
from games.engine.dou_dizhu_bot_plan import MOST_NODES, WEIGHTS, Planner, tally_of
from games.engine.dou_dizhu_bot_sift import MOST_KICKERS
from games.engine.dou_dizhu_bot_sure import MOST_LOOKS
from games.engine.errors import IllegalAction
from tests.benchmarks.bench_bots import at_random, series_in_role
from tests.engine.dealing import DOU_DIZHU, MALA, TAIWAN, play, position, random_deal, ranks, shuffled

BOTH = pytest.mark.parametrize("ruleset", DOU_DIZHU, ids=lambda ruleset: ruleset.code)
LANDLORD, NEXT, LAST = 0, 1, 2
"""The landlord, the farmer who acts after him, and the farmer who acts before him."""


def table(ruleset, *hands, turn=LANDLORD, **trick):
    """Return a position with seat 0 as landlord, cards given by rank alone and dealt out over suits that are free."""
    taken: dict[str, int] = {}
    texts = []
    for hand in (*hands, trick.pop("standing", "")):
        names = []
        for rank in hand.replace(" ", ""):
            if rank in "BR":
                names.append(f"{rank}J")
                continue
            names.append(rank + "dchs"[taken.get(rank, 0)])
            taken[rank] = taken.get(rank, 0) + 1
        texts.append(" ".join(names))
    if texts[-1]:
        by = trick["by"]
        trick = {"standing": texts[-1], "standing_by": by, "passes": (turn - by - 1) % 3}
    found = {"bid": 1} if ruleset is TAIWAN else {"base_score": 1, "ladder": [0, 0, 0]}
    return position(ruleset, *texts[:-1], landlord=LANDLORD, turn=turn, **found, **trick)


def odds_of(view):
    return Odds(view, WEIGHTS.will, WEIGHTS.will_bomb)


def choice(ruleset, deal):
    """Return what the seat to act plays, by rank alone; "" for a pass."""
    action = bots.choose(ruleset, ruleset.view(deal, deal.turn))
    return "".join(name.replace("J", "")[0] if name[0] in "BR" else name[0] for name in names_of(action))


def names_of(action):
    return format_cards(action.cards).split(" ") if action.cards else []


@BOTH
@pytest.mark.parametrize("seed", range(200))
def test_every_kind_of_seat_always_does_something_legal(ruleset, seed):
    """Two seats play at random, one thinks; it changes from deal to deal, and so does who is landlord."""
    chance = random.Random(seed)
    deck = shuffled(chance, 54)
    first = seed % 3
    opening = {"first": first}
    if ruleset is MALA:
        opening["shown"] = format_cards((deck[first],))
    deal = ruleset.start(deck=deck, opening=opening, terms=next(random_deal(ruleset, 0)).setup.terms)
    thinker = seed // 3 % 3
    while deal.turn is not None:
        legal = ruleset.legal(deal)
        action = chance.choice(legal)
        if deal.turn == thinker or deal.phase != "play":
            view = ruleset.view(deal, deal.turn)
            action = bots.choose(ruleset, view)
            assert action in legal
        deal = ruleset.apply(deal, deal.turn, action)
    assert deal.phase in ("over", "redeal")


@BOTH
@pytest.mark.parametrize("seed", range(15))
def test_the_hints_are_legal_plays_and_begin_with_its_own_choice(ruleset, seed):
    for deal in list(random_deal(ruleset, seed))[:-1]:
        view = ruleset.view(deal, deal.turn)
        action, hints = bots.choose(ruleset, view), bots.hints(ruleset, view)
        legal = ruleset.legal(deal)
        assert action in legal and bots.choose(ruleset, view) == action
        assert len(set(hints)) == len(hints) <= bots.MOST_HINTS
        assert set(hints) <= set(legal)
        assert all(hint.kind == "play" for hint in hints)
        assert bool(hints) is any(one.kind == "play" for one in legal)
        if action.kind == "play":
            assert hints[0] == action


@BOTH
@pytest.mark.parametrize("seed", range(12))
def test_cards_it_cannot_see_change_nothing(ruleset, seed):
    """The hidden cards are dealt out anew behind its back: the same view, the same choice, the same hints."""
    chance = random.Random(seed)
    for deal in list(random_deal(ruleset, seed))[:-1:2]:
        before = ruleset.view(deal, deal.turn)
        changed = dealt_anew(ruleset, deal, chance)
        after = ruleset.view(changed, deal.turn)
        assert before._replace(opening={}) == after._replace(opening={})
        assert bots.choose(ruleset, before) == bots.choose(ruleset, after)
        assert bots.hints(ruleset, before) == bots.hints(ruleset, after)


def dealt_anew(ruleset, deal, chance):
    """Return the deal with all cards dealt out anew that its seat to act has not seen, the hidden bottom included."""
    view = ruleset.view(deal, deal.turn)
    hidden = list(cards_of(view.unseen))
    chance.shuffle(hidden)
    hands, bottom = list(deal.hands), deal.setup.bottom
    for seat, hand in enumerate(hands):
        kept = hand & ~view.unseen
        missing = hand.bit_count() - kept.bit_count()
        hands[seat] = kept | mask_of(hidden[:missing])
        del hidden[:missing]
    if hidden:
        kept = bottom & ~view.unseen
        bottom = kept | mask_of(hidden)
    return deal._replace(hands=tuple(hands), setup=deal.setup._replace(bottom=bottom))


@BOTH
def test_nobody_is_asked_out_of_turn(ruleset):
    deal = table(ruleset, "34", "56", "78")
    view = ruleset.view(deal, NEXT)
    with pytest.raises(IllegalAction):
        bots.choose(ruleset, view)
    assert bots.hints(ruleset, view) == []
    assert bots.hints(ruleset, ruleset.view(deal, None)) == []


@BOTH
class TestGoingOut:
    def test_one_combo_that_is_the_whole_hand_is_led(self, ruleset):
        assert choice(ruleset, table(ruleset, "3334", "5679", "78TT")) == "3334"
        assert choice(ruleset, table(ruleset, "34567", "5679", "78TT")) == "34567"
        assert choice(ruleset, table(ruleset, "BR", "5679", "78TT")) == "BR"

    def test_it_never_passes_when_a_play_goes_out(self, ruleset):
        assert choice(ruleset, table(ruleset, "44", "5679", "78TT", standing="33", by=LAST)) == "44"
        partner_leads = table(ruleset, "5679", "9", "78TT", turn=NEXT, standing="8", by=LAST)
        assert choice(ruleset, partner_leads) == "9"

    def test_a_last_bomb_goes_out_on_anything(self, ruleset):
        assert choice(ruleset, table(ruleset, "4444", "5679", "78TT", standing="22", by=LAST)) == "4444"

    def test_the_unbeatable_goes_first_and_the_weak_last(self, ruleset):
        assert choice(ruleset, table(ruleset, "3R", "5679", "78TT")) == "R"
        assert choice(ruleset, table(ruleset, "33AA", "5679", "78TT")) == "AA"
        assert choice(ruleset, table(ruleset, "3BR", "5679J", "78TTA")) == "BR"

    def test_it_takes_the_trick_when_that_ends_the_deal(self, ruleset):
        assert choice(ruleset, table(ruleset, "33R", "5679K", "78TTA", standing="9", by=LAST)) == "R"

    def test_a_weak_card_goes_first_when_the_joker_takes_the_trick_back(self, ruleset):
        assert choice(ruleset, table(ruleset, "34R", "555679K", "78TTA22")) in ("3", "4")

    @pytest.mark.parametrize("seed", range(150))
    def test_a_sure_line_is_not_broken_by_anything_the_farmers_do(self, ruleset, seed):
        """Once the landlord says so he goes out, whatever the others hold and do."""
        chance = random.Random(seed)
        deal = late_position(ruleset, chance)
        sure = False
        while deal.turn is not None:
            if deal.turn != LANDLORD:
                action = chance.choice(plays_first(ruleset.legal(deal), chance))
            else:
                view = ruleset.view(deal, LANDLORD)
                judge, action = Judge(view), bots.choose(ruleset, view)
                combo = (
                    None
                    if action == PASS
                    else ruleset.combos.played(deal.hands[0], action.cards, deal.standing)
                )
                now = judge.loss(combo) <= SURE_TO_GO_OUT
                assert now or not sure, "a sure line stays sure"
                sure = now
            deal = ruleset.apply(deal, deal.turn, action)
        assert not sure or deal.winner == LANDLORD


def late_position(ruleset, chance):
    """Return a position with few cards, the landlord on lead; half of the time he holds strong ones."""
    deck = chance.sample(range(54), 54)
    if chance.random() < 0.6:
        deck.sort(key=lambda card: card < 44 or chance.random() < 0.5)
    sizes = chance.randint(3, 8), chance.randint(2, 8), chance.randint(2, 8)
    hands = []
    for size in sizes:
        hands.append(format_cards(sorted(deck[:size])))
        del deck[:size]
    found = {"bid": 1} if ruleset is TAIWAN else {"base_score": 1, "ladder": [0, 0, 0]}
    return position(ruleset, *hands, landlord=LANDLORD, turn=LANDLORD, **found)


def plays_first(legal, chance):
    """Return the plays among legal acts, mostly: enemies who do not let one pass."""
    plays = [action for action in legal if action.kind == "play"]
    return plays if plays and chance.random() < 0.8 else legal


def test_sure_lines_are_found_often_enough_to_matter():
    found = 0
    for seed in range(100):
        deal = late_position(TAIWAN, random.Random(seed))
        view = TAIWAN.view(deal, LANDLORD)
        judge = Judge(view)
        combos = [TAIWAN.combos.played(view.hand, offer.cards, None) for offer in TAIWAN.offers(view)]
        found += min(map(judge.loss, combos)) <= SURE_TO_GO_OUT
    assert found >= 20


@BOTH
class TestFarmers:
    def test_the_partner_is_not_beaten_without_reason(self, ruleset):
        deal = table(ruleset, "3456779TJ", "2255668A", "3399TTJJK", turn=NEXT, standing="K", by=LAST)
        assert choice(ruleset, deal) == ""
        deal = table(ruleset, "345779TJA", "2233668TK", "4499TTJJQ", turn=NEXT, standing="QQ", by=LAST)
        assert choice(ruleset, deal) == ""

    def test_a_partner_with_one_card_left_is_never_beaten(self, ruleset):
        deal = table(ruleset, "3456779TJ", "3589K2", "6", turn=NEXT, standing="7", by=LAST)
        assert choice(ruleset, deal) == ""

    def test_a_bomb_is_not_thrown_on_the_partner(self, ruleset):
        deal = table(ruleset, "345577889TJ", "6666378K2", "39TQ", turn=NEXT, standing="AA", by=LAST)
        assert choice(ruleset, deal) == ""

    def test_the_partners_last_card_is_fed(self, ruleset):
        assert choice(ruleset, table(ruleset, "77899TJKA2", "348QTK", "5", turn=NEXT)) == "3"

    def test_a_landlord_with_one_card_gets_no_single(self, ruleset):
        assert choice(ruleset, table(ruleset, "K", "3588T2", "4667J9Q", turn=LAST)) == "66"
        assert choice(ruleset, table(ruleset, "K", "3588T2", "4667J9Q", turn=NEXT)) == "88"

    def test_with_singles_alone_the_highest_goes_first_before_a_landlord_with_one_card(self, ruleset):
        assert choice(ruleset, table(ruleset, "Q", "3588T2J", "479K", turn=LAST)) == "K"

    def test_the_last_farmer_blocks_a_landlord_with_one_card(self, ruleset):
        deal = table(ruleset, "Q", "3588T2J", "69JA", turn=LAST, standing="4", by=NEXT)
        assert choice(ruleset, deal) == "A"

    def test_the_landlord_is_beaten_before_he_goes_out(self, ruleset):
        deal = table(ruleset, "3", "335588T2J", "44669JA2", turn=LAST, standing="K", by=LANDLORD)
        assert choice(ruleset, deal) in ("A", "2")
        deal = table(ruleset, "3", "3355889TJ", "6666378", turn=LAST, standing="KK", by=LANDLORD)
        assert choice(ruleset, deal) == "6666"


@BOTH
class TestPlainSense:
    def test_it_does_not_break_a_straight_for_a_low_single(self, ruleset):
        deal = table(ruleset, "56789JA", "33446688TT", "3459JQQK", standing="4", by=LAST)
        assert choice(ruleset, deal) in ("J", "A")

    def test_the_long_chain_is_led_before_the_high_single(self, ruleset):
        assert choice(ruleset, table(ruleset, "3456789JK", "3344668TT2B", "3459JQQKA2R")) == "3456789"

    def test_a_triple_carries_the_loose_card(self, ruleset):
        assert choice(ruleset, table(ruleset, "5QQQ2", "33446688TT", "3459JKKA2")) == "5QQQ"

    def test_bombs_and_rocket_are_kept_while_nothing_is_decided(self, ruleset):
        deal = table(ruleset, "4444356789TJKK2", "35667799TJQQA", "3588TQQKKAA", standing="6", by=LAST)
        assert choice(ruleset, deal) not in ("4444", "BR")
        deal = table(ruleset, "BR35689TJKK2", "35667799TJQQA", "3588TQQKKAA", standing="6", by=LAST)
        assert set(choice(ruleset, deal)) & set("BR") == set()

    def test_of_two_spare_cards_the_lower_one_follows(self, ruleset):
        deal = table(ruleset, "3456799J2", "35667TTJQB", "3588TQQKKAR", standing="8", by=LAST)
        assert choice(ruleset, deal) == "J"


class TestSayings:
    """Bids, calls and steps by sensible strength."""

    STRONG, WEAK, MIDDLING = "34567 999 AA 22 BR K J T", "3344566789TTJJQKK", "345678 TJQ KK AA 22 B 9"

    def hand(self, ruleset, text, others="", **opening):
        own = ranks(text)
        rest = [card for card in range(54) if card not in own]
        deck = []
        for index in range(17):
            deck += [own[index], rest.pop(), rest.pop(0)]
        if ruleset is MALA:
            opening["shown"] = format_cards(own[:1])
        terms = next(random_deal(ruleset, 0)).setup.terms
        return ruleset.start(deck=[*deck, *rest], opening={"first": 0, **opening}, terms=terms)

    def test_a_strong_hand_bids_three_and_a_weak_one_nothing(self):
        said = [str(self.said(TAIWAN, text)) for text in (self.STRONG, self.WEAK)]
        assert said == ["bid 3", "bid 0"]

    def said(self, ruleset, text, *acts):
        deal = play(ruleset, self.hand(ruleset, text), *acts)
        return bots.choose(ruleset, ruleset.view(deal, deal.turn))

    def test_a_bid_is_higher_than_the_last_or_none(self):
        deal = play(TAIWAN, self.hand(TAIWAN, self.WEAK), "bid 2")
        assert str(bots.choose(TAIWAN, TAIWAN.view(deal, 1))) in ("bid 0", "bid 3")

    def test_an_unseen_hand_is_looked_at(self):
        assert str(self.said(MALA, self.WEAK)) == "look"

    def test_the_red_joker_shown_is_worth_a_blind_grab(self):
        assert str(self.said(MALA, "R" + self.WEAK[:-1])) == "blind"
        assert str(self.said(MALA, "B" + self.WEAK[:-1])) == "look"

    def test_nobody_steps_with_a_hand_he_has_not_seen(self):
        deal = play(MALA, self.hand(MALA, self.STRONG), "blind")
        assert str(bots.choose(MALA, MALA.view(deal, 1))) == "stay 0"
        deal = play(MALA, deal, "raise 0", "stay 0")
        assert str(bots.choose(MALA, MALA.view(deal, 0))) == "stay 1"

    def test_a_strong_hand_is_called_and_a_weak_one_declined(self):
        assert str(self.said(MALA, self.STRONG, "look")) == "call"
        assert str(self.said(MALA, self.WEAK, "look")) == "decline"

    def test_farmers_raise_and_landlords_answer_by_strength(self):
        """Seat 0's hand as landlord whom seat 1 has raised against."""
        deal = play(MALA, self.hand(MALA, self.STRONG), "look", "call", "raise 0", "stay 0")
        assert str(bots.choose(MALA, MALA.view(deal, 0))) == "raise 1"
        deal = play(MALA, self.hand(MALA, self.WEAK), "look", "call", "raise 0", "stay 0")
        assert str(bots.choose(MALA, MALA.view(deal, 0))) == "stay 1"


class TestCosts:
    """The search is bounded by what it looks at, not by the clock."""

    HANDS = (
        "34567890".replace("0", "T") + "JQKA" + "34567892",
        "333444555666777 8 9 T J Q",
        "3333444455556666 7 8 9 T",
        "33445566778899TTJJQQ",
        "3334445556667778889 9",
        "3456789TJQKA22BR3579",
    )

    @BOTH
    @pytest.mark.parametrize("text", HANDS)
    def test_the_worst_hands_are_parted_within_bounds(self, ruleset, text):
        own = ranks(text)
        rest = [card for card in range(54) if card not in own]
        found = {"bid": 1} if ruleset is TAIWAN else {"base_score": 1, "ladder": [0, 0, 0]}
        hands = [format_cards(own), format_cards(rest[:17]), format_cards(rest[17:])]
        deal = position(ruleset, *hands, landlord=LANDLORD, turn=LANDLORD, **found)
        view = ruleset.view(deal, LANDLORD)
        judge = Judge(view)
        assert judge.ranked(ruleset.offers(view))
        assert judge.planner.nodes <= 3 * MOST_NODES
        assert judge.runs.looks <= 2 * MOST_LOOKS

    @BOTH
    @pytest.mark.parametrize("seed", range(6))
    def test_ordinary_decisions_are_far_below_the_bounds(self, ruleset, seed):
        nodes = []
        for deal in random_deal(ruleset, seed):
            if deal.phase == "play":
                view = ruleset.view(deal, deal.turn)
                judge = Judge(view)
                judge.ranked(ruleset.offers(view))
                nodes.append(judge.planner.nodes)
        assert max(nodes, default=0) <= MOST_NODES
        assert sum(nodes) <= 300 * len(nodes)

    def test_of_many_kickers_few_are_judged(self):
        deal = table(TAIWAN, "333444555 6 8 9 J Q A 2", "667788TTK", "9TTJQKKA2")
        view = TAIWAN.view(deal, LANDLORD)
        ranked = Judge(view).ranked(TAIWAN.offers(view))
        wide = [act for act in ranked if len(act.cards) == 12]
        assert 0 < len(wide) <= MOST_KICKERS


class TestTheOdds:
    @BOTH
    @pytest.mark.parametrize("seed", range(25))
    def test_unbeatable_is_a_promise(self, ruleset, seed):
        """What is called unbeatable no enemy beats, however the hidden cards are dealt."""
        chance = random.Random(seed)
        deal = late_position(ruleset, chance)
        view = ruleset.view(deal, LANDLORD)
        odds = odds_of(view)
        combos = [ruleset.combos.played(view.hand, act.cards, None) for act in ruleset.plays.leads(view.hand)]
        sure = [combo for combo in combos if odds.stands(shape_of(combo)) == 1.0]
        for _ in range(10):
            hands = dealt_anew(ruleset, deal, chance).hands[1:]
            for combo in sure:
                assert not any(ruleset.plays.follows(hand, combo) for hand in hands), combo.text

    def test_the_open_bottom_is_known_to_be_the_landlords(self):
        """His bottom holds a two: an ace led into him does not stand, nor is it unbeatable when he has one card."""
        opening = {"landlord": LANDLORD, "bid": 1, "turn": LAST}
        record = position(TAIWAN, "2d", "5d 6d", "Ad 4d", **opening)
        record = record._replace(setup=record.setup._replace(bottom=mask_of(ranks("2"))))
        odds = odds_of(TAIWAN.view(record, LAST))
        ace = TAIWAN.combos.played(record.hands[LAST], ranks("A"), None)
        assert odds.others[LANDLORD].beats(shape_of(ace)) == 1.0
        assert odds.others[NEXT].beats(shape_of(ace)) == 0.0


def test_a_plan_has_as_few_combos_as_the_hand_needs():
    for text, taiwan, mala in (
        ("34567", 1, 1),
        ("3334", 1, 1),
        ("33344", 1, 2),
        ("333444 5 6", 1, 1),
        ("34567 789TJ 2", 3, 3),
        ("334455 7", 2, 2),
    ):
        for ruleset, turns in ((TAIWAN, taiwan), (MALA, mala)):
            deal = table(ruleset, text, "88TQQ", "JQKKA2")
            view = ruleset.view(deal, LANDLORD)
            tally = tally_of(cards_of(view.hand))
            planner = Planner(tally, odds_of(view), pairs_as_kickers=ruleset is TAIWAN)
            assert planner.plan(tally).turns == turns, (ruleset.code, text)


def test_going_out_comes_before_all_else():
    deal = table(TAIWAN, "3334", "5679", "78TT")
    view = TAIWAN.view(deal, LANDLORD)
    whole = TAIWAN.combos.played(view.hand, cards_of(view.hand), None)
    assert Judge(view).loss(whole) == OUT < SURE_TO_GO_OUT


@BOTH
@pytest.mark.parametrize("role", ["landlord", "farmers"])
def test_it_wins_most_deals_against_random_players(ruleset, role):
    tally = series_in_role(ruleset.code, role, 60, 1, at_random)
    assert tally.rate >= 0.85 and tally.score > 0
