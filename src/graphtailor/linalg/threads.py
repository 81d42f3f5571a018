"""Threads: our own for independent pieces of work, one for the libraries below."""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from typing import Any, Self, TypeVar

import numpy as np
from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")

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


class Workers:
    """Threads for independent pieces of work, for as long as the context lasts.

    BLAS and OpenMP use one thread each meanwhile, so that a result depends neither on
    the number of workers nor on that of the cores.
    """

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = effective_n_jobs(n_jobs)

    def __enter__(self) -> Self:
        self._pool = (
            # The limit of OpenMP belongs to the thread, so that each sets its own.
            ThreadPoolExecutor(self.n_jobs, initializer=_limit_openmp)
            if self.n_jobs > 1
            else None
        )
        self._limit = single_threaded()
        self._limit.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()
        self._limit.__exit__(None, None, None)

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> list[Result]:
        """Results of the function for each item, in the order of the items."""
        if self._pool is None:
            return [function(item) for item in items]
        # Threads start without the settings of the caller, such as np.errstate.
        futures = [
            self._pool.submit(copy_context().run, function, item) for item in items
        ]
        return [future.result() for future in futures]

    def shares(self, count: int) -> list[np.ndarray]:
        """The numbers up to `count` in one part for each thread."""
        return np.array_split(np.arange(count), min(self.n_jobs, count))


def map_threads(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int | None
) -> list[Result]:
    """Results of the function for each item, in order, by `n_jobs` threads."""
    with Workers(n_jobs) as workers:
        return workers.map(function, items)


def _limit_openmp() -> None:
    _libraries("openmp").limit(limits=1)
