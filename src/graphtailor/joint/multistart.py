"""Several starts, of which the one with the lowest objective is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtailor.joint.descent import DescentProblem, alternate, fit_indicator
from graphtailor.joint.result import Monitor, SolverResult, never_stop

# From this beta on V bends S so little, by 1 / (1 + beta), that all starts share the
# S that suits the data and the given graph. That makes a start cheap, and objectives
# of different starts comparable.
_SHARED_FROM_BETA = 10.0


@dataclass(frozen=True)
class Start:
    """Where one start led.

    Attributes
    ----------
    kind : str
        What it started from.
    objective : float
        The objective it reached.
    labels : ndarray of shape (n,)
        The clusters it found.
    """

    kind: str
    objective: float
    labels: np.ndarray


@dataclass(frozen=True)
class _Candidate:
    s: np.ndarray
    V: np.ndarray
    history: list[float]


def descend_from(
    problem: DescentProblem,
    starts: Iterable[tuple[str, Callable[[], np.ndarray]]],
    *,
    max_iter: int,
    tol: float,
    after_start: Callable[[], bool] = lambda: False,
    monitor: Monitor = never_stop,
) -> tuple[SolverResult, list[Start]]:
    """Solve the joint problem from every start and finish the best one.

    Parameters
    ----------
    problem : DescentProblem
        What to minimise.
    starts : iterable of (str, callable)
        Kind of each start, and what makes its V (in the thread that needs it).
    max_iter, tol
        Most iterations of a start, and the decrease (relative to the size of the
        given graph) at which it has converged.
    after_start : callable
        Called after each start; true takes the best so far.
    monitor : callable
        Called after each iteration of the last descent; true ends it.

    Returns
    -------
    result : SolverResult
        From the best start.
    tried : list of Start
        What every start reached, in their order.
    """
    shared = problem.beta >= _SHARED_FROM_BETA
    how: dict[str, Any] = {"max_iter": max_iter, "tol": tol}
    if shared:
        s_start, how["self_expression"] = problem.representation_alone()
    else:
        s_start = problem.support.given

    def run(start: tuple[str, Callable[[], np.ndarray]]) -> tuple[str, _Candidate]:
        kind, make = start
        V = make()
        if shared:
            V, history = fit_indicator(problem, s_start, V, **how)
            return kind, _Candidate(s_start, V, history)
        s, result = alternate(problem, s_start, V, **how)
        return kind, _Candidate(s, result.V, list(result.objective))

    tried: list[Start] = []
    best: _Candidate | None = None
    with ThreadPoolExecutor(problem.columns.n_jobs) as pool:
        for kind, candidate in pool.map(run, starts):
            tried.append(Start(kind, candidate.history[-1], candidate.V.argmax(axis=1)))
            if best is None or candidate.history[-1] < best.history[-1]:
                best = candidate
            if after_start():
                pool.shutdown(cancel_futures=True)
                break
    if best is None:
        raise ValueError("At least one start is needed.")
    _, result = alternate(
        problem,
        best.s,
        best.V,
        max_iter=max(max_iter, len(best.history)),
        tol=tol,
        monitor=monitor,
        history=best.history,
    )
    return result, tried
