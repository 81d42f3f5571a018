"""Columns of S, a block for each thread: the S-step of fits and predictions."""

from collections.abc import Callable
from contextlib import nullcontext
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.utils.extmath import row_norms

from graphtailor.linalg.sparse import CsrRows
from graphtailor.linalg.threads import Workers
from graphtailor.linalg.types import Matrix
from graphtailor.solvers.s_step_kernels import (
    Columns,
    Products,
    Room,
    Samples,
    SparseSamples,
    Sweeps,
    inner_products,
    sweep_representation,
    sweep_representation_by_products,
    sweep_representation_sparse,
)

# What one thread takes at a time.
_COLUMNS_PER_BLOCK = 256
# Inner products kept at most: 120 MB.
_MOST_PRODUCTS = 15_000_000

# Row pointers and columns in CSR form: row j lists what may represent target j.
Pattern = tuple[np.ndarray, np.ndarray]


class Targets(NamedTuple):
    """What the samples represent: in a fit themselves, in a prediction new ones."""

    X: Matrix
    pattern: Pattern
    w: np.ndarray  # the given graph on the pattern
    V: np.ndarray  # indicator of the targets


class ColumnSweeper:
    """Coordinate descent on columns of S: targets represented by samples.

    Samples without features leave self-expression out. Columns are independent: the
    result does not depend on the number of threads.
    """

    def __init__(
        self, X: Matrix, alpha: float, beta: float, n_jobs: int | None
    ) -> None:
        self.X = X
        self.weights = (float(alpha), float(beta))
        self.n_jobs = effective_n_jobs(n_jobs)
        self._norms = row_norms(X, squared=True).astype(np.float64)

    def sweep(
        self,
        targets: Targets,
        s: np.ndarray,
        V: np.ndarray,
        sweeps: Sweeps,
        workers: Workers | None = None,
    ) -> float:
        """Lower the objective over `s` in place; the value of self-expression there.

        That is ``alpha`` times the sum of squares which the samples leave over of the
        targets. Without `workers` there are `n_jobs` for this call.
        """
        columns = _columns(targets, s, V, self.weights)
        kernel: Callable[..., None] = _sweep_dense
        norms, d = self._norms, self.X.shape[1]
        samples: Samples | SparseSamples = Samples(targets.X, self.X, norms, d)
        if sparse.issparse(self.X):
            kernel = sweep_representation_sparse
            samples = SparseSamples(CsrRows.of(targets.X), CsrRows.of(self.X), norms, d)
        work = (samples, columns, sweeps)
        with Workers(self.n_jobs) if workers is None else nullcontext(workers) as own:
            _in_blocks(kernel, work, len(columns.leftover), own)
        return self.weights[0] * float(columns.leftover.sum())


def _sweep_dense(
    samples: Samples, columns: Columns, sweeps: Sweeps, first: int, last: int
) -> None:
    widest = int(np.diff(columns.indptr).max(initial=0))
    rows = np.empty((widest + 1, samples.n_features), dtype=columns.s.dtype)
    room = Room(rows, np.empty((2, widest)), np.empty(widest, dtype=np.int64))
    sweep_representation(samples, columns, sweeps, first, last, room)


class GramColumns:
    r"""Coordinate descent on the columns of S with the neighbours' Gram matrices.

    Does what :class:`ColumnSweeper` does for the fitted samples. A step there takes
    products of rows with d features; here the products :math:`X_j X_j^\top` of the m
    neighbours that column j may use are computed once, and a step takes m operations.
    """

    def __init__(
        self,
        X: np.ndarray,
        pattern: Pattern,
        alpha: float,
        beta: float,
        workers: Workers,
    ) -> None:
        counts = np.diff(pattern[0]).astype(np.int64)
        self._X, self._pattern = X, pattern
        self._weights = (float(alpha), float(beta))
        places = np.concatenate([[0], np.cumsum(counts * counts)])
        grams, with_target = np.empty(places[-1]), np.empty(len(pattern[1]))
        self._products = Products(places, grams, with_target, np.empty(len(X)))
        work = (X, *pattern, self._products)
        _in_blocks(inner_products, work, len(X), workers)

    def reweighted(self, alpha: float, beta: float) -> Self:
        """The same samples and neighbours with other weights."""
        other = copy(self)
        other._weights = (float(alpha), float(beta))
        return other

    @classmethod
    def if_quicker(cls, X: Matrix, pattern: Pattern, *args: Any) -> Self | None:
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
        sweeps: Sweeps,
        workers: Workers,
    ) -> float:
        """As :meth:`ColumnSweeper.sweep`, with the samples as targets."""
        targets = Targets(self._X, self._pattern, w, V)
        columns = _columns(targets, s, V, self._weights)
        work = (self._products, columns, sweeps)
        n = len(columns.leftover)
        _in_blocks(sweep_representation_by_products, work, n, workers)
        return self._weights[0] * float(columns.leftover.sum())


def _columns(
    targets: Targets, s: np.ndarray, V: np.ndarray, weights: tuple[float, float]
) -> Columns:
    # One type of V: there is one version of the loops for each type of X.
    V_targets, V = (A.astype(np.float64, copy=False) for A in (targets.V, V))
    leftover = np.zeros(len(targets.pattern[0]) - 1)
    return Columns(*targets.pattern, targets.w, s, V_targets, V, *weights, leftover)


def _in_blocks(
    kernel: Callable[..., None], work: tuple[Any, ...], n: int, workers: Workers
) -> None:
    """Run a compiled loop over n columns, a block for each thread at a time."""

    def block(first: int) -> None:
        kernel(*work, first, min(first + _COLUMNS_PER_BLOCK, n))

    workers.map(block, range(0, n, _COLUMNS_PER_BLOCK))
