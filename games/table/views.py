"""What a browser gets: one seat's (or a spectator's) view of a table, and of each event. White lists both.

Nothing is stripped from anything: what is not named here does not leave. Cards come from the engine's view
alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from games.engine import bots
from games.engine.actions import Action
from games.engine.cards import cards_of
from games.engine.combos import Combo
from games.engine.deal import LeavePrice
from games.engine.views import View
from games.table import clocks
from games.table import events as e
from games.table.state import CLOSED, PLAYING, DealSeat, DealState, LastAct, TableState
from games.table.terms import engine_terms

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""How a play names its cards: by their places in the hand, ascending, one digit each."""

_NO_DEAL = DealSeat()

EVENT_FIELDS: dict[str, tuple[str, ...]] = {
    "table_opened": ("ruleset", "next_deal", "next_commitment"),
    "sat": ("seat", "computer"),
    "stood": ("seat", "reason"),
    "readied": ("seat",),
    "leaving_noted": ("seat",),
    "deal_opened": ("deal", "number", "commitment", "next_deal", "next_commitment"),
    "deal_declined": (),
    "acted": ("seat", "action", "combo", "auto", "turn"),
    "timed_out": ("seat", "times"),
    "trustee_set": ("seat", "on"),
    "away_set": ("seat", "cause", "fined"),
    "absence_began": ("seat",),
    "absence_ended": ("seat",),
    "leave_asked": ("seat", "agreed"),
    "leave_answered": ("seat", "agree", "auto"),
    "leave_settled": ("agreed", "cause"),
    "said": ("seat", "text", "phrase"),
    "deal_closed": ("deal", "number", "how", "winner", "seat"),
    "table_closed": ("reason",),
}
"""What a browser gets of an event, beside `kind` and `at`. Names come with the view, which knows who may
see them."""

OWN_REASONS = frozenset(["owes", "suspended"])
"""Why somebody had to stand up that is nobody's business but his own: the others read "barred"."""


def event_view(event: e.Event) -> dict[str, Any]:
    """Make what every browser at the table gets of an event."""
    kind = e.kind_of(event)
    answer: dict[str, Any] = {"kind": kind, "at": event.at}
    for name in EVENT_FIELDS[kind]:
        value = getattr(event, name)
        if value is not None:
            answer[name] = value
    if answer.get("reason") in OWN_REASONS:
        answer["reason"] = "barred"
    return answer


class Common(NamedTuple):
    """What everybody gets of a view, whoever looks on: made once for a state and a moment (service ms)."""

    now: int
    view: dict[str, Any]
    deal: dict[str, Any] | None


def common_view(state: TableState, now: int) -> Common:
    """Make the part of a view that is the same for all seats and spectators; `seat_view` adds the rest."""
    deal = state.deal
    view = {
        "table": state.table,
        "seq": state.seq,
        "ruleset": state.ruleset,
        "phase": state.phase,
        "terms": {**state.terms.shown, "leaves": not state.manners.has_escape},
        "seats": [_seat(state, index, None, now) for index in range(len(state.seats))],
        "start_ms": _start_ms(state, now),
        "vote": None if deal is None else _vote(deal, now),
        "next": {"deal": state.next_deal, "commitment": state.next_commitment},
        "result": state.result,
    }
    return Common(now, view, None if deal is None else _deal(state, deal, now))


def table_view(state: TableState, seat: int | None, now: int) -> dict[str, Any]:
    """Make the whole view of a seat, or of a spectator (None), at a moment of service time.

    Keys: table, seq, ruleset, phase, terms, me, seats, deal, can, start_ms, vote, next, result. All `…ms` are
    what remains at `now`. `terms.leaves` says that who goes is fined and the computer plays on. `deal.state` is
    the engine's view (RULES §6), `deal.turn_number` what an act must name, `deal.duty` binds the seat to act,
    `deal.stakes` is what the deal is played for so far; `can.plays` (only at my turn) lists plays by type as
    digits (see DIGITS) into `deal.state.hand`, where `can.suits` is false each for all of the same ranks;
    `result` is the last finished deal until the next opens.
    """
    return seat_view(state, seat, common_view(state, now))


def seat_view(state: TableState, seat: int | None, common: Common) -> dict[str, Any]:
    """Make a whole view of which the common part is there: see `table_view`."""
    deal, sight, mine = state.deal, None, None
    if deal is not None and common.deal is not None:
        sight = deal.head.rules.view(deal.deal, seat)
        mine = {**common.deal, "state": sight.as_json(), "duty": sight.duty, "stakes": _stakes(deal, sight)}
    view = {**common.view, "me": seat, "deal": mine, "can": _can(state, seat, sight)}
    if seat is not None and not names_show(state, seat):
        view["seats"] = list(view["seats"])
        view["seats"][seat] = _seat(state, seat, seat, common.now)
    return view


def _start_ms(state: TableState, now: int) -> int | None:
    if state.start_at is None or state.wants_deal:
        return None
    return max(0, state.start_at - now)


def names_show(state: TableState, index: int) -> bool:
    """Tell whether others may read who sits there: in anti-cheat rooms only after a deal with him (RULES
    §5)."""
    if not state.terms.anti_cheat:
        return True
    seat, past = state.seats[index], state.previous
    return (
        seat is not None and past is not None and state.carry is None and past.members[index] == seat.member
    )


def _seat(state: TableState, index: int, me: int | None, now: int) -> dict[str, Any] | None:
    seat, deal = state.seats[index], state.deal
    if seat is None:
        return None
    shows = index == me or names_show(state, index)
    standing = _NO_DEAL if deal is None else deal.seats[index]
    return {
        "seat": index,
        "name": seat.name if shows else "",
        "user": seat.user if shows else None,
        "computer": seat.computer,
        "ready": seat.ready,
        "count": None if deal is None else deal.deal.hands[index].bit_count(),
        "time_outs": standing.time_outs,
        "trustee": standing.trustee,
        "away": standing.away is not None,
        "lost_ms": None if seat.lost_since is None else _lost_ms(state, index, seat.lost_since, now),
        "last": None if deal is None else _last(deal.last[index]),
    }


def _lost_ms(state: TableState, index: int, since: int, now: int) -> int:
    due = since + clocks.ABSENCE_MS if state.deal is None else state.absence_due(index)
    return 0 if due is None else max(0, due - now)


def _last(last: LastAct | None) -> dict[str, Any] | None:
    if last is None:
        return None
    action, combo, auto = last
    if combo is None:
        return {"act": action, "auto": auto is not None}
    return {"act": "play", "cards": action[5:], "type": combo, "auto": auto is not None}


def _deal(state: TableState, deal: DealState, now: int) -> dict[str, Any]:
    clock = deal.clock
    return {
        "id": deal.head.id,
        "number": deal.head.number,
        "commitment": deal.head.commitment,
        "turn_number": state.turn,
        "clock": None
        if clock is None
        else {
            "seat": clock.seat,
            "ms": clock.remaining(now),
            "total_ms": state.terms.turn_ms,
            "grace_ms": clocks.GRACE_MS,
            "paused": clock.end is None,
        },
    }


def _stakes(deal: DealState, sight: View) -> dict[str, Any] | None:
    """Tell what the deal is played for so far: rows as on the receipt, points by seat, what may still double
    it, and the ladder's pairs."""
    stakes = deal.head.rules.stakes(sight, deal.deal.setup.terms)
    if stakes is None:
        return None
    return {
        "rows": list(stakes.rows),
        "score": list(stakes.score),
        "possible": list(stakes.possible),
        "pairs": [
            {"farmer": pair.farmer, "steps": pair.steps, "asked": pair.asked, "open": pair.is_open}
            for pair in stakes.pairs
        ],
    }


def _vote(deal: DealState, now: int) -> dict[str, Any] | None:
    vote = deal.vote
    if vote is None:
        return None
    return {"by": vote.by, "ms": max(0, vote.ends - now), "answered": list(vote.agreed)}


def _can(state: TableState, me: int | None, sight: View | None) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "acts": [],
        "plays": None,
        "suits": True,
        "ready": False,
        "stand": False,
        "leave": False,
        "trustee": False,
        "ask_leave": False,
        "answer_leave": False,
        "leave_price": None,
    }
    seat = None if me is None else state.seats[me]
    if me is None or seat is None or state.phase == CLOSED:
        return answer
    if state.phase != PLAYING:
        bound = state.bound
        answer["ready"] = not seat.ready
        answer["stand"] = not bound
        if bound and me not in state.leaving:
            answer["leave"], answer["leave_price"] = True, _price_before_cards(state, me)
    elif state.deal is not None and sight is not None:
        _can_in_deal(state, state.deal, me, sight, answer)
    return answer


def _price_before_cards(state: TableState, me: int) -> dict[str, Any] | None:
    """Tell what leaving costs between a complete match, or a redeal, and its cards; None in practice.

    The first who leaves ends such a deal where there is an escape: whoever goes after him pays nothing.
    """
    if state.terms.currency == "none":
        return None
    if state.leaving and state.manners.has_escape:
        return _price(LeavePrice(0, 0))
    past = state.previous
    balance = None if past is None or past.balances is None else past.balances[me]
    return _price(state.rules.leave_price(None, engine_terms(state.terms), balance))


def _price(price: LeavePrice) -> dict[str, Any]:
    return {"points": price.points, "coins": price.coins, "at_least": price.at_least}


def _can_in_deal(state: TableState, deal: DealState, me: int, sight: View, answer: dict[str, Any]) -> None:
    standing, vote, head = deal.seats[me], deal.vote, deal.head
    fair_room = state.terms.anti_cheat
    answer["leave"] = standing.away != "leave"
    answer["trustee"] = standing.trustee or standing.away is not None or not fair_room
    answer["ask_leave"] = not fair_room and vote is None and not standing.asked
    answer["answer_leave"] = vote is not None and vote.by != me and me not in vote.agreed
    if state.terms.currency != "none":
        balance = None if head.balances is None else head.balances[me]
        answer["leave_price"] = _price(head.rules.leave_price(sight, deal.deal.setup.terms, balance))
    if sight.my_turn:
        answer["acts"], answer["plays"] = _offers(deal, sight)
        answer["suits"] = head.rules.suits_count


def _offers(deal: DealState, sight: View) -> tuple[list[str], dict[str, list[str]]]:
    """Sort what the seat to act may do: acts as text, plays by type as digits."""
    acts: list[str] = []
    plays: dict[str, list[str]] = {}
    digit = _digits(sight)
    for action in deal.head.rules.offers(sight):
        if action.kind == "play":
            kind = _type_of(deal, sight.standing, action)
            plays.setdefault(kind, []).append("".join([digit[card] for card in action.cards]))
        else:
            acts.append(str(action))
    return acts, plays


def _digits(sight: View) -> dict[int, str]:
    """Return the digit of each card in hand: its place, ascending."""
    return {card: DIGITS[place] for place, card in enumerate(cards_of(sight.hand or 0))}


def hint_view(state: TableState, seat: int) -> list[str]:
    """Make the plays that a seat may be hinted at, best first, as digits (see DIGITS): from its own view alone.

    Empty when it is not its turn, or when it can only pass.
    """
    deal = state.deal
    if deal is None:
        return []
    rules = deal.head.rules
    sight = rules.view(deal.deal, seat)
    digit = _digits(sight)
    return ["".join([digit[card] for card in play.cards]) for play in bots.hints(rules, sight)]


def _type_of(deal: DealState, standing: Combo | None, action: Action) -> str:
    """Name a legal play's type: a follower's set is read as what is asked for, where it can be (RULES §2)."""
    kinds = [combo.kind for combo in deal.head.rules.readings(action.cards)]
    return standing.kind if standing is not None and standing.kind in kinds else kinds[0]
