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
    leftover: np.ndarray,
) -> None:
    """Minimise over columns `first` to `last` of S, entry by entry, in place.

    A column is left as soon as a sweep moves none of its entries by more than
    `tol`. What self-expression leaves over of each target, ``||x_j - X's_j||^2``, is
    written into `leftover`.
    """
    d = X.shape[1]
    widest = 0
    for j in range(first, last):
        widest = max(widest, indptr[j + 1] - indptr[j])
    residual = np.empty(d, dtype=X.dtype)
    rows = np.empty((widest, d), dtype=X.dtype)
    pull = np.empty(widest, dtype=np.float64)
    for j in range(first, last):
        start = indptr[j]
        m = indptr[j + 1] - start
        for f in range(d):
            residual[f] = targets[j, f]
        for a in range(m):
            i = indices[start + a]
            rows[a] = X[i]
            if s[start + a] != 0:
                for f in range(d):
                    residual[f] -= s[start + a] * rows[a, f]
            total = 0.0
            for k in range(V.shape[1]):
                total += V[i, k] * V_targets[j, k]
            pull[a] = total + beta * w[start + a]
        for _ in range(sweeps):
            moved = 0.0
            for a in range(m):
                inner = 0.0
                for f in range(d):
                    inner += rows[a, f] * residual[f]
                old = s[start + a]
                curvature = 1.0 + beta + alpha * norms[indices[start + a]]
                slope = (1.0 + beta) * old - alpha * inner - pull[a]
                new = X.dtype.type(max(0.0, old - slope / curvature))
                if new != old:
                    change = new - old
                    for f in range(d):
                        residual[f] -= change * rows[a, f]
                    s[start + a] = new
                    moved = max(moved, abs(change))
            if moved <= tol:
                break
        total = 0.0
        for f in range(d):
            total += np.float64(residual[f]) ** 2
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
    leftover: np.ndarray,
) -> None:
    """`sweep_representation` for samples in CSR form."""
    residual = np.zeros(n_features, dtype=x_data.dtype)
    for j in range(first, last):
        _add_row(t_indptr, t_indices, t_data, j, 1.0, residual)
        for e in range(indptr[j], indptr[j + 1]):
            if s[e] != 0:
                _add_row(x_indptr, x_indices, x_data, indices[e], -s[e], residual)
        for _ in range(sweeps):
            moved = 0.0
            for e in range(indptr[j], indptr[j + 1]):
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
