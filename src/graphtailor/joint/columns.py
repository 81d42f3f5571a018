"""Columns of S, a block for each thread: the S-step of fits and predictions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from graphtailor.joint.column_kernels import (
    sweep_representation,
    sweep_representation_sparse,
)

# What one thread takes at a time.
_COLUMNS_PER_BLOCK = 256


class ColumnSweeper:
    """Coordinate descent on columns of S: targets represented by samples.

    Parameters
    ----------
    X : {ndarray, csr_array} of shape (n, d)
        Samples; d = 0 leaves self-expression out.
    alpha, beta : float
        Weights of self-expression and of the given graph.
    n_jobs : int or None
        Threads. Columns are independent: the result does not depend on it.
    """

    def __init__(self, X: Any, alpha: float, beta: float, n_jobs: int | None) -> None:
        self.X = X
        self.weights = (float(alpha), float(beta))
        self.n_jobs = effective_n_jobs(n_jobs)
        squares = X.multiply(X) if sparse.issparse(X) else np.square(X)
        self._norms = np.asarray(squares.sum(axis=1), dtype=X.dtype).ravel()

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
    ) -> float:
        """Lower the objective over `s` in place; the value of self-expression there.

        That is ``alpha`` times the sum of squares which the samples leave over of the
        targets. A column is left when a sweep moves no entry by more than `tol`.
        """
        n = targets.shape[0]
        leftover = np.zeros(n)
        common = (self._norms, *pattern, w, s, V_targets, V, *self.weights)

        def block(first: int) -> None:
            how = (first, min(first + _COLUMNS_PER_BLOCK, n), sweeps, tol, leftover)
            if not sparse.issparse(self.X):
                sweep_representation(targets, self.X, *common, *how)
                return
            sweep_representation_sparse(
                *(targets.indptr, targets.indices, targets.data),
                *(self.X.indptr, self.X.indices, self.X.data, self.X.shape[1]),
                *(*common, *how),
            )

        firsts = range(0, n, _COLUMNS_PER_BLOCK)
        if self.n_jobs == 1 or len(firsts) <= 1:
            for first in firsts:
                block(first)
        else:
            with ThreadPoolExecutor(self.n_jobs) as pool:
                list(pool.map(block, firsts))
        return self.weights[0] * float(leftover.sum())
