"""Robust PCA on graphs."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from graphtailor.baselines._base import (
    GRAPH_CONSTRAINTS,
    KMEANS_CONSTRAINTS,
    LOOP_CONSTRAINTS,
    BaseClusterer,
    EmbeddingMixin,
)
from graphtailor.baselines._grpca_solver import graph_robust_pca
from graphtailor.baselines.rpca import default_weight, low_rank_embedding
from graphtailor.graphs import GraphBuilder
from graphtailor.linalg.types import MatrixLike, ParameterConstraints, RandomState


class GRPCA(EmbeddingMixin, BaseClusterer):
    r"""Robust PCA with a low-rank part that is smooth on the graph, then K-means.

    .. math:: \min_{L, S} \|L\|_* + \lambda \|S\|_1
              + \gamma \operatorname{tr}(L^\top \Phi L)
              \quad \text{s.t.} \quad X = L + S ,

    with the normalised Laplacian :math:`\Phi = I - W` of the given graph. The
    problem is convex; alternating directions on a copy of :math:`L` solve it.
    With :math:`\gamma = 0` this is :class:`RPCA`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    lam : float or None, default=None
        Weight :math:`\lambda` of the sparse part; None is
        :math:`2 / \sqrt{\max(n, d)}`, as in :class:`RPCA`.
    gamma : float or None, default=None
        Weight of the graph. It is measured in inverses of `X`: for :math:`tX` the
        same result needs :math:`\gamma / t`. None is
        :math:`1 / (\sqrt{\max(n, d)} \max |x_{ij}|)`.
    graph : "knn" or builder, default="knn"
        The given graph.
    n_neighbors : int or "auto", default="auto"
        Neighbours in the graph; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.
    readout : {"rows", "scores"}, default="rows"
        What K-means sees: the rows of :math:`L`, or its leading `n_clusters`
        principal scores.
    max_iter : int, default=1000
        Iterations at most.
    tol : float, default=1e-5
        Relative size of the primal and the dual residual at which to stop.
    n_init : int, default=1
        K-means starts, of which the best is kept.
    init : {"random", "k-means++"}, default="random"
        How a K-means start is drawn.
    random_state : int, RandomState or None, default=None
        Seed of K-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        :math:`L` and :math:`S = X - L`.
    embedding_ : ndarray of shape (n_samples, k)
        What K-means saw.
    graph_ : builder
        The fitted builder of the graph.
    objective_ : ndarray of shape (n_iter_,)
        Value at :math:`(L, X - L)` after each iteration.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        Whether the residuals fell below `tol`.

    Notes
    -----
    One :math:`d \times d` eigen-decomposition, :math:`O(n d^2)` products and a
    sparse solve an iteration; :math:`2 \gamma \Phi + r I` is factored once.

    References
    ----------
    N. Shahid, V. Kalofolias, X. Bresson, M. Bronstein, P. Vandergheynst, Robust
    Principal Component Analysis on Graphs, ICCV 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import GRPCA
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = GRPCA(3, n_init=10, random_state=0).fit(X / X.max(axis=0))
    >>> clustering_accuracy(y, model.labels_) > 0.94
    True
    """

    _parameter_constraints: ParameterConstraints = {  # noqa: RUF012
        **BaseClusterer._parameter_constraints,
        **LOOP_CONSTRAINTS,
        **GRAPH_CONSTRAINTS,
        **KMEANS_CONSTRAINTS,
        "lam": [Interval(Real, 0, None, closed="neither"), None],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "readout": [StrOptions({"rows", "scores"})],
    }

    _dense_arrays = (1.0, 14.0)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam: float | None = None,
        gamma: float | None = None,
        graph: str | GraphBuilder = "knn",
        n_neighbors: int | str = "auto",
        readout: str = "rows",
        max_iter: int = 1000,
        tol: float = 1e-5,
        n_init: int = 1,
        init: str = "random",
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.gamma = gamma
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.readout = readout
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        W = self._fit_graph(X).affinity_
        lam = default_weight(X.shape) if self.lam is None else float(self.lam)
        gamma = self.gamma
        if gamma is None:
            gamma = 1 / (np.sqrt(max(X.shape)) * (np.abs(X).max() or 1))
        result = graph_robust_pca(
            X, W, lam, float(gamma), tol=self.tol, max_iter=self.max_iter
        )
        self.low_rank_ = result.low_rank.astype(X.dtype, copy=False)
        self.sparse_ = result.sparse.astype(X.dtype, copy=False)
        embedding = low_rank_embedding(self.low_rank_, self.readout, self.n_clusters)
        labels = self._cluster_rows(embedding, X.dtype)
        objective = result.objective
        self._finish(labels, objective, len(objective), result.converged)
