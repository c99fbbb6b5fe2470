"""Each event of a log in plain words, in the reader's language: for whoever has to judge what happened at a table.

Words come from an event alone (and from who sat where): nothing is folded, no deal is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from games import naming
from games.admin.moments import span
from games.table import events as e
from games.table.events import Event
from wallet.desk import Words, figure

SUITS = {"d": "♦", "c": "♣", "h": "♥", "s": "♠"}
JOKERS = {"BJ": gettext_lazy("small joker"), "RJ": gettext_lazy("big joker")}
RED = ("d", "h")

COMBOS: dict[str, Words] = {
    "single": pgettext_lazy("combo", "single"),
    "pair": pgettext_lazy("combo", "pair"),
    "triple": pgettext_lazy("combo", "triple"),
    "straight": pgettext_lazy("combo", "straight"),
    "flush": pgettext_lazy("combo", "flush"),
    "full_house": pgettext_lazy("combo", "full house"),
    "quads": pgettext_lazy("combo", "four and a card"),
    "straight_flush": pgettext_lazy("combo", "straight flush"),
    "triple_single": pgettext_lazy("combo", "three and a single"),
    "triple_pair": pgettext_lazy("combo", "three and a pair"),
    "pair_straight": pgettext_lazy("combo", "pairs in a row"),
    "airplane": pgettext_lazy("combo", "airplane"),
    "airplane_singles": pgettext_lazy("combo", "airplane with singles"),
    "airplane_pairs": pgettext_lazy("combo", "airplane with pairs"),
    "quad_single": pgettext_lazy("combo", "four and a single"),
    "quad_singles": pgettext_lazy("combo", "four and two singles"),
    "quad_pairs": pgettext_lazy("combo", "four and two pairs"),
    "rocket_singles": pgettext_lazy("combo", "both jokers and two singles"),
    "rocket_pairs": pgettext_lazy("combo", "both jokers and two pairs"),
    "bomb": pgettext_lazy("combo", "bomb"),
    "rocket": pgettext_lazy("combo", "rocket"),
}
REASONS: dict[str, Words] = {
    "left": gettext_lazy("stood up"),
    "not_ready": gettext_lazy("did not press start in time"),
    "lost": gettext_lazy("without a line for too long"),
    "idle": gettext_lazy("nothing happened for too long"),
    "no_deal": gettext_lazy("the deal could not open"),
    "escaped": gettext_lazy("escaped"),
    "redeals": gettext_lazy("too many redeals"),
    "closed": gettext_lazy("the table closes"),
    "balance": gettext_lazy("cannot pay for the next deal"),
    "banned": gettext_lazy("banned"),
}
CAUSES: dict[str, Words] = {
    "leave": gettext_lazy("on purpose"),
    "time_out": gettext_lazy("third time-out"),
    "absence": gettext_lazy("absent for too long"),
    "consent": gettext_lazy("all agreed"),
    "staff": gettext_lazy("by staff"),
    "all": gettext_lazy("all agreed"),
    "refused": gettext_lazy("somebody refused"),
    "time": gettext_lazy("not answered in time"),
}
ACTORS: dict[str, Words] = {
    "time_out": gettext_lazy("the clock plays"),
    "trustee": gettext_lazy("the autoplay plays"),
    "computer": gettext_lazy("a computer player"),
    "away": gettext_lazy("the computer of an absent player"),
}
HOWS: dict[str, Words] = {
    "": pgettext_lazy("deal", "live"),
    "over": gettext_lazy("played out"),
    "escaped": gettext_lazy("escaped"),
    "void": gettext_lazy("void"),
    "redeal": gettext_lazy("dealt again"),
}
HOW_TONES = {"": "live", "over": "good", "escaped": "warn", "void": "bad"}

Names = Mapping[int, str]


class Told(NamedTuple):
    """An event as a person reads it: who (a seat's name, or nobody), what, and how much it matters."""

    who: str
    what: SafeString | str
    tone: str = ""


def tell(event: Event, names: Names) -> Told:
    """Put an event into words; `names` are those of the seats at that moment."""
    words = _WORDS[type(event)](event, names)
    seat = getattr(event, "seat", None)
    who = "" if seat is None or isinstance(event, e.DealClosed) else _name(names, seat)
    if isinstance(event, e.Sat):
        who = event.name
    return Told(who, words, _TONES.get(type(event), ""))


def cards(text: str) -> SafeString:
    """Print cards with their suits: "9d 9h" → 9♦ 9♥, the red ones red."""
    return format_html_join(
        " ", '<span class="desk-card{}">{}</span>', (_card(each) for each in text.split())
    )


def _card(card: str) -> tuple[str, object]:
    if card in JOKERS:
        return (" red" if card == "RJ" else "", JOKERS[card])
    return (" red" if card[1:] in RED else "", card[0].replace("T", "10") + SUITS.get(card[1:], card[1:]))


def reason(code: str) -> str:
    """Say why somebody stood up or a table closed; an unknown reason by its code."""
    return str(REASONS.get(code, code))


def _name(names: Names, seat: int) -> str:
    return names.get(seat) or _("seat %(number)s") % {"number": seat + 1}


def _cause(code: str | None) -> str:
    return str(CAUSES.get(code or "", code or ""))


# --- acts --------------------------------------------------------------------------------------------------


def _acted(event: e.Acted, names: Names) -> SafeString | str:
    words = _act(event, names)
    if event.auto in ACTORS:
        return format_html("{} <em>({})</em>", words, ACTORS[event.auto])
    return words


def _act(event: e.Acted, names: Names) -> SafeString | str:
    kind, _space, rest = event.action.partition(" ")
    if kind == "play":
        combo = COMBOS.get(event.combo or "", event.combo or "")
        return format_html("{} {} <em>({})</em>", _("plays"), cards(rest), combo)
    if kind == "escape":
        return _("escapes: %(cause)s") % {"cause": _cause(event.auto)}
    if kind == "void":
        by = [str(part) for part in (_cause(event.auto), event.by, event.reason) if part]
        return _("The deal is void: %(why)s") % {"why": ", ".join(by)}
    if kind == "bid":
        return _("bids %(value)s") % {"value": rest}
    if kind in ("raise", "stay") and rest.isdigit():
        target = {"name": _name(names, int(rest))}
        return (_("raises against %(name)s") if kind == "raise" else _("stays against %(name)s")) % target
    plain = {
        "pass": _("passes"),
        "blind": _("takes the deal blind"),
        "look": _("looks at the cards"),
        "call": _("calls"),
        "decline": _("declines"),
    }
    return plain.get(kind, event.action)


# --- everything else ---------------------------------------------------------------------------------------


def _table_opened(event: e.TableOpened, names: Names) -> str:
    tier = str(event.terms.get("tier", ""))
    words = {"ruleset": naming.game_words(event.ruleset).name, "tier": naming.tier_name(tier) or tier}
    return _("The table opens: %(ruleset)s, %(tier)s") % words


def _sat(event: e.Sat, names: Names) -> str:
    seat = {"number": event.seat + 1}
    if event.computer:
        return _("a computer player takes seat %(number)s") % seat
    return (_("takes seat %(number)s, ready") if event.ready else _("takes seat %(number)s")) % seat


def _stood(event: e.Stood, names: Names) -> str:
    return _("leaves the seat: %(reason)s") % {"reason": reason(event.reason)}


def _deal_opened(event: e.DealOpened, names: Names) -> str:
    return _("Deal %(number)s opens") % {"number": event.number}


def _deal_declined(event: e.DealDeclined, names: Names) -> str:
    who = ", ".join(f"{_name(names, int(seat))} ({reason(str(why))})" for seat, why in event.seats.items())
    return _("The deal cannot open: %(who)s") % {"who": who}


def _timed_out(event: e.TimedOut, names: Names) -> str:
    return _("runs out of time (%(times)s in this deal)") % {"times": event.times}


def _trustee_set(event: e.TrusteeSet, names: Names) -> str:
    return _("hands the seat to the autoplay") if event.on else _("takes the seat back")


def _away_set(event: e.AwaySet, names: Names) -> str:
    if event.cause is None:
        return _("is back and plays on")
    if event.fined:
        words = _("counts as away (%(cause)s): a computer plays on, a fine is due")
    else:
        words = _("counts as away (%(cause)s): a computer plays on")
    return words % {"cause": _cause(event.cause)}


def _absence_began(event: e.AbsenceBegan, names: Names) -> str:
    return _("has no line, since %(span)s") % {"span": span(event.at - event.since)}


def _absence_ended(event: e.AbsenceEnded, names: Names) -> str:
    return _("is back; absent for %(span)s in this deal so far") % {"span": span(event.used)}


def _leave_asked(event: e.LeaveAsked, names: Names) -> str:
    return _("asks to end the deal; %(span)s to answer") % {"span": span(event.ends - event.at)}


def _leave_answered(event: e.LeaveAnswered, names: Names) -> str:
    if event.auto:
        return (
            _("agrees to end the deal, by itself") if event.agree else _("refuses to end the deal, by itself")
        )
    return _("agrees to end the deal") if event.agree else _("refuses to end the deal")


def _leave_settled(event: e.LeaveSettled, names: Names) -> str:
    words = _("The request is granted: %(cause)s") if event.agreed else _("The request is refused: %(cause)s")
    return words % {"cause": _cause(event.cause)}


def _said(event: e.Said, names: Names) -> str:
    if event.phrase is not None:
        return _("says the phrase “%(phrase)s”") % {"phrase": event.phrase}
    return _("says “%(text)s”") % {"text": event.text}


def _deal_closed(event: e.DealClosed, names: Names) -> str:
    how = {"number": event.number, "how": HOWS.get(event.how, event.how)}
    words = _("Deal %(number)s ends: %(how)s") % how
    if event.how == "escaped" and event.seat is not None:
        return f"{words} ({_name(names, event.seat)})"
    if event.winner is not None:
        went_out = pgettext("deal", "%(name)s went out first") % {"name": _name(names, event.winner)}
        return f"{words}; {went_out}"
    return words


def _table_closed(event: e.TableClosed, names: Names) -> str:
    return _("The table closes: %(reason)s") % {"reason": reason(event.reason)}


_WORDS: dict[type[Any], Callable[[Any, Names], SafeString | str]] = {
    e.Acted: _acted,
    e.TableOpened: _table_opened,
    e.Sat: _sat,
    e.Stood: _stood,
    e.Readied: lambda event, names: _("presses start"),
    e.LeavingNoted: lambda event, names: _("wants to leave as soon as the deal is open"),
    e.DealOpened: _deal_opened,
    e.DealDeclined: _deal_declined,
    e.TimedOut: _timed_out,
    e.TrusteeSet: _trustee_set,
    e.AwaySet: _away_set,
    e.AbsenceBegan: _absence_began,
    e.AbsenceEnded: _absence_ended,
    e.LeaveAsked: _leave_asked,
    e.LeaveAnswered: _leave_answered,
    e.LeaveSettled: _leave_settled,
    e.Said: _said,
    e.DealClosed: _deal_closed,
    e.TableClosed: _table_closed,
}
_TONES: dict[type[Any], str] = {
    e.TableOpened: "head",
    e.DealOpened: "head",
    e.DealClosed: "head",
    e.TableClosed: "head",
    e.TimedOut: "warn",
    e.AwaySet: "warn",
    e.AbsenceBegan: "warn",
    e.DealDeclined: "warn",
    e.Said: "said",
}


def terms_rows(terms: Mapping[str, Any]) -> list[tuple[Words, object]]:
    """Return the frozen terms of a table, key by key, in words."""
    return [(_TERMS.get(name, name), _term(name, value)) for name, value in terms.items()]


_TERMS: dict[str, Words] = {
    "tier": gettext_lazy("Tier"),
    "base_stake": gettext_lazy("Base stake"),
    "cap": gettext_lazy("Hand cap"),
    "entry": gettext_lazy("Entry limit"),
    "fee": gettext_lazy("Table fee"),
    "initial_multiplier": gettext_lazy("Initial multiplier"),
    "currency": gettext_lazy("Played for"),
    "turn_s": gettext_lazy("Turn clock"),
    "absence_s": gettext_lazy("Absence until away"),
    "start_s": gettext_lazy("Start clock"),
    "idle_s": gettext_lazy("Closes when idle"),
    "think_ms": gettext_lazy("Computer players think"),
    "anti_cheat": gettext_lazy("Anti-cheat"),
    "practice": gettext_lazy("Practice"),
    "seating": gettext_lazy("Seating"),
    "spectators": gettext_lazy("Spectators"),
}
_VALUES: dict[object, Words] = {
    "coins": gettext_lazy("coins"),
    "points": gettext_lazy("points"),
    "none": gettext_lazy("nothing (practice)"),
    "pick": gettext_lazy("pick a seat"),
    "match": gettext_lazy("match"),
    True: gettext_lazy("yes"),
    False: gettext_lazy("no"),
}
_MISSING: dict[str, Words] = {
    "cap": gettext_lazy("none"),
    "entry": gettext_lazy("none"),
    "fee": gettext_lazy("none"),
    "absence_s": gettext_lazy("as the rule set says"),
}


def _term(name: str, value: Any) -> object:
    if value is None:
        return _MISSING.get(name, "–")
    if isinstance(value, Mapping):
        amount = value.get("value")
        return f"{amount} %" if value.get("kind") == "percent" else figure(amount)
    if name == "think_ms":
        return "{}–{} ms".format(*value)
    if isinstance(value, str | bool):
        return _VALUES.get(value, value)
    return span(value * 1000) if name.endswith("_s") else figure(value)
