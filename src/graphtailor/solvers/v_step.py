"""Compiled loops over the indicator V: one exact minimisation at a time.

V and the weights of the graph are float64 whatever type the samples have: there is one
version of every loop to compile, and their sums are in float64 anyway.
"""

import numpy as np
from numba import njit

from graphtailor.linalg.sparse import CsrRows
from graphtailor.linalg.threads import single_threaded

# Sums may be reordered, so that dot products use vector instructions; NaN and
# infinity keep their meaning. Functions with this are never called by other compiled
# ones: the compiler would order the sums anew there, and differently in a process
# that compiles and one that finds compiled code in the cache.
_FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, inline="always")
def best_entry(p: float, q: float) -> float:
    """Minimiser of ``x^4 + 2 p x^2 + 4 q x`` over x >= 0, for p >= 0.

    Its derivative ``4 (x^3 + p x + q)`` is convex for x >= 0, and the minimiser is
    its root or zero: Newton's iterates fall onto that root from the right.
    """
    if q >= 0.0:
        return 0.0
    x = (-q) ** (1.0 / 3.0)
    if p > 0.0:
        x = -q / p if -q / p < x else x
    for _ in range(50):
        value = x * x * x + p * x + q
        step = value / (3.0 * x * x + p)
        x -= step
        if step <= 1e-15 * x:
            break
    return x


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_rows(
    A: CsrRows, V: np.ndarray, rows: np.ndarray, first: int, G: np.ndarray
) -> float:
    """Minimise ``||A - V V'||^2`` over the entries of some rows of V >= 0 in turn.

    A is symmetric with a zero diagonal. `rows` holds the rows of V from
    number `first` on and is changed in place: a part of V or a copy of it. The other
    rows of V are fixed. ``G = V'V`` is kept up to date. Returns by how much the
    objective fell.
    """
    indptr, indices, weights = A
    c = V.shape[1]
    last = first + len(rows)
    # (A V)_i, (G - v v') v, and the row before and after: numba takes 0.05 s to compile
    # each np.empty.
    work = np.empty((4, c))
    pull, push, old, new = work[0], work[1], work[2], work[3]
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
            p = square - new[k] * new[k] + others
            p = p if p > 0.0 else 0.0
            if new[k] == 0.0 and q >= 0.0:
                continue
            x = best_entry(p, q)
            change = x - new[k]
            if change == 0.0:
                continue
            before, after = new[k] * new[k], x * x
            decrease += (before + 2.0 * p) * before + 4.0 * q * new[k]
            decrease -= (after + 2.0 * p) * after + 4.0 * q * x
            square += after - before
            new[k] = x
            changed = True
            for other in range(c):
                push[other] += change * (G[k, other] - old[k] * old[other])
        if not changed:
            continue
        for k in range(c):
            rows[i - first, k] = new[k]
            if old[k] != 0.0 or new[k] != 0.0:
                for other in range(c):
                    G[k, other] += new[k] * new[other] - old[k] * old[other]
    return decrease


def gram(V: np.ndarray) -> np.ndarray:
    """``V'V`` in float64, the same on any number of threads."""
    V = V.astype(np.float64, copy=False)
    with single_threaded():
        return V.T @ V


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
    pull = np.empty(c)
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
