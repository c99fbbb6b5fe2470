"""What can be asked of a table. `id` is the client's own mark of a command (None: asked by the server
itself).

Seats are numbers from 0 in order of play; moments are milliseconds of service time. `player` is the user whose command
it is (None: of whoever sits there): a seat may have changed hands since he was last told where he sits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Sit(NamedTuple):
    """Give an empty seat to a user, or to a computer player (`user` None)."""

    seat: int
    user: int | None
    name: str
    nonce: str = ""
    computer: bool = False


class Stand(NamedTuple):
    """Leave the seat between deals; `reason` is a code for the log ("left", "banned" …)."""

    seat: int
    id: str | None = None
    reason: str = "left"
    player: int | None = None


class Ready(NamedTuple):
    """Press start; a nonce that is not empty replaces the one given when sitting down."""

    seat: int
    id: str | None = None
    nonce: str = ""
    player: int | None = None


class Act(NamedTuple):
    """Bid, play or pass, meant for one turn number; `action` in the text form of RULES §0."""

    seat: int
    id: str | None
    turn: int
    action: str
    player: int | None = None


class Trustee(NamedTuple):
    """Let the autoplay act for the seat, or take it back (also from the computer of an away seat)."""

    seat: int
    id: str | None
    on: bool
    player: int | None = None
    deal: str = ""


class Leave(NamedTuple):
    """Leave on purpose: an escape during a deal (or, where there is none, the leaving fine), else standing
    up."""

    seat: int
    id: str | None = None
    player: int | None = None
    deal: str = ""


class AskLeave(NamedTuple):
    """Ask all others to end the deal by consent."""

    seat: int
    id: str | None = None
    player: int | None = None
    deal: str = ""


class AnswerLeave(NamedTuple):
    """Answer a running request to end the deal; `by` is the seat that asked, if the answer names it."""

    seat: int
    id: str | None
    agree: bool
    player: int | None = None
    deal: str = ""
    by: int | None = None


class Say(NamedTuple):
    """Say a text, or one of the ready phrases by its code: exactly one of both."""

    seat: int
    id: str | None = None
    text: str | None = None
    phrase: str | None = None
    player: int | None = None


class Connected(NamedTuple):
    """The seat's player has a live connection again."""

    seat: int
    player: int | None = None


class Lost(NamedTuple):
    """The seat's last connection is gone; `since` is its last sign of life."""

    seat: int
    since: int
    player: int | None = None


class Tick(NamedTuple):
    """Do whatever is due by now."""


class Void(NamedTuple):
    """End the running deal as a consented end, by staff; `deal` names it, lest it be the next one."""

    reason: str
    by: str
    deal: str = ""


class Close(NamedTuple):
    """Close the table; a running deal is void first."""

    reason: str


class OpenDeal(NamedTuple):
    """Open the deal the table waits for (`state.wants_deal`); nonces and balances in seat order."""

    deal_id: str
    number: int
    commitment: str
    next_deal_id: str
    next_commitment: str
    nonces: tuple[str, ...]
    balances: tuple[int, ...] | None
    opening: Mapping[str, object]
    rules_version: int


class DeclineDeal(NamedTuple):
    """Stand up who cannot pay for the next deal: seat → reason."""

    seats: Mapping[int, str]


SeatCommand = (
    Stand | Ready | Act | Trustee | Leave | AskLeave | AnswerLeave | Say
)  # those a client sends, with an id
Command = SeatCommand | Sit | Connected | Lost | Tick | Void | Close | OpenDeal | DeclineDeal
