"""A large graph by a few of its vertices, to which all others are counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse


def coarse_graph(graph: Any, kept: np.ndarray) -> sparse.csr_array:
    r"""The graph between kept vertices in which each stands for those around it.

    A vertex that is not kept goes with the neighbour to which its tie is strongest
    among those that already go with a kept one. With B the matrix of who goes with
    whom the result is :math:`B^T A B` without its diagonal: between the few kept rows
    of a graph of neighbours there would be next to no ties otherwise.

    Parameters
    ----------
    graph : {ndarray, sparse array} of shape (n, n)
        Weights, symmetric.
    kept : ndarray of shape (m,)
        Vertices that stay, rising.

    Returns
    -------
    csr_array of shape (m, m)
        Weights between them.

    Examples
    --------
    >>> import numpy as np
    >>> path = np.diag([3.0, 2.0, 1.0], 1) + np.diag([3.0, 2.0, 1.0], -1)
    >>> coarse_graph(path, np.array([0, 3])).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    weights = abs(sparse.csr_array(graph))
    owner = np.full(weights.shape[0], -1, dtype=np.int64)
    owner[kept] = np.arange(len(kept))
    _go_with_neighbours(weights.indptr, weights.indices, weights.data, owner)
    entries = weights.tocoo()
    heads, tails = owner[entries.coords[0]], owner[entries.coords[1]]
    between = (heads >= 0) & (tails >= 0) & (heads != tails)
    return sparse.csr_array(
        (entries.data[between], (heads[between], tails[between])),
        shape=(len(kept), len(kept)),
    )


@njit(cache=True, nogil=True)
def _go_with_neighbours(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, owner: np.ndarray
) -> None:  # pragma: no cover (compiled)
    n = len(owner)
    waiting = np.flatnonzero(owner < 0)
    found = np.empty(n, dtype=np.int64)
    while len(waiting):
        n_found = 0
        for i in waiting:
            best, choice = 0.0, -1
            for e in range(indptr[i], indptr[i + 1]):
                if owner[indices[e]] >= 0 and data[e] > best:
                    best, choice = data[e], owner[indices[e]]
            found[i] = choice
            n_found += choice >= 0
        if n_found == 0:
            return
        # Only now, so that the order of the vertices does not matter.
        for i in waiting:
            owner[i] = found[i]
        waiting = waiting[owner[waiting] < 0]
