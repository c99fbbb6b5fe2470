"""What can go wrong at the door of a table; words for it are made at the edge."""

from __future__ import annotations


class TableError(Exception):
    """A request that a table does not grant. `code` is stable, `detail` is data for the words."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail


class TableGone(TableError):
    """No such table, or it is closed for good."""

    def __init__(self, detail: str = "") -> None:
        super().__init__("table_gone", detail)


class NewerFormat(TableError):
    """The table is kept by a newer release: this process may neither read nor write it."""

    def __init__(self, detail: str = "") -> None:
        super().__init__("newer_format", detail)


class Draining(TableError):
    """This process is about to end and opens no deal any more: another one does, when it is asked again."""

    def __init__(self, detail: str = "") -> None:
        super().__init__("draining", detail)


class LogBroken(TableError):
    """The log of the table does not fold: somebody changed it, or a deal's secret cannot be opened."""

    def __init__(self, detail: str = "") -> None:
        super().__init__("log_broken", detail)
