"""Cards as small integers in game order, sets of cards as bit masks, and their text form.

A card is rank × 4 + suit, ranks `3 4 5 6 7 8 9 T J Q K A 2`, suits `d c h s` (RULES §0), so `3d` is 0 and
`2s` is 51; the jokers `BJ` and `RJ` are 52 and 53. Numeric order is the order of single cards in Big Two
and the order in which every game lists cards. A mask has bit `card` set for each card it holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from games.engine.errors import BAD_CARD, DUPLICATE_CARD, EngineError

RANKS = "3456789TJQKA2"
SUITS = "dchs"
BLACK_JOKER = 52
RED_JOKER = 53
NAMES = (*(rank + suit for rank in RANKS for suit in SUITS), "BJ", "RJ")
_NUMBERS = {name: card for card, name in enumerate(NAMES)}

THREE_OF_DIAMONDS = _NUMBERS["3d"]
TWO_OF_SPADES = _NUMBERS["2s"]


def rank_name(card: int) -> str:
    """Return the rank of a card as text: `3` … `2`, and `BJ` or `RJ` for a joker."""
    return RANKS[card >> 2] if card < BLACK_JOKER else NAMES[card]


def parse_cards(text: str, deck_size: int = 54) -> tuple[int, ...]:
    """Read cards separated by exactly one space, in the order written; `""` is no cards (RULES §7).

    Raises EngineError `bad_card` for anything else than cards of this deck, `duplicate_card` for a card
    twice.
    """
    if not text:
        return ()
    cards = []
    for name in text.split(" "):
        card = _NUMBERS.get(name)
        if card is None or card >= deck_size:
            raise EngineError(BAD_CARD, f"no card of this deck: {name[:20]!r}")
        cards.append(card)
    if len(set(cards)) != len(cards):
        raise EngineError(DUPLICATE_CARD, f"a card twice in {text[:200]!r}")
    return tuple(cards)


def format_cards(cards: Iterable[int]) -> str:
    """Write cards in the order given, `3d Ts BJ`."""
    return " ".join([NAMES[card] for card in cards])


def mask_of(cards: Iterable[int]) -> int:
    """Return the mask of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: int) -> tuple[int, ...]:
    """Return the cards of a mask, ascending."""
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return tuple(cards)


_WIDTH = 9
_PART = (1 << _WIDTH) - 1
_TEXTS = tuple(
    tuple(format_cards(card + low for card in cards_of(part)) for part in range(1 << _WIDTH))
    for low in range(0, len(NAMES), _WIDTH)
)
"""The text of each nine neighbouring cards: views are written far more often than anything else."""


def format_mask(mask: int) -> str:
    """Write the cards of a mask, ascending."""
    texts = []
    for parts in _TEXTS:
        part = mask & _PART
        if part:
            texts.append(parts[part])
        mask >>= _WIDTH
    return " ".join(texts)
