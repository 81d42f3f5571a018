"""Graph builders: the given graph W of the fitted samples, and edges to new ones."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.neighbors import Edges, NeighborSearch, default_n_neighbors
from graphtailor.graphs.weights import (
    inverse_sqrt,
    mean_distances,
    normalize_affinity,
    rbf_weights,
    symmetrize,
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
    ) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.weights = weights
        self.bandwidth = bandwidth
        self.symmetrize = symmetrize
        self.metric = metric

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
            _check_distances(X)
        self.search_ = NeighborSearch(self.metric).fit(X)
        self.n_neighbors_ = (
            default_n_neighbors(n)
            if self.n_neighbors == "auto"
            else min(int(self.n_neighbors), n - 1)
        )
        self.search_.nearest(reach * self.n_neighbors_)
        edges = self._edges()
        self._sample_scale = mean_distances(edges, n)
        self.bandwidth_ = self._bandwidth(edges)
        directed = self._to_matrix(edges, self._sample_scale, (n, n))
        self.weights_ = symmetrize(directed, self.symmetrize)
        self.degrees_ = np.asarray(self.weights_.sum(axis=1)).ravel()
        self.affinity_ = normalize_affinity(self.weights_)
        return self

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
        return _normalize_rows_to(self._to_matrix(edges, scale, shape), self.degrees_)

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


class PrecomputedGraph(BaseEstimator):
    """A graph that the user brings: any nonnegative affinity matrix.

    Attributes
    ----------
    weights_ : csr_array of shape (n, n)
        The affinity, symmetric (the mean of both directions), diagonal set to 0.
    affinity_ : csr_array of shape (n, n)
        The same, normalised by the degrees.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.graphs import PrecomputedGraph
    >>> A = np.array([[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    >>> PrecomputedGraph().fit(A).affinity_.toarray().round(3)
    array([[0.   , 0.707, 0.   ],
           [0.707, 0.   , 0.707],
           [0.   , 0.707, 0.   ]])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Take the affinity matrix `X` of shape (n, n), dense or sparse."""
        A = self._check(X)
        if A.shape[0] != A.shape[1]:
            raise ValueError(
                f"A precomputed affinity must be square, but has shape {A.shape}. "
                "Give the samples themselves with graph='knn', or one row and one "
                "column for each sample."
            )
        A.setdiag(0)
        A.eliminate_zeros()
        self.weights_ = symmetrize(sparse.csr_array(A), "average")
        self.degrees_ = np.asarray(self.weights_.sum(axis=1)).ravel()
        self.affinity_ = normalize_affinity(self.weights_)
        return self

    def to_new(self, X_new: Any) -> sparse.csr_array:
        """Normalise affinities of shape (n_new, n) as those of the fitted samples."""
        check_is_fitted(self)
        A = self._check(X_new)
        if A.shape[1] != len(self.degrees_):
            raise ValueError(
                f"Affinities of new samples have {A.shape[1]} columns, but there must "
                f"be one for each of the {len(self.degrees_)} fitted samples."
            )
        return _normalize_rows_to(A, self.degrees_)

    def _check(self, X: Any) -> sparse.csr_array:
        A = sparse.csr_array(
            check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32]),
            copy=True,
        )
        if A.nnz and A.data.min() < 0:
            raise ValueError(
                "A precomputed affinity must not be negative, but its smallest "
                f"entry is {A.data.min():g}. Shift it, take its absolute value, or "
                "give distances through NeighborGraph(metric='precomputed')."
            )
        return A


def graph_builder(
    graph: Any, n_neighbors: int | str = "auto", metric: Any = "euclidean"
) -> Any:
    """The builder that an estimator's parameters ask for, not yet fitted.

    Parameters
    ----------
    graph : {"knn", "precomputed"} or builder
        "knn" is :class:`NeighborGraph` with the two parameters below,
        "precomputed" is :class:`PrecomputedGraph`; any other builder is copied.
    n_neighbors, metric
        Passed on for "knn".

    Returns
    -------
    NeighborGraph, PrecomputedGraph or a copy of the builder
        Ready to be fitted.
    """
    if isinstance(graph, str) and graph == "precomputed":
        return PrecomputedGraph()
    if isinstance(graph, str) and graph == "knn":
        return NeighborGraph(n_neighbors=n_neighbors, metric=metric)
    return clone(graph)


def _normalize_rows_to(G: sparse.csr_array, degrees: np.ndarray) -> sparse.csr_array:
    rows = np.repeat(np.arange(G.shape[0]), np.diff(G.indptr))
    own = inverse_sqrt(np.asarray(G.sum(axis=1)).ravel())
    data = G.data * own[rows] * inverse_sqrt(degrees)[G.indices]
    return sparse.csr_array((data, G.indices, G.indptr), shape=G.shape)


def _check_distances(D: Any) -> None:
    if D.shape[0] != D.shape[1]:
        raise ValueError(
            f"Precomputed distances must be square, but have shape {D.shape}."
        )
    values = D.data if sparse.issparse(D) else D
    if values.size and values.min() < 0:
        raise ValueError(
            "Precomputed distances must not be negative, but the smallest is "
            f"{values.min():g}. For affinities use graph='precomputed'."
        )
