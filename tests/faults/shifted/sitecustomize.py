"""A machine's clock that is wrong: Python imports this by itself where this folder is in PYTHONPATH.

`time.time` and `time.time_ns` are off by the milliseconds that stand in the file CLOCK_SHIFT_FILE, read anew each
time; `time.monotonic` and the clock of the database are right.
"""

import os
import time

_file = os.environ.get("CLOCK_SHIFT_FILE", "")
_time, _time_ns = time.time, time.time_ns


def _shift_ms() -> int:
    try:
        with open(_file) as file:  # noqa: PTH123
            return int(file.read() or 0)
    except (OSError, ValueError):
        return 0


if _file:
    time.time = lambda: _time() + _shift_ms() / 1000
    time.time_ns = lambda: _time_ns() + _shift_ms() * 1_000_000
