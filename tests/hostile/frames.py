"""What a malicious page might send, thousands of variations of it, the same for the same seed."""

import json
import random
from collections.abc import Iterator
from typing import Any

from games import protocol

HONEST: list[dict[str, Any]] = [
    {"type": "act", "id": "x", "turn": 1, "action": "play 3d"},
    {"type": "ready", "id": "x", "nonce": "00ff"},
    {"type": "stand", "id": "x"},
    {"type": "trustee", "id": "x", "on": True},
    {"type": "ask_leave", "id": "x"},
    {"type": "answer_leave", "id": "x", "agree": True},
    {"type": "say", "id": "x", "text": "hello"},
    {"type": "resync", "seq": 1},
    {"type": "pong", "seq": 1},
]
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    2**53 + 1,
    2**63,
    -(2**63),
    2**64,
    10**400,
    "",
    "0",
    "NaN",
    [],
    {},
    [[]],
    {"a": 1},
    "x" * 41,
    "x" * 201,
    "\x00",
    "\x1b[31m",
    "\u202e",
    "\ud800",
    "<script>",
    "' OR 1=1 --",
    "../../etc/passwd",
    "%00",
    "{{7*7}}",
    "play " + "3d " * 60,
    "play 3d 3d",
    "play ZZ",
    "escape",
    "void",
    "play",
    "pass pass",
    "bid 9",
    "raise 99",
    "🃏" * 50,
]
KEYS = [
    "seat",
    "user",
    "table",
    "code",
    "seq",
    "turn",
    "action",
    "deal",
    "__proto__",
    "constructor",
    "at",
    "cmd",
    "hand",
    "",
]
SENTENCES: list[str | bytes] = [
    "",
    " ",
    "\n",
    "null",
    "true",
    "0",
    "-",
    "NaN",
    "Infinity",
    "-Infinity",
    '"',
    '""',
    "[",
    "]",
    "{",
    "}",
    "[]",
    "{}",
    "[{}]",
    "{,}",
    "'",
    "\x00",
    "\x7f" * 100,
    "\ufeff{}",
    "🃏" * 500,
    "{}{}",
    "[" * 4000,
    '{"a":' * 1000,
    "[" * 4000 + "]" * 4000,
    '{"type":"pong","seq":' + "9" * 8000 + "}",
    '{"type":"pong","seq":1e99999}',
    '{"type":"pong","seq":0x10}',
    '{"type":"pong","seq":01}',
    '{"type":"pong","seq":1,"seq":1}',
    '{"type":"resync","seq":1,"type":"pong"}',
    '{"type":"\\u0000"}',
    '{"type":"' + "a" * 8000 + '"}',
    '{"type":"say","id":"a","text":"\\ud800"}',
    '{"type":"say","id":"a","text":"\\udc00\\ud800"}',
    '{"type":"act"',
    "x" * 8192,
    "x" * 8193,
    b"",
    b"\x00",
    b"\xff" * 100,
    b"{}",
    b'{"type":"pong","seq":1}',
    bytes(range(256)) * 30,
]


def hostile(seed: int, count: int) -> Iterator[str | bytes]:
    """Yield so many frames, every one of them wrong in form or in what it wants."""
    dice = random.Random(seed)
    kinds = [_wrong_value, _extra_key, _missing_key, _torn, _twice, _somebody_elses]
    yield from SENTENCES[:count]
    made = len(SENTENCES)
    while made < count:
        frame = dice.choice(kinds)(dice)
        if not _is_pong(frame):
            made += 1
            yield frame


def _is_pong(frame: str) -> bool:
    """Tell whether a frame came out honest: a pong, to which there is no answer."""
    try:
        return isinstance(protocol.decode(frame), protocol.Pong)
    except protocol.BadMessage:
        return False


def _dump(message: Any) -> str:
    return json.dumps(message, ensure_ascii=True)


def _wrong_value(dice: random.Random) -> str:
    message = dict(dice.choice(HONEST))
    message[dice.choice(list(message))] = dice.choice(VALUES)
    return _dump(message)


def _extra_key(dice: random.Random) -> str:
    message = dict(dice.choice(HONEST))
    message[dice.choice(KEYS)] = dice.choice(VALUES)
    return _dump(message)


def _missing_key(dice: random.Random) -> str:
    message = dict(dice.choice(HONEST))
    message.pop(dice.choice(list(message)))
    return _dump(message)


def _torn(dice: random.Random) -> str:
    text = _dump(dice.choice(HONEST))
    at = dice.randrange(len(text))
    return (
        text[:at] + dice.choice(["", "\x00", '"', "{", "\\", "é", "\\u0000"]) + text[at + dice.randrange(3) :]
    )


def _twice(dice: random.Random) -> str:
    text = _dump(dice.choice(HONEST))
    return text + text if dice.random() < 0.5 else f"[{text},{text}]"


def _somebody_elses(dice: random.Random) -> str:
    """Want something in good form that this person may not have: a turn, an old number, an answer nobody asked for."""
    message = dict(dice.choice(HONEST[:7]), id=dice.choice(["x", "again", f"{dice.getrandbits(64):x}"]))
    if message["type"] == "act":
        message["turn"] = dice.choice([0, 1, 2, 17, 10**6])
        message["action"] = dice.choice(
            ["pass", "play 3d", "play 2s", "play 3d 3c 3h 3s 4d", "escape", "void", "bid 3"]
        )
    return _dump(message)
