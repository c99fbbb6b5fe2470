"""The writer of a process: one thread that performs the commands of all its sockets, many to a transaction.

Commands wait while a transaction runs and go together into the next one, one a table (a second command for the same
table waits for the following round). A database that fails is asked again a few times on a fresh connection; then
every waiting command is answered `unavailable`, and the client sends it again under the same id.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Sequence
from queue import Empty, SimpleQueue

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connections

from games import failpoints, metrics, tables
from games.errors import TableError
from games.table.commands import Command
from games.tables import Answer, Request

logger = structlog.get_logger(__name__)

_BATCH = 128
_IDLE_S = 5.0
_TRIES = 4
_PAUSE_S = 0.1


class Writer:
    """A thread that performs commands; `submit` from any event loop."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Request | None] = SimpleQueue()
        self._waiting: deque[Request] = deque()
        self._thread = threading.Thread(target=self._work, name="table-writer", daemon=True)
        self._started = False
        self._stopping = False
        self._lock = threading.Lock()
        self._answers: dict[
            asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Answer], Answer | Exception]]
        ]
        self._answers = {}

    def submit(self, table_id: int, command: Command) -> asyncio.Future[Answer]:
        """Queue a command; the future gives its Answer, or raises TableError (unavailable, table_gone, …)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()

        def done(answer: Answer) -> None:
            self._answer(loop, future, answer)

        def fail(error: Exception) -> None:
            self._answer(loop, future, error)

        self._start()
        self._queue.put(Request(table_id, command, done, fail))
        return future

    def _answer(
        self, loop: asyncio.AbstractEventLoop, future: asyncio.Future[Answer], answer: Answer | Exception
    ) -> None:
        """Give a future its result in its loop, which is woken once for all that it has not taken yet."""
        with self._lock:
            answers = self._answers.setdefault(loop, [])
            answers.append((future, answer))
            if len(answers) > 1:
                return
        try:
            loop.call_soon_threadsafe(self._hand_over, loop)
        except RuntimeError:
            self._answers.pop(loop, None)
            logger.info("answer_without_loop")

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            answers = self._answers.pop(loop, [])
        for future, answer in answers:
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

    def stop(self, timeout: float = 5.0) -> None:
        """Perform what is queued and end the thread."""
        with self._lock:
            self._stopping = True
            started = self._started
        if started:
            self._queue.put(None)
            self._thread.join(timeout)

    def waiting(self) -> int:
        """Return about how many commands wait."""
        return self._queue.qsize() + len(self._waiting)

    def _start(self) -> None:
        if self._started:
            return
        with self._lock:
            if not self._started and not self._stopping:
                self._started = True
                self._thread.start()

    def _work(self) -> None:
        while True:
            batch, last = self._next_batch()
            if batch:
                metrics.BATCH.observe(len(batch))
                self._perform(batch)
            if last and not self._waiting:
                connections.close_all()
                return

    def _next_batch(self) -> tuple[list[Request], bool]:
        """Wait for work; return at most one request a table, in order of arrival, and whether to end after it."""
        last = False
        if not self._waiting:
            try:
                first = self._queue.get(timeout=_IDLE_S)
            except Empty:
                close_old_connections()
                return [], self._stopping
            last = first is None
            if first is not None:
                self._waiting.append(first)
        while True:
            try:
                request = self._queue.get_nowait()
            except Empty:
                break
            if request is None:
                last = True
            else:
                self._waiting.append(request)
        batch: dict[int, Request] = {}
        rest: deque[Request] = deque()
        for request in self._waiting:
            if request.table_id in batch or len(batch) >= _BATCH:
                rest.append(request)
            else:
                batch[request.table_id] = request
        self._waiting = rest
        return list(batch.values()), last or self._stopping

    def _perform(self, batch: Sequence[Request]) -> None:
        for attempt in range(_TRIES):
            open_requests = [_Once(request) for request in batch]
            try:
                failpoints.reach("before_batch")
                tables.run([once.request() for once in open_requests])
            except (OperationalError, InterfaceError) as error:
                batch = [once.original for once in open_requests if not once.answered]
                logger.warning("writer_retries", attempt=attempt, error=type(error).__name__)
                _renew_connections()
                time.sleep(_PAUSE_S * 2**attempt)
            except Exception as error:
                logger.exception("writer_failed")
                _renew_connections()
                for once in open_requests:
                    if not once.answered:
                        once.original.fail(TableError("unavailable", type(error).__name__))
                return
            else:
                return
        for request in batch:
            request.fail(TableError("unavailable"))


class _Once:
    """A request whose answer is given at most once, whatever is tried again."""

    def __init__(self, original: Request) -> None:
        self.original = original
        self.answered = False

    def request(self) -> Request:
        return self.original._replace(done=self._done, fail=self._fail)

    def _done(self, answer: Answer) -> None:
        self.answered = True
        self.original.done(answer)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, DatabaseError):
            logger.warning("command_failed", error=type(error).__name__)
            _renew_connections()
            error = TableError("unavailable", type(error).__name__)
        self.answered = True
        self.original.fail(error)


def _renew_connections() -> None:
    for connection in connections.all(initialized_only=True):
        connection.close_if_unusable_or_obsolete()


_writer: Writer | None = None
_make = threading.Lock()


def writer() -> Writer:
    """Return this process's writer."""
    global _writer
    with _make:
        if _writer is None:
            _writer = Writer()
        return _writer


def waiting() -> int:
    """Return about how many commands wait for this process's writer."""
    return _writer.waiting() if _writer is not None else 0


def stop() -> None:
    """End this process's writer after what is queued; a later `writer()` makes a new one."""
    global _writer
    with _make:
        ending, _writer = _writer, None
    if ending is not None:
        ending.stop()
