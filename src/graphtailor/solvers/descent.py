"""Coordinate descent from several starts: the solver for everyday use."""

from collections.abc import Callable, Iterable
from functools import partial
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval

from graphtailor.linalg.threads import single_threaded
from graphtailor.solvers.base import JointProblem, Search, Solver, SolverResult, Start
from graphtailor.solvers.multistart import descend_from
from graphtailor.solvers.problem import DescentProblem
from graphtailor.solvers.starts import given_start, indicator_starts
from graphtailor.solvers.support import support_of
from graphtailor.solvers.v_step_constrained import ConstrainedProblem, IndicatorRules


class Descent(Solver):
    """Coordinate descent on a sparse support.

    It needs memory for the support alone; no n x n array is ever formed. An iteration
    costs :math:`O(|E| (d + c) + n c^2)` time for a support of \\|E\\| pairs.

    Parameters
    ----------
    support : int or None, default=3
        S may be nonzero on the edges of the given graph and between a sample and its
        ``support * p`` nearest ones, where p is the graph's number of neighbours. None
        stands for all pairs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import JointModel
    >>> from graphtailor.solvers import Descent
    >>> model = JointModel(3, solver=Descent(support=1), random_state=0)
    >>> model.fit(load_iris().data).converged_
    True
    """

    max_iter = 500
    tol = 1e-5
    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "support": [Interval(Integral, 1, None, closed="left"), None]
    }

    def __init__(self, support: int | None = 3) -> None:
        self.support = support

    @property
    def reach(self) -> int | None:
        """The support."""
        return self.support

    def solve(
        self, problem: JointProblem, search: Search
    ) -> tuple[SolverResult, list[Start]]:
        """Follow every start roughly, the best third closely, and finish the best."""
        self._validate_params()
        pairs = None
        if self.support is not None:
            pairs = problem.near(self.support)
            pairs = problem.W if pairs is None else pairs
        support = support_of(problem.W, pairs, problem.dtype)
        parts = (problem.X, support, problem.alpha, problem.beta, search.n_jobs)
        starts = _starts(problem, search)
        if problem.constraints is None:
            descent = DescentProblem(*parts)
        else:
            rules = IndicatorRules.of(problem.constraints, problem.n_clusters)
            descent = ConstrainedProblem(*parts, rules)
            starts = [(kind, partial(_projected, rules, make)) for kind, make in starts]
        with single_threaded():  # the products are thin, and starts run side by side
            return descend_from(
                descent,
                starts,
                max_iter=search.max_iter,
                tol=search.tol,
                after_start=search.after_start,
                monitor=search.monitor,
            )

    def not_converged(self, result: SolverResult, search: Search) -> str:
        """Names the decrease that was left and the two limits."""
        return (
            f"The descent did not converge in max_iter={search.max_iter} iterations: "
            f"the last one lowered the objective by {result.stopping_value:.1e}, and "
            f"tol={search.tol:g} was asked for. Raise max_iter or tol."
        )


def _projected(rules: IndicatorRules, make: Callable[[], np.ndarray]) -> np.ndarray:
    return rules.project(make())


def _starts(
    problem: JointProblem, search: Search
) -> Iterable[tuple[str, Callable[[], np.ndarray]]]:
    W, c = problem.W, problem.n_clusters
    if not isinstance(search.init, str):
        V = given_start(search.init, W, c)
        return [("given", lambda: V)]
    points = problem.X if problem.X.shape[1] else None
    kinds = (search.init, search.n_init, search.random_state)
    return indicator_starts(points, W, c, *kinds)
