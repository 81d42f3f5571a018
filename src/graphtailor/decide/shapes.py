"""Which graph is given to the model where that is left open."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from graphtailor.decide.settings import TRIED_UP_TO
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.models.samples import SampleSpace, is_named
from graphtailor.solvers.multistart import SHARED_FROM_BETA
from graphtailor.solvers.starts import unit_rows

# Clusters that share no larger part of their edges' weight with others are plain to
# see, unless one is so many times smaller than the mean: a few outliers are as far
# apart.
_PLAIN, _TINY = 0.001, 5
# Adjusted Rand index from which k-means sees the same clusters.
_SAME = 0.9
_STARTS = 3


def choose_graph(model: Any, X: Any) -> Any:
    """The graph that an estimator asks for, or the one that suits the samples.

    Many clusterings know more of real data than one graph of neighbours does. But most
    of them cut through long and thin clusters: where near neighbours show such, there
    is nothing to vote on.

    Parameters
    ----------
    model : GraphTailor
        Its parameters, with `tier_`, `beta_` and `n_clusters_`.
    X : {ndarray, csr_array} of shape (n, d)
        Checked samples.

    Returns
    -------
    str or graph builder
        `graph`; in the place of "auto" it is "ensemble" or "knn".
    """
    if not is_named(model.graph, "auto"):
        return model.graph
    if model.warm_start and hasattr(model, "graph_"):
        return model.graph_
    open_to_all = _asks_for_nothing_else(model) and not sparse.issparse(X)
    n, c = X.shape[0], model.n_clusters_
    if not open_to_all or n > TRIED_UP_TO["sparse"] or not 1 < c < n:
        return "knn"
    return "knn" if neighbors_show_shapes(X, c, model.scaling) else "ensemble"


def _asks_for_nothing_else(model: Any) -> bool:
    """Whether all that a graph of neighbours would be needed for is left open."""
    automatic = (model.alpha, model.diffusion, model.n_neighbors, model.support)
    return (
        model.tier_ == "sparse"
        and all(isinstance(value, str) for value in automatic)
        and model.scaling == "maxabs"  # an ensemble scales features in several ways
        and is_named(model.init, "mixed")
        and is_named(model.metric, "euclidean")
        and is_named(model.kernel, "linear")
        and model.beta_ >= SHARED_FROM_BETA
    )


def neighbors_show_shapes(X: Any, n_clusters: int, scaling: str | None) -> bool:
    """Whether near neighbours show clusters that are not compact.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples.
    n_clusters : int
        Number of clusters.
    scaling : str or None
        As in :class:`~graphtailor.GraphTailor`.

    Returns
    -------
    bool
        True if each cluster of the spectral cut of their graph has at most a thousandth
        of the weight of its edges with others, none is tiny, and k-means does not see
        the same clusters.

    Examples
    --------
    >>> from sklearn.datasets import load_iris, make_moons
    >>> neighbors_show_shapes(make_moons(200, noise=0.05, random_state=0)[0], 2, None)
    True
    >>> neighbors_show_shapes(load_iris().data, 3, None)
    False
    """
    X = np.unique(X, axis=0)  # copies of a row are cut off from all others
    if len(X) <= n_clusters:
        return False
    space = SampleSpace(
        graph="knn",
        n_neighbors="auto",
        metric="euclidean",
        support=1,
        scaling=scaling,
    ).fit(X)
    if not space.builder.weights_.nnz:
        return False
    eigenvectors = leading_eigenvectors(space.given_graph, n_clusters, 0)[1]
    labels = _by_kmeans(unit_rows(eigenvectors), n_clusters)
    sizes = np.bincount(labels, minlength=n_clusters)
    return bool(
        sizes.min() * _TINY * n_clusters >= len(labels)
        and _are_apart(space.builder.weights_, labels)
        and adjusted_rand_score(labels, _by_kmeans(space.samples, n_clusters)) < _SAME
    )


def _by_kmeans(rows: np.ndarray, n_clusters: int) -> np.ndarray:
    return kmeans_labels(
        rows, n_clusters, n_init=_STARTS, init="k-means++", random_state=0
    )


def _are_apart(G: sparse.csr_array, labels: np.ndarray) -> bool:
    """Whether next to no weight of a cluster's edges goes to others."""
    start = labels[np.repeat(np.arange(len(labels)), np.diff(G.indptr))]
    inside = start == labels[G.indices]
    weight = np.bincount(start, G.data)
    kept = np.bincount(start[inside], G.data[inside], minlength=len(weight))
    return bool((weight - kept <= _PLAIN * weight).all())
