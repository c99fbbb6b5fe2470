"""The page of `bigtwo.classic`."""

from rulebook.book import Book, Reckoning
from rulebook.books import big_two

_POINTS = {"currency": "points"}
_COINS = {"base_stake": 1}

BOOK = Book(
    code="bigtwo.classic",
    sheets=(*big_two.SHEETS, "big_two_classic"),
    parts=(
        "deal",
        "order",
        "combos",
        "play",
        "duty",
        "end",
        "score",
        "coins",
        "purse",
        "clock",
        "leaving",
        "titles",
    ),
    combos=big_two.COMBOS,
    nothing=big_two.NOTHING,
    contests=big_two.CONTESTS,
    deals={
        "plain": Reckoning(_POINTS, {"cards_left": [5, 8, 0, 12], "two_of_spades": None}),
        "two_kept": Reckoning(_POINTS, {"cards_left": [0, 8, 13, 7], "two_of_spades": 1}),
        "two_below_eight": Reckoning(_POINTS, {"cards_left": [0, 7, 2, 3], "two_of_spades": 1}),
        "worst": Reckoning(_POINTS, {"cards_left": [0, 13, 9, 10], "two_of_spades": 1}),
        "money": Reckoning(_COINS, {"cards_left": [5, 8, 0, 12], "two_of_spades": 1}),
        "short": Reckoning(
            _COINS, {"cards_left": [5, 8, 0, 12], "two_of_spades": None}, balances=[900, 600, 1_400, 50]
        ),
        "escape": Reckoning(_COINS, {"escaped": 1}, balances=[900, 600, 1_400, 800]),
    },
    rulings={},
)
