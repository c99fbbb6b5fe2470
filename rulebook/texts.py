"""The texts of the rule pages: files ("sheets") of one language each, cut into parts by `{% part %}`.

A language has all its text in `templates/rulebook/<language>/`, written for its readers and not word for word after
another; the tests hold the languages to the same parts, examples and figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.template import Context, Engine, Template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from games import naming
from games.engine import rulesets, verdicts
from games.table import clocks
from rulebook.book import Book
from rulebook.books import BOOKS
from rulebook.templatetags.rulebook import PartNode

LANGUAGES = ("en", "zh-hans", "zh-hant")
HOUSE_SHEETS = ("house",)
HOUSE_PARTS = ("fair", "clock", "leaving", "manners", "complaints")


class Part(NamedTuple):
    """A section of a page: its anchor, heading and body."""

    anchor: str
    title: str
    body: SafeString


def language() -> str:
    """Return the reader's language, English where there is no text in his."""
    current = get_language() or ""
    return current if current in LANGUAGES else LANGUAGES[0]


def parts_of(book: Book) -> list[Part]:
    """Return a rule set's page in the reader's language, part by part."""
    return _parts(book.code, book.sheets, book.parts, language())


def brief_of(book: Book) -> Part:
    """Return a rule set in a few lines, in the reader's language."""
    return _parts(book.code, book.sheets, ("brief",), language())[0]


def house_parts() -> list[Part]:
    """Return what holds at every table, in the reader's language."""
    return _parts(None, HOUSE_SHEETS, HOUSE_PARTS, language())


def figures(code: str | None) -> dict[str, object]:
    """Return the figures texts may name: seconds of the clocks, and the fines and fees in base stakes."""
    found: dict[str, object] = {
        "turn": clocks.TURN_MS // 1000,
        "grace": clocks.GRACE_MS // 1000,
        "absence": clocks.ABSENCE_MS // 1000,
        "absences": clocks.ABSENCES_MS // 1000,
        "start": clocks.START_MS // 1000,
        "vote": clocks.VOTE_MS // 1000,
        "time_outs": clocks.TIME_OUTS,
        "complaint_fee": verdicts.COMPLAINT_FEES["collusion"],
        "collusion_fine": verdicts.FINES["collusion"],
        "coaching_fine": verdicts.FINES["coaching"],
    }
    if code is not None:
        manners = rulesets.get(code).manners
        found["away"] = manners.absence_default_s
        found["leave_fine"] = manners.leave_fine
        found["escape_points"] = manners.escape_points
    return found


def _parts(code: str | None, sheets: Sequence[str], parts: Sequence[str], language: str) -> list[Part]:
    render = _rendered.__wrapped__ if settings.DEBUG else _rendered
    return list(render(code, tuple(sheets), tuple(parts), language))


@cache
def _rendered(
    code: str | None, sheets: tuple[str, ...], parts: tuple[str, ...], language: str
) -> tuple[Part, ...]:
    nodes: dict[str, tuple[Template, PartNode]] = {}
    for sheet in sheets:
        template = Engine.get_default().get_template(f"rulebook/{language}/{sheet}.html")
        for node in template.nodelist:
            if isinstance(node, PartNode):
                nodes[node.anchor] = template, node
    context = _context(code)
    return tuple(Part(anchor, nodes[anchor][1].title, _body(*nodes[anchor], context)) for anchor in parts)


def _context(code: str | None) -> Mapping[str, Any]:
    if code is None:
        return {"f": figures(None)}
    rules = rulesets.get(code)
    return {"book": BOOKS[code], "rules": rules, "words": naming.game_words(code), "f": figures(code)}


def _body(template: Template, node: PartNode, values: Mapping[str, Any]) -> SafeString:
    context = Context(dict(values))
    with context.render_context.push_state(template), context.bind_template(template):
        return node.nodelist.render(context)
