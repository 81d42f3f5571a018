"""Compiled loops over the indicator V: one exact minimisation at a time."""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be reordered, so that dot products use vector instructions; NaN and
# infinity keep their meaning. Functions with this are never called by other compiled
# ones: the compiler would order the sums anew there, and differently in a process
# that compiles and one that finds compiled code in the cache.
_FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True)
def best_entry(p: float, q: float) -> float:
    """Minimiser of ``x^4 + 2 p x^2 + 4 q x`` over x >= 0, for p >= 0.

    Its derivative ``4 (x^3 + p x + q)`` is convex for x >= 0, and the minimiser is
    its root or zero: Newton's iterates fall onto that root from the right.
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
def sweep_rows(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    V: np.ndarray,
    rows: np.ndarray,
    first: int,
    G: np.ndarray,
) -> float:
    """Minimise ``||A - V V'||^2`` over the entries of some rows of V >= 0 in turn.

    The other rows are fixed. Returns by how much the objective fell.

    Parameters
    ----------
    indptr, indices, weights
        A in CSR form: symmetric, with a zero diagonal.
    V
        The indicator, for the rows that are fixed.
    rows
        The rows from `first` on, changed in place: a part of V or a copy of it.
    first
        Number of the first of them.
    G
        ``V'V`` in float64, kept up to date.
    """
    c = V.shape[1]
    last = first + len(rows)
    pull = np.empty(c, dtype=np.float64)  # (A V)_i
    push = np.empty(c, dtype=np.float64)  # (G - v v') v
    old = np.empty(c, dtype=np.float64)
    new = np.empty(c, dtype=np.float64)
    decrease = 0.0
    for i in range(first, last):
        square = 0.0
        for k in range(c):
            pull[k] = 0.0
            push[k] = 0.0
            old[k] = rows[i - first, k]
            new[k] = old[k]
            square += old[k] * old[k]
        for e in range(indptr[i], indptr[i + 1]):
            weight = weights[e]
            if weight != 0:
                neighbor = indices[e]
                if first <= neighbor < last:
                    for k in range(c):
                        pull[k] += weight * rows[neighbor - first, k]
                else:
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
            p = max(square - new[k] * new[k] + others, 0.0)
            if new[k] == 0.0 and q >= 0.0:
                continue
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
                rows[i - first, k] = new[k]
            _update_gram(G, old, rows[i - first])
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


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def graph_terms(
    indptr: np.ndarray,
    indices: np.ndarray,
    s: np.ndarray,
    given: np.ndarray,
    V: np.ndarray,
) -> tuple[float, float]:
    """``||S - V V'||^2 - ||V'V||^2`` and ``||S - W||^2``, in float64.

    `s` and `given` hold S' and W on the pattern.
    """
    n, c = V.shape
    fit = 0.0
    fidelity = 0.0
    for j in range(n):
        for e in range(indptr[j], indptr[j + 1]):
            value = np.float64(s[e])
            inner = 0.0
            if value != 0:
                for k in range(c):
                    inner += np.float64(V[j, k]) * V[indices[e], k]
            fit += value * (value - 2.0 * inner)
            fidelity += (value - given[e]) ** 2
    return fit, fidelity


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
