"""`python -m games.engine`: the rules console on standard input and output, a line for a line."""

from __future__ import annotations

import os
import sys

from games.engine.console import answer


def main() -> int:
    """Answer every line until the input ends, or nobody reads the answers."""
    try:
        for line in sys.stdin.buffer:
            sys.stdout.write(answer(line) + "\n")
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
