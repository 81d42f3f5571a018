"""Clusters of new samples."""

from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.solvers.s_step import ColumnSweeper, Sweeps, Targets
from graphtailor.solvers.v_step import gram, sweep_new_indicator

_STANDING_STILL = 1e-5


def indicator_of_new(
    columns: ColumnSweeper, X_new: Any, W_new: Any, pairs: Any, V: np.ndarray
) -> np.ndarray:
    r"""Indicator rows of new samples, given those V of the fitted ones.

    For each new sample x with edges w to the fitted ones it minimises

    .. math:: \alpha \|x - X^T s\|^2 + \|s - V v\|^2 + \beta \|s - w\|^2

    over :math:`s, v \ge 0`, with s on the given pairs besides these edges: convex in
    both together, so that the answer depends on nothing but x and the fitted model.
    `columns` holds the fitted samples and the weights. A sample that nothing pulls
    takes the mean of the samples it may be represented by.
    """
    pattern = _ones(W_new)
    if pairs is not None:
        pattern = sparse.csr_array(pattern + _ones(pairs.tocsr()))
    pattern.sort_indices()
    # Adding the pattern's ones puts the edges in its places and its order.
    w = (W_new + _ones(pattern)).tocsr().data - 1.0
    w = w.astype(V.dtype)
    s = w.copy()
    V_new = np.zeros((W_new.shape[0], V.shape[1]), dtype=V.dtype)
    G = gram(V)
    still = _STANDING_STILL * float(V.max(initial=0.0))
    # A sample is left when it stands still itself, whatever company it came in.
    moving = np.arange(len(V_new))
    places = np.arange(pattern.nnz)
    part = sparse.csr_array((places, pattern.indices, pattern.indptr), pattern.shape)
    for _ in range(100):
        where, places = (part.indptr, part.indices), part.data
        s_part, V_part = s[places], V_new[moving]
        targets = Targets(X_new[moving], where, w[places], V_part)
        columns.sweep(targets, s_part, V, Sweeps(2))
        sweep_new_indicator(*where, s_part, V, G, V_part)
        moved = np.abs(V_part - V_new[moving]).max(axis=1)
        s[places], V_new[moving] = s_part, V_part
        part, moving = part[moved > still], moving[moved > still]
        if len(moving) == 0:
            break
    return fill_empty_rows(V_new, _ones(pattern), V)


def _ones(A: Any) -> sparse.csr_array:
    """One at every stored entry of A."""
    return sparse.csr_array((np.ones(A.nnz), A.indices, A.indptr), A.shape)


def fill_empty_rows(V_rows: np.ndarray, nearby: Any, V: np.ndarray) -> np.ndarray:
    """Give rows of zeros the mean of their neighbours, or the largest cluster."""
    empty = np.flatnonzero(V_rows.max(axis=1, initial=0.0) <= 0)
    if len(empty) == 0:
        return V_rows
    filled = V_rows.copy()
    weights = nearby[empty]
    counts = np.maximum(np.diff(weights.indptr), 1)[:, None]
    filled[empty] = (weights @ V) / counts
    alone = empty[filled[empty].max(axis=1, initial=0.0) <= 0]
    if len(alone):
        held = V[V.max(axis=1, initial=0.0) > 0]  # rows of zeros are in no cluster
        sizes = np.bincount(held.argmax(axis=1), minlength=V.shape[1])
        filled[alone, sizes.argmax()] = 1.0
    return filled
