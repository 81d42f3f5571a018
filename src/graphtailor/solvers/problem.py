"""Coordinate descent on a support: the solver for everyday use."""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from threading import Lock
from typing import NamedTuple, Self

import numpy as np

from graphtailor.decide import sizes
from graphtailor.linalg.sparse import CsrRows
from graphtailor.linalg.threads import Workers
from graphtailor.linalg.types import Matrix
from graphtailor.solvers.base import Monitor, SolverResult, never_stop
from graphtailor.solvers.s_step import (
    ColumnSweeper,
    GramColumns,
    Pattern,
    Sweeps,
    Targets,
)
from graphtailor.solvers.support import Support
from graphtailor.solvers.terms import self_expression
from graphtailor.solvers.v_step import gram, sweep_rows
from graphtailor.solvers.v_step_parallel import Windows

# Sweeps over S in one alternation; more change V's next step very little.
_SWEEPS_EACH = 2


class Limits(NamedTuple):
    """When a descent ends, and how many threads work on it."""

    max_iter: int
    tol: float
    n_jobs: int | None = None  # None takes those of the problem


class DescentProblem:
    """The joint problem on a support, with the steps that lower its objective.

    S is held as `s`, its columns on the support: ``s[e]`` is the entry of column j
    in row ``indices[e]`` for e in row j of the pattern.
    """

    def __init__(
        self,
        X: Matrix,
        support: Support,
        alpha: float,
        beta: float,
        n_jobs: int | None = None,
    ) -> None:
        self.X = X
        self.support = support
        self.alpha = alpha
        self.beta = beta
        self.columns = ColumnSweeper(X, alpha, beta, n_jobs)
        self._large = support.n_samples >= sizes.PARALLEL_FROM
        self._lock = Lock()  # starts run side by side
        given = support.given.astype(np.float64)
        # The size that a decrease of the objective is compared with: the whole
        # objective will not do, as what self-expression leaves over may dwarf it.
        self.size = float(given @ given) or 1.0

    def reweighted(self, alpha: float) -> Self:
        """The same problem with another weight of self-expression."""
        other = copy(self)
        other.alpha = alpha
        other.columns = ColumnSweeper(self.X, alpha, self.beta, self.columns.n_jobs)
        if self._grams is not None:
            other._grams = self._grams.reweighted(alpha, self.beta)
        return other

    def objective(
        self, s: np.ndarray, V: np.ndarray, left: float | None = None
    ) -> float:
        """The joint objective at (S, V).

        The value of self-expression, the costliest term, may be given as `left`.
        """
        if left is None:
            left = self.alpha * self_expression(self.X, self.support.matrix(s).T)
        s = s.astype(np.float64)
        cross = float(np.einsum("ij,ij->", V, self.support.matrix(s) @ V))
        squares = float(np.square(s).sum() + np.square(gram(V)).sum())
        fidelity = float(np.square(s - self.support.given).sum())
        fit = max(squares - 2 * cross, 0.0)
        return left + fit + self.beta * fidelity

    def representation_alone(
        self, sweeps: int | None = None
    ) -> tuple[np.ndarray, float]:
        """The S that suits the data and the given graph, with W in place of VV'.

        It minimises ``alpha ||X - S'X||^2 + (1 + beta) ||S - W||^2``; beta > 0. Comes
        with the value of self-expression. There are no more than `sweeps`, by default
        as many as are enough.
        """
        s = self.support.given.copy()
        V = np.zeros((self.support.n_samples, 1))
        # The sweep pulls towards VV' + beta W, so this W makes it (1 + beta) W.
        pull = self.support.given * s.dtype.type((1 + self.beta) / self.beta)
        if sweeps is None:
            few = self.support.n_samples > sizes.FEWER_SWEEPS_ABOVE
            sweeps = sizes.FEWER_SWEEPS if few else sizes.SWEEPS_ALONE
        with Workers(self.columns.n_jobs) as workers:
            # A change below which a column of S is taken to be at its optimum.
            how = Sweeps(sweeps, 1e-5, shuffle=1)
            return s, self.sweep_representation(s, V, how, workers, pull)

    @property
    def _pattern(self) -> Pattern:
        return self.support.indptr, self.support.indices

    @cached_property
    def _windows(self) -> Windows:
        return Windows(*self._pattern)

    def sweep_representation(
        self,
        s: np.ndarray,
        V: np.ndarray,
        sweeps: Sweeps,
        workers: Workers,
        w: np.ndarray | None = None,
    ) -> float:
        """Sweeps over the columns of S, in place; self-expression's value after.

        `w` takes the place of the given graph.
        """
        w = self.support.given if w is None else w
        with self._lock:
            grams = self._grams
        if grams is not None:
            return grams.sweep(w, s, V, sweeps, workers)
        targets = Targets(self.X, self._pattern, w, V)
        return self.columns.sweep(targets, s, V, sweeps, workers)

    @cached_property
    def _grams(self) -> GramColumns | None:
        with Workers(self.columns.n_jobs) as workers:
            weights = (self.alpha, self.beta)
            return GramColumns.if_quicker(self.X, self._pattern, *weights, workers)

    def step_indicator(
        self, symmetric: np.ndarray, V: np.ndarray, G: np.ndarray, workers: Workers
    ) -> float:
        """One sweep over V in place, G = V'V with it; the objective's decrease.

        `symmetric` holds the symmetric part of S on the support.
        """
        if not self._large:
            return sweep_rows(CsrRows(*self._pattern, symmetric), V, V, 0, G)
        decrease, _ = self._windows.sweep(symmetric, V, G, workers)
        return decrease


def fit_indicator(
    problem: DescentProblem,
    s: np.ndarray,
    V: np.ndarray,
    limits: Limits,
    self_expression: float | None = None,
) -> tuple[np.ndarray, list[float]]:
    """Minimise over V with S fixed; V and the objective's history."""
    V = V.astype(np.float64)
    G = gram(V)
    symmetric = problem.support.symmetric(s.astype(np.float64))
    decreases: list[float] = []
    with Workers(limits.n_jobs or problem.columns.n_jobs) as workers:
        while len(decreases) < limits.max_iter:
            decreases.append(problem.step_indicator(symmetric, V, G, workers))
            if decreases[-1] <= limits.tol * problem.size:
                break
    # Counted from the end: the last value is exact, and those before cannot lie lower.
    earlier = np.cumsum(decreases[::-1])[::-1]
    last = problem.objective(s, V, self_expression)
    return V, [*(last + earlier), last]


def alternate(
    problem: DescentProblem,
    s: np.ndarray,
    V: np.ndarray,
    limits: Limits,
    *,
    monitor: Monitor = never_stop,
    history: Sequence[float] = (),
) -> tuple[np.ndarray, SolverResult]:
    """Alternate sweeps over S and V until the objective stands still.

    `history` holds the objective of earlier iterations up to that of (s, V); they
    count towards the limit. Returns `s` and the result.
    """
    s, V = s.copy(), V.astype(np.float64)
    G = gram(V)
    values = list(history) or [problem.objective(s, V)]
    moved = (values[-2] - values[-1]) / problem.size if len(values) > 1 else np.inf
    reason = "max_iter"
    with Workers(limits.n_jobs or problem.columns.n_jobs) as workers:
        while len(values) <= limits.max_iter:
            # The order of a column's entries is drawn from the iteration's number.
            sweeps = Sweeps(_SWEEPS_EACH, shuffle=len(values))
            left = problem.sweep_representation(s, V, sweeps, workers)
            symmetric = problem.support.symmetric(s.astype(np.float64))
            problem.step_indicator(symmetric, V, G, workers)
            values.append(problem.objective(s, V, left))
            moved = (values[-2] - values[-1]) / problem.size
            stopped = monitor(len(values) - 2)
            if moved <= limits.tol or stopped:
                reason = "converged" if moved <= limits.tol else "callback"
                break
    S = problem.support.matrix(s).T.tocsr()
    V = V.astype(s.dtype, copy=False)
    return s, SolverResult(S, V, np.array(values), float(moved), reason)
