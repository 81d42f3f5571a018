"""The two solvers, as an estimator calls them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor._threads import single_threaded
from graphtailor.joint.anchors.fit import labels_by_anchors, settings_of
from graphtailor.joint.anchors.rows import Rows
from graphtailor.joint.descent import DescentProblem
from graphtailor.joint.multiplicative import multiplicative_start, solve_multiplicative
from graphtailor.joint.multistart import Start, descend_from
from graphtailor.joint.progress import FitProgress
from graphtailor.joint.result import SolverResult
from graphtailor.joint.space import SampleSpace
from graphtailor.joint.starts import given_start, indicator_starts

# Most starts, and the product of starts and samples where each takes longer.
_MOST_STARTS, _START_SAMPLES = 12, 24_000
# Eigenvectors of larger graphs take longer than all the rest of the fit.
_EIGENVECTORS_UP_TO = 12_000

# Result, what every start reached, and a matrix that joins each sample to those near
# it; from the estimator, its samples and, for a warm start, the last S and V.
Solution = tuple[SolverResult, list[Start], sparse.csr_array]
Solver = Callable[[Any, SampleSpace, tuple[Any, np.ndarray] | None], Solution]


def by_descent(
    model: Any, space: SampleSpace, last: tuple[Any, np.ndarray] | None
) -> Solution:
    """Coordinate descent on the support, from several starts."""
    support = space.build_support()
    X = space.for_self_expression(space.samples)
    problem = DescentProblem(X, support, model.alpha_, model.beta, model.n_jobs)
    n_init = number_of_starts(model.n_init, space.n_samples)
    progress = FitProgress(model, n_init, model.max_iter)
    with single_threaded():  # the products are thin, and starts run side by side
        result, tried = descend_from(
            problem,
            _starts(model, space, n_init, last),
            max_iter=model.max_iter,
            tol=model.tol,
            s=None if last is None else support.values_of(last[0].T),
            after_start=progress.after_start,
            monitor=progress.after_iteration,
        )
    progress.finish()
    return result, tried, support.matrix(np.ones_like(support.given))


def number_of_starts(n_init: int | str, n_samples: int) -> int:
    """Starts of a fit: 12 if that is left to us, fewer where each takes seconds."""
    if n_init != "auto":
        return int(n_init)
    return int(np.clip(_START_SAMPLES // n_samples, 1, _MOST_STARTS))


def _starts(
    model: Any, space: SampleSpace, n_init: int, last: tuple[Any, np.ndarray] | None
) -> Any:
    W, dtype = space.given_graph, space.samples.dtype
    if last is not None:
        return [("warm", lambda: last[1].astype(dtype))]
    if not isinstance(model.init, str):
        V = given_start(model.init, W, model.n_clusters_, dtype)
        return [("given", lambda: V)]
    many = space.n_samples > _EIGENVECTORS_UP_TO and not space.is_pairwise
    return indicator_starts(
        None if space.is_pairwise else space.samples,
        W,
        model.n_clusters_,
        model.init,
        n_init,
        check_random_state(model.random_state),
        dtype,
        anchor_labels=partial(_by_anchors, model, space) if many else None,
    )


def _by_anchors(model: Any, space: SampleSpace, seed: int) -> np.ndarray:
    """Clusters by anchors, in place of eigenvectors of a very large graph."""
    settings = replace(settings_of(model), alpha=0.0, init="spectral", n_init=3)
    return labels_by_anchors(Rows(space.samples), settings, seed)


def by_multiplication(
    model: Any, space: SampleSpace, last: tuple[Any, np.ndarray] | None
) -> Solution:
    """The study's Algorithm 1 in float64, from one start."""
    X = space.for_self_expression(space.samples)
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64, copy=False)
    kind, S, V = _multiplicative_start(model, space, last)
    progress = FitProgress(model, 0, model.max_iter)
    result = solve_multiplicative(
        X,
        space.given_graph.astype(np.float64),
        *(S, V),
        alpha=model.alpha_,
        beta=model.beta,
        max_iter=model.max_iter,
        tol=model.tol,
        monitor=progress.after_iteration,
    )
    progress.finish()
    start = Start(kind, float(result.objective[-1]), result.V.argmax(axis=1))
    dtype = space.samples.dtype
    S = sparse.csr_array(result.S.astype(dtype))
    result = replace(result, S=S, V=result.V.astype(dtype))
    return result, [start], space.given_graph


def _multiplicative_start(
    model: Any, space: SampleSpace, last: tuple[Any, np.ndarray] | None
) -> tuple[str, np.ndarray, np.ndarray]:
    if last is not None:
        S, V = last
        return "warm", S.toarray().astype(np.float64), V.astype(np.float64)
    if isinstance(model.init, str):
        random_state = check_random_state(model.random_state)
        S, V = multiplicative_start(space.n_samples, model.n_clusters_, random_state)
        return "random", S, V
    V = given_start(model.init, space.given_graph, model.n_clusters_, np.float64)
    S = V @ V.T
    np.fill_diagonal(S, 0.0)
    return "given", S, V


SOLVERS: dict[str, Solver] = {
    "descent": by_descent,
    "multiplicative": by_multiplication,
}
