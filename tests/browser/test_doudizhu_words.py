"""Every row a settlement can give has words on the receipt, in all rule sets; no server is asked."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page, Route, async_playwright

from games.engine import rulesets
from games.engine.actions import ESCAPE, VOID
from games.engine.deal import Deal
from games.engine.rulesets import RuleSet
from games.engine.settlement import Row
from games.engine.terms import Fee, Terms
from tests.engine.dealing import opening_for, shuffled

pytestmark = pytest.mark.asyncio(loop_scope="module")

STATIC = Path(__file__).resolve().parents[2] / "static"
HERE = "http://rows.test"
DEALS = 60
WORDS = """
async ([here, rows]) => {
  const { rowOf, UNTOLD } = await import(`${here}/js/table/reckoning.js`);
  const who = (seat) => `seat ${seat}`;
  const view = { terms: { cap: 100 } };
  return rows.map(([row, all]) => {
    if (UNTOLD.includes(row.row)) return null;
    return rowOf(row, { view, who, find: (name) => all.find((other) => other.row === name) });
  });
}
"""


def terms_of(ruleset: RuleSet, chance: random.Random) -> Terms:
    """Return terms as a room may have them; a mean cap and either kind of fee."""
    fee = chance.choice([None, Fee("flat", 10), Fee("percent", 5)])
    currency = chance.choice(ruleset.currencies)
    return Terms(10, chance.choice([None, 15, 60]), fee, chance.choice([1, 2]), currency)


def ended(ruleset: RuleSet, terms: Terms, chance: random.Random) -> Deal:
    """Play a deal at random to an end: over, escaped, void or dealt again."""
    deck = shuffled(chance, ruleset.deck_size)
    deal = ruleset.start(deck=deck, opening=opening_for(ruleset, chance, deck), terms=terms)
    sudden = chance.randrange(60) if chance.random() < 0.3 else None
    while deal.turn is not None:
        if sudden is not None and len(deal.history) >= sudden:
            if ruleset.manners.has_escape and chance.random() < 0.8:
                return ruleset.apply(deal, chance.randrange(ruleset.seats), ESCAPE)
            return ruleset.apply(deal, None, VOID)
        # Fours are kept together, so that bombs come often.
        plays = sorted(ruleset.legal(deal), key=lambda action: (len(action.cards) == 4, chance.random()))
        deal = ruleset.apply(deal, deal.turn, plays[-1])
    return deal


def settlements(ruleset: RuleSet, seed: int) -> Iterator[tuple[Row, ...]]:
    chance = random.Random(f"{ruleset.code} {seed}")
    terms = terms_of(ruleset, chance)
    deal = ended(ruleset, terms, chance)
    away = [seat for seat in range(ruleset.seats) if chance.random() < 0.3]
    outcome = ruleset.outcome(deal, **({} if ruleset.manners.has_escape else {"away": away}))
    if outcome is not None:
        for balances in (None, [chance.randrange(1, 120) for _ in range(ruleset.seats)]):
            yield ruleset.settle(terms, balances, outcome).reasons


async def words_of(page: Page, rows: list[tuple[Row, tuple[Row, ...]]]) -> list[Any]:
    answer: list[Any] = await page.evaluate(WORDS, [HERE, json.loads(json.dumps(rows))])
    return answer


async def from_disk(route: Route) -> None:
    path = route.request.url.removeprefix(HERE).lstrip("/")
    if not path:
        await route.fulfill(body="<!doctype html><html lang=en>", content_type="text/html")
        return
    await route.fulfill(body=(STATIC / path).read_text("utf-8"), content_type="text/javascript")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def page(chromium: dict[str, Any]) -> AsyncIterator[Page]:
    """An empty page next to our scripts."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**chromium)
        page = await browser.new_page()
        await page.route(f"{HERE}/**", from_disk)
        await page.goto(f"{HERE}/")
        yield page
        await browser.close()


MET = {
    "bigtwo.classic": {"cards_left", "card_score", "score", "stake", "cap", "purse", "pot", "fee"},
    "bigtwo.qq": {"cards_left", "card_score", "score", "stake", "cap", "purse", "pot", "fee"},
    "doudizhu.mala": {
        "factor",
        "score",
        "stake",
        "cap",
        "purse",
        "carried",
        "pot",
        "fee",
        "points",
        "penalty",
    },
    "doudizhu.taiwan": {"factor", "score", "stake", "cap", "purse", "pot", "fee", "away_share", "penalty"},
}
CAUSES = {
    "doudizhu.mala": {"blind", "call", "initial", "ladder", "bomb", "rocket", "escape", "bomb_dealt"},
    "doudizhu.taiwan": {"bid", "bomb", "rocket"},
}


@pytest.mark.parametrize("code", sorted(MET))
async def test_the_receipt_has_words_for_every_row_a_deal_can_give(page: Page, code: str) -> None:
    ruleset = rulesets.get(code)
    reasons = [rows for seed in range(DEALS) for rows in settlements(ruleset, seed)]
    rows = [(row, all_) for all_ in reasons for row in all_]
    assert MET[code] <= {row["row"] for row, _ in rows}
    assert CAUSES.get(code, set()) <= {row["cause"] for row, _ in rows if row["row"] == "factor"}
    told = await words_of(page, rows)
    unknown = await words_of(page, [({"row": "luck_tax", "values": [1]}, ())])
    assert unknown == [["Luck tax", "", [["+1", ""]]]]
    for (row, _), words in zip(rows, told, strict=True):
        if row["row"] in ("coins", "void"):
            assert words is None
            continue
        heading, small, cells = words
        own = row.get("cause", row["row"]) if row["row"] == "factor" else row["row"]
        assert heading and not heading.startswith(str(own).replace("_", " ")), row
        assert "_" not in f"{heading}{small}" and "undefined" not in json.dumps(words), (row, words)
        assert len(cells) == ruleset.seats


async def test_every_code_in_the_engines_settlements_has_words(page: Page) -> None:
    """Also those that only outcomes given directly have."""
    known = await page.evaluate(f"import('{HERE}/js/table/reckoning.js').then(module => module.KNOWN)")
    source = await asyncio.to_thread(_settlement_sources)
    assert set(known["causes"]) >= {
        "bid", "call", "blind", "initial", "ladder", "bomb", "rocket", "spring", "anti_spring", "escape",
        "doublings", "bombs_dealt", "bomb_dealt", "rocket_dealt",
    }  # fmt: skip
    named = {piece.split('"')[0] for piece in source.split('"row": "')[1:]}
    assert named and named <= set(known["rows"]), named - set(known["rows"])


def _settlement_sources() -> str:
    engine = STATIC.parent / "games" / "engine"
    return "\n".join(
        path.read_text() for path in sorted([*engine.glob("*score.py"), engine / "settlement.py"])
    )
