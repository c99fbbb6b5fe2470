"""What a table's log and the books say after a fault: read by a process of its own, from the database alone.

`python -m tests.faults.evidence` in a server's environment reads [[table, {id: seq that was acked}], …] from its
input and prints a JSON list.
"""

import json
import subprocess
import sys
from collections import Counter
from typing import Any

from games.engine import rulesets
from tests import servers


def evidence(environment: dict[str, str], table: int, acked: dict[str, int]) -> dict[str, Any]:
    """Return what `evidences` says of one table."""
    return evidences(environment, {table: acked})[0]


def evidences(environment: dict[str, str], tables: dict[int, dict[str, int]]) -> list[dict[str, Any]]:
    """Return of each table {kinds, lost, doubled, unsettled, breaches, running}: all must be empty but `kinds`
    and `running`.

    `unsettled` are deals of the table that ended and were not settled exactly once.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.evidence"],
        cwd=servers.ROOT,
        env=environment,
        input=json.dumps(list(tables.items())),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _read(table: int, acked: dict[str, int]) -> dict[str, Any]:
    from games.models import Deal, TableEvent
    from wallet.audit import verify_books

    rows = list(TableEvent.objects.filter(table_id=table).order_by("seq").values_list("seq", "body"))
    events = [(seq, json.loads(body)) for seq, body in rows]
    marks = [(event["cmd"], seq) for seq, event in events if "cmd" in event]
    return {
        "kinds": Counter(event["kind"] for _, event in events),
        "lost": sorted(set(acked.items()) - set(marks)),
        "doubled": [mark for mark, times in Counter(mark for mark, _ in marks).items() if times > 1],
        "unsettled": _unsettled(table),
        "breaches": [breach.detail for breach in verify_books().breaches],
        "running": Deal.objects.filter(closed_seq=None).count(),
    }


def _unsettled(table: int) -> list[str]:
    """Return the ended deals without one result a seat, or without one ledger transaction where coins moved."""
    from games.models import Deal, SeatResult
    from wallet.models import Transaction

    wrong = []
    for deal in Deal.objects.filter(table_id=table).exclude(closed_seq=None):
        results = list(SeatResult.objects.filter(deal=deal, reversal_of=None).values_list("net", flat=True))
        seats = rulesets.get(deal.ruleset).seats if deal.how in ("over", "escaped") else 0
        moves = Transaction.objects.filter(reference=f"deal:{deal.pk}").count()
        if len(results) != seats or moves != int(any(results)):
            wrong.append(deal.pk)
    return wrong


def main() -> None:
    """Read the question, print the answer."""
    import django

    django.setup()
    print(json.dumps([_read(table, acked) for table, acked in json.loads(sys.stdin.read())]))


if __name__ == "__main__":
    main()
