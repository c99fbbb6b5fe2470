"""Reads every byte a socket was sent and finds cards its reader may not have known at that moment."""

import json
import re
from typing import Any

_CARD = re.compile(r"(?<![\w-])(?:[3-9TJQKA2][dchs]|BJ|RJ)(?![\w-])")


def leaks(frames: list[str]) -> list[str]:
    """Return the frames with a card that was neither in the reader's own hand nor public, deal by deal.

    A card may be seen when it was dealt to the reader, when it is shown or has been played, when it is in a bottom
    that the rules open to him, or when the deal is over. A hand that lies face down is no hand yet. `unseen` lists, by
    the rules, all cards the reader has not seen, without saying where they are; it must be exactly that.
    """
    found, deal, dealt = [], None, False
    known: set[str] = set()
    for frame in frames:
        message = json.loads(frame)
        if message["type"] != "view":
            if _CARD.search(frame):
                found.append(frame)
            continue
        view, playing = message["view"], message["view"]["deal"]
        events = message["events"]
        opened = next((n for n, event in enumerate(events) if event["kind"] == "deal_opened"), None)
        if playing and playing["id"] != deal:
            deal, dealt, known = playing["id"], False, set()
        if playing and not dealt and playing["state"]["hand"] and not _is_face_down(playing["state"]):
            dealt = True
            known |= _cards(playing["state"]["hand"])
        if playing:
            known |= _cards(playing["state"]["shown"]) | _open_bottom(playing["state"], view["me"])
        known |= _public(events[opened or 0 :], view)
        if view["result"] is not None:
            continue  # all hands lie open
        if playing and playing["state"]["unseen"] is not None and _cards(playing["state"]["unseen"]) & known:
            found.append(frame)
        if _cards(_without_lists(message)) - known:
            found.append(frame)
    return found


def _is_face_down(state: dict[str, Any]) -> bool:
    """Say whether the hands are hidden from their owners too (RULES §4): until one looks, or the ladder has ended."""
    return state["phase"] == "blind" or (state["phase"] == "ladder" and state["base_score"] == 2)


def _open_bottom(state: dict[str, Any], me: int | None) -> set[str]:
    """Return the bottom where the reader may see it: nobody before there is a landlord, only him after a blind grab."""
    if (
        state["landlord"] is None
        or _is_face_down(state)
        or (state["base_score"] == 2 and state["landlord"] != me)
    ):
        return set()
    return _cards(state["bottom"])


def _cards(text: str | None) -> set[str]:
    return set(_CARD.findall(text or ""))


def _public(events: list[dict[str, Any]], view: dict[str, Any]) -> set[str]:
    """Return the cards that were played: by the events, and by what lies on the table (after a snapshot)."""
    played = {card for event in events if event["kind"] == "acted" for card in _cards(event["action"])}
    for seat in view["seats"]:
        if seat and seat["last"] and seat["last"].get("cards"):
            played |= _cards(seat["last"]["cards"])
    deal = view["deal"]
    if deal and deal["state"]["standing"]:
        played |= _cards(deal["state"]["standing"]["cards"])
    return played


def _without_lists(message: dict[str, Any]) -> str:
    """Return a message as text without the unseen cards, and without plays named by places in one's hand."""
    message = json.loads(json.dumps(message))
    if message["view"]["deal"]:
        message["view"]["deal"]["state"].pop("unseen")
        if message["view"]["deal"].get("duty") == "3d":
            message["view"]["deal"].pop("duty")  # the name of a duty
    message["view"]["can"].pop("plays")
    return json.dumps(message)
