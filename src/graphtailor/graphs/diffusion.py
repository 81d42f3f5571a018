"""Diffusion: let a sparse graph spread along its own paths."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import ceil, log2

import numpy as np
from joblib import effective_n_jobs
from numba import njit
from scipy import sparse

from graphtailor.graphs.weights import normalize_affinity

# Rows of a product that one thread takes at a time.
_ROWS_PER_BLOCK = 512


def diffuse(W: sparse.csr_array, steps: int, keep: int) -> sparse.csr_array:
    r"""Spread an affinity by a lazy random walk, and keep it sparse.

    With :math:`T = D^{-1/2} W D^{-1/2}` the result is
    :math:`((I + T)/2)^{\text{steps}}` without its diagonal, cut to the largest
    entries of each row, made symmetric and normalised by the degrees again.
    Without that second normalisation long clusters are cut into pieces.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric nonnegative affinity.
    steps : int
        Length of the walk, rounded up to a power of two: powers are taken by
        squaring, so that 8 steps cost three sparse products.
    keep : int
        Entries kept in a row after each squaring.

    Returns
    -------
    csr_array of shape (n, n)
        The diffused affinity, symmetric and normalised.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from graphtailor.graphs.diffusion import diffuse
    >>> chain = sparse.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    >>> bool(diffuse(chain, 4, keep=4)[0, 2] > 0)
    True
    """
    return Diffusion(W, keep).after(steps)


class Diffusion:
    """Walks on one graph; a longer one goes on from those that were made before.

    Parameters
    ----------
    W, keep
        As in :func:`diffuse`.
    n_jobs : int or None, default=None
        Threads; the result does not depend on their number.
    """

    def __init__(
        self, W: sparse.csr_array, keep: int, n_jobs: int | None = None
    ) -> None:
        self.keep = keep
        self.n_jobs = effective_n_jobs(n_jobs)
        T = normalize_affinity(W)
        walk = (sparse.eye_array(T.shape[0], format="csr") + T) / 2
        self._walks = [sparse.csr_array(walk)]  # of 1, 2, 4, ... steps

    def after(self, steps: int) -> sparse.csr_array:
        """The affinity after so many steps, rounded up to a power of two."""
        squarings = ceil(log2(steps))
        while len(self._walks) <= squarings:
            square = _square(self._walks[-1], self.keep + 1, self.n_jobs)
            self._walks.append(square)
        walk = self._walks[squarings].tocoo()
        others = walk.row != walk.col
        rows, cols = walk.row[others], walk.col[others]
        spread = sparse.csr_array((walk.data[others], (rows, cols)), walk.shape)
        spread = _largest_in_rows(spread, self.keep)
        return normalize_affinity(sparse.csr_array((spread + spread.T) / 2))


def _square(A: sparse.csr_array, keep: int, n_jobs: int) -> sparse.csr_array:
    """A @ A with the `keep` largest entries of each row; ties to the lowest column.

    The whole product would have many times their number.
    """
    n = A.shape[0]
    keep = min(keep, n)
    columns = np.empty((n, keep), dtype=A.indices.dtype)
    values = np.empty((n, keep), dtype=A.dtype)
    counts = np.empty(n, dtype=np.int64)

    def block(first: int) -> None:
        last = min(first + _ROWS_PER_BLOCK, n)
        matrix = (A.indptr, A.indices, A.data)
        _square_rows(*matrix, first, last, columns, values, counts)

    with ThreadPoolExecutor(n_jobs) as pool:
        list(pool.map(block, range(0, n, _ROWS_PER_BLOCK)))
    filled = np.arange(keep) < counts[:, None]
    places = np.concatenate([[0], np.cumsum(counts)])
    return sparse.csr_array((values[filled], columns[filled], places), A.shape)


@njit(cache=True, nogil=True)
def _square_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    first: int,
    last: int,
    columns: np.ndarray,
    values: np.ndarray,
    counts: np.ndarray,
) -> None:
    n, keep = columns.shape
    sums = np.zeros(n, dtype=data.dtype)
    reached_from = np.full(n, -1, dtype=np.int64)
    reached = np.empty(n, dtype=indices.dtype)
    for i in range(first, last):
        m = 0
        for e in range(indptr[i], indptr[i + 1]):
            for f in range(indptr[indices[e]], indptr[indices[e] + 1]):
                j = indices[f]
                if reached_from[j] != i:
                    reached_from[j] = i
                    sums[j] = 0
                    reached[m] = j
                    m += 1
                sums[j] += data[e] * data[f]
        kept = reached[:m]
        if m > keep:  # the few that may stay are put in order, not all of them
            row = sums[kept]
            kept = kept[row >= np.partition(row, m - keep)[m - keep]]
        kept = np.sort(kept)
        kept = kept[_are_largest(sums[kept], keep)]
        counts[i] = len(kept)
        for a in range(len(kept)):
            columns[i, a] = kept[a]
            values[i, a] = sums[kept[a]]


def _largest_in_rows(A: sparse.csr_array, keep: int) -> sparse.csr_array:
    """Keep the `keep` largest entries of each row; ties go to the lowest column."""
    A.sort_indices()
    kept = _are_largest_in_rows(A.indptr, A.data, keep)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))[kept]
    return sparse.csr_array((A.data[kept], (rows, A.indices[kept])), A.shape)


@njit(cache=True, nogil=True)
def _are_largest_in_rows(indptr: np.ndarray, data: np.ndarray, keep: int) -> np.ndarray:
    kept = np.empty(len(data), dtype=np.bool_)
    for i in range(len(indptr) - 1):
        row = slice(indptr[i], indptr[i + 1])
        kept[row] = _are_largest(data[row], keep)
    return kept


@njit(cache=True, nogil=True)
def _are_largest(row: np.ndarray, keep: int) -> np.ndarray:
    m = len(row)
    kept = np.ones(m, dtype=np.bool_)
    if m <= keep:
        return kept
    least = np.partition(row, m - keep)[m - keep]
    room = keep - (row > least).sum()  # for those that equal the least one kept
    for e in range(m):
        if row[e] < least or (row[e] == least and room == 0):
            kept[e] = False
        elif row[e] == least:
            room -= 1
    return kept
