"""Samples renumbered, so that neighbours are near each other in memory."""

from __future__ import annotations

import numpy as np
from numba import njit

from graphtailor.solvers.problem import DescentProblem

# Samples in a cell: what the descent reads of them stays in a core's cache.
_CELL = 1024


def locality_order(
    indptr: np.ndarray, indices: np.ndarray, cell: int = _CELL
) -> np.ndarray:
    """An order of the samples in which neighbours come near each other.

    Cells are grown on the graph: a cell takes the samples nearest to its first one,
    by number of steps, until it is full, and the next one starts at its border.
    """
    return _grow_cells(indptr, indices, cell)


def renumbered(
    problem: DescentProblem, order: np.ndarray
) -> tuple[DescentProblem, np.ndarray]:
    """The problem with its samples in another order.

    Sample k of it is ``order[k]``. The second array tells where the entries of its
    `s` stood: they are ``s[source]``.
    """
    support, source = problem.support.renumbered(order)
    how = problem.alpha, problem.beta, problem.columns.n_jobs
    return DescentProblem(problem.X[order], support, *how), source


@njit(cache=True, nogil=True)
def _grow_cells(indptr: np.ndarray, indices: np.ndarray, cell: int) -> np.ndarray:
    n = len(indptr) - 1
    order = np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    reached = np.zeros(n, dtype=np.bool_)  # placed, or in the queue
    placed, lowest, head, tail = 0, 0, 0, 0
    while placed < n:
        if head < tail:  # on the border of the last cell; the others are set free
            first = queue[head]
            for t in range(head, tail):
                reached[queue[t]] = False
        else:
            while reached[lowest]:
                lowest += 1
            first = lowest
        queue[0], head, tail = first, 0, 1
        reached[first] = True
        full = min(placed + cell, n)
        while head < tail and placed < full:
            i = queue[head]
            head += 1
            order[placed] = i
            placed += 1
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                if not reached[j]:
                    reached[j] = True
                    queue[tail] = j
                    tail += 1
    return order
