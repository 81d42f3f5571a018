"""Clusters of weighted anchors: the joint model on their graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from graphtailor.graphs.weights import inverse_sqrt
from graphtailor.linalg.threads import single_threaded
from graphtailor.neighbors.nearest_anchors import NearestAnchors
from graphtailor.representatives.graph import AnchorGraph
from graphtailor.solvers.base import Monitor, SolverResult, never_stop
from graphtailor.solvers.descent import DescentProblem
from graphtailor.solvers.multistart import Start, descend_from
from graphtailor.solvers.starts import given_start, indicator_starts
from graphtailor.solvers.support import support_of


def cluster_anchors(
    anchors: np.ndarray,
    graph: AnchorGraph,
    *,
    n_clusters: int,
    beta: float,
    init: Any,
    n_init: int,
    max_iter: int,
    tol: float,
    random_state: Any,
    n_jobs: int | None,
    after_start: Callable[[], bool] = lambda: False,
    monitor: Monitor = never_stop,
) -> tuple[SolverResult, list[Start]]:
    """Solve the joint problem on the anchors' graph.

    With masses L and :math:`V = L^{-1/2} \\tilde V` the weighted problem is the plain
    one in the variables with a tilde, but for the diagonal, which an anchor of some
    mass has. Self-expression has shaped the graph before. Of all starts the one with
    the lowest normalised cut is kept: on warped blobs that follows the true clusters,
    while the objective of the starts does not.

    Parameters
    ----------
    anchors : ndarray of shape (m, d)
        The anchors.
    graph : AnchorGraph
        Their graph.
    n_clusters, beta, init, n_init, max_iter, tol, random_state, n_jobs
        As in :class:`~graphtailor.GraphTailor`; `init` may be the kind and the
        indicator of the only start.
    after_start, monitor : callable
        As in :func:`~graphtailor.solvers.multistart.descend_from`.

    Returns
    -------
    result : SolverResult
        In the variables with a tilde.
    tried : list of Start
        What every start reached.
    """
    m = len(anchors)
    support = support_of(graph.W, graph.W, np.float64)
    problem = DescentProblem(
        np.empty((m, 0)), support, 0.0, beta, n_jobs, diagonal=graph.W.diagonal()
    )
    if isinstance(init, str):
        starts = indicator_starts(
            anchors,
            graph.W,
            n_clusters,
            init,
            n_init,
            check_random_state(random_state),
            np.float64,
            masses=graph.masses,
            eigenvectors=graph.embedding,
        )
    else:
        kind, V = init
        V = given_start(V, graph.W, n_clusters, np.float64, masses=graph.masses)
        starts = iter([(kind, lambda: V)])
    with single_threaded():
        return descend_from(
            problem,
            starts,
            max_iter=max_iter,
            tol=tol,
            cost=partial(normalized_cut, graph),
            after_start=after_start,
            monitor=monitor,
        )


def normalized_cut(graph: AnchorGraph, V: np.ndarray) -> float:
    """Normalised cut of the anchors' graph by the partition that V stands for.

    The masses are the degrees of the anchors, so that clusters count by their samples;
    one without samples counts as cut off entirely.
    """
    c = V.shape[1]
    H = np.zeros(V.shape)
    H[np.arange(len(V)), V.argmax(axis=1)] = np.sqrt(graph.masses)
    within = np.einsum("ij,ij->j", H, graph.W @ H)
    volume = np.square(H).sum(axis=0)
    return c - float(np.sum(within[volume > 0] / volume[volume > 0]))


def anchor_indicator(
    anchors: np.ndarray, graph: AnchorGraph, V: np.ndarray
) -> np.ndarray:
    """Indicator of the anchors for lifting: no row is empty.

    Parameters
    ----------
    anchors : ndarray of shape (m, d)
        The anchors.
    graph : AnchorGraph
        Their graph.
    V : ndarray of shape (m, c)
        Indicator in the variables with a tilde.

    Returns
    -------
    ndarray of shape (m, c)
        Rows divided by the root of the masses; an anchor that stands for nothing, or
        that nothing pulls, takes the row of the nearest one with a cluster.
    """
    V = V * inverse_sqrt(graph.masses)[:, None]
    held = V.max(axis=1) > 0
    if not held.any():
        return np.ones(V.shape, dtype=anchors.dtype)
    if not held.all():
        nearest, _ = NearestAnchors(anchors[held], 1).find(anchors[~held])
        V[~held] = V[held][nearest[:, 0]]
    return V.astype(anchors.dtype)
