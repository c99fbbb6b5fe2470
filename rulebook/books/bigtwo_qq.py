"""The page of `bigtwo.qq`."""

from rulebook.book import Book, Reckoning
from rulebook.books import big_two

_ORCHID = {"base_stake": 50, "cap": 10_000, "fee": {"kind": "flat", "value": 50}}
_BAMBOO = {"base_stake": 10, "cap": 2_000, "fee": {"kind": "flat", "value": 10}}

BOOK = Book(
    code="bigtwo.qq",
    sheets=(*big_two.SHEETS, "big_two_qq"),
    parts=("deal", "order", "combos", "play", "end", "score", "coins", "purse", "clock", "leaving", "titles"),
    combos=big_two.COMBOS,
    nothing=big_two.NOTHING,
    contests=big_two.CONTESTS,
    deals={
        "plain": Reckoning(_BAMBOO, {"cards_left": [5, 8, 0, 12], "two_of_spades": None}),
        "two_kept": Reckoning(_BAMBOO, {"cards_left": [0, 8, 13, 7], "two_of_spades": 1}),
        "two_below_eight": Reckoning(_BAMBOO, {"cards_left": [0, 7, 2, 3], "two_of_spades": 1}),
        "capped": Reckoning(
            _ORCHID,
            {"cards_left": [0, 13, 9, 10], "two_of_spades": 1},
            balances=[40_000, 25_000, 18_000, 16_000],
        ),
        "short": Reckoning(
            _BAMBOO, {"cards_left": [5, 8, 0, 12], "two_of_spades": 1}, balances=[3_200, 400, 9_000, 5_000]
        ),
        "escape": Reckoning(_BAMBOO, {"escaped": 1}, balances=[9_000, 5_000, 4_000, 8_000]),
    },
    rulings={},
)
