"""Shorthand of the socket tests: tables in a phase, and people coming in."""

from typing import Any

from asgiref.sync import sync_to_async

from games.table.state import SeatState
from tests.games.stories import Story, StoryMaker
from tests.sockets.conftest import Open, Socket


async def seated(story: StoryMaker, **options: Any) -> Story:
    """Return a story whose people sit and have not started."""
    return await sync_to_async(lambda: story(**options).sit())()


async def playing(story: StoryMaker, **options: Any) -> Story:
    """Return a story whose first deal has been opened."""
    one = await seated(story, **options)
    await sync_to_async(one.start)()
    return one


async def sitter(at: Story, seat: int) -> SeatState:
    """Return who sits there now, by the log."""
    found = (await sync_to_async(lambda: at.state)()).seats[seat]
    assert found is not None
    return found


async def enter(door: Open, at: Story, who: Any) -> tuple[Socket, dict[str, Any]]:
    """Open a socket and return it with its first view."""
    socket = await door(at, who).open()
    return socket, (await socket.hear("view"))["view"]


def turn_of(view: dict[str, Any]) -> int:
    """Return the seat to act."""
    seat: int = view["deal"]["clock"]["seat"]
    return seat


def an_action(view: dict[str, Any]) -> str:
    """Return the first thing a view offers."""
    if view["can"]["acts"]:
        action: str = view["can"]["acts"][0]
        return action
    hand = view["deal"]["state"]["hand"].split()
    play = next(play for plays in view["can"]["plays"].values() for play in plays)
    return "play " + " ".join(hand[int(digit, 36)] for digit in play)
