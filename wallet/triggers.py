"""Triggers by which the database itself keeps tables final; any app declares its own in `AppConfig.ready`.

`guard_append_only("games.TableEvent")` refuses every UPDATE and DELETE on a table. SQLite loses a table's
triggers when a migration rebuilds it, and stumbles over triggers that name it, so there they are dropped
before migrations and before a flush; on both databases whatever is missing or different is made anew after
migrations. Nothing stands against TRUNCATE: in production the application's role owns no table. The names
of all of them begin with `guard_`.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, Literal, NamedTuple

from django.apps import apps
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.db.transaction import atomic

PREFIX: Final = "guard_"
Event = Literal["INSERT", "UPDATE", "DELETE"]
_CHANGES: Final[tuple[Event, ...]] = ("UPDATE", "DELETE")
_EVENT_BIT: Final = {"INSERT": 4, "DELETE": 8, "UPDATE": 16}  # of pg_trigger.tgtype
_BEFORE_ROW: Final = 1 | 2


class Trigger(NamedTuple):
    """A refusal: before `event`, for each row of `table`, if the SQL condition `when` holds.

    `when` reads NEW or OLD and is the same SQL on both databases.
    """

    name: str
    table: str
    event: Event
    when: str
    message: str
    error: str = "restrict_violation"


_declarations: dict[str, Callable[[], Iterable[Trigger]]] = {}


def declare(key: str, triggers: Callable[[], Iterable[Trigger]]) -> None:
    """Register triggers under a key; the function is asked when they are installed or compared."""
    _declarations[key] = triggers


def guard_append_only(label: str) -> None:
    """Declare that rows of a model ("app.Model") are never changed or deleted, by anyone."""
    declare(f"append_only:{label}", lambda: _append_only(apps.get_model(label)))


def declared() -> dict[str, Trigger]:
    """Return the triggers that should stand, by name."""
    return {trigger.name: trigger for triggers in _declarations.values() for trigger in triggers()}


def differences(connection: BaseDatabaseWrapper) -> list[str]:
    """Return a line for each trigger that is missing, or is not what was declared."""
    found = _found(connection)
    lines = []
    for name, trigger in sorted(declared().items()):
        if name not in found:
            lines.append(f"{name} on {trigger.table} is missing")
        elif found[name] != _definition(connection, trigger):
            lines.append(f"{name} on {trigger.table} is not as declared")
    return lines


def install(connection: BaseDatabaseWrapper) -> None:
    """Make every declared trigger stand, and no other of ours; does nothing where nothing differs."""
    wanted, found = declared(), _found(connection)
    stale = {n for n in found if n not in wanted or found[n] != _definition(connection, wanted[n])}
    absent = [wanted[n] for n in wanted if n not in found or n in stale]
    if not stale and not absent:
        return
    tables = set(connection.introspection.table_names())
    with atomic(using=connection.alias), connection.cursor() as cursor:
        for name in sorted(stale):
            _drop(connection, cursor, name, found[name][0])
        for trigger in absent:
            if trigger.table in tables:
                for statement in _creation(connection, trigger):
                    cursor.execute(statement)


def drop(connection: BaseDatabaseWrapper) -> None:
    """Drop all guards, for a migration or a flush that is followed by `install`."""
    found = _found(connection)
    if found:
        with atomic(using=connection.alias), connection.cursor() as cursor:
            for name in sorted(found):
                _drop(connection, cursor, name, found[name][0])


def on_connection(*, connection: BaseDatabaseWrapper, **_: object) -> None:
    """Have SQLite ask the delete triggers for the rows that REPLACE deletes as well."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA recursive_triggers = ON")


def before_migrations(*, using: str, **_: object) -> None:
    """Drop the guards before migrations where a table rebuild would lose or trip over them."""
    if connections[using].vendor == "sqlite":
        drop(connections[using])


def after_migrations(*, using: str, **_: object) -> None:
    """Install the guards after migrations and flushes."""
    install(connections[using])


def _append_only(model: type[Model]) -> Iterable[Trigger]:
    table = model._meta.db_table
    for event in _CHANGES:
        name = f"{PREFIX}{table}_no_{event.lower()}"
        yield Trigger(name, table, event, "TRUE", f"{table} is append-only")


def _function_body(trigger: Trigger) -> str:
    return (
        f"\nBEGIN\n  IF {trigger.when} THEN\n"
        f"    RAISE EXCEPTION '{trigger.message}' USING ERRCODE = '{trigger.error}';\n"
        "  END IF;\n  RETURN NEW;\nEND;\n"
    )


def _creation(connection: BaseDatabaseWrapper, trigger: Trigger) -> list[str]:
    head = f'CREATE TRIGGER "{trigger.name}" BEFORE {trigger.event} ON "{trigger.table}"'
    if connection.vendor == "sqlite":
        return [f"{head} BEGIN SELECT RAISE(ABORT, '{trigger.message}') WHERE {trigger.when}; END"]
    body = _function_body(trigger)
    return [
        f'CREATE OR REPLACE FUNCTION "{trigger.name}"() RETURNS trigger LANGUAGE plpgsql'
        f" AS $body${body}$body$",
        f'{head} FOR EACH ROW EXECUTE FUNCTION "{trigger.name}"()',
    ]


def _definition(connection: BaseDatabaseWrapper, trigger: Trigger) -> tuple[Any, ...]:
    """Return what the catalogue says of this trigger when it stands as declared."""
    if connection.vendor == "sqlite":
        return (trigger.table, _creation(connection, trigger)[0])
    kind = _BEFORE_ROW | _EVENT_BIT[trigger.event]
    return (trigger.table, kind, "O", True, "", trigger.name, _function_body(trigger))


def _found(connection: BaseDatabaseWrapper) -> dict[str, tuple[Any, ...]]:
    """Return what the catalogue says of each guard there is, by name."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute(
                "SELECT t.tgname, c.relname, t.tgtype, t.tgenabled, t.tgqual IS NULL, t.tgattr::text,"
                " p.proname, p.prosrc"
                " FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid"
                " WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"
            )
        return {row[0]: tuple(row[1:]) for row in cursor.fetchall() if row[0].startswith(PREFIX)}


def _drop(connection: BaseDatabaseWrapper, cursor: Any, name: str, table: str) -> None:
    if connection.vendor == "sqlite":
        cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"')
    else:
        cursor.execute(f'DROP TRIGGER IF EXISTS "{name}" ON "{table}"')
        cursor.execute(f'DROP FUNCTION IF EXISTS "{name}"() CASCADE')
