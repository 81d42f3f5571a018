"""Coordinate descent on a support: the solver for everyday use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtailor.joint.columns import ColumnSweeper
from graphtailor.joint.indicator_kernels import gram, sweep_indicator
from graphtailor.joint.result import Monitor, SolverResult, never_stop
from graphtailor.joint.support import Support
from graphtailor.joint.terms import joint_terms, objective

# Sweeps over S in one alternation; more change V's next step very little.
_SWEEPS_EACH = 2
# Sweeps that bring S to its optimum where V does not matter, and when a column is
# taken to be there.
_SWEEPS_ALONE = 100
_STANDING_STILL = 1e-5


class DescentProblem:
    """The joint problem on a support, with the steps that lower its objective.

    S is held as `s`, its columns on the support: ``s[e]`` is the entry of column j
    in row ``indices[e]`` for e in row j of the pattern.

    Parameters
    ----------
    X : {ndarray, csr_array} of shape (n, d)
        Samples; d = 0 leaves self-expression out.
    support : Support
        Pairs on which S may be nonzero, with the given graph.
    alpha, beta : float
        Weights of self-expression and of the given graph.
    n_jobs : int or None, default=None
        Threads; the result does not depend on their number.
    """

    def __init__(
        self,
        X: Any,
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
        self.terms = joint_terms(X, support.matrix(support.given), alpha, beta)
        given = support.given.astype(np.float64)
        # The size that a decrease of the objective is compared with: the whole
        # objective will not do, as what self-expression leaves over may dwarf it.
        self.size = float(given @ given) or 1.0

    def objective(
        self, s: np.ndarray, V: np.ndarray, self_expression: float | None = None
    ) -> float:
        """The joint objective at (S, V).

        The value of self-expression, the costliest term, may be given.
        """
        S = self.support.matrix(s).T
        if self_expression is None:
            return objective(self.terms, S, V)
        return self_expression + objective(self.terms[1:], S, V)

    def representation_alone(self) -> tuple[np.ndarray, float]:
        """The S that suits the data and the given graph, with W in place of VV'.

        It minimises ``alpha ||X - S'X||^2 + (1 + beta) ||S - W||^2``; beta > 0. Comes
        with the value of self-expression.
        """
        s = self.support.given.copy()
        V = np.zeros((self.support.n_samples, 1), dtype=s.dtype)
        # The sweep pulls towards VV' + beta W, so this W makes it (1 + beta) W.
        pull = self.support.given * s.dtype.type((1 + self.beta) / self.beta)
        self_expression = self.columns.sweep(
            self.X, self._pattern, pull, s, V, V, _SWEEPS_ALONE, _STANDING_STILL
        )
        return s, self_expression

    @property
    def _pattern(self) -> tuple[np.ndarray, np.ndarray]:
        return self.support.indptr, self.support.indices

    def step_representation(self, s: np.ndarray, V: np.ndarray, sweeps: int) -> float:
        """Sweeps over the columns of S, in place; self-expression's value after."""
        given = self.support.given
        return self.columns.sweep(self.X, self._pattern, given, s, V, V, sweeps)

    def step_indicator(
        self, symmetric: np.ndarray, V: np.ndarray, G: np.ndarray
    ) -> float:
        """One sweep over V in place, G = V'V with it; the objective's decrease."""
        return sweep_indicator(*self._pattern, symmetric, V, G)


def fit_indicator(
    problem: DescentProblem,
    s: np.ndarray,
    V: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    self_expression: float | None = None,
) -> tuple[np.ndarray, list[float]]:
    """Minimise over V with S fixed; V and the objective's history."""
    V = V.copy()
    G = gram(V)
    symmetric = problem.support.symmetric(s)
    decreases: list[float] = []
    while len(decreases) < max_iter:
        decreases.append(problem.step_indicator(symmetric, V, G))
        if decreases[-1] <= tol * problem.size:
            break
    # Told from the end: the last value is exact, and those before cannot lie lower.
    earlier = np.cumsum(decreases[::-1])[::-1]
    last = problem.objective(s, V, self_expression)
    return V, [*(last + earlier), last]


def alternate(
    problem: DescentProblem,
    s: np.ndarray,
    V: np.ndarray,
    *,
    max_iter: int,
    tol: float,
    monitor: Monitor = never_stop,
    history: Sequence[float] = (),
) -> tuple[np.ndarray, SolverResult]:
    """Alternate sweeps over S and V until the objective stands still.

    `history` holds the objective of earlier iterations up to that of (s, V); they
    count towards `max_iter`. Returns `s` and the result.
    """
    s, V = s.copy(), V.copy()
    G = gram(V)
    values = list(history) or [problem.objective(s, V)]
    moved = (values[-2] - values[-1]) / problem.size if len(values) > 1 else np.inf
    reason = "max_iter"
    while len(values) <= max_iter:
        self_expression = problem.step_representation(s, V, _SWEEPS_EACH)
        problem.step_indicator(problem.support.symmetric(s), V, G)
        values.append(problem.objective(s, V, self_expression))
        moved = (values[-2] - values[-1]) / problem.size
        stopped = monitor(len(values) - 2)
        if moved <= tol or stopped:
            reason = "converged" if moved <= tol else "callback"
            break
    S = problem.support.matrix(s).T.tocsr()
    return s, SolverResult(S, V, np.array(values), float(moved), reason)
