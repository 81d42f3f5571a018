"""Limits on the time and the memory of a piece of code."""

import ctypes
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]


class TimeLimitPassed(Exception):
    """Raised in the code that took too long."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise :class:`TimeLimitPassed` in the block when it takes too long.

    It works in any thread, also in that of a Dask worker, where signals do not
    arrive. A call into compiled code is not broken off: the exception comes when it
    returns to Python.
    """
    if seconds is None:
        yield
        return
    bomb = _Bomb(threading.get_ident())
    timer = threading.Timer(seconds, bomb.explode)
    timer.daemon = True
    timer.start()
    try:
        try:
            yield
        finally:
            timer.cancel()
            bomb.disarm()
    except TimeLimitPassed:
        raise TimeLimitPassed(f"passed the limit of {seconds:g} s") from None


class _Bomb:
    """Raises an exception in another thread, unless it is disarmed before."""

    def __init__(self, thread: int) -> None:
        self._thread = ctypes.c_ulong(thread)
        self._lock = threading.Lock()
        self._armed = True
        self._exploded = False

    def explode(self) -> None:
        with self._lock:
            if self._armed:
                self._exploded = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    self._thread, ctypes.py_object(TimeLimitPassed)
                )

    def disarm(self) -> None:
        with self._lock:
            self._armed = False
        if self._exploded:
            # It comes within a few steps, if it has not come yet: here, not later.
            for _ in range(100):
                time.sleep(0)
            raise TimeLimitPassed


@contextmanager
def memory_limit(megabytes: float | None) -> Iterator[None]:
    """Limit the memory that the block may add; beyond it allocation raises MemoryError.

    Without effect where the system has no such limit.
    """
    held = _held_bytes()
    if megabytes is None or resource is None or held is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(held + megabytes * 1e6)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _held_bytes() -> int | None:
    """Private writable memory of the process, as the kernel counts it."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[5]
    except (OSError, IndexError):
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
