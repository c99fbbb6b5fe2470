"""The ledger on PostgreSQL: all tests of this folder again, on a real server."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_the_ledger_on_postgresql(postgres):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", str(HERE), "-q", "-p", "no:cacheprovider"],
        env={**environment, "PAISHE_DATABASE_URL": postgres.database()},
        capture_output=True,
        text=True,
        check=False,
    )
    print(run.stdout, run.stderr)
    assert run.returncode == 0
