"""Diffusion: let a sparse graph spread along its own paths."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.sparse import KeptEntries, insert_smallest, largest_in_rows
from graphtailor.linalg.threads import map_threads

# Rows of a product that one thread takes at a time.
_ROWS_PER_BLOCK = 512


class Diffusion:
    r"""Lazy random walks on one graph; a longer one continues those made before.

    With :math:`T = D^{-1/2} W D^{-1/2}` a walk is
    :math:`((I + T)/2)^{\text{steps}}` without its diagonal, cut to the largest
    entries of each row, made symmetric and normalised by the degrees again.
    Without that second normalisation long clusters are cut into pieces.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric nonnegative affinity.
    keep : int
        Entries kept in a row after each squaring.
    n_jobs : int or None, default=None
        Threads; the result does not depend on their number.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from graphtailor.graphs.diffusion import Diffusion
    >>> chain = sparse.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    >>> bool(Diffusion(chain, keep=4).after(4)[0, 2] > 0)
    True
    """

    def __init__(
        self, W: sparse.csr_array, keep: int, n_jobs: int | None = None
    ) -> None:
        self.keep = keep
        self.n_jobs = n_jobs
        T = normalize_affinity(W)
        walk = (sparse.eye_array(T.shape[0], format="csr") + T) / 2
        self._walks = [sparse.csr_array(walk)]  # of 1, 2, 4, ... steps

    def after(self, steps: int) -> sparse.csr_array:
        """The affinity after this number of steps, rounded up to a power of two.

        Powers are taken by squaring: 8 steps cost three sparse products.
        """
        squarings = ceil(log2(steps))
        while len(self._walks) <= squarings:
            square = _square(self._walks[-1], self.keep + 1, self.n_jobs)
            self._walks.append(square)
        walk = self._walks[squarings].tocoo()
        others = walk.row != walk.col
        rows, cols = walk.row[others], walk.col[others]
        spread = sparse.csr_array((walk.data[others], (rows, cols)), walk.shape)
        spread = largest_in_rows(spread, self.keep)
        return normalize_affinity(sparse.csr_array((spread + spread.T) / 2))


def _square(A: sparse.csr_array, keep: int, n_jobs: int | None) -> sparse.csr_array:
    """A @ A with the `keep` largest entries of each row; ties to the lowest column.

    The whole product would have many times their number.
    """
    n = A.shape[0]
    rows = KeptEntries(n, min(keep, n), A.dtype)

    def block(first: int) -> None:
        last = min(first + _ROWS_PER_BLOCK, n)
        matrix = (A.indptr, A.indices, A.data)
        _square_rows(*matrix, first, last, rows.columns, rows.negated, rows.counts)

    map_threads(block, range(0, n, _ROWS_PER_BLOCK), n_jobs)
    return rows.to_csr(A.shape)


@njit(cache=True, nogil=True)
def _square_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    first: int,
    last: int,
    columns: np.ndarray,
    negated: np.ndarray,
    counts: np.ndarray,
) -> None:
    n = len(counts)
    sums = np.empty(n, dtype=data.dtype)
    # The row that reached a column last, plus 1: numba compiles np.full slowly.
    reached_from = np.zeros(n, dtype=np.int64)
    reached = np.empty(n, dtype=np.int64)
    for i in range(first, last):
        m = 0
        for e in range(indptr[i], indptr[i + 1]):
            for f in range(indptr[indices[e]], indptr[indices[e] + 1]):
                j = indices[f]
                if reached_from[j] != i + 1:
                    reached_from[j] = i + 1
                    sums[j] = 0
                    reached[m] = j
                    m += 1
                sums[j] += data[e] * data[f]
        held = 0
        for a in range(m):
            j = reached[a]
            held = insert_smallest(negated, columns, i, held, -sums[j], j)
        counts[i] = held
