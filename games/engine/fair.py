"""The fair deal: a deck fixed before anyone could know or sway it, and checkable afterwards.

Before the deal the table shows `commitment(seed)`, the SHA-256 of the 32 seed bytes, in hex. Each player
adds a nonce `[0-9a-f]{0,64}`. The seed then gives one stream of bytes:

    block(i) = HMAC-SHA256(key = seed,
                           message = deal id "|" nonce of seat 0 "|" … "|" nonce of the last seat "|" i)

all in ASCII, i in decimal from 0; the blocks one after another. Numbers are drawn from the stream four
bytes at a time, big-endian: `below(k)` takes x until x < 2³² − (2³² mod k) and gives x mod k, so every
result is equally likely. The deck is drawn first: a Fisher–Yates shuffle of the cards 0 … n−1, for i from
n−1 down to 1 swapping places i and below(i + 1). What else a game draws follows from the same stream: a
shown card is the one at place below(51) of the deck, a table's first bidder is seat below(3).

>>> seed = bytes(range(32))
>>> commitment(seed)
'630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd'
>>> draw = Draw(seed, "deal-1", ["", "00ff", "", ""])
>>> draw.deck(52)[:8], draw.below(54)
((38, 5, 42, 37, 43, 49, 23, 27), 21)
>>> draw = Draw(seed, "deal-2", ["", "00ff", ""])
>>> draw.deck(54)[:8], draw.below(51)
((30, 53, 19, 31, 10, 27, 21, 8), 24)
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

DEAL_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
NONCE = re.compile(r"[0-9a-f]{0,64}")
SEED_BYTES = 32
_SPACE = 1 << 32


def commitment(seed: bytes) -> str:
    """Return what is shown before the deal: SHA-256 of the seed, in hex."""
    return hashlib.sha256(seed).hexdigest()


def fairness_of(seed: bytes, deal_id: str, nonces: Sequence[str]) -> dict[str, object]:
    """Return what is told after a deal and stands beside its record as `fairness` (RULES §7)."""
    return {
        "deal": deal_id,
        "commitment": commitment(seed),
        "server_seed": seed.hex(),
        "nonces": list(nonces),
    }


class Draw:
    """The stream of one deal, read once from its beginning: `deck` first, then `below` as the game needs it.

    Raises ValueError for a seed that is not 32 bytes, a deal id or nonce of another form, or a late deck.
    """

    def __init__(self, seed: bytes, deal_id: str, nonces: Sequence[str]) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError("a seed has 32 bytes")
        if not DEAL_ID.fullmatch(deal_id) or not all(NONCE.fullmatch(nonce) for nonce in nonces):
            raise ValueError("a deal id or a nonce is not well-formed")
        self._seed = seed
        self._prefix = "|".join([deal_id, *nonces, ""]).encode("ascii")
        self._block = b""
        self._counter = 0
        self._drawn = 0

    def __repr__(self) -> str:
        return f"<Draw, {self._drawn} numbers drawn>"

    def _number(self) -> int:
        if not self._block:
            message = self._prefix + str(self._counter).encode("ascii")
            self._block = hmac.digest(self._seed, message, "sha256")
            self._counter += 1
        number, self._block = int.from_bytes(self._block[:4], "big"), self._block[4:]
        self._drawn += 1
        return number

    def below(self, k: int) -> int:
        """Draw a number from 0 to k − 1, each equally likely."""
        if not 0 < k <= _SPACE:
            raise ValueError("a bound from 1 to 2**32 expected")
        limit = _SPACE - _SPACE % k
        while True:
            number = self._number()
            if number < limit:
                return number % k

    def deck(self, size: int) -> tuple[int, ...]:
        """Draw the deck: the cards 0 … size − 1 in dealing order. It is the first thing drawn."""
        if self._drawn:
            raise ValueError("the deck is drawn first")
        cards = list(range(size))
        for i in range(size - 1, 0, -1):
            j = self.below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return tuple(cards)
