"""The S-step by inner products of neighbours, where these are fewer than features."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.solvers.s_step import COLUMNS_PER_BLOCK, Workers
from graphtailor.solvers.s_step_kernels import begin_order, shuffle_order

# Inner products kept at most: 120 MB.
_MOST_PRODUCTS = 15_000_000


class GramColumns:
    r"""Coordinate descent on the columns of S with the neighbours' Gram matrices.

    Does what :class:`~graphtailor.solvers.s_step.ColumnSweeper` does for the fitted
    samples. A step there takes products of rows with d features; here the products
    :math:`X_j X_j^\top` of the m neighbours that column j may use are computed once,
    and a step takes m operations.
    """

    def __init__(
        self,
        X: np.ndarray,
        indptr: np.ndarray,
        indices: np.ndarray,
        alpha: float,
        beta: float,
        workers: Workers,
    ) -> None:
        n = len(X)
        counts = np.diff(indptr).astype(np.int64)
        self._pattern = (indptr, indices)
        self._weights = (float(alpha), float(beta))
        self._places = np.concatenate([[0], np.cumsum(counts * counts)])
        self._grams = np.empty(self._places[-1])
        self._with_target = np.empty(len(indices))
        self._squares = np.empty(n)

        def block(first: int) -> None:
            last = min(first + COLUMNS_PER_BLOCK, n)
            products = (self._places, self._grams, self._with_target, self._squares)
            _inner_products(X, *self._pattern, first, last, *products)

        workers.map(block, range(0, n, COLUMNS_PER_BLOCK))

    def reweighted(self, alpha: float, beta: float) -> Self:
        """The same samples and neighbours with other weights."""
        other = copy(self)
        other._weights = (float(alpha), float(beta))
        return other

    @classmethod
    def if_quicker(
        cls, X: Any, pattern: tuple[np.ndarray, np.ndarray], *args: Any
    ) -> Self | None:
        """The same, or None where samples are sparse or have few features."""
        counts = np.diff(pattern[0]).astype(np.int64)
        products = int(counts @ counts)
        if (
            sparse.issparse(X)
            or products > _MOST_PRODUCTS
            or products > X.shape[1] * int(counts.sum())
        ):
            return None
        return cls(X, *pattern, *args)

    def sweep(
        self,
        w: np.ndarray,
        s: np.ndarray,
        V: np.ndarray,
        sweeps: int,
        tol: float,
        shuffle: int,
        workers: Workers,
    ) -> float:
        """As :meth:`ColumnSweeper.sweep`, with the samples as targets."""
        n = len(self._squares)
        leftover = np.empty(n)

        def block(first: int) -> None:
            last = min(first + COLUMNS_PER_BLOCK, n)
            products = (self._places, self._grams, self._with_target, self._squares)
            how = (first, last, sweeps, tol, shuffle, leftover)
            _sweep(*products, *self._pattern, w, s, V, *self._weights, *how)

        workers.map(block, range(0, n, COLUMNS_PER_BLOCK))
        return self._weights[0] * float(leftover.sum())


@njit(cache=True, nogil=True)
def _inner_products(
    X: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    first: int,
    last: int,
    places: np.ndarray,
    grams: np.ndarray,
    with_target: np.ndarray,
    squares: np.ndarray,
) -> None:
    """Products of the neighbours with each other and with the sample, in float64."""
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


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _sweep(
    places: np.ndarray,
    grams: np.ndarray,
    with_target: np.ndarray,
    squares: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    w: np.ndarray,
    s: np.ndarray,
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
    """Minimise over columns `first` to `last` of S, entry by entry, in place."""
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
        state = begin_order(order, m, j, shuffle)
        for a in range(m):
            inner[a] = with_target[start + a]
            total = 0.0
            for k in range(V.shape[1]):
                total += V[indices[start + a], k] * V[j, k]
            pull[a] = total + beta * w[start + a]
        for b in range(m):
            value = np.float64(s[start + b])
            if value != 0:
                for a in range(m):
                    inner[a] -= value * gram[b, a]
        for _ in range(sweeps):
            moved = 0.0
            state = shuffle_order(order, m, state)
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
