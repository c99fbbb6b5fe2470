"""People with sessions and tables with seats, put straight into a server's database.

`python -m tests.sockets.seed --tables 2 --ruleset bigtwo.qq` in a server's environment prints one JSON line:
a list of tables, each {"code", "id", "people": [{"name", "user", "session"}]}. Sign-up over HTTP is
`tests.sockets.browser`; this is for tests that are about something else, and for loads.
"""

import argparse
import json
import secrets
import subprocess
import sys
from typing import Any

from tests import servers

TERMS: dict[str, Any] = {
    "tier": "qq.bamboo",
    "base_stake": 10,
    "cap": 2000,
    "entry": None,
    "fee": {"kind": "flat", "value": 10},
    "initial_multiplier": 1,
    "currency": "coins",
    "turn_s": 20,
    "start_s": 300,  # a busy machine is slow to bring four people to press start
    "anti_cheat": False,
    "practice": False,
    "seating": "pick",
    "spectators": True,
}


def seed(
    environment: dict[str, str], *, tables: int = 1, people: int = 4, **terms: Any
) -> list[dict[str, Any]]:
    """Make tables with so many people seated at each; `terms` change the table's terms, `ruleset` its game."""
    ruleset = terms.pop("ruleset", "bigtwo.qq")
    more = [
        "--tables",
        str(tables),
        "--people",
        str(people),
        "--ruleset",
        ruleset,
        "--terms",
        json.dumps(terms),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.sockets.seed", *more],
        cwd=servers.ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    made: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return made


def run(environment: dict[str, str], code: str) -> None:
    """Run a line of Python in another process of the same house, as another server would."""
    lines = (
        "import django; django.setup()\n"
        "from accounts.models import User\n"
        "from games import tables\n"
        "from games.table import commands as cmd\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", lines + code],
        cwd=servers.ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def make_person(name: str) -> dict[str, Any]:
    """Make a user who is signed in, and return his name, number and session key."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from accounts.models import User

    user = User.objects.create_user(username=name)
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return {"name": name, "user": user.pk, "session": session.session_key}


def make_table(ruleset: str, people: int, terms: dict[str, Any]) -> dict[str, Any]:
    """Open a table and seat so many new people there."""
    from accounts.models import User
    from games import tables

    table = tables.open_table(tier="qq.bamboo", ruleset=ruleset, terms={**TERMS, **terms})
    made = [make_person(f"p{secrets.token_hex(5)}") for _ in range(people)]
    for person in made:
        tables.take_seat(user=User.objects.get(pk=person["user"]), table=table)
    return {"code": table.code, "id": table.pk, "people": made}


def main() -> None:
    """Make what the command line asks for, in one go."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=1)
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--ruleset", default="bigtwo.qq")
    parser.add_argument("--terms", type=json.loads, default={})
    asked = parser.parse_args()
    import django

    django.setup()
    from django.db import transaction

    made = []
    for _ in range(asked.tables):
        with transaction.atomic():  # one a table: nobody else is kept waiting
            made.append(make_table(asked.ruleset, asked.people, asked.terms))
    print(json.dumps(made))


if __name__ == "__main__":
    main()
