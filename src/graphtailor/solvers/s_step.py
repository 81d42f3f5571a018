"""Columns of S, a block for each thread: the S-step of fits and predictions."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.utils.extmath import row_norms

from graphtailor.linalg.threads import Workers
from graphtailor.solvers.s_step_kernels import (
    Columns,
    Rows,
    inner_products,
    sweep_representation,
    sweep_representation_by_products,
    sweep_representation_sparse,
)

# What one thread takes at a time.
_COLUMNS_PER_BLOCK = 256
# Inner products kept at most: 120 MB.
_MOST_PRODUCTS = 15_000_000


class ColumnSweeper:
    """Coordinate descent on columns of S: targets represented by samples.

    Samples without features leave self-expression out. Columns are independent: the
    result does not depend on the number of threads.
    """

    def __init__(self, X: Any, alpha: float, beta: float, n_jobs: int | None) -> None:
        self.X = X
        self.weights = (float(alpha), float(beta))
        self.n_jobs = effective_n_jobs(n_jobs)
        self._norms = row_norms(X, squared=True).astype(np.float64)

    def sweep(
        self,
        targets: Any,
        pattern: tuple[np.ndarray, np.ndarray],
        w: np.ndarray,
        s: np.ndarray,
        V_targets: np.ndarray,
        V: np.ndarray,
        sweeps: int,
        tol: float = 0.0,
        shuffle: int = 0,
        workers: Workers | None = None,
    ) -> float:
        """Lower the objective over `s` in place; the value of self-expression there.

        That is ``alpha`` times the sum of squares which the samples leave over of the
        targets. A column is left when a sweep moves no entry by more than `tol`.
        The order of its entries is drawn from `shuffle`, anew for each sweep; 0 takes
        them as they come. Without `workers` there are `n_jobs` for this call.
        """
        columns = _columns(pattern, w, s, V_targets, V, self.weights)
        how = (columns, sweeps, tol, shuffle)
        if sparse.issparse(self.X):
            rows = [Rows(A.indptr, A.indices, A.data) for A in (targets, self.X)]
            work = (*rows, self.X.shape[1], self._norms, *how)
            kernel = sweep_representation_sparse
        else:
            work = (targets, self.X, self._norms, *how)
            kernel = sweep_representation
        if workers is not None:
            _in_blocks(kernel, work, len(columns.leftover), workers)
        else:
            with Workers(self.n_jobs) as own:
                _in_blocks(kernel, work, len(columns.leftover), own)
        return self.weights[0] * float(columns.leftover.sum())


class GramColumns:
    r"""Coordinate descent on the columns of S with the neighbours' Gram matrices.

    Does what :class:`ColumnSweeper` does for the fitted samples. A step there takes
    products of rows with d features; here the products :math:`X_j X_j^\top` of the m
    neighbours that column j may use are computed once, and a step takes m operations.
    """

    def __init__(
        self,
        X: np.ndarray,
        pattern: tuple[np.ndarray, np.ndarray],
        alpha: float,
        beta: float,
        workers: Workers,
    ) -> None:
        counts = np.diff(pattern[0]).astype(np.int64)
        self._pattern = pattern
        self._weights = (float(alpha), float(beta))
        places = np.concatenate([[0], np.cumsum(counts * counts)])
        grams, with_target = np.empty(places[-1]), np.empty(len(pattern[1]))
        self._products = (places, grams, with_target, np.empty(len(X)))
        work = (X, *pattern, *self._products)
        _in_blocks(inner_products, work, len(X), workers)

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
        most = min(_MOST_PRODUCTS, X.shape[1] * int(counts.sum()))
        return None if sparse.issparse(X) or products > most else cls(X, pattern, *args)

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
        columns = _columns(self._pattern, w, s, V, V, self._weights)
        work = (*self._products, columns, sweeps, tol, shuffle)
        n = len(columns.leftover)
        _in_blocks(sweep_representation_by_products, work, n, workers)
        return self._weights[0] * float(columns.leftover.sum())


def _columns(
    pattern: tuple[np.ndarray, np.ndarray],
    w: np.ndarray,
    s: np.ndarray,
    V_targets: np.ndarray,
    V: np.ndarray,
    weights: tuple[float, float],
) -> Columns:
    # One type of V: there is one version of the loops for each type of X.
    V_targets, V = (A.astype(np.float64, copy=False) for A in (V_targets, V))
    leftover = np.zeros(len(pattern[0]) - 1)
    return Columns(*pattern, w, s, V_targets, V, *weights, leftover)


def _in_blocks(
    kernel: Callable[..., None], work: tuple[Any, ...], n: int, workers: Workers
) -> None:
    """Run a compiled loop over n columns, a block for each thread at a time."""

    def block(first: int) -> None:
        kernel(*work, first, min(first + _COLUMNS_PER_BLOCK, n))

    workers.map(block, range(0, n, _COLUMNS_PER_BLOCK))
