"""Columns of S, a block for each thread: the S-step of fits and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.utils.extmath import row_norms

from graphtailor.linalg.threads import Workers
from graphtailor.solvers.s_step_kernels import (
    sweep_representation,
    sweep_representation_sparse,
)

# What one thread takes at a time.
COLUMNS_PER_BLOCK = 256


class ColumnSweeper:
    """Coordinate descent on columns of S: targets represented by samples."""

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
        if workers is None:
            with Workers(self.n_jobs) as own:
                return self.sweep(
                    *(targets, pattern, w, s, V_targets, V),
                    *(sweeps, tol, shuffle, own),
                )
        n = targets.shape[0]
        leftover = np.zeros(n)
        # One type of V: there is one version of the loops for each type of X.
        V_targets, V = (A.astype(np.float64, copy=False) for A in (V_targets, V))
        common = (self._norms, *pattern, w, s, V_targets, V, *self.weights)

        def block(first: int) -> None:
            last = min(first + COLUMNS_PER_BLOCK, n)
            how = (first, last, sweeps, tol, shuffle, leftover)
            if not sparse.issparse(self.X):
                sweep_representation(targets, self.X, *common, *how)
                return
            sweep_representation_sparse(
                *(targets.indptr, targets.indices, targets.data),
                *(self.X.indptr, self.X.indices, self.X.data, self.X.shape[1]),
                *(*common, *how),
            )

        workers.map(block, range(0, n, COLUMNS_PER_BLOCK))
        return self.weights[0] * float(leftover.sum())
