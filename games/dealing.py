"""The secrets of deals: made before the deal, kept encrypted, opened for the fold, revealed when the deal is over.

The key is not in the database (`settings.DEAL_SECRET_KEYS`, newest first; old ones only decrypt). A sealed seed names
its deal, so a row moved under another id does not open. Nothing here is ever logged.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from functools import cache, lru_cache
from threading import Lock
from typing import NamedTuple

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import connection

from games.engine import fair, rulesets
from games.models import DealSecret
from games.table.events import DealOpened

# Crockford's base 32 without vowels that make words; 16 letters are 80 bits.
_ALPHABET = "0123456789bcdfghjkmnpqrstvwxyz"


class SecretUnreadable(Exception):
    """A deal's seed cannot be opened: the key is missing, or the row was changed."""


def new_id() -> str:
    """Return a fresh deal id of 16 characters."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(16))


def make_secret(*, table_id: int) -> tuple[str, str]:
    """Make and store the seed of a table's next deal; return (deal id, commitment)."""
    deal_id, seed = new_id(), secrets.token_bytes(32)
    commitment = fair.commitment(seed)
    sealed = _vault().encrypt(deal_id.encode() + b":" + seed)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO games_dealsecret (deal_id, table_id, commitment, sealed) VALUES (%s, %s, %s, %s)",
            [deal_id, table_id, commitment, sealed],
        )
    return deal_id, commitment


@cache
def _vault() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.DEAL_SECRET_KEYS])


@lru_cache(maxsize=4096)
def _seed(deal_id: str) -> bytes:
    """Return the 32 bytes of a deal's seed; raise SecretUnreadable."""
    row = DealSecret.objects.filter(pk=deal_id).values_list("sealed", "commitment").first()
    if row is None:
        raise SecretUnreadable(deal_id)
    try:
        opened = _vault().decrypt(bytes(row[0]))
    except InvalidToken as error:
        raise SecretUnreadable(deal_id) from error
    name, _, seed = opened.partition(b":")
    if name != deal_id.encode() or fair.commitment(seed) != row[1]:
        raise SecretUnreadable(deal_id)
    return seed


class Shuffle(NamedTuple):
    """What a deck depends on beside the seed: known from the opening event, or from the deal being opened."""

    nonces: tuple[str, ...]
    size: int


class Secrets:
    """Opens the decks and seeds of deals for the table machine (a `games.table` Secrets).

    Whoever folds or makes an opening event says first how its deck was shuffled (`learn`). What was forgotten since,
    because so many other deals were learnt, is read from that event again.
    """

    def __init__(self, keep: int = 8192) -> None:
        self._shuffles: OrderedDict[str, Shuffle] = OrderedDict()
        self._keep = keep
        self._lock = Lock()

    def learn(self, deal_id: str, nonces: tuple[str, ...], size: int) -> None:
        """Remember how a deal's deck is shuffled."""
        with self._lock:
            self._shuffles[deal_id] = Shuffle(nonces, size)
            self._shuffles.move_to_end(deal_id)
            if len(self._shuffles) > self._keep:
                self._shuffles.popitem(last=False)

    def deck_of(self, deal_id: str, /) -> tuple[int, ...]:
        """Return a deal's deck in dealing order; raise SecretUnreadable."""
        with self._lock:
            shuffle = self._shuffles.get(deal_id)
        if shuffle is None:
            shuffle = _shuffle_in_log(deal_id)
        return draw(deal_id, shuffle.nonces).deck(shuffle.size)

    def seed_of(self, deal_id: str, /) -> str:
        """Return a deal's seed in hex; the machine asks when the deal closes."""
        return _seed(deal_id).hex()


def _shuffle_in_log(deal_id: str) -> Shuffle:
    """Return how an opened deal's deck was shuffled; raise SecretUnreadable for one that was never opened."""
    from games import log  # which needs this module to fold

    found = log.facts_of([deal_id]).get(deal_id)
    if found is None:
        raise SecretUnreadable(deal_id)
    table_id, opened_seq, _ = found
    ((_, body),) = log.bodies(table_id, opened_seq, opened_seq)
    opened = log.parse(body)
    assert isinstance(opened, DealOpened)
    rules = rulesets.get(opened.ruleset, opened.rules_version)
    return Shuffle(opened.nonces, rules.deck_size)


SECRETS = Secrets()


def draw(deal_id: str, nonces: tuple[str, ...]) -> fair.Draw:
    """Return the stream of random draws of a deal."""
    return fair.Draw(_seed(deal_id), deal_id, nonces)


def forget() -> None:
    """Drop opened seeds from memory."""
    _seed.cache_clear()
