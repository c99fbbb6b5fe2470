"""Players of the boardgame.io game: Socket.IO by hand, so that both loads come from the same lean client."""

import json
import time
import urllib.request
from typing import Any

import msgspec

from tests.benchmarks.live.client import Line, open_line
from tests.benchmarks.live.load import Tally

GAME = "climbing"


class _Standing(msgspec.Struct):
    seat: str
    cards: list[int]


class _Table(msgspec.Struct):
    hands: dict[str, list[int]]
    counts: list[int]
    moves: int
    deals: int
    standing: _Standing | None = None


class _Turn(msgspec.Struct):
    currentPlayer: str


class _State(msgspec.Struct):
    G: _Table
    ctx: _Turn
    stateID: int = msgspec.field(name="_stateID")


class _Sync(msgspec.Struct):
    state: _State


_update = msgspec.json.Decoder(tuple[str, str, _State, msgspec.Raw])
_sync = msgspec.json.Decoder(tuple[str, str, _Sync])
_HEAD = f"42/{GAME},".encode()


class Match:
    """A match made by the lobby's API, with a credential for each seat."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.id: str = self._post("create", numPlayers=4)["matchID"]
        self.credentials = [
            self._post(f"{self.id}/join", playerID=str(seat), playerName=f"p{seat}")["playerCredentials"]
            for seat in range(4)
        ]

    def _post(self, path: str, **fields: Any) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/games/{GAME}/{path}",
            json.dumps(fields).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
            return found


class TheirBot:
    """One socket at one seat of a match; knows its move is taken when the state after it arrives."""

    def __init__(self, tally: Tally, match: Match, seat: int) -> None:
        self.tally = tally
        self.match, self.seat = match, str(seat)
        self.line: Line
        self.pending: dict[int, float] = {}  # the state a move led from → when it was sent
        self.moves = 0
        self._state = -1

    async def open(self) -> None:
        self.line = await open_line(
            self.match.port, "/socket.io/?EIO=4&transport=websocket", self.hear, patience=60
        )

    def hear(self, line: Line, frame: bytes) -> None:
        """Take a packet of Engine.IO."""
        if frame.startswith(_HEAD):
            body = frame[len(_HEAD) :]
            if body.startswith(b'["update"'):
                self.tally.saw(len(frame))
                self.see(_update.decode(body)[2])
            elif body.startswith(b'["sync"'):
                self.see(_sync.decode(body)[2].state)
        elif frame == b"2":
            line.say("3")
        elif frame.startswith(b"0"):
            line.say(f"40/{GAME},")
        elif frame.startswith(b"40/"):
            seat = json.dumps(["sync", self.match.id, self.seat, self.match.credentials[int(self.seat)], 4])
            line.say(f"42/{GAME},{seat}")

    def see(self, state: _State) -> None:
        """Check a state and move when it is my turn."""
        table = state.G
        self.tally.checked += 1
        if list(table.hands) != [self.seat] or len(table.hands[self.seat]) != table.counts[int(self.seat)]:
            self.tally.wrong.append("hands of others or a wrong count")
        if 0 <= self._state != state.stateID - 1 and state.stateID != self._state:
            self.tally.wrong.append(f"state {state.stateID} after {self._state}")
        self._state, self.moves = state.stateID, table.moves
        for sent_at in [at for at in self.pending if at < state.stateID]:
            self.tally.acknowledge(self.pending.pop(sent_at))
        if (
            state.ctx.currentPlayer == self.seat
            and not self.tally.stopping
            and state.stateID not in self.pending
        ):
            self._move(state)

    def _move(self, state: _State) -> None:
        standing, hand = state.G.standing, state.G.hands[self.seat]
        name, arguments = "pass", []
        if standing is None:
            name, arguments = "play", [hand[:1]]
        elif len(standing.cards) == 1 and hand[-1] > standing.cards[0]:
            name, arguments = "play", [[next(card for card in hand if card > standing.cards[0])]]
        payload = {
            "type": name,
            "args": arguments,
            "playerID": self.seat,
            "credentials": self.match.credentials[int(self.seat)],
        }
        action = {"type": "MAKE_MOVE", "payload": payload}
        self.pending[state.stateID] = time.perf_counter()
        packet = json.dumps(["update", action, state.stateID, self.match.id, self.seat])
        self.line.say(f"42/{GAME},{packet}")
