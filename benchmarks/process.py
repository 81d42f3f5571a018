"""CPU seconds and memory of the running process, for all benchmarks."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")


class Seconds(NamedTuple):
    """What a call took: seconds of the wall clock and of the processors."""

    wall: float
    cpu: float


def timed(function: Callable[[], Result]) -> tuple[Result, Seconds]:
    """The result of a call, and what it took."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    result = function()
    return result, Seconds(time.perf_counter() - wall, cpu_seconds() - cpu)


def cpu_seconds() -> float:
    """User and system time of this process, its threads and its ended children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """Peak resident memory so far.

    On Linux ru_maxrss starts at what the parent process held, so the peak of this
    program alone is read from the kernel's own file.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if "VmHWM" in x)
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
