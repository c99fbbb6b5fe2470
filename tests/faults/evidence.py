"""What a table's log and the books say after a fault: read by a process of its own, from the database alone.

`python -m tests.faults.evidence` in a server's environment reads {"table": id, "acked": {id: seq}} from its input and
prints one JSON object.
"""

import json
import subprocess
import sys
from collections import Counter
from typing import Any

from tests import servers


def evidence(environment: dict[str, str], table: int, acked: dict[str, int]) -> dict[str, Any]:
    """Return {kinds, lost, doubled, breaches, running}: all but `kinds` and `running` must be empty."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.evidence"],
        cwd=servers.ROOT,
        env=environment,
        input=json.dumps({"table": table, "acked": acked}),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
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
        "breaches": [breach.detail for breach in verify_books().breaches],
        "running": Deal.objects.filter(closed_seq=None).count(),
    }


def main() -> None:
    """Read the question, print the answer."""
    import django

    django.setup()
    asked = json.loads(sys.stdin.read())
    print(json.dumps(_read(asked["table"], asked["acked"])))


if __name__ == "__main__":
    main()
