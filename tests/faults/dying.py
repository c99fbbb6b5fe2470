"""A web process that dies at a failpoint, as by kill -9: `daphne tests.faults.dying:application`.

PAISHE_DIE_AT names the failpoint and the time it is reached at which the process is gone, "before_ack:3".
"""

import os
import signal

from config.asgi import application
from games import failpoints

__all__ = ["application"]


def arm(order: str) -> None:
    """Die when a failpoint is reached for the so manieth time: "name:times"."""
    name, _, times = order.partition(":")
    if name not in failpoints.NAMES:
        raise ValueError(f"no failpoint {name!r}")
    left = int(times or 1)

    def reached(where: str) -> None:
        nonlocal left
        left -= where == name
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    failpoints.arm(reached)


if order := os.environ.get("PAISHE_DIE_AT"):
    arm(order)
