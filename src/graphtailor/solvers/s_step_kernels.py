"""Compiled loops over the columns of S: one exact minimisation at a time.

The support is a pattern in CSR form, ``indptr`` and ``indices``; row j lists the
samples of X that may represent target j. ``s[e]`` is then an entry of column j of S
and ``w[e]`` the given graph there. In a fit the targets are the samples themselves;
in a prediction they are the new ones.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be reordered, so that dot products use vector instructions; NaN and
# infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_representation(
    targets: np.ndarray,
    X: np.ndarray,
    norms: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    w: np.ndarray,
    s: np.ndarray,
    V_targets: np.ndarray,
    V: np.ndarray,
    alpha: float,
    beta: float,
    first: int,
    last: int,
    sweeps: int,
    tol: float,
    shuffle: int,
    leftover: np.ndarray,
) -> None:
    """Minimise over columns `first` to `last` of S, entry by entry, in place.

    A column is left as soon as a sweep moves none of its entries by more than
    `tol`. Every sweep takes the entries in an order of its own, drawn from the number
    `shuffle`; 0 takes them as they come. Neighbours are alike, and on such columns a
    fixed order converges far more slowly (Sun and Ye, "Worst-case complexity of cyclic
    coordinate descent", Mathematical Programming, 2021). What self-expression leaves
    over of each target, ``||x_j - X's_j||^2``, is written into `leftover`.
    """
    d = X.shape[1]
    widest = 0
    for j in range(first, last):
        width = indptr[j + 1] - indptr[j]
        widest = width if width > widest else widest
    # Numba takes 0.05 s to compile each np.empty.
    rows = np.empty((widest + 1, d), dtype=X.dtype)
    residual = rows[widest]
    work = np.empty((2, widest))
    pull, curvature = work[0], work[1]
    order = np.empty(widest, dtype=np.int64)
    for j in range(first, last):
        start = indptr[j]
        m = indptr[j + 1] - start
        state = begin_order(order, m, j, shuffle)
        for f in range(d):
            residual[f] = targets[j, f]
        for a in range(m):
            i = indices[start + a]
            value = s[start + a]
            for f in range(d):
                rows[a, f] = X[i, f]
            if value != 0:
                for f in range(d):
                    residual[f] -= value * rows[a, f]
            total = 0.0
            for k in range(V.shape[1]):
                total += V[i, k] * V_targets[j, k]
            pull[a] = total + beta * w[start + a]
            curvature[a] = 1.0 + beta + alpha * norms[i]
        for _ in range(sweeps):
            moved = 0.0
            if shuffle:
                state = shuffle_order(order, m, state)
            for t in range(m):
                a = order[t]
                inner = 0.0
                for f in range(d):
                    inner += rows[a, f] * residual[f]
                old = s[start + a]
                slope = (1.0 + beta) * old - alpha * inner - pull[a]
                best = old - slope / curvature[a]
                new = X.dtype.type(best if best > 0.0 else 0.0)
                if new != old:
                    change = new - old
                    for f in range(d):
                        residual[f] -= change * rows[a, f]
                    s[start + a] = new
                    change = change if change > 0 else -change
                    moved = change if change > moved else moved
            if moved <= tol:
                break
        total = 0.0
        for f in range(d):
            total += np.float64(residual[f]) * residual[f]
        leftover[j] = total


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_representation_sparse(
    t_indptr: np.ndarray,
    t_indices: np.ndarray,
    t_data: np.ndarray,
    x_indptr: np.ndarray,
    x_indices: np.ndarray,
    x_data: np.ndarray,
    n_features: int,
    norms: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    w: np.ndarray,
    s: np.ndarray,
    V_targets: np.ndarray,
    V: np.ndarray,
    alpha: float,
    beta: float,
    first: int,
    last: int,
    sweeps: int,
    tol: float,
    shuffle: int,
    leftover: np.ndarray,
) -> None:
    """`sweep_representation` for samples in CSR form."""
    residual = np.zeros(n_features, dtype=x_data.dtype)
    widest = 0
    for j in range(first, last):
        widest = max(widest, indptr[j + 1] - indptr[j])
    order = np.empty(widest, dtype=np.int64)
    for j in range(first, last):
        m = indptr[j + 1] - indptr[j]
        state = begin_order(order, m, j, shuffle)
        _add_row(t_indptr, t_indices, t_data, j, 1.0, residual)
        for e in range(indptr[j], indptr[j + 1]):
            if s[e] != 0:
                _add_row(x_indptr, x_indices, x_data, indices[e], -s[e], residual)
        for _ in range(sweeps):
            moved = 0.0
            if shuffle:
                state = shuffle_order(order, m, state)
            for a in range(m):
                e = indptr[j] + order[a]
                i = indices[e]
                inner = 0.0
                for t in range(x_indptr[i], x_indptr[i + 1]):
                    inner += x_data[t] * residual[x_indices[t]]
                pull = beta * w[e]
                for k in range(V.shape[1]):
                    pull += V[i, k] * V_targets[j, k]
                old = s[e]
                curvature = 1.0 + beta + alpha * norms[i]
                slope = (1.0 + beta) * old - alpha * inner - pull
                new = x_data.dtype.type(max(0.0, old - slope / curvature))
                if new != old:
                    _add_row(x_indptr, x_indices, x_data, i, old - new, residual)
                    s[e] = new
                    moved = max(moved, abs(new - old))
            if moved <= tol:
                break
        # Only what was touched is squared and cleared: features may be very many.
        total = _take_row(t_indptr, t_indices, j, residual)
        for e in range(indptr[j], indptr[j + 1]):
            total += _take_row(x_indptr, x_indices, indices[e], residual)
        leftover[j] = total


@njit(cache=True, nogil=True, inline="always")
def begin_order(order: np.ndarray, m: int, column: int, shuffle: int) -> np.uint64:
    """Entries as they come, and the state of the column's own random numbers."""
    for a in range(m):
        order[a] = a
    return np.uint64(column) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(shuffle)


@njit(cache=True, nogil=True, inline="always")
def shuffle_order(order: np.ndarray, m: int, state: np.uint64) -> np.uint64:
    """Fisher and Yates' shuffle with Knuth's linear congruential generator."""
    for a in range(m - 1, 0, -1):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        high = state >> np.uint64(32)
        b = np.int64((high * np.uint64(a + 1)) >> np.uint64(32))
        order[a], order[b] = order[b], order[a]
    return state


@njit(cache=True, nogil=True)
def _add_row(
    x_indptr: np.ndarray,
    x_indices: np.ndarray,
    x_data: np.ndarray,
    i: int,
    factor: float,
    residual: np.ndarray,
) -> None:
    for t in range(x_indptr[i], x_indptr[i + 1]):
        residual[x_indices[t]] += factor * x_data[t]


@njit(cache=True, nogil=True)
def _take_row(
    x_indptr: np.ndarray, x_indices: np.ndarray, i: int, residual: np.ndarray
) -> float:
    """Sum of squares of the residual where sample i has entries; they become zero."""
    total = 0.0
    for t in range(x_indptr[i], x_indptr[i + 1]):
        value = np.float64(residual[x_indices[t]])
        total += value * value
        residual[x_indices[t]] = 0
    return total
