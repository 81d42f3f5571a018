"""Coordinate descent from several starts: the solver for everyday use."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.sparse.csgraph import reverse_cuthill_mckee

from graphtailor.decide import sizes
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import COUNT
from graphtailor.solvers import base
from graphtailor.solvers.problem import DescentProblem, Limits, alternate, fit_indicator
from graphtailor.solvers.starts import given_start, indicator_starts
from graphtailor.solvers.support import support_of
from graphtailor.solvers.v_step_constrained import ConstrainedProblem, IndicatorRules

# From this beta on V bends S so little, by 1 / (1 + beta), that all starts share the
# S that suits the data and the given graph. That makes a start cheap, and objectives
# of different starts comparable.
SHARED_FROM_BETA = 10.0
# All starts are followed roughly, to this multiple of the tolerance; only the best
# third of them is followed further.
_ROUGHLY = 100.0
_FOLLOWED_FURTHER = 3


class Descent(base.Solver):
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
        "support": [*COUNT, None]
    }

    def __init__(self, support: int | None = 3) -> None:
        self.support = support

    @property
    def reach(self) -> int | None:
        """The support."""
        return self.support

    def solve(
        self, problem: base.JointProblem, search: base.Search
    ) -> tuple[base.SolverResult, list[base.Start]]:
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

    def not_converged(self, result: base.SolverResult, search: base.Search) -> str:
        """Names the decrease that was left and the two limits."""
        return (
            f"The descent did not converge in max_iter={search.max_iter} iterations: "
            f"the last one lowered the objective by {result.stopping_value:.1e}, and "
            f"tol={search.tol:g} was asked for. Raise max_iter or tol."
        )


def _projected(rules: IndicatorRules, make: Callable[[], np.ndarray]) -> np.ndarray:
    return rules.project(make())


def _starts(
    problem: base.JointProblem, search: base.Search
) -> Iterable[tuple[str, Callable[[], np.ndarray]]]:
    W, c = problem.W, problem.n_clusters
    if not isinstance(search.init, str):
        V = given_start(search.init, W, c)
        return [("given", lambda: V)]
    points = problem.X if problem.X.shape[1] else None
    kinds = (search.init, search.n_init, search.random_state)
    return indicator_starts(points, W, c, *kinds)


@dataclass(frozen=True)
class Candidate:
    """A start on its way."""

    kind: str  # what it started from
    s: np.ndarray
    V: np.ndarray
    history: tuple[float, ...] = ()  # the objective after every iteration

    @property
    def objective(self) -> float:
        """The last value of the objective."""
        return self.history[-1]


class _Race:
    """Brings candidates forward, with or without an S that all of them share."""

    def __init__(self, problem: DescentProblem, max_iter: int) -> None:
        self.problem = problem
        self.max_iter = max_iter
        self.shared = problem.beta >= SHARED_FROM_BETA
        self.s = problem.support.given
        if self.shared:
            self.s, self.self_expression = problem.representation_alone()

    def advance(self, candidate: Candidate, tol: float, n_tasks: int) -> Candidate:
        """Lower the candidate's objective until it has converged to `tol`."""
        before = candidate.history[:-1]
        # Threads within each of the tasks that run side by side.
        n_jobs = max(self.problem.columns.n_jobs // max(n_tasks, 1), 1)
        start = (self.problem, candidate.s, candidate.V)
        limits = Limits(self.max_iter - len(before), tol, n_jobs)
        if self.shared:
            V, history = fit_indicator(*start, limits, self.self_expression)
            return Candidate(candidate.kind, candidate.s, V, (*before, *history))
        s, result = alternate(*start, limits)
        return Candidate(candidate.kind, s, result.V, (*before, *result.objective))


def descend_from(
    problem: DescentProblem,
    starts: Iterable[tuple[str, Callable[[], np.ndarray]]],
    *,
    max_iter: int,
    tol: float,
    after_start: Callable[[], bool] = base.never_stop,
    monitor: base.Monitor = base.never_stop,
) -> tuple[base.SolverResult, list[base.Start]]:
    """Solve the joint problem from every start and finish the best one.

    A start is its kind and what makes its V, in the thread that needs it. True from
    `after_start` takes the best so far; from `monitor` it ends the last descent.
    """

    def solved(
        problem: DescentProblem, starts: Iterable[tuple[str, Callable[[], np.ndarray]]]
    ) -> tuple[np.ndarray, base.SolverResult, list[base.Start]]:
        best, tried = _best_start(problem, starts, max_iter, tol, after_start)
        start = (problem, best.s, best.V, Limits(max_iter, tol))
        last = alternate(*start, monitor=monitor, history=best.history)
        return *last, tried

    constrained = type(problem) is not DescentProblem
    if problem.support.n_samples < sizes.PARALLEL_FROM or constrained:
        _, result, tried = solved(problem, starts)
        return result, tried
    # For many samples memory is slower than the arithmetic: neighbours come near each
    # other in it.
    pattern = problem.support.matrix(problem.support.given)
    order = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    number = np.argsort(order)
    support, source = problem.support.renumbered(order)
    how = (problem.alpha, problem.beta, problem.columns.n_jobs)
    near = DescentProblem(problem.X[order], support, *how)
    moved = [(kind, lambda make=make: make()[order]) for kind, make in starts]
    s_near, result, tried = solved(near, moved)
    s = np.empty_like(s_near)
    s[source] = s_near
    S = problem.support.matrix(s).T.tocsr()
    result = replace(result, S=S, V=result.V[number])
    return result, [replace(start, labels=start.labels[number]) for start in tried]


def _best_start(
    problem: DescentProblem,
    starts: Iterable[tuple[str, Callable[[], np.ndarray]]],
    max_iter: int,
    tol: float,
    after_start: Callable[[], bool],
) -> tuple[Candidate, list[base.Start]]:
    """Follow every start; the best one, to be finished, and what all of them reached.

    In the order in which the problem has its samples.
    """
    race = _Race(problem, max_iter)
    starts = list(starts)

    def begin(start: tuple[str, Callable[[], np.ndarray]]) -> Candidate:
        kind, make = start
        candidate = Candidate(kind, race.s, make())
        return race.advance(candidate, _ROUGHLY * tol, len(starts))

    def go_on(candidate: Candidate) -> Candidate:
        return race.advance(candidate, tol, len(leaders))

    tried: list[Candidate] = []
    with ThreadPoolExecutor(problem.columns.n_jobs) as pool:
        for candidate in pool.map(begin, starts):
            tried.append(candidate)
            if after_start():
                pool.shutdown(cancel_futures=True)
                break
    ranking = sorted(range(len(tried)), key=lambda number: tried[number].objective)
    leaders = ranking[: -(-len(tried) // _FOLLOWED_FURTHER)]
    with ThreadPoolExecutor(problem.columns.n_jobs) as pool:
        finished = pool.map(go_on, [tried[number] for number in leaders])
        for number, candidate in zip(leaders, finished, strict=True):
            tried[number] = candidate
    return min(tried, key=lambda candidate: candidate.objective), [
        base.Start(candidate.kind, candidate.objective, candidate.V.argmax(axis=1))
        for candidate in tried
    ]
