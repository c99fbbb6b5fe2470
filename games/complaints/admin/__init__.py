"""The desk's complaints: the queue, the file of a case, verdicts; and what the staff may do to people and tables."""

from games.complaints.admin import cases, log, people, tables

__all__ = ["cases", "log", "people", "tables"]
