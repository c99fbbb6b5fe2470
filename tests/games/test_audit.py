"""Whatever is changed behind the log's back, `verify_books` says so."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from games.models import PlayerRecord, Seat, SeatResult, Table, TableEvent
from tests.games.stories import Story, StoryMaker
from wallet import audit, triggers

pytestmark = pytest.mark.both_databases


@contextmanager
def unguarded() -> Iterator[None]:
    """Let rows be changed as somebody with the database's own rights could."""
    triggers.drop(connection)
    try:
        yield
    finally:
        triggers.install(connection)


def breaches() -> set[str]:
    return {breach.check for breach in audit.verify_books().breaches}


@pytest.fixture
def played(story: StoryMaker) -> Story:
    at = story().sit()
    at.deal()
    assert breaches() == set()
    return at


def change_an_act(at: Story) -> None:
    event = TableEvent.objects.filter(table=at.table, kind="acted").first()
    assert event is not None
    TableEvent.objects.filter(pk=event.pk).update(body=event.body.replace('"action":"', '"action":"x', 1))


def change_a_time(at: Story) -> None:
    event = TableEvent.objects.filter(table=at.table, kind="readied").first()
    assert event is not None
    TableEvent.objects.filter(pk=event.pk).update(body=event.body.replace('"wall":1', '"wall":2', 1))


def drop_an_event(at: Story) -> None:
    TableEvent.objects.filter(table=at.table, kind="acted").first().delete()  # type: ignore[union-attr]


def drop_the_last_event(at: Story) -> None:
    TableEvent.objects.filter(table=at.table).order_by("-seq").first().delete()  # type: ignore[union-attr]


def change_a_result(at: Story) -> None:
    SeatResult.objects.filter(seat=0).update(points=999)


def change_a_net(at: Story) -> None:
    SeatResult.objects.filter(seat=0).update(net=999)


def change_a_record(at: Story) -> None:
    PlayerRecord.objects.filter(user=at.users[0]).update(points=999)


def stand_somebody_up(at: Story) -> None:
    Seat.objects.filter(user=at.users[0]).delete()


def move_a_deadline(at: Story) -> None:
    Table.objects.filter(pk=at.table.pk).update(deadline=1)


def change_a_payment(at: Story) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE wallet_transaction SET reference = 'deal:other' WHERE code = 'settlement'")


@pytest.mark.parametrize(
    ("tamper", "check"),
    [
        (change_an_act, "logs"),
        (change_a_time, "logs"),
        (drop_an_event, "logs"),
        (drop_the_last_event, "logs"),
        (change_a_result, "deals"),
        (change_a_net, "deals"),
        (change_a_record, "records"),
        (stand_somebody_up, "seats"),
        (move_a_deadline, "seats"),
        (change_a_payment, "deals"),
    ],
)
def test_tampering_is_found(played: Story, tamper: Callable[[Story], None], check: str) -> None:
    with unguarded():
        tamper(played)
    assert check in breaches()


def test_the_command_fails_on_a_tampered_event(played: Story) -> None:
    out = StringIO()
    call_command("verify_books", stdout=out)
    with unguarded():
        change_an_act(played)
    with pytest.raises((CommandError, SystemExit)):
        call_command("verify_books", stdout=out, stderr=out)


@pytest.mark.parametrize("model", [TableEvent, SeatResult])
def test_the_database_refuses_to_change_what_is_final(played: Story, model: type) -> None:
    from django.db import DatabaseError

    row = model.objects.first()  # type: ignore[attr-defined]
    with pytest.raises(DatabaseError):
        model.objects.filter(pk=row.pk).delete()  # type: ignore[attr-defined]
    with pytest.raises(DatabaseError):
        row.save()


def test_a_missing_guard_is_found(played: Story) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DROP TRIGGER guard_games_tableevent_no_update"
            + (" ON games_tableevent" if connection.vendor == "postgresql" else "")
        )
    assert "guards" in breaches()
    triggers.install(connection)
