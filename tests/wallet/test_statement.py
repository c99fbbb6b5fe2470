"""A player's statement: every coin, newest first, and what caused it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.transaction import atomic

from wallet import posting
from wallet.models import FEES, FINES, ISSUANCE, Entry, Transaction
from wallet.services import (
    Leg,
    Only,
    OpenHold,
    Point,
    balance,
    grant,
    hold,
    open_holds,
    post,
    reverse,
    series,
    statement,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


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


# --- narrowed ----------------------------------------------------------------------------------------------


def test_a_narrowed_statement_keeps_the_balance_of_each_line(player):
    user, other = player(1000), player(1000)
    for number in range(1, 4):
        post(code="settlement", reference=f"deal:{number}", legs=[Leg(user, -10), Leg(other, 10)])
        grant(user_id=user, amount=1, reference=f"g{number}")
    assert [(line.reference, line.balance) for line in statement(user, only=Only(("settlement",)))] == [
        ("deal:3", 972),
        ("deal:2", 981),
        ("deal:1", 990),
    ]
    (last,) = statement(user, limit=1, before=statement(user)[1].entry, only=Only(("settlement",)))
    assert (last.reference, last.balance) == ("deal:2", 981)


def test_what_takes_back_a_line_stands_beside_it(player):
    user = player()
    reverse(transaction=grant(user_id=user, amount=70, reference="gift"), reference="oops")
    assert [line.reference for line in statement(user, only=Only(("grant",)))][:2] == ["oops", "gift"]


def test_coins_that_went_to_the_house_alone_are_fees_and_fines(player):
    user, other = player(1000), player(1000)
    post(code="settlement", reference="deal:won", legs=[Leg(user, 90), Leg(other, -100), Leg(FEES, 10)])
    post(code="settlement", reference="deal:left", legs=[Leg(user, -50), Leg(FINES, 50)])
    post(code="fine", reference="fine:1", legs=[Leg(user, -7), Leg(other, 7)])
    fees = statement(user, only=Only(("fine",), to_the_house=True))
    assert [line.reference for line in fees] == ["fine:1", "deal:left"]


# --- in the course of time ---------------------------------------------------------------------------------


@pytest.fixture
def at(db):
    """Move coins at a moment of the past: `at(user, days_ago, amount)`."""

    def move(user, days, amount):
        legs = [Leg(user, amount), Leg(ISSUANCE, -amount)]
        with atomic():
            wallets = posting.lock(legs=legs)
            made = Transaction(code="test", reference=f"{days}:{amount}", created=NOW - timedelta(days=days))
            entries = [Entry(transaction_id=made.pk, wallet=wallets[ref], amount=n) for ref, n in legs]
            posting.write(made, entries, [])
            posting.apply(posting.changes_of(legs, [], wallets))

    return move


def test_the_series_begins_with_what_there_was_and_ends_now(player, at):
    user = player()
    for days, amount in ((90, 500), (20, 30), (20, 1), (3, -200)):
        at(user, days, amount)
    points = series(user, since=NOW - timedelta(days=30), now=NOW)
    assert [point.balance for point in points] == [500, 531, 331, 331]
    assert (points[0].at, points[-1].at) == (NOW - timedelta(days=30), NOW)


def test_a_series_of_all_begins_with_the_first_line(player, at):
    user = player()
    for days, amount in ((700, 500), (20, 30)):
        at(user, days, amount)
    points = series(user, now=NOW)
    assert points[0] == Point(NOW - timedelta(days=700), 500)
    assert points[-1] == Point(NOW, 530)
    assert [point.at for point in points] == sorted(point.at for point in points)


def test_a_week_is_told_by_the_hour(player, at):
    user = player()
    for hours in (50, 49, 2):
        at(user, hours / 24, 10)
    assert [point.balance for point in series(user, since=NOW - timedelta(days=7), now=NOW)] == [
        0,
        10,
        20,
        30,
        30,
    ]


def test_a_wallet_in_which_nothing_moved_has_no_series(player):
    assert series(player(), since=NOW - timedelta(days=7), now=NOW) == []
    assert series(player(), now=NOW) == []


def test_open_holds_say_what_is_set_aside_and_for_what(player):
    user = player(1000)
    hold(user_id=user, reference="deal:7:0", amount=600)
    assert open_holds(user) == [OpenHold("deal:7:0", 600)]
