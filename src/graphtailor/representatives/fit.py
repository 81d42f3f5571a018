"""A fit by anchors: choose them, cluster them, and give every row its label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor.models.samples import is_named
from graphtailor.representatives.choice import (
    ROWS_PER_ANCHOR,
    TRIAL_ROWS_PER_ANCHOR,
    AnchorChoice,
    choose_anchors,
    first_number,
    most_anchors,
    place_anchors,
)
from graphtailor.representatives.ensemble import ensemble_of_anchors
from graphtailor.representatives.graph import AnchorGraph, learn_anchor_graph
from graphtailor.representatives.links import (
    AnchorLinks,
    Memberships,
    SharedRows,
    lift,
)
from graphtailor.representatives.model import anchor_indicator, cluster_anchors
from graphtailor.representatives.rows import Rows, sample_rows
from graphtailor.solvers.base import Monitor, SolverResult, never_stop
from graphtailor.solvers.multistart import Start

# Starts of a trial partition, made to see whether there are enough anchors.
_TRIAL_STARTS = 3


@dataclass(frozen=True)
class AnchorSettings:
    """Parameters of :class:`~graphtailor.GraphTailor` that matter to anchors."""

    n_clusters: int
    ensemble: bool
    alpha: float
    beta: float
    diffusion: int | str
    init: str
    n_init: int
    max_iter: int
    tol: float
    n_jobs: int | None


def settings_of(model: Any) -> AnchorSettings:
    """The parameters of an estimator that matter to anchors."""
    return AnchorSettings(
        n_clusters=model.n_clusters_,
        ensemble=is_named(model.graph_, "ensemble"),
        alpha=model.alpha_,
        beta=model.beta_,
        diffusion=model.diffusion,
        init=model.init if isinstance(model.init, str) else "mixed",
        n_init=12 if model.n_init == "auto" else model.n_init,
        max_iter=model.max_iter,
        tol=model.tol,
        n_jobs=model.n_jobs,
    )


@dataclass(frozen=True)
class AnchorSolution:
    """Clustered anchors, and all that a row's label depends on.

    Attributes
    ----------
    links : AnchorLinks
        From rows to the anchors.
    graph : AnchorGraph
        The anchors' graph.
    indicator : ndarray of shape (m, c)
        Indicator of the anchors, no row of it empty.
    result : SolverResult
        Of the weighted problem.
    starts : list of Start
        What every start reached, on the anchors.
    """

    links: AnchorLinks
    graph: AnchorGraph
    indicator: np.ndarray
    result: SolverResult
    starts: list[Start]

    def indicator_of(self, rows: Any) -> np.ndarray:
        """Indicator of scaled rows, each for itself."""
        return lift(self.links.memberships(rows), self.indicator)


@dataclass(frozen=True)
class Sample:
    """Scaled rows drawn at random, to choose the anchors by.

    Attributes
    ----------
    rows : {ndarray, csr_array} of shape (size, d)
        The rows.
    n_samples : int
        Number of rows they were drawn from.
    seed : int
        Of everything that follows.
    """

    rows: Any
    n_samples: int
    seed: int


def sample_size(n_samples: int, n_clusters: int, anchors: Any) -> int:
    """Rows that the choice of anchors needs."""
    if not isinstance(anchors, str | int | np.integer):
        m = len(anchors)
    elif anchors == "auto":
        return TRIAL_ROWS_PER_ANCHOR * most_anchors(n_samples, n_clusters)
    else:
        m = int(anchors)
    return ROWS_PER_ANCHOR * m


def anchors_for(sample: Sample, anchors: Any, settings: AnchorSettings) -> AnchorChoice:
    """Anchors of the user's own, of a given number, or as many as are needed.

    Parameters
    ----------
    sample : Sample
        Rows to choose by.
    anchors : "auto", int or ndarray of shape (m, d)
        What is wanted; an array holds scaled anchors.
    settings : AnchorSettings
        For trial partitions.

    Returns
    -------
    AnchorChoice
        The anchors, and how stable the partition by them is.
    """
    if isinstance(anchors, np.ndarray):
        links = AnchorLinks.from_sample(anchors, sample.rows, k=5)
        return AnchorChoice(links, None)
    if anchors != "auto":
        return AnchorChoice(place_anchors(sample.rows, int(anchors), sample.seed), None)
    return choose_anchors(
        sample.rows,
        partial(_trial_labels, sample, settings),
        first_number(sample.n_samples, settings.n_clusters),
        most_anchors(sample.n_samples, settings.n_clusters),
        sample.seed,
    )


def _trial_labels(
    sample: Sample, settings: AnchorSettings, links: AnchorLinks
) -> np.ndarray:
    size = TRIAL_ROWS_PER_ANCHOR * len(links.anchors)
    chosen = sample_rows(sample.rows.shape[0], size, sample.seed)
    memberships = links.memberships(sample.rows[chosen])
    shared = SharedRows(len(links.anchors))
    shared.add(memberships)
    solution = solve_anchors(links, shared, settings, sample.seed, n_init=_TRIAL_STARTS)
    compared = sample_rows(sample.rows.shape[0], 20_000, sample.seed)
    return solution.indicator_of(sample.rows[compared]).argmax(axis=1)


def solve_anchors(
    links: AnchorLinks,
    shared: SharedRows,
    settings: AnchorSettings,
    seed: int,
    *,
    n_init: int | None = None,
    start: tuple[str, np.ndarray] | None = None,
    after_start: Callable[[], bool] = lambda: False,
    monitor: Monitor = never_stop,
) -> AnchorSolution:
    """Cluster the anchors by what they share of the rows.

    Parameters
    ----------
    links : AnchorLinks
        With the anchors.
    shared : SharedRows
        Summed over all rows.
    settings : AnchorSettings
        Weights and starts.
    seed : int
        Seed of the starts.
    n_init : int, default=None
        Another number of starts than that of the settings.
    start : tuple of str and ndarray of shape (m, c), default=None
        The only start: its kind, and an indicator of the anchors.
    after_start, monitor : callable
        As in :func:`~graphtailor.solvers.multistart.descend_from`.

    Returns
    -------
    AnchorSolution
        The clustered anchors.
    """
    given, diffusion = shared.graph(), settings.diffusion
    if settings.ensemble and len(links.anchors) > 1:
        given, cut = ensemble_of_anchors(
            links.anchors,
            given,
            n_clusters=settings.n_clusters,
            seed=seed,
            n_jobs=settings.n_jobs,
        )
        if start is None and settings.init == "mixed":
            start = ("ensemble", cut)
        # Members follow the paths of their own graphs.
        diffusion = 0 if diffusion == "auto" else diffusion
    graph = learn_anchor_graph(
        links.anchors,
        given,
        n_clusters=settings.n_clusters,
        alpha=settings.alpha,
        beta=settings.beta,
        diffusion=diffusion,
        n_jobs=settings.n_jobs,
    )
    result, starts = cluster_anchors(
        links.anchors,
        graph,
        n_clusters=settings.n_clusters,
        beta=settings.beta,
        init=settings.init if start is None else start,
        n_init=n_init or settings.n_init,
        max_iter=settings.max_iter,
        tol=settings.tol,
        random_state=check_random_state(seed),
        n_jobs=settings.n_jobs,
        after_start=after_start,
        monitor=monitor,
    )
    indicator = anchor_indicator(links.anchors, graph, result.V)
    return AnchorSolution(links, graph, indicator, result, starts)


def link_rows(
    rows: Rows, links: AnchorLinks, n_jobs: int | None
) -> tuple[Memberships, SharedRows]:
    """Memberships of all rows, and what the anchors share of them."""
    n, k = rows.shape[0], links.search.k
    anchors = np.empty((n, k), dtype=np.int32)
    shares = np.empty((n, k), dtype=links.anchors.dtype)
    strength = np.empty(n)
    shared = SharedRows(len(links.anchors))
    for part, block in rows.each_block(links.memberships, n_jobs):
        shared.add(block)
        anchors[part], shares[part], strength[part] = block
    return Memberships(anchors, shares, strength), shared


def mean_of_rows(rows: Memberships, V: np.ndarray, m: int) -> np.ndarray:
    """Indicator of the anchors that fits that of the rows: the mean by their shares."""
    n, k = rows.anchors.shape
    weights = (rows.shares * rows.strength[:, None]).ravel()
    indptr = np.arange(0, n * k + 1, k)
    B = sparse.csr_array((weights, rows.anchors.ravel(), indptr), (n, m))
    masses = np.asarray(B.sum(axis=0)).ravel()
    return (B.T @ V) / np.where(masses > 0, masses, 1.0)[:, None]


def labels_by_anchors(rows: Rows, settings: AnchorSettings, seed: int) -> np.ndarray:
    """Clusters of scaled rows by the first number of anchors, for a start."""
    n = rows.shape[0]
    m = first_number(n, settings.n_clusters)
    sample = rows.take(sample_rows(n, ROWS_PER_ANCHOR * m, seed))
    links = place_anchors(sample, m, seed)
    memberships, shared = link_rows(rows, links, settings.n_jobs)
    solution = solve_anchors(links, shared, settings, seed)
    return lift(memberships, solution.indicator).argmax(axis=1)
