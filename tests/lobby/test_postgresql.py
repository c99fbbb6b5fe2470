"""The races and the queue of this folder once more, on PostgreSQL."""

import os
import subprocess
import sys

from tests import servers


def test_they_end_the_same_way_on_postgresql(postgres: servers.Postgres) -> None:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "PAISHE_DATABASE_URL": postgres.database(),
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/lobby/test_races.py",
         "tests/lobby/test_matching.py", "tests/lobby/test_strangers.py"],
        cwd=servers.ROOT, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
