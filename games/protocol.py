"""The words between a browser and a table: JSON over one WebSocket, `/ws/table/<code>/`. The one document of
truth.

Browser → server (`ClientMessage`; flat objects, no other field, no repeated key; `id` is made by the
browser, and an accepted id sent again is answered like the first time and changes nothing):

    {"type":"act","id","turn","action"}   {"type":"ready","id","nonce"}   {"type":"stand","id"}
    {"type":"trustee","id","on","deal"}   {"type":"leave","id","deal"}    {"type":"ask_leave","id","deal"}
    {"type":"answer_leave","id","agree","deal","by"}
    {"type":"say","id","text"} or {"type":"say","id","phrase"}
    {"type":"hint","id"}       which plays are good? Nothing happens at the table
    {"type":"resync","seq"}    I have everything up to `seq`: send what came after
    {"type":"pong","seq"}      I have taken in everything up to `seq`; at most every second, and within 30 s
                               of every view and head

Server → browser:

    {"type":"view","seq","events":[…],"view":{…},"people":[…]}   the whole view at `seq`, the events since the last
                               one, and for each seat what its player has come to in this rule set:
                               {"title","points"}, or null (an empty chair, a computer player, a hidden name).
                               Without events it is a snapshot (the first message, a resync from long ago):
                               take it whole. A first event that is not the next one is a hole: ask resync
    {"type":"ack","id","seq"}  your command is in the log at `seq`; a view at or after `seq` follows
    {"type":"refused","id","code","detail"}   your command changed nothing (`id` is "" if illegible)
    {"type":"hint","id","turn","plays"}       the best plays of turn number `turn`, best first, at most eight, as places
                               in the hand like `can.plays`; empty when it is not your turn or you can only pass
    {"type":"head","seq"}      nothing newer than `seq`: the answer to a resync, and a sign of life every 15 s
    {"type":"watchers","n"}    how many people without a seat look on, whenever that has changed
    {"type":"notice","code","detail"}         a word before the socket closes, or beside the game: replaced, no_seat,
                               no_spectators (anti_cheat | tier), table_closed, stood (why you alone had to stand up,
                               before the view that says so: owes | suspended; the others read "barred")

Close codes are `Close`. A view names remaining milliseconds at the moment of sending; nobody's clock is
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from json import JSONDecoder
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

MESSAGE_BYTES = 8 * 1024  # one message from a browser
MESSAGES, PONGS, WINDOW_S = 20, 20, 5.0  # commands (and as many pongs) in so many seconds
BAD_MESSAGES = 5  # the fifth unreadable message closes
UNREAD_BYTES = 256 * 1024  # sent since the last pong
UNREAD_S = 30.0  # the oldest thing sent without a pong after it
HEARTBEAT_S = 15.0  # an idle socket hears of its head this often


class Close(IntEnum):
    """Why a socket was closed. Only after GOING_AWAY, TOO_SLOW, TOO_OFTEN and 1006 a page comes back by itself."""

    GOING_AWAY = 1012  # come back, at a random moment of the next seconds
    TOO_SLOW = 1013  # too much was sent that was never answered by a pong
    TOO_BIG = 1009
    ABUSE = 1008  # too many or unreadable messages
    SIGNED_OUT = 4401
    NOT_ALLOWED = 4403  # no such table, no seat here and no spectators, or barred
    REPLACED = 4409  # a newer tab of the same player took over; this one is read-only
    TOO_OFTEN = 4429  # too many sockets were opened in a minute: come back, but later


Id = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:\-]+\Z")]
Seq = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=9)]
DealId = Annotated[str, Meta(max_length=64, pattern=r"^[0-9A-Za-z_\-]*\Z")]
ActionText = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9 ]+\Z")]
Nonce = Annotated[str, Meta(max_length=64, pattern=r"^[0-9a-f]*\Z")]
# No control characters, no half characters, none that turn the direction of what stands beside them.
_PLAIN = r"^[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+\Z"
SayText = Annotated[str, Meta(min_length=1, max_length=200, pattern=_PLAIN)]
Phrase = Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.\-]+\Z")]


class _Message(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", gc=False):
    pass


class Act(_Message, frozen=True, tag="act"):
    """Bid, play or pass, meant for one turn number."""

    id: Id
    turn: Seq
    action: ActionText


class Ready(_Message, frozen=True, tag="ready"):
    """Press start, with a nonce for the shuffle or without."""

    id: Id
    nonce: Nonce = ""


class Stand(_Message, frozen=True, tag="stand"):
    """Leave the seat between deals."""

    id: Id


class Trustee(_Message, frozen=True, tag="trustee"):
    """Let the autoplay act for me, or take it back, in the deal that is named."""

    id: Id
    on: bool
    deal: DealId = ""


class Leave(_Message, frozen=True, tag="leave"):
    """Leave on purpose, at the price the dialogue named; a deal that is named must be the one that runs."""

    id: Id
    deal: DealId = ""


class AskLeave(_Message, frozen=True, tag="ask_leave"):
    """Ask all others to end the deal by consent."""

    id: Id
    deal: DealId = ""


class AnswerLeave(_Message, frozen=True, tag="answer_leave"):
    """Agree or not to end the deal, as the seat `by` asked."""

    id: Id
    agree: bool
    deal: DealId = ""
    by: SeatNumber | None = None


class Say(_Message, frozen=True, tag="say"):
    """Say a text or one of the ready phrases: exactly one of both."""

    id: Id
    text: SayText | UnsetType = UNSET
    phrase: Phrase | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.text is UNSET) == (self.phrase is UNSET):
            raise ValueError("say a text or a phrase")


class Hint(_Message, frozen=True, tag="hint"):
    """Ask which plays are good."""

    id: Id


class Resync(_Message, frozen=True, tag="resync"):
    """I have everything up to `seq`."""

    seq: Seq


class Pong(_Message, frozen=True, tag="pong"):
    """I have taken in everything up to `seq`."""

    seq: Seq


SeatMessage = Act | Ready | Stand | Trustee | Leave | AskLeave | AnswerLeave | Say
ClientMessage = SeatMessage | Hint | Resync | Pong


class BadMessage(Exception):
    """A message that is not one of ours. `detail` says where; `id` is the browser's mark, if legible."""

    code = "bad_message"

    def __init__(self, detail: str, id: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.id = id


class _Marked(Struct):
    id: Id = ""


_message: msgspec.json.Decoder[ClientMessage] = msgspec.json.Decoder(ClientMessage)
_marked: msgspec.json.Decoder[_Marked] = msgspec.json.Decoder(_Marked)
_pairs = JSONDecoder(object_pairs_hook=list)  # keeps repeated keys, which msgspec would take


def decode(text: str) -> ClientMessage:
    """Return the message a frame carries; raise BadMessage for anything that is not exactly one."""
    try:
        message = _message.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadMessage(str(error)[:200], _mark(text)) from None
    pairs = _pairs.decode(text)  # a flat object of plain fields by now
    if len({key for key, _ in pairs}) != len(pairs):
        raise BadMessage("a repeated key")
    return message


def _mark(text: str) -> str:
    """Return the `id` of a message that is wrong elsewhere, so that its sender can tell which one it was."""
    try:
        return _marked.decode(text).id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ""


_encoder = msgspec.json.Encoder()
encode_json = _encoder.encode


def ack(id: str, seq: int) -> str:
    """Return the frame that says: your command is in the log."""
    return f'{{"type":"ack","id":"{id}","seq":{seq}}}'  # an Id needs no escapes


def head(seq: int) -> str:
    """Return the frame that says: nothing newer than `seq`."""
    return f'{{"type":"head","seq":{seq}}}'


def refused(id: str, code: str, detail: str = "") -> str:
    """Return the frame that says: your command changed nothing."""
    return _frame(type="refused", id=id, code=code, detail=detail)


def hint(id: str, turn: int, plays: Sequence[str]) -> str:
    """Return the frame that answers a hint's asking."""
    return _frame(type="hint", id=id, turn=turn, plays=plays)


def watchers(n: int) -> str:
    """Return the frame that says how many people look on."""
    return _frame(type="watchers", n=n)


def notice(code: str, detail: str = "") -> str:
    """Return the frame of a word beside the game."""
    return _frame(type="notice", code=code, detail=detail)


def view(seq: int, events: Sequence[bytes], view: Any, people: Sequence[Any]) -> str:
    """Return the frame of a whole view, of the (encoded) events that led to it, and of who the people are."""
    body = b'{"type":"view","seq":%d,"events":[%b],"view":%b,"people":%b}' % (
        seq,
        b",".join(events),
        _encoder.encode(view),
        _encoder.encode(people),
    )
    return body.decode()


def _frame(**fields: object) -> str:
    return _encoder.encode(fields).decode()
