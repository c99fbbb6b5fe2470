"""A player's statement: every coin, newest first, and what caused it."""

import pytest

from wallet.models import FEES
from wallet.services import Leg, balance, grant, post, reverse, statement

pytestmark = pytest.mark.django_db


def test_lines_say_what_moved_and_what_was_left(player):
    user, other = player(1000), player(1000)
    post(code="settlement", reference="deal:1", legs=[Leg(user, -120), Leg(other, 110), Leg(FEES, 10)])
    post(code="settlement", reference="deal:2", legs=[Leg(user, 50), Leg(other, -50)])
    lines = [
        (line.code, line.reference, line.amount, line.balance, line.counterparties)
        for line in statement(user)
    ]
    assert lines == [
        ("settlement", "deal:2", 50, 930, ("players",)),
        ("settlement", "deal:1", -120, 880, ("house:fees", "players")),
        ("grant", f"first:{user}", 1000, 1000, ("issuance",)),
    ]


def test_a_reversal_names_what_it_takes_back(player):
    user = player()
    reverse(transaction=grant(user_id=user, amount=70, reference="gift"), reference="oops")
    assert [line.reverses for line in statement(user)] == ["gift", None]


def test_pages_follow_each_other_without_hole_or_double(player):
    user = player()
    for number in range(1, 8):
        grant(user_id=user, amount=number, reference=f"g{number}")
    page, read = statement(user, limit=3), []
    while page:
        read += page
        page = statement(user, before=page[-1].entry, limit=3)
    assert [(line.amount, line.balance) for line in read] == [(n, n * (n + 1) // 2) for n in range(7, 0, -1)]
    assert read[0].balance == balance(user).total


def test_a_new_line_does_not_move_the_older_page(player):
    user = player()
    for number in range(6):
        grant(user_id=user, amount=1, reference=f"g{number}")
    first = statement(user, limit=3)
    grant(user_id=user, amount=100, reference="late")
    assert [line.balance for line in statement(user, before=first[-1].entry)] == [3, 2, 1]


def test_a_page_takes_few_statements_however_long_it_is(player, django_assert_max_num_queries):
    user = player()
    for number in range(60):
        grant(user_id=user, amount=1, reference=f"g{number}")
    with django_assert_max_num_queries(3):
        assert len(statement(user)) == 50


def test_an_empty_statement_has_no_lines(player):
    assert statement(player()) == []
    assert statement(999_999) == []
