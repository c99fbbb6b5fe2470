"""Anti-cheat rooms (防作弊, RULES §5): no trustee, no consent, no chat in a deal, no names until its end."""

from __future__ import annotations

from games.table import commands as c
from tests.table.tabletop import Tabletop


def room() -> Tabletop:
    return Tabletop(anti_cheat=True, seating="match").fill()


def test_no_trustee_and_no_leave_by_consent() -> None:
    table = room().open()
    assert table.refused(c.Trustee(0, "t", True)) == "not_allowed_here trustee"
    assert table.refused(c.AskLeave(0, "a")) == "not_allowed_here ask_leave"
    can = table.view(0)["can"]
    assert not can["trustee"] and not can["ask_leave"] and can["leave"]


def test_no_chat_during_a_deal() -> None:
    table = room()
    assert table.refused(c.Say(0, "s0", text="hello")) == "not_allowed_here chat"
    table.open()
    assert table.refused(c.Say(0, "s1", text="hello")) == "not_allowed_here chat"
    table.play_out()
    table.must(c.Say(0, "s2", text="well played"))


def test_names_stay_hidden_until_the_deal_is_over() -> None:
    table = room()
    for _ in range(2):
        for me in (0, 3, None):
            for seat in table.view(me)["seats"]:
                known = seat["seat"] == me
                assert (seat["name"] != "") == known and (seat["user"] is not None) == known
        if table.state.deal is None:
            table.open()
    table.play_out()
    assert all(seat["name"] and seat["user"] for seat in table.view(0)["seats"])


def test_a_new_members_name_is_hidden_until_a_deal_with_him_is_over() -> None:
    table = room().open().play_out()
    table.must(c.Stand(2, "s"))
    table.must(c.Sit(2, 900, "Newcomer"))
    names = [seat["name"] for seat in table.view(0)["seats"]]
    assert names == ["Player 0", "Player 1", "", "Player 3"]


def test_time_outs_absence_and_escape_apply() -> None:
    table = room().open()
    table.must(c.Leave(1, "go"))
    assert table.state.result is not None and table.state.result["how"] == "escaped"
