"""Threads of the libraries below, held to one where that is quicker or exact."""

from __future__ import annotations

from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # Finding the libraries takes milliseconds, so they are looked up once.
    return ThreadpoolController()


def single_threaded() -> Any:
    """Context in which BLAS and OpenMP use one thread, from the calling thread.

    Small products are quicker so, and sums come out the same to the last bit on any
    machine.
    """
    return _controller().limit(limits=1)
