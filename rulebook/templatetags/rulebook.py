"""What the texts of the rule pages are made of: parts, drawn cards, contests, reckoned deals and rulings.

An example is named by its key in the rule set's Book; one the rule set does not have is left out, so that related
rule sets can share a text.
"""

from __future__ import annotations

from typing import Any

from django import template
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from games.engine import titles as ladders
from games.engine.terms import Terms
from rulebook import book as books
from rulebook import reckoning

register = template.Library()

FACES = {"T": "10"}


class PartNode(template.Node):
    """A section of a page, put where the page wants it; in its own file it prints nothing."""

    def __init__(self, anchor: str, title: str, nodelist: NodeList) -> None:
        self.anchor = anchor
        self.title = title
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        """Print nothing: see `rulebook.texts`."""
        return mark_safe("")


@register.tag
def part(parser: Parser, token: Token) -> PartNode:
    """Begin a part: `{% part "anchor" "Heading" %} … {% endpart %}`."""
    words = token.split_contents()
    if len(words) != 3 or any(word[:1] != '"' or word[-1:] != '"' for word in words[1:]):
        raise template.TemplateSyntaxError('part: {% part "anchor" "Heading" %} expected')
    nodelist = parser.parse(("endpart",))
    parser.delete_first_token()
    return PartNode(words[1][1:-1], words[2][1:-1], nodelist)


def card_name(card: str) -> str:
    """Return what a card is called aloud, "10 of hearts"."""
    if card in ("BJ", "RJ"):
        return _("small joker") if card == "BJ" else _("big joker")
    rank, suit = FACES.get(card[0], card[0]), card[1]
    sentence = {
        "d": _("%(rank)s of diamonds"),
        "c": _("%(rank)s of clubs"),
        "h": _("%(rank)s of hearts"),
        "s": _("%(rank)s of spades"),
    }[suit]
    return sentence % {"rank": rank}


@register.simple_tag
def cards(text: str, size: str = "") -> SafeString:
    """Draw cards, `3d Th BJ`; in running text unless `size` says "row"."""
    drawn = text.split()
    name = _(", ").join(card_name(card) for card in drawn)
    values = {"cards": drawn, "name": name, "size": size, "many": len(drawn) > 8}
    drawing = render_to_string("rulebook/_cards.html", values)
    return mark_safe(drawing.strip())  # nothing between a card and a full stop


@register.simple_block_tag(takes_context=True)
def combo(context: Context, content: SafeString, kind: str, title: str) -> SafeString:
    """Draw a type of combo with what is to be said of it, where the rule set has it."""
    sets = context["book"].combos.get(kind)
    if not sets:
        return mark_safe("")
    return render_to_string(
        "rulebook/_combo.html", {"kind": kind, "title": title, "sets": sets, "content": content}
    )


@register.simple_block_tag(takes_context=True)
def nothing(context: Context, content: SafeString, key: str) -> SafeString:
    """Draw cards that are no combo, and say why."""
    drawn = context["book"].nothing.get(key)
    if drawn is None:
        return mark_safe("")
    return render_to_string("rulebook/_nothing.html", {"cards": drawn, "content": content})


@register.simple_block_tag(takes_context=True)
def contest(context: Context, content: SafeString, key: str) -> SafeString:
    """Draw a standing combo and what is played on it; whether it beats it is the engine's word."""
    book = context["book"]
    found = book.contests.get(key)
    if found is None:
        return mark_safe("")
    wins = books.does_beat(book.rules, found)
    return render_to_string("rulebook/_contest.html", {"contest": found, "wins": wins, "content": content})


@register.simple_block_tag(takes_context=True)
def deal(context: Context, content: SafeString, key: str) -> SafeString:
    """Reckon a deal before the reader's eyes."""
    book = context["book"]
    example = book.deals.get(key)
    if example is None:
        return mark_safe("")
    sheet = reckoning.sheet_of(example, books.settle(book.rules, example))
    return render_to_string("rulebook/_reckoning.html", {"key": key, "sheet": sheet, "content": content})


@register.simple_block_tag(takes_context=True)
def ruling(context: Context, content: SafeString, key: str) -> SafeString:
    """Reckon an upheld complaint before the reader's eyes."""
    book = context["book"]
    example = book.rulings.get(key)
    if example is None:
        return mark_safe("")
    terms = Terms.from_json(dict(example.terms))
    verdict = books.judge(book.rules, example)
    sheet = reckoning.sheet_of_ruling(terms, example.case.get("landlord"), verdict)
    return render_to_string("rulebook/_reckoning.html", {"key": key, "sheet": sheet, "content": content})


@register.inclusion_tag("rulebook/_titles.html", takes_context=True)
def titles(context: Context) -> dict[str, Any]:
    """List the titles of the rule set with the points they begin at."""
    ladder = ladders.ladder_of(context["book"].code)
    return {"rungs": ladder, "second": ladder[1].fewest}
