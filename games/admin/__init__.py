"""The desk's view of tables: what happened, read from the log; nothing here writes, nothing opens a live deal."""

from games.admin import deals, people, records, service, tables

__all__ = ["deals", "people", "records", "service", "tables"]
