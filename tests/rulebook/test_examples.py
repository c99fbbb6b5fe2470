"""What the rule pages show is what the engine plays: every drawn combo, every contest, every reckoned coin."""

from __future__ import annotations

import re

import pytest
from django.utils import translation

from games.engine import rulesets, titles
from games.engine.actions import Action, parse_action
from games.engine.cards import mask_of, parse_cards
from games.engine.deal import Deal
from games.engine.errors import EngineError, IllegalAction
from games.engine.rulesets import RuleSet
from games.engine.terms import Terms
from games.templatetags.house import figure, signed
from rulebook import book as books
from rulebook import reckoning, texts
from rulebook.book import Book
from rulebook.books import BOOKS

CODES = list(BOOKS)
EACH_BOOK = pytest.mark.parametrize("book", BOOKS.values(), ids=CODES)


def cases(field: str) -> list[object]:
    return [
        pytest.param(book, key, id=f"{code}-{key}")
        for code, book in BOOKS.items()
        for key in getattr(book, field)
    ]


def test_every_rule_set_has_a_page() -> None:
    assert list(BOOKS) == list(rulesets.all_codes())


# --- cards ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("book", "kind"), cases("combos"))
def test_a_drawn_combo_is_what_the_page_calls_it(book: Book, kind: str) -> None:
    assert book.combos[kind]
    for cards in book.combos[kind]:
        assert books.reading_of(book.rules, cards) == kind


@pytest.mark.parametrize(("book", "key"), cases("nothing"))
def test_what_the_page_calls_no_combo_is_none(book: Book, key: str) -> None:
    cards = parse_cards(book.nothing[key], book.rules.deck_size)  # of this deck, none twice
    assert book.rules.readings(cards) == []


@pytest.mark.parametrize(("book", "key"), cases("contests"))
def test_a_contest_ends_as_the_page_says(book: Book, key: str) -> None:
    contest = book.contests[key]
    assert books.does_beat(book.rules, contest) is contest.beats
    parse_cards(f"{contest.standing} {contest.cards}", book.rules.deck_size)  # no card on both sides
    assert books.reading_of(book.rules, contest.standing) and books.reading_of(book.rules, contest.cards)


@EACH_BOOK
def test_a_page_shows_contests_won_and_lost(book: Book) -> None:
    assert {contest.beats for contest in book.contests.values()} == {True, False}


# Hands in which each type can be found, beside any others' cards.
RICH_HANDS = {
    52: ("3d 3c 3h 3s 4d 4c 5d 6d 7d 9d Jh Qh 2h", "8d", "8c", "8h"),
    54: ("3d 3c 3h 3s 4d 4c 4h 5d 5c 6d 6c 7d BJ RJ", "8d", "8c"),
}
OPENINGS: tuple[dict[str, object], ...] = (
    {"first": 0},
    {"landlord": 0, "bid": 1},
    {"landlord": 0, "base_score": 1, "ladder": [0, 0, 0]},
)


def to_lead(rules: RuleSet) -> Deal:
    """Return a position in which the rich hand leads, however this rule set opens its play."""
    hands = [mask_of(parse_cards(cards, rules.deck_size)) for cards in RICH_HANDS[rules.deck_size]]
    for opening in OPENINGS:
        try:
            deal = rules.place(hands=hands, bottom=0, opening=opening, terms=Terms())
        except EngineError:
            continue
        if deal.phase == "play":
            return deal
    raise AssertionError(f"no opening for {rules.code}")


@EACH_BOOK
def test_every_type_the_engine_knows_is_drawn_and_no_other(book: Book) -> None:
    rules = book.rules
    led = {rules.readings(action.cards)[0].kind for action in rules.legal(to_lead(rules))}
    assert set(book.combos) == led


def test_a_four_in_mala_carries_no_pair_and_in_taiwan_it_does() -> None:
    pair_on_four = BOOKS["doudizhu.mala"].nothing["quad_with_pair"]
    assert pair_on_four in BOOKS["doudizhu.taiwan"].combos["quad_singles"]


# --- the duty of classic Big Two, as its two cases tell it ------------------------------------------------


def before_a_last_card(hand: str, standing: str | None) -> Deal:
    rules = rulesets.get("bigtwo.classic")
    hands = [mask_of(parse_cards(cards)) for cards in (hand, "3c", "4d 4c 7h", "5d 5c 8h")]
    opening: dict[str, object] = {"first": 0}
    if standing:
        opening = {"standing": standing, "standing_by": 3, "passes": 0, "turn": 0}
    return rules.place(hands=hands, bottom=0, opening=opening, terms=Terms())


def acts(deal: Deal) -> set[str]:
    return {str(action) for action in rulesets.get("bigtwo.classic").legal(deal)}


def test_before_a_last_card_one_leads_the_highest_single_or_no_single() -> None:
    assert acts(before_a_last_card("6d 6h Kc", None)) == {"play 6d 6h", "play Kc"}


def test_before_a_last_card_one_follows_with_the_highest_single_and_may_not_pass() -> None:
    deal = before_a_last_card("9d Ks Ad", "Qs")
    assert acts(deal) == {"play Ad"}
    rules = rulesets.get("bigtwo.classic")
    for text in ("play Ks", "pass"):
        act: Action = parse_action(text, seats=4, deck_size=52)
        with pytest.raises(IllegalAction):
            rules.verify(deal, 0, act)


# --- money -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("book", "key"), cases("deals"))
def test_a_reckoned_deal_sums_to_nothing_with_the_house(book: Book, key: str) -> None:
    example = book.deals[key]
    settlement = books.settle(book.rules, example)
    assert sum(settlement.net) + settlement.house == 0
    escaped = any(row.get("cause") == "escape" for row in settlement.reasons)
    assert escaped or sum(settlement.points) == 0
    for before, net in zip(example.balances or (), settlement.net, strict=bool(example.balances)):
        assert before + net >= 0


@pytest.mark.parametrize(("book", "key"), cases("deals"))
def test_the_sheet_prints_the_engines_figures(book: Book, key: str) -> None:
    example = book.deals[key]
    settlement = books.settle(book.rules, example)
    sheet = reckoning.sheet_of(example, settlement)
    coins = Terms.from_json(dict(example.terms)).moves_coins
    sums = settlement.net if coins else settlement.points
    assert [cell.text for cell in sheet.foot.cells] == [signed(value) if value else "–" for value in sums]
    assert sheet.foot.house.text == (signed(settlement.house) if settlement.house else "–")
    assert sheet.house is coins
    printed = {cell.text for line in sheet.lines for cell in line.cells}
    for row in settlement.reasons:
        if row["row"] in ("score", "stake", "pot"):
            assert {signed(value) for value in row["values"] if value} <= printed
    assert all(len(line.cells) == book.rules.seats for line in sheet.lines)


@EACH_BOOK
def test_every_limit_and_cause_of_an_example_has_its_word(book: Book) -> None:
    for language in texts.LANGUAGES:
        with translation.override(language):
            for example in book.deals.values():
                sheet = reckoning.sheet_of(example, books.settle(book.rules, example))
                headings = [str(line.heading) for line in sheet.lines]
                assert all(headings) and not any("_" in heading for heading in headings)


@pytest.mark.parametrize(("book", "key"), cases("rulings"))
def test_a_ruling_sums_to_nothing_with_the_house(book: Book, key: str) -> None:
    ruling = book.rulings[key]
    verdict = books.judge(book.rules, ruling)
    assert sum(verdict.deltas) + verdict.house == 0
    sheet = reckoning.sheet_of_ruling(Terms.from_json(dict(ruling.terms)), 0, verdict)
    assert [cell.text for cell in sheet.foot.cells] == [
        signed(value) if value else "–" for value in verdict.deltas
    ]
    columns = list(zip(*(_numbers(line.cells) for line in sheet.lines), strict=True))
    assert [sum(column) for column in columns] == list(verdict.deltas)
    assert sum(_numbers([line.house for line in sheet.lines])) == verdict.house


def _numbers(cells: object) -> list[int]:
    return [
        0 if cell.text == "–" else int(cell.text.replace("−", "-").replace(",", "").replace("+", ""))
        for cell in cells  # type: ignore[attr-defined]
    ]


def test_the_pages_show_the_known_sums() -> None:
    """The sums that players of these games know by heart."""
    known = {
        ("bigtwo.classic", "plain"): (37, -7, 57, -87),
        ("bigtwo.classic", "worst"): (152, -264, 80, 32),
        ("doudizhu.mala", "blind_ladder"): (33_900, -32_100, -2_100),
        ("doudizhu.mala", "called_bomb"): (-4_100, 1_900, 1_900),
        ("doudizhu.mala", "landlord_short"): (-20_000, 18_724, 1_076),
        ("doudizhu.mala", "escape_uneven"): (-42_000, 0, 0),
        ("doudizhu.taiwan", "smallest"): (57, -30, -30),
        ("doudizhu.taiwan", "capped_win"): (2_280, -1_200, -1_200),
        ("doudizhu.taiwan", "away_won"): (-360, 342, -60),
    }
    for (code, key), sums in known.items():
        example = BOOKS[code].deals[key]
        settlement = books.settle(BOOKS[code].rules, example)
        assert (settlement.points if "currency" in example.terms else settlement.net) == sums, key


@EACH_BOOK
def test_the_page_lists_every_title_with_its_points(book: Book) -> None:
    (part,) = [part for part in texts.parts_of(book) if part.anchor == "titles"]
    ladder = titles.ladder_of(book.code)
    assert part.body.count("<li>") == len(ladder)
    for rung in ladder[1:]:
        assert f"from {figure(rung.fewest)}<" in part.body
    assert f"below {figure(ladder[1].fewest)}<" in part.body


@EACH_BOOK
def test_a_caption_names_no_figure_that_its_sheet_does_not_have(book: Book) -> None:
    for language in texts.LANGUAGES:
        with translation.override(language):
            for part in texts.parts_of(book):
                for caption, rest in re.findall(
                    r"<figcaption><p>(.*?)</p>(.*?)</figure>", part.body, re.DOTALL
                ):
                    said = set(re.findall(r"\d[\d,]*\d", re.sub(r"<[^>]*>", " ", caption)))
                    shown = set(re.findall(r"\d[\d,]*\d", re.sub(r"<[^>]*>", " ", rest)))
                    assert said <= shown, (language, caption)
