"""Threads of the libraries below, held to one where that is quicker or exact."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_blas_before: Any = None


@cache
def _libraries(user_api: str) -> ThreadpoolController:
    # Finding the libraries takes milliseconds, so they are looked up once.
    return ThreadpoolController().select(user_api=user_api)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Context in which BLAS and OpenMP use one thread, safe from several threads.

    Small products are quicker so, and sums come out the same to the last bit on any
    number of cores.
    """
    global _inside, _blas_before
    # The limit of BLAS belongs to the process: whoever comes first sets it, and
    # whoever leaves last puts it back. That of OpenMP belongs to the thread.
    with _lock:
        if _inside == 0:
            _blas_before = _libraries("blas").limit(limits=1)
        _inside += 1
    try:
        with _libraries("openmp").limit(limits=1):
            yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _blas_before.restore_original_limits()
