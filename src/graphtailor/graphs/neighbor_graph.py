"""The graph W of samples by their neighbours, and its edges to new samples."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.precomputed import PrecomputedGraph, check_distances
from graphtailor.graphs.weights import (
    mean_distances,
    normalize_affinity,
    normalize_rows_to,
    rbf_weights,
    symmetrize,
)
from graphtailor.neighbors.search import (
    Edges,
    NeighborSearch,
    default_n_neighbors,
    seed_from,
)


class NeighborGraph(BaseEstimator):
    r"""Graph of nearest neighbours with RBF weights.

    Sample :math:`j` is joined to sample :math:`i` if it is one of its :math:`p`
    nearest, with weight :math:`\exp(-\|x_i - x_j\|^2 / \sigma^2)`, where
    :math:`\sigma` is the mean distance between the samples and their neighbours.
    The weights are made symmetric, :math:`G`, and normalised by the degrees,
    :math:`W = D^{-1/2} G D^{-1/2}`. The graph does not change when the data are
    multiplied by a constant.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        :math:`p`; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.
    radius : float or None, default=None
        If given, all samples within this distance are neighbours instead.
    weights : {"rbf", "binary"}, default="rbf"
        Kernel weights, or 1 on every edge.
    bandwidth : {"global", "local"} or float, default="global"
        One :math:`\sigma` for all, one for each sample ("local",
        :math:`\exp(-d_{ij}^2 / (\sigma_i \sigma_j))`), or a value of your own.
    symmetrize : {"average", "max", "mutual"}, default="average"
        How the two directions of an edge become one.
    metric : str or callable, default="euclidean"
        Any metric of scikit-learn's neighbours; "precomputed" takes distances.
    engine : {"auto", "exact", "faiss", "pynndescent"}, default="auto"
        What finds the neighbours. "faiss" and "pynndescent" are approximate and need
        ``pip install 'graphtailor[ann]'``; "auto" takes them for many samples, where
        they are quicker. A radius is always searched exactly.
    random_state : int, RandomState or None, default=0
        Seed of the approximate engines. The graph is the same every time unless you
        give None.

    Attributes
    ----------
    weights_ : csr_array of shape (n, n)
        :math:`G`: symmetric, nonnegative, zero diagonal.
    affinity_ : csr_array of shape (n, n)
        :math:`W`, the normalised graph.
    bandwidth_ : float or ndarray of shape (n,)
        :math:`\sigma` as it was used.
    n_neighbors_ : int
        :math:`p` as it was used.
    engine_ : str
        The engine as it was used.
    recall_ : float
        Share of the true nearest neighbours that the engine found, measured on a
        sample; 1 for the exact one.
    search_ : NeighborSearch
        The fitted neighbour search.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor.graphs import NeighborGraph
    >>> builder = NeighborGraph().fit(load_iris().data)
    >>> builder.n_neighbors_, builder.affinity_.shape
    (8, (150, 150))
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "radius": [Interval(Real, 0, None, closed="neither"), None],
        "weights": [StrOptions({"rbf", "binary"})],
        "bandwidth": [
            StrOptions({"global", "local"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "symmetrize": [StrOptions({"average", "max", "mutual"})],
        "metric": [str, callable],
        "engine": [StrOptions({"auto", "exact", "faiss", "pynndescent"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        *,
        radius: float | None = None,
        weights: str = "rbf",
        bandwidth: str | float = "global",
        symmetrize: str = "average",
        metric: Any = "euclidean",
        engine: str = "auto",
        random_state: Any = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.weights = weights
        self.bandwidth = bandwidth
        self.symmetrize = symmetrize
        self.metric = metric
        self.engine = engine
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, reach: int = 1) -> Self:
        """Build the graph of the rows of `X` (or of a matrix of distances).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d) or (n, n)
            Samples, or distances if the metric is "precomputed".
        y : None
            Ignored.
        reach : int, default=1
            Search for this many neighbourhoods at once: `search_` then answers for
            up to ``reach * n_neighbors_`` neighbours without a second search.

        Returns
        -------
        self : NeighborGraph
            The fitted builder.
        """
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        n = X.shape[0]
        if self.metric == "precomputed":
            check_distances(X)
        seed = seed_from(self.random_state)
        self.search_ = NeighborSearch(self.metric, self.engine, seed).fit(X)
        self.n_neighbors_ = (
            default_n_neighbors(n)
            if self.n_neighbors == "auto"
            else min(int(self.n_neighbors), n - 1)
        )
        self.search_.nearest(reach * self.n_neighbors_)
        self.engine_, self.recall_ = self.search_.engine_, self.search_.recall_
        self._search_state = (seed, self.search_.tuning_)
        edges = self._edges()
        self._sample_scale = mean_distances(edges, n)
        self.bandwidth_ = self._bandwidth(edges)
        directed = self._to_matrix(edges, self._sample_scale, (n, n))
        self.weights_ = symmetrize(directed, self.symmetrize)
        self.degrees_ = np.asarray(self.weights_.sum(axis=1)).ravel()
        self.affinity_ = normalize_affinity(self.weights_)
        return self

    def restore_search(self, X: Any) -> None:
        """Search the samples `X` of the fit as it did; for a model read from a file."""
        # Models that were saved before there were engines have neither, and were exact.
        engine = getattr(self, "engine_", "exact")
        seed, tuning = getattr(self, "_search_state", (0, None))
        self.search_ = NeighborSearch(self.metric, engine, seed).fit(X, tuning)

    def to_new(self, X_new: Any) -> sparse.csr_array:
        """Normalised weights between new samples and the fitted ones.

        Parameters
        ----------
        X_new : array-like of shape (n_new, n_features)
            New samples, or their distances to the fitted ones if the metric is
            "precomputed".

        Returns
        -------
        csr_array of shape (n_new, n)
            Row by row what a row of :math:`W` is for a fitted sample.
        """
        check_is_fitted(self)
        X_new = check_array(X_new, accept_sparse="csr", dtype=[np.float64, np.float32])
        if self.metric != "precomputed":
            X_new = self.search_.of_the_same_kind(X_new)
        edges = self._edges(X_new)
        scale = mean_distances(edges, X_new.shape[0])
        shape = (X_new.shape[0], len(self.degrees_))
        return normalize_rows_to(self._to_matrix(edges, scale, shape), self.degrees_)

    def _edges(self, X_new: Any = None) -> Edges:
        if self.radius is not None:
            return self.search_.within(self.radius, X_new)
        return self.search_.nearest(self.n_neighbors_, X_new)

    def _bandwidth(self, edges: Edges) -> float | np.ndarray:
        if self.bandwidth == "local":
            return self._sample_scale
        if self.bandwidth == "global":
            return float(edges.distances.mean()) if len(edges.distances) else 0.0
        return float(self.bandwidth)

    def _to_matrix(
        self, edges: Edges, row_scale: np.ndarray, shape: tuple[int, int]
    ) -> sparse.csr_array:
        if self.weights == "binary":
            values = np.ones(len(edges.rows))
        elif self.bandwidth == "local":
            product = row_scale[edges.rows] * self._sample_scale[edges.cols]
            values = rbf_weights(edges.distances, np.sqrt(product))
        else:
            values = rbf_weights(edges.distances, self.bandwidth_)
        return sparse.csr_array((values, (edges.rows, edges.cols)), shape=shape)


def graph_builder(
    graph: Any, n_neighbors: int | str = "auto", metric: Any = "euclidean"
) -> Any:
    """The builder that an estimator's parameters ask for, not yet fitted.

    Parameters
    ----------
    graph : {"knn", "ensemble", "precomputed"} or builder
        "knn" is :class:`NeighborGraph` with the two parameters below, "ensemble" is
        :class:`~graphtailor.graphs.ensemble.graph.EnsembleGraph`, "precomputed" is
        :class:`PrecomputedGraph`; any other builder is copied.
    n_neighbors, metric
        Passed on for "knn".

    Returns
    -------
    NeighborGraph, EnsembleGraph, PrecomputedGraph or a copy of the builder
        Ready to be fitted.
    """
    if isinstance(graph, str) and graph == "precomputed":
        return PrecomputedGraph()
    if isinstance(graph, str) and graph == "knn":
        return NeighborGraph(n_neighbors=n_neighbors, metric=metric)
    if isinstance(graph, str) and graph == "ensemble":
        # Imported late, for it is built upon graphs of neighbours.
        from graphtailor.graphs.ensemble.graph import EnsembleGraph

        return EnsembleGraph()
    return clone(graph)
