"""Views (RULES §5, §6): what each browser gets, and that it depends on nothing it may not know."""

from __future__ import annotations

import json

from games.table import commands as c
from games.table import events as e
from games.table.views import EVENT_FIELDS, event_view, hint_view, table_view
from tests.table.tabletop import S, Tabletop

DECK = tuple(range(52))


def seen(table: Tabletop, seat: int | None) -> bytes:
    events = [event_view(event) for event in table.log]
    return json.dumps([table_view(table.state, seat, table.now), events], sort_keys=True).encode()


def swapped(deck: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    """The same deck, the hands of two seats exchanged but for the 3♦ and what follows it in the hand."""
    cards = list(deck)
    for place in range(20, 52, 4):
        cards[place + one], cards[place + other] = cards[place + other], cards[place + one]
    return tuple(cards)


def test_two_deals_that_agree_on_all_a_seat_may_know_give_it_the_same_bytes() -> None:
    for one, other in ((1, 2), (2, 3), (0, 3)):
        tables = [Tabletop(deck=DECK).playing(), Tabletop(deck=swapped(DECK, one, other)).playing()]
        for step in range(12):
            for seat in (*range(4), None):
                same = seen(tables[0], seat) == seen(tables[1], seat)
                assert same == (seat not in (one, other)), (step, seat)
            for table in tables:
                if step % 4 == 3:
                    table.after(21 * S).tick()
                else:
                    table.act("pass" if "pass" in table.offers() else "play " + table.offers()[0].split()[1])


def test_a_spectator_sees_counts_and_no_hand() -> None:
    table = Tabletop().playing()
    view = table.view(None)
    assert view["me"] is None and view["deal"]["state"]["hand"] is None
    assert [seat["count"] for seat in view["seats"]] == [13] * 4
    assert view["can"]["plays"] is None and not any(
        view["can"][key] for key in ("ready", "stand", "leave", "trustee", "ask_leave", "answer_leave")
    )


def test_the_view_has_exactly_the_promised_keys() -> None:
    table = Tabletop().playing()
    view = table.view(table.turn)
    assert set(view) == {
        "table", "seq", "ruleset", "phase", "terms", "me", "seats", "deal", "can", "start_ms", "vote", "next", "result",
    }  # fmt: skip
    assert set(view["seats"][0]) == {
        "seat", "name", "user", "computer", "ready", "count", "time_outs", "trustee", "away", "lost_ms", "last",
    }  # fmt: skip
    assert set(view["deal"]) == {
        "id",
        "number",
        "commitment",
        "turn_number",
        "state",
        "clock",
        "duty",
        "stakes",
    }
    assert set(view["can"]) == {
        "acts", "plays", "suits", "ready", "stand", "leave", "trustee", "ask_leave", "answer_leave", "leave_price",
    }  # fmt: skip


def test_plays_are_places_in_the_hand_by_type_and_only_at_my_turn() -> None:
    table = Tabletop(deck=DECK).playing()  # seat 0 holds all diamonds: 3d … 2d
    plays = table.view(0)["can"]["plays"]
    assert plays["single"] == ["0"] and "01234" in plays["straight_flush"]
    assert "02468" in plays["flush"]
    assert table.view(1)["can"]["plays"] is None
    table.act("play 3d")
    view = table.view(1)
    assert view["can"]["acts"] == ["pass"] and set(view["can"]["plays"]) == {"single"}


def test_what_each_seat_did_last_in_the_trick() -> None:
    table = Tabletop(deck=DECK).playing()
    table.act("play 3d")
    table.act("pass")
    table.after(21 * S).tick()
    last = [seat["last"] for seat in table.view(None)["seats"]]
    assert last == [
        {"act": "play", "cards": "3d", "type": "single", "auto": False},
        {"act": "pass", "auto": False},
        {"act": "pass", "auto": True},
        None,
    ]
    table.act("pass")
    table.act("play 4d")
    assert [seat["last"] and seat["last"]["act"] for seat in table.view(None)["seats"]] == ["play"] + [
        None
    ] * 3


def test_the_last_finished_deal_lies_open_until_the_next_opens() -> None:
    table = Tabletop().playing().play_out()
    result = table.view(3)["result"]
    assert result == table.view(None)["result"]
    assert result["how"] == "over" and sorted(len(hand) for hand in result["hands"])[0] == 0
    assert sum(result["settlement"]["net"]) + result["settlement"]["house"] == 0
    assert result["reasons"] and result["seed"] and result["commitment"] and len(result["nonces"]) == 4
    table.all_ready().open()
    assert table.view(3)["result"] is None


def test_the_next_deals_commitment_is_always_on_the_table() -> None:
    table = Tabletop()
    first = table.view(None)["next"]
    table.playing()
    deal = table.view(None)["deal"]
    assert (deal["id"], deal["commitment"]) == (first["deal"], first["commitment"])
    assert table.view(None)["next"]["deal"] == "deal-2"


def test_practice_names_no_price_for_leaving() -> None:
    table = Tabletop("bigtwo.classic", currency="none", practice=True).playing()
    assert table.view(0)["can"]["leave_price"] is None


def test_an_event_shows_only_what_is_listed() -> None:
    assert set(EVENT_FIELDS) == set(e.KINDS)
    for kind, fields in EVENT_FIELDS.items():
        assert set(fields) <= set(e.KINDS[kind]._fields)
    sat = e.Sat(1, 0, "Ravi", "00ff", False, False, 17)
    assert event_view(sat) == {"kind": "sat", "at": 1, "seat": 0, "computer": False}
    void = e.Acted(1, "void", 5, None, None, "staff", "staff:7", "a private note")
    assert event_view(void) == {"kind": "acted", "at": 1, "action": "void", "auto": "staff", "turn": 5}


def test_a_closed_table_still_has_a_view() -> None:
    table = Tabletop().fill()
    table.must(c.Close("maintenance"))
    view = table.view(0)
    assert view["phase"] == "closed" and view["seats"] == [None] * 4


def test_hints_are_plays_of_the_seat_to_act_best_first() -> None:
    table = Tabletop("bigtwo.qq").playing()
    for _ in range(30):
        view = table.view(table.turn)
        legal = [play for plays in view["can"]["plays"].values() for play in plays]
        hints = hint_view(table.state, table.turn)
        assert set(hints) <= set(legal) and len(hints) == min(8, len(legal))
        assert all(hint_view(table.state, seat) == [] for seat in range(4) if seat != table.turn)
        table.act()
        if table.state.deal is None:
            assert hint_view(table.state, 0) == []
            break
