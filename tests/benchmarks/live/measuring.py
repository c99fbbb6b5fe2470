"""What a server uses: CPU time and memory of its processes, from /proc; and how figures are summed up."""

import os
from collections.abc import Sequence
from pathlib import Path

import psutil


def cpu_s(pid: int) -> float:
    """Return the CPU seconds (user and system) a process has used, all of its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cpu_with_children_s(pid: int) -> float:
    """Return the CPU seconds of a process and of all that it started, the ended ones included."""
    process = psutil.Process(pid)
    total = 0.0
    for one in [process, *process.children(recursive=True)]:
        try:
            total += sum(one.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def memory_kib(pid: int) -> int:
    """Return a process's resident memory in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of all lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")
