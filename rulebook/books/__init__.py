"""The rule sets that have a page, in the registry's order. A new one is a module here and its texts."""

from collections.abc import Mapping

from games.engine import rulesets
from rulebook.book import Book
from rulebook.books import bigtwo_classic, bigtwo_qq, doudizhu_mala, doudizhu_taiwan

_ALL = {
    book.code: book
    for book in (bigtwo_classic.BOOK, bigtwo_qq.BOOK, doudizhu_mala.BOOK, doudizhu_taiwan.BOOK)
}
BOOKS: Mapping[str, Book] = {code: _ALL[code] for code in rulesets.all_codes() if code in _ALL}
