"""The queue of SQLite's writers: first come, first served, and nobody is left holding the lock."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connections, transaction

from config.settings.base import database
from config.sqlite.base import DatabaseWrapper, FairLock, lock_of

ALIAS = "queue"


class Bank:
    """A database file of its own with one account; each thread that asks has its own connection."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def connection(self) -> DatabaseWrapper:
        connection = connections[ALIAS]
        assert isinstance(connection, DatabaseWrapper)
        return connection

    def run(self, sql: str) -> Any:
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone() if cursor.description else None

    def pay_in(self) -> None:
        """Read, then write what was read plus one: two at once would lose a coin."""
        with transaction.atomic(using=ALIAS):
            balance = self.balance()
            self.run(f"UPDATE account SET balance = {balance + 1}")

    def balance(self) -> int:
        balance: int = self.run("SELECT balance FROM account")[0]
        return balance

    def is_free(self) -> bool:
        """Tell whether another connection could write right now."""
        lock = lock_of(self.path)
        try:
            lock.release(lock.acquire(abandon=lambda: None, timeout=0))
        except TimeoutError:
            return False
        return True


@pytest.fixture
def bank(tmp_path: Path, django_db_blocker: Any) -> Iterator[Bank]:
    settings = database(f"sqlite:///{tmp_path}/bank.sqlite3")
    settings["OPTIONS"]["timeout"] = 5
    connections.databases[ALIAS] = connections.configure_settings({"default": {}, ALIAS: settings})[ALIAS]
    bank = Bank(tmp_path / "bank.sqlite3")
    with django_db_blocker.unblock():
        bank.run("CREATE TABLE account (balance INTEGER CHECK (balance >= 0))")
        bank.run("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        bank.run("CREATE TABLE child (of INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)")
        bank.run("INSERT INTO account VALUES (0)")
        yield bank
        connections[ALIAS].close()
    del connections[ALIAS], connections.databases[ALIAS]


def in_threads(number: int, work: Callable[[int], None]) -> list[BaseException]:
    """Run `work(0)` … in threads of their own, close their connections, and return what they raised."""
    raised: list[BaseException] = []

    def run(index: int) -> None:
        try:
            work(index)
        except Exception as error:
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def test_eight_writers_never_meet_a_locked_database_and_lose_no_coin(bank: Bank) -> None:
    def work(_: int) -> None:
        for _ in range(25):
            bank.pay_in()

    assert in_threads(8, work) == []
    assert bank.balance() == 200
    assert bank.is_free()


def test_writers_are_served_in_the_order_they_came(bank: Bank) -> None:
    served: list[int] = []
    lock = lock_of(bank.path)
    first = lock.acquire(abandon=lambda: None, timeout=1)
    threads = []
    for index in range(6):

        def write(index: int = index) -> None:
            with transaction.atomic(using=ALIAS):
                served.append(index)
            connections.close_all()

        threads.append(threading.Thread(target=write))
        threads[-1].start()
        while len(lock._waiting) <= index:
            time.sleep(0.001)
    lock.release(first)
    for thread in threads:
        thread.join(10)
    assert served == [0, 1, 2, 3, 4, 5]


def test_among_four_writers_hardly_anybody_is_overtaken(bank: Bank) -> None:
    """Counted in transactions, not in time: whoever asks has at most three others before him.

    A thread may lose the processor between its look at the counter and its place in the queue, hence nine in ten.
    """
    served = 0
    before_me: list[int] = []

    def work(_: int) -> None:
        nonlocal served
        for _ in range(50):
            asked = served
            with transaction.atomic(using=ALIAS):
                before_me.append(served - asked)
                served += 1
                bank.run("UPDATE account SET balance = balance + 1")

    assert in_threads(4, work) == []
    assert sorted(before_me)[len(before_me) * 9 // 10] <= 4


def test_an_inner_block_does_not_give_the_lock_back(bank: Bank) -> None:
    with transaction.atomic(using=ALIAS):
        with transaction.atomic(using=ALIAS):
            bank.run("UPDATE account SET balance = 5")
        assert not bank.is_free()
    assert bank.is_free()
    assert bank.balance() == 5


def test_an_inner_block_that_fails_undoes_itself_alone(bank: Bank) -> None:
    with transaction.atomic(using=ALIAS):
        bank.run("UPDATE account SET balance = 5")
        with pytest.raises(IntegrityError), transaction.atomic(using=ALIAS):
            bank.run("UPDATE account SET balance = -1")
        assert not bank.is_free()
    assert bank.balance() == 5


def test_a_rollback_gives_the_lock_back(bank: Bank) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic(using=ALIAS):
        bank.run("UPDATE account SET balance = 5")
        raise ZeroDivisionError
    assert bank.is_free()
    assert bank.balance() == 0


def test_a_commit_that_fails_gives_the_lock_back(bank: Bank) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(using=ALIAS):
        bank.run("INSERT INTO child VALUES (77)")
    assert bank.is_free()
    bank.pay_in()


def test_a_begin_that_fails_gives_the_lock_back(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    bank.connection.ensure_connection()
    monkeypatch.setattr(bank.connection, "transaction_mode", "NONSENSE")
    with pytest.raises(OperationalError), transaction.atomic(using=ALIAS):
        pass
    assert bank.is_free()


def test_closing_a_connection_in_the_middle_gives_the_lock_back(bank: Bank) -> None:
    with pytest.raises(Exception, match=r"closed|block"), transaction.atomic(using=ALIAS):
        bank.run("UPDATE account SET balance = 5")
        bank.connection.close()
        assert bank.is_free()
        bank.run("UPDATE account SET balance = 6")
    bank.pay_in()
    assert bank.balance() == 1


def test_a_thread_that_dies_in_a_transaction_is_thrown_out(bank: Bank) -> None:
    left_open = []

    def die() -> None:
        transaction.atomic(using=ALIAS).__enter__()
        bank.run("UPDATE account SET balance = 5")
        left_open.append(bank.connection)

    thread = threading.Thread(target=die)
    thread.start()
    thread.join()
    bank.pay_in()
    assert bank.balance() == 1
    assert bank.is_free()


def test_who_waits_too_long_is_told_and_leaves_the_queue(bank: Bank) -> None:
    lock = lock_of(bank.path)
    holding = lock.acquire(abandon=lambda: None, timeout=1)
    bank.connection.settings_dict["OPTIONS"]["timeout"] = 0.3
    with pytest.raises(OperationalError, match="locked"), transaction.atomic(using=ALIAS):
        pass
    lock.release(holding)
    assert bank.is_free()
    bank.pay_in()


def test_releasing_twice_does_not_take_the_lock_from_the_next(bank: Bank) -> None:
    lock = FairLock()
    first = lock.acquire(abandon=lambda: None, timeout=1)
    lock.release(first)
    second = lock.acquire(abandon=lambda: None, timeout=1)
    lock.release(first)
    with pytest.raises(TimeoutError):
        lock.acquire(abandon=lambda: None, timeout=0)
    lock.release(second)


def test_two_names_of_one_file_share_a_lock(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real.sqlite3")
    assert lock_of(tmp_path / "link") is lock_of(tmp_path / "real.sqlite3")
    assert lock_of(tmp_path / "other.sqlite3") is not lock_of(tmp_path / "real.sqlite3")


def test_the_database_of_the_tests_is_a_file_with_the_durability_of_the_product(bank: Bank) -> None:
    assert bank.run("PRAGMA journal_mode") == ("wal",)
    assert bank.run("PRAGMA synchronous") == (2,)
    assert bank.run("PRAGMA foreign_keys") == (1,)
