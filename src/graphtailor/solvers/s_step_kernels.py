"""Compiled loops over the columns of S: one exact minimisation at a time.

In a fit the targets are the samples themselves; in a prediction they are new ones. A
column is left as soon as a sweep moves none of its entries by more than `tol`. Every
sweep takes the entries in an order of its own, drawn from the number `shuffle`; 0 takes
them as they come. Neighbours are alike, and on such columns a fixed order converges far
more slowly (Sun and Ye, "Worst-case complexity of cyclic coordinate descent",
Mathematical Programming, 2021).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from graphtailor.linalg.sparse import CsrRows

# Sums may be reordered, so that dot products use vector instructions; NaN and
# infinity keep their meaning.
_FASTMATH = {"reassoc", "contract", "nsz"}


class Columns(NamedTuple):
    """The columns of S, and what pulls at them."""

    # A pattern in CSR form: row j lists the samples that may represent target j.
    indptr: np.ndarray
    indices: np.ndarray
    w: np.ndarray  # the given graph on the pattern
    s: np.ndarray  # entry e of row j is one of column j of S
    V_targets: np.ndarray  # indicator of the targets
    V: np.ndarray  # indicator of the samples
    alpha: float
    beta: float
    leftover: np.ndarray  # ||x_j - X's_j||^2, written for each target


class Sweeps(NamedTuple):
    """How columns are swept."""

    number: int
    tol: float = 0.0  # a column is left when a sweep moves no entry by more than this
    # The order of a column's entries is drawn from it, anew for each sweep; 0 takes
    # them as they come.
    shuffle: int = 0


class Samples(NamedTuple):
    """Targets, samples X that represent them, and squared norms of the rows of X."""

    targets: np.ndarray
    X: np.ndarray
    norms: np.ndarray
    n_features: int


class SparseSamples(NamedTuple):
    """The same in CSR form."""

    targets: CsrRows
    X: CsrRows
    norms: np.ndarray
    n_features: int


class Room(NamedTuple):
    """Room for the widest column: numba takes 0.05 s to compile each np.empty."""

    rows: np.ndarray
    work: np.ndarray
    order: np.ndarray


class Products(NamedTuple):
    """Inner products of the neighbours of each sample; those of j from places[j] on."""

    places: np.ndarray
    grams: np.ndarray
    with_target: np.ndarray
    squares: np.ndarray


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_representation(
    samples: Samples,
    columns: Columns,
    sweeps: Sweeps,
    first: int,
    last: int,
    room: Room,
) -> None:
    """Minimise over columns `first` to `last` of S, entry by entry, in place."""
    indptr, indices, w, s, V_targets, V, alpha, beta, leftover = columns
    targets, X, norms, d = samples
    number, tol, shuffle = sweeps
    rows, work, order = room
    residual, pull, curvature = rows[len(order)], work[0], work[1]
    for j in range(first, last):
        start = indptr[j]
        m = indptr[j + 1] - start
        state = _begin_order(order, m, j, shuffle)
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
        for _ in range(number):
            moved = 0.0
            if shuffle:
                state = _shuffle_order(order, m, state)
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
    samples: SparseSamples, columns: Columns, sweeps: Sweeps, first: int, last: int
) -> None:
    """`sweep_representation` for samples in CSR form."""
    indptr, indices, w, s, V_targets, V, alpha, beta, leftover = columns
    targets, X, norms, n_features = samples
    number, tol, shuffle = sweeps
    residual = np.zeros(n_features, dtype=X.data.dtype)
    widest = 0
    for j in range(first, last):
        widest = max(widest, indptr[j + 1] - indptr[j])
    order = np.empty(widest, dtype=np.int64)
    for j in range(first, last):
        m = indptr[j + 1] - indptr[j]
        state = _begin_order(order, m, j, shuffle)
        _add_row(targets, j, 1.0, residual)
        for e in range(indptr[j], indptr[j + 1]):
            if s[e] != 0:
                _add_row(X, indices[e], -s[e], residual)
        for _ in range(number):
            moved = 0.0
            if shuffle:
                state = _shuffle_order(order, m, state)
            for a in range(m):
                e = indptr[j] + order[a]
                i = indices[e]
                inner = 0.0
                for t in range(X.indptr[i], X.indptr[i + 1]):
                    inner += X.data[t] * residual[X.indices[t]]
                pull = beta * w[e]
                for k in range(V.shape[1]):
                    pull += V[i, k] * V_targets[j, k]
                old = s[e]
                curvature = 1.0 + beta + alpha * norms[i]
                slope = (1.0 + beta) * old - alpha * inner - pull
                new = X.data.dtype.type(max(0.0, old - slope / curvature))
                if new != old:
                    _add_row(X, i, old - new, residual)
                    s[e] = new
                    moved = max(moved, abs(new - old))
            if moved <= tol:
                break
        # Only what was touched is squared and cleared: features may be very many.
        total = _take_row(targets, j, residual)
        for e in range(indptr[j], indptr[j + 1]):
            total += _take_row(X, indices[e], residual)
        leftover[j] = total


@njit(cache=True, nogil=True, fastmath=_FASTMATH)
def sweep_representation_by_products(
    products: Products, columns: Columns, sweeps: Sweeps, first: int, last: int
) -> None:
    """`sweep_representation` with what `inner_products` computed."""
    indptr, indices, w, s, V_targets, V, alpha, beta, leftover = columns
    places, grams, with_target, squares = products
    number, tol, shuffle = sweeps
    widest = 0
    for j in range(first, last):
        widest = max(widest, indptr[j + 1] - indptr[j])
    # Products of the neighbours with what is left over of the target.
    inner = np.empty(widest)
    pull = np.empty(widest)
    order = np.empty(widest, dtype=np.int64)
    for j in range(first, last):
        start = indptr[j]
        m = indptr[j + 1] - start
        gram = grams[places[j] : places[j + 1]].reshape(m, m)
        state = _begin_order(order, m, j, shuffle)
        for a in range(m):
            inner[a] = with_target[start + a]
            total = 0.0
            for k in range(V.shape[1]):
                total += V[indices[start + a], k] * V_targets[j, k]
            pull[a] = total + beta * w[start + a]
        for b in range(m):
            value = np.float64(s[start + b])
            if value != 0:
                for a in range(m):
                    inner[a] -= value * gram[b, a]
        for _ in range(number):
            moved = 0.0
            state = _shuffle_order(order, m, state)
            for t in range(m):
                b = order[t]
                old = s[start + b]
                slope = (1.0 + beta) * old - alpha * inner[b] - pull[b]
                curvature = 1.0 + beta + alpha * gram[b, b]
                new = s.dtype.type(max(0.0, old - slope / curvature))
                if new != old:
                    change = np.float64(new) - np.float64(old)
                    for a in range(m):
                        inner[a] -= change * gram[b, a]
                    s[start + b] = new
                    moved = max(moved, abs(change))
            if moved <= tol:
                break
        total = squares[j]
        for a in range(m):
            total -= s[start + a] * (with_target[start + a] + inner[a])
        leftover[j] = max(total, 0.0)


@njit(cache=True, nogil=True)
def inner_products(
    X: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    products: Products,
    first: int,
    last: int,
) -> None:
    """Products of the neighbours with each other and with the sample, in float64."""
    places, grams, with_target, squares = products
    d = X.shape[1]
    for j in range(first, last):
        start = indptr[j]
        m = indptr[j + 1] - start
        rows = np.empty((m, d))
        for a in range(m):
            for f in range(d):
                rows[a, f] = X[indices[start + a], f]
        target = X[j].astype(np.float64)
        grams[places[j] : places[j + 1]] = np.dot(rows, rows.T).ravel()
        with_target[start : start + m] = np.dot(rows, target)
        squares[j] = np.dot(target, target)


@njit(cache=True, nogil=True, inline="always")
def _begin_order(order: np.ndarray, m: int, column: int, shuffle: int) -> np.uint64:
    """Entries as they come, and the state of the column's own random numbers."""
    for a in range(m):
        order[a] = a
    return np.uint64(column) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(shuffle)


@njit(cache=True, nogil=True, inline="always")
def _shuffle_order(order: np.ndarray, m: int, state: np.uint64) -> np.uint64:
    """Fisher and Yates' shuffle with Knuth's linear congruential generator."""
    for a in range(m - 1, 0, -1):
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        high = state >> np.uint64(32)
        b = np.int64((high * np.uint64(a + 1)) >> np.uint64(32))
        order[a], order[b] = order[b], order[a]
    return state


@njit(cache=True, nogil=True)
def _add_row(X: CsrRows, i: int, factor: float, residual: np.ndarray) -> None:
    for t in range(X.indptr[i], X.indptr[i + 1]):
        residual[X.indices[t]] += factor * X.data[t]


@njit(cache=True, nogil=True)
def _take_row(X: CsrRows, i: int, residual: np.ndarray) -> float:
    """Sum of squares of the residual where sample i has entries; they become zero."""
    total = 0.0
    for t in range(X.indptr[i], X.indptr[i + 1]):
        value = np.float64(residual[X.indices[t]])
        total += value * value
        residual[X.indices[t]] = 0
    return total
