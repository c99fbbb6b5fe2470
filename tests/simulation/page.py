"""A person at a page: sees what he is sent and nothing else, and holds the server to what it promised a socket.

He keeps his last command until it is answered, over any number of lines, and sends it again under the same id.
"""

from __future__ import annotations

import json
import random
from functools import partial
from typing import TYPE_CHECKING, Any

from games.protocol import Close
from tests.simulation.network import Line
from tests.sockets.player import actions_of

if TYPE_CHECKING:
    from tests.simulation.house import House

PONG_MS = 1_200
RESYNC_MS = 12_000  # as long as a command before it may take while the database is away
_COME_BACK = (Close.GOING_AWAY, Close.TOO_SLOW, 1006)


class Habits:
    """How often somebody does what; chances per thought or per second."""

    late = 0.03  # acts at the last moment of his clock, or just after it
    twice = 0.04  # sends a command twice
    says = 0.05
    resyncs = 0.03
    hints = 0.01
    trustee = 0.004
    asks_leave = 0.003
    leaves = 0.0015
    sleeps = 0.002  # lets his clock run out
    drops = 0.006  # loses his line
    long_away = 0.05  # of the lost lines: stays away for minutes


class Page:
    """One person's page. `down_since`: when he last lost his line; None while he is connected."""

    def __init__(self, house: House, user: Any, number: int) -> None:
        self.house = house
        self.clock = house.clock
        self.user = user
        self.dice = random.Random(f"{house.seed} page {number}")
        self.number = number
        self.line: Line | None = None
        self.table: int | None = None
        self.code = ""
        self.view: dict[str, Any] | None = None
        self.seq = 0
        self.down_since: int | None = 0
        self.since = 0  # connected since
        self.pending: tuple[str, dict[str, Any]] | None = None
        self.asked: set[str] = set()  # every id ever sent
        self.acked: dict[str, int] = {}
        self._ids = 0
        self._thinking = 0
        self._resyncs: list[tuple[int, int]] = []  # (from which event, when) asked for and not seen answered
        self._ponged = -PONG_MS
        self._generation = 0
        self.closed_with: list[int] = []
        self.idle = False  # does nothing but look on, from now on

    # ---- the line

    def go_to(self, table: int, code: str) -> None:
        """Open the page of a table."""
        self.leave()
        self.table, self.code, self.pending = table, code, None
        self.connect()

    def connect(self) -> None:
        """Open a line to any process that lives; try again when there is none."""
        self._generation += 1
        if self.table is None:
            return
        process = self.house.any_server(self.dice)
        if process is None:
            self._later(self.dice.randrange(500, 2_500), self.connect)
            return
        self.view, self.seq, self._resyncs = None, 0, []
        self.line = Line(process, self, self.user, self.code)
        self.house.lines.append(self.line)

    def leave(self) -> None:
        """Close the page."""
        self._generation += 1
        if self.line is not None:
            self.line.close()
        self._is_down()
        self.table = None

    def drop(self, away_ms: int) -> None:
        """Lose the line for a while, noticed by the server or not."""
        if self.line is None:
            return
        if self.dice.random() < 0.5:
            self.line.cut()
        else:
            self.line.close()
        self._is_down()
        self._later(away_ms, self.connect)

    def _is_down(self) -> None:
        self.line, self.view = None, None
        if self.down_since is None:
            self.down_since = self.clock.now

    def _later(self, ms: int, what: Any) -> None:
        self._generation += 1
        self.clock.after(ms, partial(self._if_still, self._generation, what))

    def _if_still(self, generation: int, what: Any) -> None:
        if generation == self._generation:
            what()

    def opened(self) -> None:
        """Nothing: the first view says that the line stands."""

    def closed(self, line: Line, code: int) -> None:
        """Hear that the line is closed; come back where a page does by itself."""
        if line is not self.line:
            return
        self.closed_with.append(code)
        self._is_down()
        if code in _COME_BACK:
            self._later(self.dice.randrange(100, 1_500), self.connect)
        elif code == Close.NOT_ALLOWED:
            self.table = None
        else:
            self.house.wrong(f"page {self.number} was closed with {code}")

    # ---- receiving

    def received(self, line: Line, text: str) -> None:
        """Take in a frame."""
        if line is not self.line:
            return
        message = json.loads(text)
        match message["type"]:
            case "view":
                self._take_view(message, text)
            case "ack":
                self._take_ack(message)
            case "refused":
                self._take_refusal(message)
            case "head":
                self._pong(message["seq"])
            case "hint" | "notice":
                pass

    def _take_view(self, message: dict[str, Any], text: str) -> None:
        seq, numbers = message["seq"], [event["seq"] for event in message["events"]]
        first = self.view is None
        if first:
            if numbers:
                self._wrong("the first view is no snapshot")
        elif (numbers != list(range(self.seq + 1, seq + 1)) or seq <= self.seq) and not self._asked_for(
            seq, numbers
        ):
            if numbers or seq <= self.seq:
                self._wrong(f"after {self.seq} came {numbers}, view {seq}")
            self.house.machine.struck["snapshots in between"] += 1
        self.house.oracle.check_view(self, message, text)
        self.seq, self.view = seq, message["view"]
        if first:
            self.down_since, self.since = None, self.clock.now
            if self.pending is not None:
                self._send(self.pending[1])
        self._pong(seq)
        self._think()

    def _asked_for(self, seq: int, numbers: list[int]) -> bool:
        """Say whether a view answers a resync that was asked for a short while ago."""
        self._resyncs = [one for one in self._resyncs if self.clock.now - one[1] < RESYNC_MS]
        for one in self._resyncs:
            if numbers in ([], list(range(one[0] + 1, seq + 1))):
                self._resyncs.remove(one)
                return True
        return False

    def _pong(self, seq: int) -> None:
        if self.clock.now - self._ponged >= PONG_MS:
            self._ponged = self.clock.now
            self._send({"type": "pong", "seq": seq})
        else:
            line = self.line
            self.clock.after(PONG_MS, lambda: self._pong_again(line))

    def _pong_again(self, line: Line | None) -> None:
        if line is self.line and self.view is not None and self.clock.now - self._ponged >= PONG_MS:
            self._ponged = self.clock.now
            self._send({"type": "pong", "seq": self.seq})

    def _take_ack(self, message: dict[str, Any]) -> None:
        id = message["id"]
        self.house.oracle.check_ack(self, id, message["seq"])
        self.acked[id] = message["seq"]
        self._answered(id)

    def _take_refusal(self, message: dict[str, Any]) -> None:
        id = message["id"]
        self.house.oracle.refusals[message["code"]] += 1
        if message["code"] == "bad_message":
            self._wrong(f"bad message: {message}")
        if message["code"] != "not_seated":
            self.house.oracle.check_refusal(self, id, message["code"])
        self._answered(id)

    def _answered(self, id: str) -> None:
        if id not in self.asked:
            self._wrong(f"an answer to {id}, which was never asked")
        if self.pending is not None and self.pending[0] == id:
            self.pending = None
            self._think()

    def _wrong(self, what: str) -> None:
        self.house.wrong(f"page {self.number} at table {self.table}: {what}")

    # ---- doing things

    def _think(self) -> None:
        self._thinking += 1
        if self.idle:
            return
        ms = self.dice.choice((100, 150, 250, 400, 800))
        view = self.view
        if view is not None and view["can"]["acts"] is not None and self._my_turn():
            clock = view["deal"]["clock"]
            draw = self.dice.random()
            if draw < Habits.late and not clock["paused"]:
                spread = self.dice.choice((40, 40, 600))
                ms = max(100, clock["ms"] + clock["grace_ms"] - 30 + self.dice.randrange(-spread, spread))
            elif draw < Habits.late + Habits.sleeps:
                ms = 45_000
        self.clock.after(ms, partial(self._thought, self._thinking))

    def _my_turn(self) -> bool:
        view = self.view
        deal = view["deal"] if view else None
        return bool(view and deal and deal["clock"] and deal["clock"]["seat"] == view["me"])

    def _thought(self, number: int) -> None:
        if number != self._thinking or self.view is None or self.line is None or self.idle:
            return
        self._beside_the_game()
        if self.pending is not None or self.view is None:
            return
        message = self._next_command(self.view)
        if message is not None:
            self.command(message)

    def _next_command(self, view: dict[str, Any]) -> dict[str, Any] | None:
        can, dice, deal = view["can"], self.dice, view["deal"]
        if can["answer_leave"]:
            return {
                "type": "answer_leave",
                "agree": dice.random() < 0.5,
                "deal": deal["id"],
                "by": view["vote"]["by"],
            }
        if can["leave"] and deal and dice.random() < Habits.leaves:
            return {"type": "leave", "deal": deal["id"]}
        if can["ask_leave"] and dice.random() < Habits.asks_leave:
            return {"type": "ask_leave", "deal": deal["id"]}
        if can["trustee"] and dice.random() < Habits.trustee:
            on = not view["seats"][view["me"]]["trustee"]
            return {"type": "trustee", "on": on, "deal": deal["id"]}
        if self._my_turn() and (offered := actions_of(view)):
            return {"type": "act", "turn": deal["turn_number"], "action": self._choose(offered)}
        if can["ready"]:
            return {"type": "ready", "nonce": f"{dice.getrandbits(64):x}"}
        return None

    def _choose(self, offered: list[str]) -> str:
        """Choose an act: mostly the longest play, so that deals end, sometimes any."""
        if self.dice.random() < 0.2:
            return self.dice.choice(offered)
        return max(offered, key=lambda action: (action.count(" "), action not in ("pass", "decline")))

    def _beside_the_game(self) -> None:
        dice, view = self.dice, self.view
        if view is None or view["me"] is None:
            return
        draw = dice.random()
        if draw < Habits.resyncs:
            first = max(0, self.seq - dice.choice((0, 1, 3, 100)))
            self._resyncs.append((first, self.clock.now))
            self._send({"type": "resync", "seq": first})
        elif draw < Habits.resyncs + Habits.hints:
            self._ids += 1
            self._send({"type": "hint", "id": f"h{self._ids}"})
            self.asked.add(f"h{self._ids}")
        elif draw < Habits.resyncs + Habits.hints + Habits.says and self.pending is None:
            self.command({"type": "say", "phrase": "hurry"})
        elif draw < Habits.resyncs + Habits.hints + Habits.says + Habits.drops * self.house.drops:
            minutes = dice.random() < Habits.long_away
            self.drop(dice.randrange(20_000, 400_000) if minutes else dice.randrange(50, 9_000))

    def command(self, message: dict[str, Any]) -> None:
        """Ask something of the table, under a new id."""
        self._ids += 1
        id = f"p{self.number}-{self._ids}"
        message = {"type": message["type"], "id": id, **message}
        self.asked.add(id)
        self.pending = id, message
        self._send(message)
        if self.dice.random() < Habits.twice:
            self._send(message)
        elif self.dice.random() < self.house.machine.chances.line_lost_asking:
            self.drop(self.dice.randrange(50, 9_000))

    def _send(self, message: dict[str, Any]) -> None:
        if self.line is not None:
            self.line.say(json.dumps(message))
