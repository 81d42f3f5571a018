"""The two solvers, as an estimator calls them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor.decide.settings import Setting, most_agreed, settings_to_try
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.linalg.threads import single_threaded
from graphtailor.models.progress import FitProgress
from graphtailor.models.samples import SampleSpace, is_named
from graphtailor.representatives.fit import labels_by_anchors, settings_of
from graphtailor.representatives.rows import Rows
from graphtailor.solvers.base import SolverResult
from graphtailor.solvers.descent import DescentProblem
from graphtailor.solvers.multiplicative import (
    multiplicative_start,
    solve_multiplicative,
)
from graphtailor.solvers.multistart import (
    SHARED_FROM_BETA,
    Start,
    best_start,
    descend_from,
    finish,
)
from graphtailor.solvers.starts import given_start, indicator_starts

# Most starts, and the product of starts and samples where each takes longer.
_MOST_STARTS, _START_SAMPLES = 12, 24_000
# The same at each of several settings, which differ more than starts do; one start of
# every kind at least.
_MOST_AT_EACH, _START_SAMPLES_AT_EACH, _FEWEST_AT_EACH = 6, 6_000, 3
# Starts that share their S take milliseconds each up to so many samples, and so many
# find lower objectives than 12 where classes are very unequal.
_STARTS_SHARING, _SHARING_UP_TO = 36, 2_000
# On the graph of an ensemble starts are its best cuts, which the graph holds already.
_CUTS = 2
# Eigenvectors of larger graphs take longer than all the rest of the fit.
_EIGENVECTORS_UP_TO = 12_000


class Solution(NamedTuple):
    """What a solver found.

    Attributes
    ----------
    result : SolverResult
        S, V and the way to them.
    starts : list of Start
        What every start reached.
    nearby : csr_array of shape (n, n)
        Joins each sample to those near it.
    setting : Setting
        The weight of self-expression and the diffusion that were taken.
    space : SampleSpace
        The samples, with the graph of that setting.
    tried : dict of Setting to float
        The settings among which it was chosen, and how far each agrees with them.
    """

    result: SolverResult
    starts: list[Start]
    nearby: sparse.csr_array
    setting: Setting
    space: SampleSpace
    tried: dict[Setting, float]


# From the estimator, its samples and, for a warm start, the last S and V.
Solver = Callable[[Any, SampleSpace, tuple[Any, np.ndarray] | None], Solution]


def by_descent(
    model: Any, space: SampleSpace, last: tuple[Any, np.ndarray] | None
) -> Solution:
    """Coordinate descent on the support, from several starts."""
    settings = settings_to_try(model, space, last is not None)
    n_init = number_of_starts(model, space.n_samples, len(settings))
    progress = FitProgress(model, n_init * len(settings), model.max_iter)
    with single_threaded():  # the products are thin, and starts run side by side
        if len(settings) > 1:
            solution = _at_settings(model, space, settings, n_init, progress)
        else:
            solution = _at_setting(model, space, settings[0], n_init, last, progress)
    progress.finish()
    return solution


def _at_setting(
    model: Any,
    space: SampleSpace,
    setting: Setting,
    n_init: int,
    last: tuple[Any, np.ndarray] | None,
    progress: FitProgress,
) -> Solution:
    (space,) = space.diffused([setting.diffusion], model.n_jobs)
    problem, nearby = _problem(model, space, setting.alpha)
    result, tried = descend_from(
        problem,
        _starts(model, space, n_init, last),
        max_iter=model.max_iter,
        tol=model.tol,
        s=None if last is None else problem.support.values_of(last[0].T),
        cost=_cost_by_members(space),
        after_start=progress.after_start,
        monitor=progress.after_iteration,
    )
    return Solution(result, tried, nearby, setting, space, {})


def _at_settings(
    model: Any,
    space: SampleSpace,
    settings: list[Setting],
    n_init: int,
    progress: FitProgress,
) -> Solution:
    """The best start of each setting; the one that others agree with is finished."""
    within = {"max_iter": model.max_iter, "tol": model.tol}
    found = []
    every = list(dict.fromkeys(setting.diffusion for setting in settings))
    for steps, spread in zip(every, space.diffused(every, model.n_jobs), strict=True):
        alphas = [setting.alpha for setting in settings if setting.diffusion == steps]
        problem, nearby = _problem(model, spread, alphas[0])
        starts = _starts(model, spread, n_init, None)
        starts = [(kind, cache(make)) for kind, make in starts]  # serve all alphas
        for alpha in alphas:
            if progress.stopped:
                break
            weighted = problem.reweighted(alpha)
            best, tried = best_start(
                weighted,
                starts,
                cost=_cost_by_members(space),
                after_start=progress.after_start,
                **within,
            )
            place = (nearby, Setting(alpha, steps), spread)
            found.append((weighted, best, tried, place))
    partitions = [best.V.argmax(axis=1) for _, best, *_ in found]
    chosen, agreement = most_agreed(partitions, _members(space))
    problem, best, tried, place = found[chosen]
    result = finish(problem, best, monitor=progress.after_iteration, **within)[1]
    agreements = {
        setting: float(value)
        for (*_, (_, setting, _)), value in zip(found, agreement, strict=True)
    }
    return Solution(result, tried, *place, agreements)


def _members(space: SampleSpace) -> EnsembleGraph | None:
    """The clusterings that the given graph was made of, if it is such a graph."""
    return space.builder if isinstance(space.builder, EnsembleGraph) else None


def _cost_by_members(space: SampleSpace) -> Callable[[np.ndarray], float] | None:
    """What the best start has least of, where members can judge it."""
    members = _members(space)
    if members is None:
        return None
    return lambda V: -members.agreement(V.argmax(axis=1))


def _problem(
    model: Any, space: SampleSpace, alpha: float
) -> tuple[DescentProblem, sparse.csr_array]:
    """What is to be minimised, and a matrix that joins each sample to those near it."""
    support = space.build_support()
    X = space.for_self_expression(space.samples)
    problem = DescentProblem(X, support, alpha, model.beta_, model.n_jobs)
    return problem, support.matrix(np.ones_like(support.given))


def number_of_starts(model: Any, n_samples: int, n_settings: int = 1) -> int:
    """Starts at a setting: as many as are wanted, or as the time they take allows.

    Parameters
    ----------
    model : GraphTailor
        Its `n_init`, and `beta_`, by which starts share their S or do not.
    n_samples : int
        Number of samples.
    n_settings : int, default=1
        At how many settings so many starts are made.
    """
    if model.n_init != "auto":
        return int(model.n_init)
    if is_named(model.graph_, "ensemble") and is_named(model.init, "mixed"):
        return _CUTS
    if n_settings > 1:
        wanted = _START_SAMPLES_AT_EACH // n_samples
        return int(np.clip(wanted, _FEWEST_AT_EACH, _MOST_AT_EACH))
    if model.beta_ >= SHARED_FROM_BETA and n_samples <= _SHARING_UP_TO:
        return _STARTS_SHARING
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
    members = _members(space)
    if members is not None and model.init == "mixed":
        cuts = [cut.labels for cut in members.cuts_[:n_init]]
        start = partial(given_start, W=W, n_clusters=model.n_clusters_, dtype=dtype)
        return [
            *(("ensemble", partial(start, labels)) for labels in cuts),
            *_made_starts(model, space, n_init - len(cuts)),
        ]
    return _made_starts(model, space, n_init)


def _made_starts(model: Any, space: SampleSpace, n_init: int) -> Any:
    many = space.n_samples > _EIGENVECTORS_UP_TO and not space.is_pairwise
    return indicator_starts(
        None if space.is_pairwise else space.samples,
        space.given_graph,
        model.n_clusters_,
        model.init,
        n_init,
        check_random_state(model.random_state),
        space.samples.dtype,
        anchor_labels=partial(_by_anchors, model, space) if many else None,
    )


def _by_anchors(model: Any, space: SampleSpace, seed: int) -> np.ndarray:
    """Clusters by anchors, in place of eigenvectors of a very large graph."""
    settings = replace(
        settings_of(model), ensemble=False, alpha=0.0, init="spectral", n_init=3
    )
    return labels_by_anchors(Rows(space.samples), settings, seed)


def by_multiplication(
    model: Any, space: SampleSpace, last: tuple[Any, np.ndarray] | None
) -> Solution:
    """The study's Algorithm 1 in float64, from one start."""
    (setting,) = settings_to_try(model, space, last is not None)
    (space,) = space.diffused([setting.diffusion], model.n_jobs)
    X = space.for_self_expression(space.samples)
    X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64, copy=False)
    kind, S, V = _multiplicative_start(model, space, last)
    progress = FitProgress(model, 0, model.max_iter)
    result = solve_multiplicative(
        X,
        space.given_graph.astype(np.float64),
        *(S, V),
        alpha=setting.alpha,
        beta=model.beta_,
        max_iter=model.max_iter,
        tol=model.tol,
        monitor=progress.after_iteration,
    )
    progress.finish()
    start = Start(kind, float(result.objective[-1]), result.V.argmax(axis=1))
    dtype = space.samples.dtype
    S = sparse.csr_array(result.S.astype(dtype))
    result = replace(result, S=S, V=result.V.astype(dtype))
    return Solution(result, [start], space.given_graph, setting, space, {})


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
