"""Three languages, one rule book: the same parts, examples and figures in each, and nothing left lying about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from rulebook import texts
from rulebook.books import BOOKS
from rulebook.texts import Part

FOLDER = Path(settings.BASE_DIR) / "templates" / "rulebook"
SHEETS = sorted(path.name for path in (FOLDER / "en").iterdir())
TAGS = re.compile(r'{% (part|combo|nothing|contest|deal|ruling|cards|titles|if|url) ?("[^"]*"|[\w.]*)')
FIELDS = {
    "combo": "combos",
    "nothing": "nothing",
    "contest": "contests",
    "deal": "deals",
    "ruling": "rulings",
}


def source(language: str, sheet: str) -> str:
    return (FOLDER / language / sheet).read_text("utf-8")


def tags(language: str, sheet: str) -> list[tuple[str, str]]:
    """Return a sheet's tags in order; small drawings within a sentence may stand in another order."""
    found = TAGS.findall(source(language, sheet))
    return [tag for tag in found if tag[0] != "cards"]


def drawings(language: str, sheet: str) -> list[tuple[str, str]]:
    return sorted(tag for tag in TAGS.findall(source(language, sheet)) if tag[0] == "cards")


def in_language(language: str) -> dict[str, list[Part]]:
    with translation.override(language):
        pages = {code: [texts.brief_of(book), *texts.parts_of(book)] for code, book in BOOKS.items()}
        return {**pages, "house": texts.house_parts()}


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_language_has_every_sheet(language: str) -> None:
    assert sorted(path.name for path in (FOLDER / language).iterdir()) == SHEETS
    used = {f"{sheet}.html" for book in BOOKS.values() for sheet in book.sheets}
    assert {*used, *(f"{sheet}.html" for sheet in texts.HOUSE_SHEETS)} == set(SHEETS)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("language", texts.LANGUAGES[1:])
def test_the_languages_have_the_same_parts_and_examples_in_the_same_order(language: str, sheet: str) -> None:
    assert tags(language, sheet) == tags("en", sheet)
    assert drawings(language, sheet) == drawings("en", sheet)


@pytest.mark.parametrize("language", texts.LANGUAGES[1:])
def test_the_languages_name_the_same_figures(language: str) -> None:
    english, other = in_language("en"), in_language(language)
    for page, parts in english.items():
        for here, there in zip(parts, other[page], strict=True):
            assert here.anchor == there.anchor
            assert figures(here) == figures(there), (page, here.anchor)


def figures(part: Part) -> set[str]:
    """Return the figures of two digits and more that a part names."""
    return set(re.findall(r"\d[\d,]*\d", re.sub(r"<[^>]*>", " ", part.body)))


@pytest.mark.parametrize("language", texts.LANGUAGES)
def test_every_example_of_a_book_is_on_its_page_once(language: str) -> None:
    for book in BOOKS.values():
        text = "".join(source(language, f"{sheet}.html") for sheet in book.sheets)
        for tag, field in FIELDS.items():
            for key in getattr(book, field):
                assert text.count(f'{{% {tag} "{key}"') == 1, (book.code, tag, key)


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_sheet_names_an_example_that_no_book_has(sheet: str) -> None:
    readers = [book for book in BOOKS.values() if sheet.removesuffix(".html") in book.sheets]
    for tag, word in tags("en", sheet):
        if tag in FIELDS:
            key = word.strip('"')
            assert any(key in getattr(book, FIELDS[tag]) for book in readers), (tag, key)


@pytest.mark.parametrize("sheet", SHEETS)
def test_every_part_of_a_sheet_is_shown_somewhere(sheet: str) -> None:
    name = sheet.removesuffix(".html")
    shown = {"brief"}.union(*(book.parts for book in BOOKS.values() if name in book.sheets))
    if name in texts.HOUSE_SHEETS:
        shown = set(texts.HOUSE_PARTS)
    assert {word.strip('"') for tag, word in tags("en", sheet) if tag == "part"} <= shown


def test_a_part_is_where_its_page_wants_it_and_nowhere_else() -> None:
    for code, book in BOOKS.items():
        assert [part.anchor for part in texts.parts_of(book)] == list(book.parts), code
        assert len(set(book.parts)) == len(book.parts)


def test_the_figures_in_the_texts_are_the_tables_own() -> None:
    leaving = {
        code: part.body for code in BOOKS for part in texts.parts_of(BOOKS[code]) if part.anchor == "leaving"
    }
    assert "within 180 seconds" in leaving["bigtwo.qq"] and "360 seconds" in leaving["doudizhu.mala"]
    assert "after 15 seconds" in leaving["doudizhu.taiwan"] and "no escape" in leaving["doudizhu.taiwan"]
    assert "costs 200 points" in leaving["bigtwo.classic"]
    assert "200 points" not in leaving["doudizhu.mala"]
