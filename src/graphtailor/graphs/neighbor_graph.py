"""The graph W of samples by their neighbours, and its edges to new samples."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.base import GraphBuilder, Input
from graphtailor.graphs.precomputed import check_distances
from graphtailor.graphs.weights import (
    mean_distances,
    normalize_rows_to,
    rbf_weights,
    symmetrize,
)
from graphtailor.linalg.magnitude import mean_of
from graphtailor.linalg.sparse import checked_matrix
from graphtailor.linalg.types import ABOVE_0, COUNT, Matrix, MatrixLike, RandomState
from graphtailor.neighbors.exact import Metric
from graphtailor.neighbors.search import (
    Edges,
    NeighborSearch,
    default_n_neighbors,
    seed_from,
)

# A model may represent a sample by this many neighbourhoods of others. One search finds
# all of them.
_SEARCHED_NEIGHBORHOODS = 3


@dataclass(eq=False, repr=False)
class NeighborGraph(GraphBuilder):
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
    n_jobs : int or None, default=None
        Threads of the search; the graph does not depend on their number.

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

    n_neighbors: int | str = "auto"
    _: KW_ONLY
    radius: float | None = None
    weights: str = "rbf"
    bandwidth: str | float = "global"
    symmetrize: str = "average"
    metric: Metric = "euclidean"
    engine: str = "auto"
    random_state: RandomState = 0
    n_jobs: int | None = None

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "n_neighbors": [*COUNT, StrOptions({"auto"})],
        "radius": [*ABOVE_0, None],
        "weights": [StrOptions({"rbf", "binary"})],
        "bandwidth": [StrOptions({"global", "local"}), *ABOVE_0],
        "symmetrize": [StrOptions({"average", "max", "mutual"})],
        "metric": [str, callable],
        "engine": [StrOptions({"auto", "exact", "faiss", "pynndescent"})],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    @property
    def input(self) -> Input:
        """Distances where the metric is "precomputed", else samples."""
        return "distances" if self.metric == "precomputed" else "samples"

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Build the graph of the rows of `X` (or of a matrix of distances).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d) or (n, n)
            Samples, or distances if the metric is "precomputed".
        y : None
            Ignored.

        Returns
        -------
        self : NeighborGraph
            The fitted builder.
        """
        X = checked_matrix(X, dtype=[np.float64, np.float32])
        n = X.shape[0]
        if self.metric == "precomputed":
            check_distances(X)
        seed = seed_from(self.random_state)
        search = NeighborSearch(self.metric, self.engine, seed, self.n_jobs)
        self.search_ = search.fit(X)
        auto = self.n_neighbors == "auto"
        p = default_n_neighbors(n) if auto else min(int(self.n_neighbors), n - 1)
        self.n_neighbors_ = p
        self.search_.nearest(_SEARCHED_NEIGHBORHOODS * p)
        self.engine_, self.recall_ = self.search_.engine_, self.search_.recall_
        self._search_state = (seed, self.search_.tuning_)
        edges = self._edges()
        self._sample_scale = mean_distances(edges, n)
        self.bandwidth_ = self._bandwidth(edges)
        directed = self._to_matrix(edges, self._sample_scale, (n, n))
        return self._take(symmetrize(directed, self.symmetrize), p)

    def nearest(self, k: int, X_new: MatrixLike | None = None) -> Edges:
        """The k nearest fitted samples of each sample, nearest first."""
        return self.search_.nearest(k, X_new)

    def _restore(self, fitted: dict[str, Any], rows: Matrix) -> None:
        super()._restore(fitted, rows)
        seed, tuning = self._search_state
        if tuning is not None:
            width, effort, recall = tuning
            tuning = (int(width), int(effort), float(recall))
        search = NeighborSearch(self.metric, self.engine_, seed)
        self.search_ = search.fit(rows, tuning)

    def to_new(self, X_new: MatrixLike) -> sparse.csr_array:
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
        X_new = checked_matrix(X_new, dtype=[np.float64, np.float32])
        if self.metric != "precomputed":
            X_new = self.search_.of_the_same_kind(X_new)
        edges = self._edges(X_new)
        scale = mean_distances(edges, X_new.shape[0])
        shape = (X_new.shape[0], len(self.degrees_))
        return normalize_rows_to(self._to_matrix(edges, scale, shape), self.degrees_)

    def _edges(self, X_new: Matrix | None = None) -> Edges:
        if self.radius is not None:
            return self.search_.within(self.radius, X_new)
        return self.search_.nearest(self.n_neighbors_, X_new)

    def _bandwidth(self, edges: Edges) -> float | np.ndarray:
        if self.bandwidth == "local":
            return self._sample_scale
        if self.bandwidth == "global":
            return mean_of(edges.distances) if len(edges.distances) else 0.0
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
