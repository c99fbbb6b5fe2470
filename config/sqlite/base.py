"""SQLite with a fair queue around BEGIN IMMEDIATE (filled in by the set-up work)."""

from django.db.backends.sqlite3.base import DatabaseWrapper

__all__ = ["DatabaseWrapper"]
