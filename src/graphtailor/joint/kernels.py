"""Compiled loops of the coordinate descent: one exact minimisation at a time.

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


@njit(cache=True, nogil=True)
def best_entry(p: float, q: float) -> float:
    """Minimiser of ``x^4 + 2 p x^2 + 4 q x`` over x >= 0, for p >= 0.

    Its derivative ``4 (x^3 + p x + q)`` is then convex and rising for x >= 0: one
    root at most, and Newton's iterates fall onto it from the right.
    """
    if q >= 0.0:
        return 0.0
    x = (-q) ** (1.0 / 3.0)
    if p > 0.0:
        x = min(x, -q / p)
    for _ in range(50):
        value = x * x * x + p * x + q
        step = value / (3.0 * x * x + p)
        x -= step
        if step <= 1e-15 * x:
            break
    return x


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_indicator(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    V: np.ndarray,
    G: np.ndarray,
) -> float:
    """Minimise ``||A - V V'||^2`` over every entry of V >= 0 in turn, in place.

    A is the symmetric matrix with a zero diagonal in CSR form; ``G = V'V`` in
    float64 is kept up to date. Returns by how much the objective fell.
    """
    n, c = V.shape
    pull = np.empty(c, dtype=np.float64)  # (A V)_i
    push = np.empty(c, dtype=np.float64)  # (G - v v') v
    old = np.empty(c, dtype=np.float64)
    new = np.empty(c, dtype=np.float64)
    decrease = 0.0
    for i in range(n):
        square = 0.0
        for k in range(c):
            pull[k] = 0.0
            push[k] = 0.0
            old[k] = V[i, k]
            new[k] = old[k]
            square += old[k] * old[k]
        for e in range(indptr[i], indptr[i + 1]):
            weight = weights[e]
            if weight != 0:
                neighbor = indices[e]
                for k in range(c):
                    pull[k] += weight * V[neighbor, k]
        for other in range(c):
            if old[other] != 0.0:
                for k in range(c):
                    push[k] += old[other] * (G[other, k] - old[other] * old[k])
        changed = False
        for k in range(c):
            others = G[k, k] - old[k] * old[k]
            q = push[k] - others * new[k] - pull[k]
            if new[k] == 0.0 and q >= 0.0:
                continue
            p = max(square - new[k] * new[k] + others, 0.0)
            x = best_entry(p, q)
            change = x - new[k]
            if change == 0.0:
                continue
            decrease += new[k] ** 4 + 2.0 * p * new[k] ** 2 + 4.0 * q * new[k]
            decrease -= x**4 + 2.0 * p * x**2 + 4.0 * q * x
            square += x * x - new[k] * new[k]
            new[k] = x
            changed = True
            for other in range(c):
                push[other] += change * (G[k, other] - old[k] * old[other])
        if changed:
            for k in range(c):
                V[i, k] = new[k]
            _update_gram(G, old, V[i])
    return decrease


@njit(cache=True, nogil=True)
def gram(V: np.ndarray) -> np.ndarray:
    """``V'V`` in float64: threaded BLAS is slower on so thin a product."""
    n, c = V.shape
    G = np.zeros((c, c), dtype=np.float64)
    nothing = np.zeros(c, dtype=np.float64)
    for i in range(n):
        _update_gram(G, nothing, V[i])
    return G


@njit(cache=True, nogil=True)
def _update_gram(G: np.ndarray, old: np.ndarray, new: np.ndarray) -> None:
    """``G += new new' - old old'``, for rows with few nonzero entries."""
    c = len(old)
    for k in range(c):
        if old[k] == 0.0 and new[k] == 0.0:
            continue
        for other in range(c):
            G[k, other] += np.float64(new[k]) * np.float64(new[other])
            G[k, other] -= old[k] * old[other]


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_new_indicator(
    indptr: np.ndarray,
    indices: np.ndarray,
    s: np.ndarray,
    V: np.ndarray,
    G: np.ndarray,
    V_new: np.ndarray,
) -> float:
    """One sweep of nonnegative least squares ``||s_j - V v_j||^2`` for each target j.

    ``G = V'V``. `V_new` is changed in place; returns the largest change.
    """
    c = V.shape[1]
    pull = np.empty(c, dtype=np.float64)
    largest = 0.0
    for j in range(len(V_new)):
        pull[:] = 0.0
        for e in range(indptr[j], indptr[j + 1]):
            for k in range(c):
                pull[k] += s[e] * V[indices[e], k]
        for k in range(c):
            if G[k, k] <= 0.0:  # an empty cluster takes no samples
                continue
            slope = -pull[k]
            for other in range(c):
                slope += G[k, other] * V_new[j, other]
            old = V_new[j, k]
            new = V_new.dtype.type(max(0.0, old - slope / G[k, k]))
            V_new[j, k] = new
            largest = max(largest, abs(new - old))
    return largest
