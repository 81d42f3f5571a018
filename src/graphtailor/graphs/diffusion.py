"""Diffusion: let a sparse graph spread along its own paths."""

from __future__ import annotations

from math import log2

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.graphs.weights import normalize_affinity


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
    >>> from graphtailor.graphs import diffuse
    >>> chain = sparse.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    >>> bool(diffuse(chain, 4, keep=4)[0, 2] > 0)
    True
    """
    T = normalize_affinity(W)
    walk = (sparse.eye_array(T.shape[0], format="csr") + T) / 2
    for _ in range(int(np.ceil(log2(steps)))):
        walk = _largest_in_rows(sparse.csr_array(walk @ walk), keep + 1)
    walk.setdiag(0)
    walk.eliminate_zeros()
    spread = _largest_in_rows(sparse.csr_array(walk), keep)
    return normalize_affinity(sparse.csr_array((spread + spread.T) / 2))


def _largest_in_rows(A: sparse.csr_array, keep: int) -> sparse.csr_array:
    """Keep the `keep` largest entries of each row; ties go to the lowest column."""
    A.sort_indices()
    kept = _are_largest(A.indptr, A.data, keep)
    counts = np.add.reduceat(np.r_[kept, False], A.indptr[:-1], dtype=np.int64)
    counts[np.diff(A.indptr) == 0] = 0
    places = np.concatenate([[0], np.cumsum(counts)])
    return sparse.csr_array((A.data[kept], A.indices[kept], places), A.shape)


@njit(cache=True, nogil=True)
def _are_largest(indptr: np.ndarray, data: np.ndarray, keep: int) -> np.ndarray:
    kept = np.ones(len(data), dtype=np.bool_)
    for i in range(len(indptr) - 1):
        row = data[indptr[i] : indptr[i + 1]]
        m = len(row)
        if m <= keep:
            continue
        least = np.partition(row, m - keep)[m - keep]
        room = keep - (row > least).sum()  # for those that equal the least one kept
        for e in range(m):
            if row[e] < least or (row[e] == least and room == 0):
                kept[indptr[i] + e] = False
            elif row[e] == least:
                room -= 1
    return kept
